"""Pages that the version of another language shows untranslated, in no pair with that language: worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.pairing.fused.untranslated import shown_untranslated
from made_documents import made_page, made_site


@pytest.mark.parametrize(
    ("english", "french", "is_shown"),
    [("", "", False), ("fr", "", True), ("", "en", True), ("de", "de", False), ("de fr", "", True)],
)
def test_a_pair_with_a_language_in_which_one_of_the_pages_is_untranslated(
    english: str, french: str, is_shown: bool
) -> None:
    pages = [("en", english), ("fr-CA", french), ("it", "en fr")]
    site = made_site(
        *(made_page(f"http://x/{n}", lang, untranslated_in=shown) for n, (lang, shown) in enumerate(pages))
    )
    assert shown_untranslated(site, np.array([[0, 1]], np.int32)).tolist() == [is_shown]
