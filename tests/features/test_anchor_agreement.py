"""Agreement of the anchors that point to two pages."""

import numpy as np
import pytest

from diglot.features.anchor_agreement import anchor_agreement
from diglot.lexicons import Lexicon
from made_documents import made_page, made_site

WORDS = Lexicon(
    "list", "en", "de",
    (("Foreign Minister", "Außenminister"), ("Berlin", "Berlin"), ("talks", "Gespräche"), ("talks", "Verhandlungen")),
)  # fmt: skip
EN, DE = "http://h/en/p", "http://h/de/p"


def agreement(src_anchors: list[str], tgt_anchors: list[str]) -> float:
    links = [EN] * len(src_anchors) + [DE] * len(tgt_anchors)
    home = made_page("http://h/", "en", link_urls=links, link_anchors=[*src_anchors, *tgt_anchors])
    site = made_site(home, made_page(EN, "en"), made_page(DE, "de"))
    pair = np.array([[site.urls.index(EN), site.urls.index(DE)]], np.int32)
    return float(anchor_agreement(site, pair, word_list=WORDS)[0])


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        (["Foreign Minister in Berlin"], ["AUSSENMINISTER in Berlin"], 1),
        (["Foreign Minister in Berlin"], ["Minister in Berlin"], 0),  # listed phrase without its translation
        (["News"], ["Gespräche"], 0),  # asked from both sides
        (["talks"], ["Verhandlungen"], 1),  # any of its translations
        (["Minister of Foreign affairs"], ["Nachrichten"], np.nan),  # no phrase of the list
        (["talks", "in Berlin"], ["Gespräche in Berlin"], 1),  # all anchors of a page together
        (["talks"], [], np.nan),  # no link to the page tells nothing
        (["talks"], [""], np.nan),
    ],
)
def test_agreement_by_hand(src: list[str], tgt: list[str], expected: float) -> None:
    np.testing.assert_equal(agreement(src, tgt), expected)
