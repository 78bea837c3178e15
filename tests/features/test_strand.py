"""STRAND lines: the paper's example by hand, properties of the alignment, repeated blocks."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.documents.parse import pages_table, parse_table
from diglot.features.strand import (
    chunk_characters,
    difference_percentage,
    strand_tokens,
    token_counts,
    unmatched_tokens,
)
from diglot.records import Page
from diglot.site import Site

ENGLISH = """<html><title>The Republic of Kazakhstan</title><body><h1>The Republic of Kazakhstan</h1>
The Republic of Kazakhstan is a unitary state with a presidential form of government."""
KAZAKH = """<html><title>Қазақстан Республикасы</title><body>
Қазақстан Республикасы – президенттік басқару нысанындағы біртұтас мемлекет."""
PAIR = np.array([[0, 1]], np.int32)
TAIL = 2
"""END:BODY and END:HTML, which the paper's example leaves out."""


def site_of(*bodies: str) -> Site:
    pages = [
        Page(url=f"http://a.org/{i:03}", body=body.encode(), content_type="text/html; charset=utf-8")
        for i, body in enumerate(bodies)
    ]
    return Site("a.org", parse_table(pages_table(pages)))


def test_example_of_the_paper() -> None:
    site = site_of(ENGLISH, KAZAKH)
    lines = strand_tokens(site)
    chunks = [[length for length in lines.row(row).tolist() if length >= 0] for row in (0, 1)]
    assert chunks == [[23, 23, 72], [21, 69]]
    assert unmatched_tokens(site, PAIR).tolist() == [3]
    assert (token_counts(site) - TAIL).tolist() == [9, 6]
    assert chunk_characters(site).tolist() == [118, 90]
    assert difference_percentage(site, PAIR)[0] == pytest.approx(3 / (9 + 6 + 2 * TAIL))


def test_inline_tags_do_not_cut_a_chunk_and_breaks_do() -> None:
    site = site_of("<p>one <b>two</b> <a href=x>three</a></p>", "<p>one<br>two</p>")
    assert [n for n in strand_tokens(site).row(0).tolist() if n >= 0] == [11]
    assert [n for n in strand_tokens(site).row(1).tolist() if n >= 0] == [3, 3]


def test_any_chunk_matches_any_chunk_and_a_tag_only_itself() -> None:
    site = site_of("<p>short</p>", f"<p>{'long ' * 50}</p>", "<h1>short</h1>")
    assert unmatched_tokens(site, np.array([[0, 1], [0, 2]], np.int32)).tolist() == [0, 4]


def test_text_of_repeated_blocks_goes_and_tags_stay() -> None:
    menu = "<ul><li>Home</li><li>News</li></ul>"
    site = site_of(*(f"<body>{menu}<p>Text number {i}, of its own.</p></body>" for i in range(8)))
    raw, bare = token_counts(site), token_counts(site, drop_repeated=True)
    assert (raw - bare).tolist() == [2] * 8
    assert chunk_characters(site, drop_repeated=True).tolist() == [len(f"Textnumber{i},ofitsown.") for i in range(8)]


def test_a_site_without_text_and_no_pairs() -> None:
    site = site_of("<p>word</p>", "<p>word</p>")
    none = np.zeros((0, 2), np.int32)
    assert unmatched_tokens(site, none).shape == (0,)
    assert difference_percentage(site, none).shape == (0,)


TAGS = ("<p>{}</p>", "<h1>{}</h1>", "<ul><li>{}</li></ul>", "<div>{}</div>")
markup = st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(("", "word", "two words"))), max_size=6)


@settings(max_examples=40)
@given(markup, markup)
def test_alignment_cost_is_that_of_a_full_matrix(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
    site = site_of(*("<body>x" + "".join(tag.format(text) for tag, text in page) for page in (first, second)))
    if len(site) < 2:
        return
    a, b = ([min(token, 0) for token in strand_tokens(site).row(row).tolist()] for row in (0, 1))
    cost = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i, j in itertools.product(range(1, len(a) + 1), range(1, len(b) + 1)):
        gap = min(cost[i - 1, j], cost[i, j - 1]) + 1
        cost[i, j] = min(gap, cost[i - 1, j - 1] + (0 if a[i - 1] == b[j - 1] else 2))
    both_ways = unmatched_tokens(site, np.array([[0, 1], [1, 0]], np.int32)).tolist()
    assert both_ways == [cost[len(a), len(b)]] * 2
    assert 0 <= difference_percentage(site, PAIR)[0] <= 1
