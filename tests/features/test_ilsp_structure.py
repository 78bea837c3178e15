"""Fingerprints of main text: the paper's example, edits by hand, and the polynomial."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from diglot.features.ilsp_structure import (
    Polynomial,
    edit_share,
    fingerprint_ratio,
    main_fingerprints,
    structure_decision,
    structure_ratios,
)
from diglot.site import Site
from ilsp_pages import body, rows, site_of


def page(*blocks: tuple[str, int]) -> str:
    """Blocks (element, length in characters) in their order."""
    head = "".join(f"<title>{'x' * length}</title>" for name, length in blocks if name == "title")
    return body(*(f"<{name}>{'x' * length}</{name}>" for name, length in blocks if name != "title"), head=head)


PAPER = (("title", 28), ("p", 145), ("li", 9), ("h2", 48), ("p", 740))


def two_pages(first: str, second: str) -> Site:
    return site_of(("http://a/1", "en", first), ("http://a/2", "fr", second))


def test_example_of_the_paper() -> None:
    """Called six paragraphs there, but it has five lengths; the types at 1, 3 and 4 fit five."""
    site = two_pages(page(*PAPER), page(("p", 3)))
    prints = main_fingerprints(site)
    assert prints.row(0).tolist() == [-2, 28, 145, -4, 9, -3, 48, 740]
    assert prints.row(1).tolist() == [3]
    assert fingerprint_ratio(site, rows((0, 1))).tolist() == [0.125]


@pytest.mark.parametrize(
    ("second", "edits", "longer"),
    [
        (PAPER, 0, 8),
        ((("title", 28), ("p", 145), ("li", 9), ("h2", 48), ("p", 450)), 0, 8),  # 740 and 450 are .39 apart
        ((("title", 28), ("p", 145), ("li", 9), ("h2", 48), ("p", 440)), 1, 8),  # .41
        ((("title", 28), ("p", 145), ("h2", 9), ("h2", 48), ("p", 740)), 1, 8),  # another type
        ((("title", 28), ("p", 145), ("p", 9), ("h2", 48), ("p", 740)), 1, 8),  # no type
        ((*PAPER, ("p", 10)), 1, 9),
    ],
)
def test_edits_by_hand(second: tuple[tuple[str, int], ...], edits: int, longer: int) -> None:
    site = two_pages(page(*PAPER), page(*second))
    share = edit_share(site, rows((0, 1), (1, 0)), block_threshold=0.4)
    np.testing.assert_allclose(share, edits / longer)


def test_a_type_may_take_the_place_of_a_length() -> None:
    """One edit, where fingerprints of tags (Bitextor) forbid it."""
    first, second = page(("p", 10), ("p", 90), ("p", 7)), page(("p", 10), ("li", 7))
    assert edit_share(two_pages(first, second), rows((0, 1)), block_threshold=0.0)[0] == np.float32(1 / 3)


kinds = st.lists(st.tuples(st.sampled_from(["p", "li", "h2"]), st.integers(1, 9)), min_size=1, max_size=12)


@settings(max_examples=30)
@given(kinds, kinds)
def test_without_tolerance_it_is_the_plain_edit_distance(
    first: list[tuple[str, int]], second: list[tuple[str, int]]
) -> None:
    site = two_pages(page(*first), page(*second))
    ours, theirs = (main_fingerprints(site).row(k).tolist() for k in (0, 1))
    expected = Levenshtein.distance(ours, theirs) / max(len(ours), len(theirs))
    assert edit_share(site, rows((0, 1)), block_threshold=0.0)[0] == pytest.approx(expected)


def test_beyond_the_limit_there_is_no_distance_and_no_pair() -> None:
    site = two_pages(page(("p", 10), ("p", 20)), page(("h2", 1), ("h3", 900)))
    always = Polynomial((((0, 0, 0), 1.0),))
    assert edit_share(site, rows((0, 1)), block_threshold=0.4, at_most=0.38)[0] == np.inf
    decided = structure_decision(site, rows((0, 1), (0, 0)), classifier=always, block_threshold=0.4, at_most=0.38)
    assert decided.tolist() == [-np.inf, 1]


def test_ratios_and_polynomial_by_hand() -> None:
    site = two_pages(page(*PAPER), page(*PAPER[:4]))
    ratios = structure_ratios(site, rows((0, 1)), block_threshold=0.4)
    np.testing.assert_allclose(ratios, [[7 / 8, 4 / 5, 1 / 8]], rtol=1e-6)
    polynomial = Polynomial((((0, 0, 0), -1.0), ((1, 0, 0), 2.0), ((0, 1, 1), -3.0), ((0, 0, 2), 4.0)))
    assert polynomial(np.array([[0.5, 0.25, 2.0]]))[0] == pytest.approx(-1 + 1 - 1.5 + 16)
