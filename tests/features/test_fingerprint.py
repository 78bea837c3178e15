"""Fingerprints and their edit distances against cases worked by hand and a full matrix in plain Python."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.documents.html.tags import tag_index
from diglot.documents.parse import pages_table, parse_table
from diglot.features.fingerprint import (
    Sequences,
    bag_of_symbols,
    banded_distances,
    direct_distance,
    direct_similarity,
    edit_limit,
    fingerprints,
    limited_distance,
    thresholded_distance,
)
from diglot.features.surface import relative_difference
from diglot.records import Page
from diglot.site import Site
from slow_cases import slow_but


def site_of(*bodies: str) -> Site:
    pages = [Page(f"http://a.example/{n}.html", f"<html><body>{body}".encode()) for n, body in enumerate(bodies)]
    return Site("a.example", parse_table(pages_table(pages)))


def full_matrix(a: list[int], b: list[int], threshold: float) -> float:
    """Bitextor 2009, 4.1, cell by cell; a negative threshold asks for the direct cost of 2010."""
    rows = [[float(j) for j in range(len(b) + 1)]]
    for i, x in enumerate(a, 1):
        row = [float(i)]
        for j, y in enumerate(b, 1):
            if x < 0 and y < 0:
                cost = float(x != y)
            elif x < 0 or y < 0:
                cost = float("inf")
            else:
                share = abs(x - y) / max(x, y)
                cost = share if threshold < 0 else float(share > threshold)
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + cost))
        rows.append(row)
    return rows[-1][-1]


def distances(pairs: list[tuple[list[int], list[int]]], threshold: float, limit: float) -> np.ndarray:
    flat = [side for pair in pairs for side in pair]
    values = np.array([number for side in flat for number in side], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(side) for side in flat])]).astype(np.int64)
    rows = np.arange(len(flat), dtype=np.int32).reshape(-1, 2)
    many = np.full(len(pairs), threshold), np.full(len(pairs), limit)
    return banded_distances(Sequences(values, offsets, bag_of_symbols(values, offsets, 130)), rows, *many)


def random_pairs(count: int) -> list[tuple[list[int], list[int]]]:
    rng = np.random.default_rng(7)
    pairs = []
    for _ in range(count):
        a = rng.choice([-1, -2, -3, 10, 12, 40, 200], rng.integers(0, 60)).tolist()
        b = [number for number in a if rng.random() > 0.1]
        for _ in range(rng.integers(0, 6)):
            b.insert(int(rng.integers(0, len(b) + 1)), int(rng.choice([-1, -4, 11, 90])))
        pairs.append((a, b))
    return pairs


@cache
def full_distances(threshold: float) -> np.ndarray:
    """The full matrix's distances of a thousand random pairs."""
    return np.array([full_matrix(a, b, threshold) for a, b in random_pairs(1_000)])


@pytest.mark.parametrize("limit", slow_but([8], [3, 8, 15]))
@pytest.mark.parametrize("threshold", slow_but([0.0, 0.3], [0.0, 0.2, 0.3]))
def test_the_band_gives_what_the_full_matrix_gives(threshold: float, limit: int) -> None:
    pairs, expected = random_pairs(1_000), full_distances(threshold)
    assert 100 < (expected <= limit).sum() < 1_000
    found = distances(pairs, threshold, limit)
    assert np.array_equal(found[expected <= limit], expected[expected <= limit].astype(np.float32))
    assert np.isinf(found[expected > limit]).all()


def test_direct_distances_without_a_limit_are_those_of_the_full_matrix() -> None:
    pairs = [*random_pairs(300), ([1] * 200, [1] * 40), ([], [5, -1])]
    expected = np.array([full_matrix(a, b, -1.0) for a, b in pairs])
    assert distances(pairs, -1.0, np.inf) == pytest.approx(expected, abs=1e-4)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_relative_difference_of_lengths(a: int, b: int) -> None:
    """SPEC trap 3: D(0,0) = 0, symmetric, a share between 0 and 1."""
    values = np.array([a, b])
    there, back = relative_difference(values, np.array([[0, 1], [1, 0]], np.int32))
    assert there == back
    assert 0 <= there <= 1
    assert (there == 0) == (a == b)
    assert np.float32(abs(a - b) / max(a, b, 1)) == there


def test_a_fingerprint_drops_irrelevant_tags_and_joins_the_text_round_them() -> None:
    (site,) = [site_of("<h1>Abc</h1><p>de <a href=x>fg</a> h</p><p></p>")]
    body, h1, p = (-1 - tag_index(name) for name in ("body", "h1", "p"))
    assert fingerprints(site).row(0).tolist() == [body, h1, 3, h1, p, 7, p, p, p, body, -1 - tag_index("html")]
    assert fingerprints(site, end_tags=False).row(0).tolist() == [body, h1, 3, p, 7, p]


def test_the_head_of_a_page_stays_out() -> None:
    titled = site_of("x")
    pages = [Page("http://a.example/t.html", b"<title>A title</title><body>x")]
    other = Site("a.example", parse_table(pages_table(pages)))
    assert fingerprints(titled).row(0).tolist() == fingerprints(other).row(0).tolist()


def test_the_stricter_limit_holds() -> None:
    """Twelve symbols: 20% are 2.4, rounded down 2; an absolute limit of 1 is stricter."""
    paragraphs = "".join(f"<p>{'x' * 10}</p>" for _ in range(3))
    site = site_of(paragraphs, paragraphs.replace("x" * 10, "x" * 30, 2), paragraphs.replace("x" * 10, "x" * 30, 3))
    pairs = np.array([[0, 1], [0, 2]], np.int32)
    assert fingerprints(site).lengths().tolist() == [12, 12, 12]
    assert edit_limit(site, pairs, absolute=5, relative=0.2).tolist() == [2, 2]
    assert edit_limit(site, pairs, absolute=1, relative=0.2).tolist() == [1, 1]
    found = limited_distance(site, pairs, block_threshold=0.2, absolute=5, relative=0.2)
    assert found.tolist() == [2, np.inf]
    assert thresholded_distance(site, pairs, block_threshold=0.7, limit=9).tolist() == [0, 0]
    assert direct_distance(site, pairs) == pytest.approx([2 * 2 / 3, 3 * 2 / 3])
    assert direct_similarity(site, pairs) == pytest.approx([1 - 4 / 3 / 12, 1 - 2 / 12])


def test_a_tag_never_replaces_a_block() -> None:
    assert distances([([-1], [5])], 0.5, 9.0).tolist() == [2]


@pytest.mark.parametrize("limit", [150.0, 380.0, 500.0, np.inf])
@pytest.mark.parametrize("threshold", [-1.0, 0.2])
def test_long_and_unlike_pages_have_the_distance_of_the_full_matrix(threshold: float, limit: float) -> None:
    """Paths stray far, from one end of which all is lost to the other; half a page is a page's beginning, too."""
    rng = np.random.default_rng(3)
    long, other = (rng.choice([-1, -2, -3, -4, -5, 10, 40, 200], 420).tolist() for _ in range(2))
    pairs = [
        (long, other),
        (long, long[300:] + long[:100]),
        (long, long[:210]),
        (other, [*[-9] * 200, *other]),
        (long, []),
    ]
    expected = np.array([full_matrix(a, b, threshold) for a, b in pairs], np.float32)
    assert expected.min() < 380 < expected.max()
    assert distances(pairs, threshold, limit).tolist() == np.where(expected <= limit, expected, np.inf).tolist()
