"""Links as evidence: read from pages, told by pairs and by names, and scores of links to different places."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from diglot.alignment.beads import Bead
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.links import (
    PAIRED,
    PagePair,
    lead_elsewhere,
    limit_link_scores,
    link_keys,
    mark_own_links,
    mark_paired_links,
)
from diglot.alignment.site_model import align_with, learn_model, split_table
from diglot.documents.parse import parse_table
from diglot.features.links import page_key
from diglot.records import PAGE_SCHEMA

EN, FR = "https://a.org/en/index.html", "https://a.org/fr/index.html"


def parsed(url: str, lang: str, html: str) -> pa.Table:
    page = dict.fromkeys(PAGE_SCHEMA.names, "") | {"url": url, "body": html.encode(), "content_type": "text/html"}
    table = parse_table(pa.Table.from_pylist([page | {"offset": 0}], schema=PAGE_SCHEMA))
    return table.set_column(table.schema.get_field_index("lang"), "lang", pa.array([lang]))


def test_links_of_sentences() -> None:
    html = (
        '<p><a href="a.html#x%20y">whole</a></p><p>See <a href="b.html">this</a>.</p>'
        '<p><a href="c">two</a> <a href="d">places</a></p><p><a href="#here">there</a></p>'
        '<p><a href="e">One.</a> Another sentence.</p>'
    )
    row = split_table(parsed("https://a.org/", "en", html)).to_pylist()[0]
    assert row["links"] == ["https://a.org/a.html#x y", "https://a.org/b.html", "", "#here", "", ""]
    assert row["whole_links"] == [1, 0, 0, 1, 0, 0]


def test_names_stand_for_addresses_if_nothing_else_has_them() -> None:
    src = ["https://a.org/en/blur.html", "https://a.org/en/x/index.html", "https://a.org/en/1", "https://b.org/", ""]
    tgt = ["https://a.org/fr/x/", "https://a.org/fr/blur.html", "https://a.org/fr/1", "https://a.org/es/1", ""]
    assert link_keys(src, tgt) == (["blur.html", "x", "", "", ""], ["x", "blur.html", "", "", ""])


def test_pages_of_no_pair_have_names_too() -> None:
    src, tgt = (
        ["!https://a.org/en/blur", "!https://a.org/en/one", "=p"],
        ["!https://a.org/fr/blur", "!https://a.org/fr/un"],
    )
    assert link_keys(src, tgt) == (["blur", "!https://a.org/en/one", "=p"], ["blur", "!https://a.org/fr/un"])


def test_pages_of_a_pair_are_one_place_and_a_menu_of_languages_two() -> None:
    partners = {"e1": "=e1", "f1": "=e1", "e2": "=e2", "f2": "=e2"}
    assert mark_paired_links(["e2#a", "z"], ["f2#b", "f1"], PagePair("e1", "f1"), partners) == (
        ["=e2#a", "z"],
        ["=e2#b", PAIRED],
    )
    src, tgt = mark_paired_links(["e1", "f1"], ["e1", "f1"], PagePair("e1", "f1"), partners)
    assert src == tgt == ["=e1", "=f1"]


def test_a_page_linked_by_itself_is_one_place_on_both_pages() -> None:
    menu = ["Story", "English", "Français", "Rooms", "Top"]
    links = mark_own_links([EN, EN, FR, "https://a.org/x", f"{EN}#top"], menu, EN)
    assert links == [PAIRED, EN, FR, "https://a.org/x", f"{PAIRED}#top"]
    theirs = mark_own_links([FR, EN, FR], ["Histoire", "English", "Français"], FR)
    marked = mark_paired_links(links[:3], theirs, PagePair(EN, FR), {})
    assert marked[0] == marked[1] == [PAIRED, f"{PAIRED}{EN}", f"{PAIRED}{FR}"]
    # Without a menu both spellings are the page itself: one side may hold the name of a language alone.
    own = mark_own_links([EN], ["English courses"], EN), mark_own_links([FR], ["Cours"], FR)
    assert own == ([EN], [PAIRED])
    assert mark_paired_links(*own, PagePair(EN, FR), {page_key(EN): f"{PAIRED}{EN}"}) == ([PAIRED], [PAIRED])
    assert mark_own_links(["", "https://a.org/en/"], ["", "Home"], "http://a.org/en/index.html") == ["", PAIRED]


def test_a_link_to_a_folder_means_its_first_page() -> None:
    pages = PagePair("https://a.org/en/index.html", "https://a.org/fr/index.html")
    partners = {page_key("https://a.org/en/x/index.html"): "=e2", page_key("https://a.org/fr/y/"): "=e2"}
    src, tgt = ["http://a.org/en/x/#top", "https://a.org/fr/"], ["https://a.org/fr/y", "https://a.org/fr/z/"]
    assert mark_paired_links(src, tgt, pages, partners) == (
        ["=e2#top", "=https://a.org/fr/index.html"],
        ["=e2", "https://a.org/fr/z/"],
    )


def test_a_file_named_like_a_folder_is_a_page_of_its_own() -> None:
    pages = PagePair("https://a.org/en/news/", "https://a.org/fr/actu/")
    links = ["https://a.org/en/news.html", "https://a.org/en/news"]
    assert mark_own_links(links, ["All news", "News"], pages.src) == [links[0], PAIRED]
    assert mark_paired_links(links, ["https://a.org/fr/actu.html"], pages, {page_key(links[0]): "=e2"}) == (
        ["=e2", PAIRED],
        ["https://a.org/fr/actu.html"],
    )


class _OnlyAsked(dict[str, str]):
    """Can be asked for a page, not gone through."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("all pages of the site are gone through for one pair")

    keys = values = items = __iter__  # type: ignore[assignment]


