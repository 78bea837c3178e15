"""Differences of addresses, their rules, and language markers: the cases of the papers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from diglot.documents.parse import pages_table, parse_table
from diglot.features.language_markers import stripped_url
from diglot.features.surface import depth_difference, same_extension
from diglot.features.url_difference import UrlParts, rule_support, url_parts, url_rule
from diglot.language_names import spellings
from diglot.pairing.candidates import collect, one_url_difference, same_stripped_url, similar_length, unique_pairs
from diglot.records import Page
from diglot.site import Site, url_depth


def count_differences(first: UrlParts, second: UrlParts) -> int:
    """Edits between the directories, plus 1 for another file name, plus edits between the variables as sets."""
    ours, theirs = Counter(first.variables), Counter(second.variables)
    variables = max((ours - theirs).total(), (theirs - ours).total())
    return Levenshtein.distance(first.directories, second.directories) + (first.filename != second.filename) + variables


@pytest.mark.parametrize(
    ("first", "second", "differences"),
    [
        ("http://www.gnu.org/home.ca.html", "http://www.gnu.org/home.en.html", 1),
        ("http://www.ua.es/va/index.html", "http://www.ua.es/en/index.html", 1),
        ("http://www.ua.es/index.html", "http://www.ua.es/en/index.html", 1),
        ("http://www.dlsi.ua.es/index.html?id=val", "http://www.dlsi.ua.es/index.html?id=eng", 1),
        ("http://www.dlsi.ua.es/index.html", "http://www.dlsi.ua.es/index.html?id=eng", 1),
        ("http://en.site.example/a", "http://ca.site.example/a", 1),
        ("http://a.example/x?a=1", "http://a.example/x?b=1", 1),
        ("http://a.example/va/one.html", "http://a.example/en/two.html", 2),
        ("http://a.example/x?a=1&b=1", "http://a.example/x?a=2&b=2", 2),
        ("http://a.example/a/b/x", "http://a.example/c/d/x", 2),
        ("http://a.example/x", "https://a.example/x", 0),
    ],
)
def test_differences_of_the_papers_addresses(first: str, second: str, differences: int) -> None:
    """Bitextor 2010, section 4.1, and what must not pass."""
    assert count_differences(url_parts(first), url_parts(second)) == differences
    assert count_differences(url_parts(second), url_parts(first)) == differences


def site_at(*urls: str) -> Site:
    """A site of pages of the same text at these addresses, sorted."""
    return Site("a.example", parse_table(pages_table([Page(url, b"<p>text</p>") for url in sorted(urls)])))


def test_the_join_finds_exactly_the_pairs_with_at_most_one_difference() -> None:
    rng = np.random.default_rng(3)
    urls = set()
    while len(urls) < 120:
        folders = "/".join(rng.choice(["en", "fr", "a", "b"], rng.integers(0, 4)))
        query = "&".join(sorted(set(rng.choice(["l=en", "l=fr", "p=1", "p=2"], rng.integers(0, 3)))))
        urls.add(
            f"http://{rng.choice(['x', 'y'])}.example/{folders}/{rng.choice(['i', 'j', ''])}{'?' * bool(query)}{query}"
        )
    site = site_at(*urls)
    src, tgt = np.arange(0, 120, 2, dtype=np.int32), np.arange(1, 120, 2, dtype=np.int32)
    found = {tuple(pair) for pair in collect(unique_pairs(one_url_difference(site, src, tgt), site)).tolist()}
    every = np.array([(i, j) for i in src for j in tgt], np.int32)
    parts = [url_parts(url) for url in site.urls]
    assert found == {(i, j) for i, j in every.tolist() if count_differences(parts[i], parts[j]) <= 1}
    assert len(found) > 50


def test_candidates_of_similar_length_are_all_there() -> None:
    bodies = [b"x " * n for n in (1, 10, 11, 12, 50, 60, 61, 500)]
    pages = [Page(f"http://a.example/{n}", b"<p>" + body) for n, body in enumerate(bodies)]
    site = Site("a.example", parse_table(pages_table(pages)))
    src, tgt = np.arange(4, dtype=np.int32), np.arange(4, 8, dtype=np.int32)
    for most in (0.1, 0.5, 0.85, 1.0):
        found = {tuple(p) for p in collect(similar_length(site, src, tgt, max_difference=most)).tolist()}
        lengths = site.numbers("text_length_chars")
        expected = {
            (i, j) for i in range(4) for j in range(4, 8) if lengths[j] - lengths[i] <= most * lengths[j] + 1e-6
        }
        assert found == expected


def test_a_rule_and_how_often_it_recurs() -> None:
    rule = url_rule(
        url_parts("http://a.example/en/index.en.html?l=1"), url_parts("http://a.example/fr/index.fr.html?l=2")
    )
    assert rule == (("directory", "en", "fr"), ("filename", "en", "fr"), ("variable", "l=1", "l=2"))
    urls = [f"http://a.example/{lang}/{n}" for lang in ("en", "fr") for n in range(3)] + ["http://a.example/zz/9"]
    site = site_at(*urls)
    pairs = np.array([[0, 3], [1, 4], [2, 5], [0, 6]], np.int32)
    assert rule_support(site, pairs).tolist() == [3, 3, 3, 1]


def test_depth_and_extension() -> None:
    """ILSP, section 2.3: domain/d1/d2/d3/page has depth 4; so has the page of PWCC's example."""
    assert url_depth("http://domain/d1/d2/d3/page") == 4
    assert url_depth("http://www.fmprc.gov.cn/chn/wjdt/zyjh/t1.htm") == 4
    assert url_depth("http://domain/") == url_depth("http://domain") == 0
    site = site_at(
        "http://a.example/a/b.html", "http://a.example/c.HTML", "http://a.example/d.php", "http://a.example/e"
    )
    pairs = np.array([[0, 1], [1, 2], [2, 3], [3, 3]], np.int32)
    assert same_extension(site, pairs).tolist() == [1, 0, 0, 1]
    assert depth_difference(site, pairs).tolist() == [1, 0, 0, 0]


def test_markers_of_a_language() -> None:
    assert spellings("fr") == ("français", "french", "fra", "fre", "fr", "f")
    both = frozenset({"en", "fr"})
    for url in (
        "http://a.example/foo.en.html",
        "https://a.example/foo.html#part",
        "http://a.example/en/foo.html",
        "http://a.example/fr-ca/foo_french.html",
        "http://en.a.example/foo.html?lang=fr",
    ):
        assert stripped_url(url, both) == "a.example/foo.html"
    assert stripped_url("http://a.example/frog/rent.html", both) == "a.example/frog/rent.html"
    assert stripped_url("http://a.example/x?language=7", both) == "a.example/x?language=7"
    assert stripped_url("http://a.example/x?language=7", both, query_keys=True) == "a.example/x"


def test_equal_but_for_markers() -> None:
    site = site_at("http://a.example/en/x", "http://a.example/fr/x", "http://a.example/fr/y", "http://a.example/z")
    rule = same_stripped_url(
        site,
        np.array([0, 3], np.int32),
        np.array([1, 2], np.int32),
        src_langs=frozenset({"en"}),
        tgt_langs=frozenset({"fr"}),
        query_keys=False,
    )
    assert {tuple(pair) for pair in collect(rule).tolist()} == {(0, 1)}
