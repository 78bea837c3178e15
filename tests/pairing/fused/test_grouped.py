"""Pages of many languages decided together: neutral evidence alone, contradicted pairs, and lists of other things."""

from __future__ import annotations

import numpy as np
import pytest
from made_bilingual import LANGS, STORIES, number_of, story

from diglot.pairing.fused.groups import _support, pairs_in_groups
from diglot.pairing.fused.groups.neutral import neutral_evidence, pages_of
from diglot.pairing.fused.prior import GROUP_FEATURES, read_prior
from made_documents import made_site


@pytest.fixture(scope="module")
def site():
    return made_site(*(story(lang, number) for lang in LANGS for number in range(STORIES)))


def test_neutral_evidence_is_symmetric_and_prefers_the_partner(site):
    pages = pages_of(site, LANGS)
    evidence = neutral_evidence(site, pages)
    assert np.array_equal(evidence, evidence.T)
    english, french = pages.of(0), pages.of(1)
    best = evidence[english, french].argmax(axis=1)
    assert [number_of(site, r) for r in pages.rows[french][best]] == [number_of(site, r) for r in pages.rows[english]]


def test_all_pairs_of_all_languages_without_any_odds(site):
    pairs, features = pairs_in_groups(site, LANGS, {})
    assert len(pairs) == STORIES * 15
    assert all(number_of(site, i) == number_of(site, j) for i, j in pairs.tolist())
    assert (read_prior().group_log_odds(features) > 0).all()
    assert (features[:, GROUP_FEATURES.index("size")] == np.log(len(LANGS))).all()


def test_odds_that_contradict_all_other_languages_lose(site):
    row = {
        (lang, n): site.rows_of(lang)[[number_of(site, r) for r in site.rows_of(lang)].index(str(n))].item()
        for lang in LANGS
        for n in (0, 1)
    }
    swapped = np.array([[row["en", 0], row["fr", 1]], [row["en", 1], row["fr", 0]]], np.int32)
    pairs, _ = pairs_in_groups(site, LANGS, {("en", "fr"): (swapped, np.array([1.0, 1.0]))})
    found = set(map(tuple, pairs.tolist()))
    assert not found & set(map(tuple, swapped.tolist()))
    assert (row["en", 0], row["fr", 0]) in found


def lists_of_others(more_blocks: int):
    """Pairs of pages that list eight stories, in French other ones, and hold so many more blocks."""

    def listing(lang, numbers):
        page = story(lang, 999, [f"http://x/{lang}/{n}" for n in numbers], more_blocks)
        return page | {"url": f"http://x/{lang}/list"}

    stories = [story(lang, number) for lang in LANGS for number in range(2 * STORIES)]
    lists = [listing(lang, range(8) if lang != "fr" else range(12, 20)) for lang in LANGS]
    site = made_site(*stories, *lists)
    pairs, _ = pairs_in_groups(site, LANGS, {})
    return {(site.urls[i], site.urls[j]) for i, j in pairs.tolist() if site.urls[i].endswith("list")}


def test_lists_that_link_to_other_stories_are_no_pair():
    found = lists_of_others(0)
    assert ("http://x/en/list", "http://x/de/list") in found
    assert ("http://x/en/list", "http://x/fr/list") not in found


def test_running_text_that_links_elsewhere_may_be_an_older_translation():
    assert ("http://x/en/list", "http://x/fr/list") in lists_of_others(40)


def test_a_language_without_pages_and_one_page_a_language():
    site = made_site(*(story(lang, 3) for lang in LANGS))
    pairs, _ = pairs_in_groups(site, (*LANGS, "mt"), {})
    assert len(pairs) in (0, 15)


def test_a_pair_has_the_rest_of_the_page_that_the_others_tie_less() -> None:
    evidence = np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 5.0], [1.0, 5.0, 0.0]])
    found = _support(evidence, [[0, 1, 2]], np.array([[0, 1], [0, 2], [1, 2]]))
    assert found[:, GROUP_FEATURES.index("rest")].tolist() == [1.0, 2.0, 1.0]