def test_a_pair_costs_the_same_on_any_site() -> None:
    partners = _OnlyAsked({"e1": "=e1", "f1": "=e1", "e2": "=e2", "f2": "=e2"})
    assert mark_paired_links(["e2"], ["f2"], PagePair("e1", "f1"), partners) == (["=e2"], ["=e2"])


@pytest.mark.parametrize(
    ("src", "tgt", "elsewhere"),
    [
        ("a", "a", False),
        ("a", "b", True),  # each page has both
        ("a", "c", False),  # c stands on one page alone, and may be what a is there
        ("=p", "=q", True),  # pages that are paired, not with each other
        ("=p#x", "=p#y", False),  # an anchor may be translated
        ("=p", "", False),
        ("=p", "!q", True),  # the translation of p is another page than q
        ("!r", "!q", False),  # perhaps a pair that was missed
    ],
)
def test_places_known_to_be_two(src: str, tgt: str, elsewhere: bool) -> None:
    assert lead_elsewhere(src, tgt, {"a", "b", "=p"}, {"a", "b", "c", "=q"}) is elsewhere


def test_two_anchors_of_a_page_are_two_places_if_both_pages_have_both() -> None:
    anchors = {"=p#x", "=p#y"}
    assert lead_elsewhere("=p#x", "=p#y", anchors, anchors)
    assert not lead_elsewhere("=p#x", "=p#y", anchors, {"=p#y"})
    assert not lead_elsewhere("=p#x", "=p#y", {"=p#x"}, anchors)


def test_two_links_to_different_places_are_no_translation() -> None:
    names = ["Eins", "Zwei", "Drei"]
    pair = ParallelText([*names, "Vier"], [*names, "Vier"], links=(["=p", "=q", "=r", ""], ["=p", "=s", "=r", ""]))
    pair = ParallelText(pair.src, pair.tgt, links=pair.links, whole_links=([1] * 4, [1] * 4))
    beads = align_with(learn_model([pair]), pair)
    scores = {bead.src: bead.score for bead in beads if isinstance(bead, Bead) and bead.kind == "1-1"}
    assert scores[1, 2] <= 0.05
    # Words seen once say nothing, so these are as likely as the text is translated.
    assert scores[0, 1] > 0.7
    assert scores[3, 4] > 0.7


@pytest.mark.parametrize(
    ("tgt", "kind", "whole", "score"),
    [
        ("b", (1, 1), (1, 1), 0.05),
        ("a", (1, 1), (1, 1), 0.9),  # the same place
        ("b", (1, 2), (1, 1), 0.9),
        ("b", (1, 1), (1, 0), 0.9),  # a sentence with a link in it
        ("", (1, 1), (1, 1), 0.9),
    ],
)
def test_two_links_to_different_places_score_a_twentieth(
    tgt: str, kind: tuple[int, int], whole: tuple[int, int], score: float
) -> None:
    links, wholes = (["a", "b", "b"], [tgt, "a", "b"]), ([whole[0]] * 3, [whole[1]] * 3)
    beads = [Bead((0, kind[0]), (0, kind[1]), 0.9), Bead((2, 3), (2, 3), 0.01)]
    assert [bead.score for bead in limit_link_scores(beads, links, wholes)] == [score, 0.01]
    assert limit_link_scores(beads, ([""] * 3, links[1]), wholes) == beads
