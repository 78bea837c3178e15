"""Pages that the version of another language shows untranslated, in no pair with that language: worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.pairing.fused.untranslated import count_shown_untranslated
from made_documents import made_page, made_site


@pytest.mark.parametrize(
    ("english", "french", "shown"),
    [("", "", 0), ("fr", "", 1), ("", "en", 1), ("de", "de", 0), ("de fr", "", 1), ("fr", "en", 2)],
)
def test_how_many_pages_of_a_pair_the_version_of_the_other_shows_untranslated(
    english: str, french: str, shown: int
) -> None:
    pages = [("en", english), ("fr-CA", french), ("it", "en fr")]
    site = made_site(
        *(made_page(f"http://x/{n}", lang, untranslated_in=version) for n, (lang, version) in enumerate(pages))
    )
    assert count_shown_untranslated(site, np.array([[0, 1]], np.int32)).tolist() == [shown]
