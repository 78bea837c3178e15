"""Scores and beads of blocks against plain definitions, and cases worked by hand on both sides of each constant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.pairing.fused.blocks import block_beads, order_scores, page_blocks_of
from diglot.pairing.fused.words import site_words
from diglot.sparse import matrix_of_places
from made_documents import made_page, made_site

Lexicon = Mapping[tuple[str, str], float]
Text = Sequence[str]
PAIR = np.array([[0, 1]], np.int32)
WORDS = {("cat", "chat"): 1.0, ("dog", "chien"): 0.5, ("cat", "minou"): 0.25}


class Two:
    """Two pages of one text a block, all words of the same weight but for those named."""

    def __init__(self, src: Text, tgt: Text, lexicon: Lexicon, weights: Mapping[str, float] | None = None) -> None:
        self.words = site_words(made_site(made_page("http://x/1", "en", src), made_page("http://x/2", "fr", tgt)))
        number = {word: k for k, word in enumerate(self.words.vocabulary)}
        known = [(number[x], number[y], value) for (x, y), value in lexicon.items() if x in number and y in number]
        rows, columns = np.array([entry[:2] for entry in known], np.int64).reshape(-1, 2).T
        values = np.array([value for _, _, value in known], np.float32)
        self.lexicon = matrix_of_places(rows, columns, values, (len(number), len(number)))
        self.weight = np.array([(weights or {}).get(word, 1.0) for word in number])

    def scores(self) -> tuple[float, float]:
        blocks, weights = page_blocks_of(self.words), (self.weight, self.weight)
        order, first = order_scores(PAIR, blocks, self.lexicon, weights)
        return float(order[0]), float(first[0])

    def beads(self, log_ratio: float = 0.0) -> list[tuple[int, int]]:
        """Numbers of the blocks within their pages, from the first on."""
        blocks, weights = page_blocks_of(self.words), (self.weight, self.weight)
        found = block_beads(PAIR, blocks, self.lexicon, weights, log_ratio=log_ratio)
        return sorted((int(a), int(b - self.words.block_offsets[1])) for a, b in found)


def weight_found(block: set[str], other: set[str], lexicon: Lexicon, weights: Mapping[str, float]) -> float:
    return sum(weights[x] * max((lexicon.get((x, y), 0.0) for y in other), default=0.0) for x in block)


def total(block: set[str], lexicon: Lexicon, weights: Mapping[str, float]) -> float:
    return sum(weights[x] for x in block if any(x == known for known, _ in lexicon))


def chains(m: int, n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All monotone one-to-one chains of blocks."""
    if not m or not n:
        yield ()
        return
    yield from chains(m - 1, n)
    yield from (chain for chain in chains(m, n - 1) if chain and chain[-1][0] == m - 1)
    yield from ((*chain, (m - 1, n - 1)) for chain in chains(m - 1, n - 1))


BLOCK = st.sets(st.sampled_from("abcd"), min_size=1).map(sorted)
ENTRIES = st.dictionaries(st.tuples(st.sampled_from("abcd"), st.sampled_from("stuv")), st.sampled_from([0.25, 0.5, 1]))


@given(
    st.lists(BLOCK, min_size=1, max_size=4),
    st.lists(BLOCK, min_size=1, max_size=4),
    ENTRIES,
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=8, max_size=8),
)
@settings(deadline=None, max_examples=60)
def test_order_is_the_best_of_all_monotone_chains(
    src: list[list[str]], tgt: list[list[str]], lexicon: Lexicon, values: list[float]
) -> None:
    to_other = dict(zip("abcd", "stuv", strict=True))
    weights = dict(zip("abcdstuv", values, strict=True))
    mine, yours = [set(block) for block in src], [{to_other[word] for word in block} for block in tgt]
    # A block that repeats is left out of pages; the running number keeps all apart.
    texts = [
        [" ".join([*sorted(block), f"z{side}{k}"]) for k, block in enumerate(page)]
        for side, page in enumerate((mine, yours))
    ]
    pair = Two(*texts, lexicon, weights)
    present = set().union(*mine), set().union(*yours)
    lexicon = {entry: value for entry, value in lexicon.items() if entry[0] in present[0] and entry[1] in present[1]}
    back = {(y, x): value for (x, y), value in lexicon.items()}
    src_total = [total(block, lexicon, weights) for block in mine]
    tgt_total = [total(block, back, weights) for block in yours]

    def worth(a: int, b: int) -> float:
        if not src_total[a] or not tgt_total[b]:
            return 0.0
        by_src = weight_found(mine[a], yours[b], lexicon, weights) / src_total[a]
        by_tgt = weight_found(yours[b], mine[a], back, weights) / tgt_total[b]
        return min(by_src, by_tgt) * sqrt(src_total[a] * tgt_total[b])

    best = max(sum(worth(a, b) for a, b in chain) for chain in chains(len(mine), len(yours)))
    whole = sqrt(sum(src_total) * sum(tgt_total))
    order, first = pair.scores()
    assert order == pytest.approx(best / whole, abs=1e-6) if whole else np.isnan(order)
    if not src_total[0] or not tgt_total[0]:
        assert np.isnan(first)
    else:
        shares = [
            (weight_found(mine[0], yours[0], lexicon, weights) + 0.1) / (src_total[0] + 0.2),
            (weight_found(yours[0], mine[0], back, weights) + 0.1) / (tgt_total[0] + 0.2),
        ]
        assert first == pytest.approx(min(shares), abs=1e-6)


def test_the_stronger_translation_in_a_block_counts() -> None:
    pair = Two(["cat"], ["minou chat"], WORDS)
    by_src, by_tgt = 1.0, 1.25 / 2
    assert pair.scores()[0] == pytest.approx(min(by_src, by_tgt) * sqrt(1 * 2) / sqrt(1 * 2))


@pytest.mark.parametrize(("others", "score"), [(999, 1.0), (1_000, None)])
def test_blocks_after_the_thousandth_are_not_compared(others: int, score: float | None) -> None:
    pair = Two([*(f"other{k}" for k in range(others)), "cat"], ["chat"], WORDS)
    assert pair.scores()[0] == (pytest.approx(score) if score else pytest.approx(np.nan, nan_ok=True))
    back = Two(["chat"], [*(f"other{k}" for k in range(others)), "cat"], {("chat", "cat"): 1.0})
    assert back.scores()[0] == (pytest.approx(score) if score else pytest.approx(np.nan, nan_ok=True))
    assert ((others, 0) in pair.beads()) == bool(score)


def length_fit(src: int, tgt: int) -> float:
    return max(1 - 0.5 * (log((tgt + 1) / (src + 1)) / 0.5) ** 2, -3.0)


@pytest.mark.parametrize(("letters", "matched"), [(30, True), (31, False)])
def test_blocks_match_by_length_until_two_gaps_cost_less(letters: int, matched: bool) -> None:
    """Two blocks without a counterpart cost 1.2; that of ten letters and a longer one cost more from 31 on."""
    assert (length_fit(10, letters) > -1.2) is matched
    assert Two(["x" * 10], ["y" * letters], {}).beads() == ([(0, 0)] if matched else [])


@pytest.mark.parametrize(("share", "matched"), [(0.44, False), (0.46, True)])
def test_known_words_outweigh_the_oddest_lengths(share: float, matched: bool) -> None:
    """The lengths cost 3 at most, and two gaps 1.2: the words have to be worth 1.8 of 4, a share of .45 either way."""
    pair = Two(["cat"], ["chat " + "é" * 5_000], {("cat", "chat"): share})
    assert pair.beads() == ([(0, 0)] if matched else [])


def test_a_longer_language_is_allowed_for() -> None:
    pair = Two(["x" * 10], ["y" * 100], {})
    assert pair.beads() == []
    assert pair.beads(log_ratio=log(101 / 11)) == [(0, 0)]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), st.lists(st.integers(1, 60), min_size=1, max_size=4))
@settings(deadline=None, max_examples=60)
def test_beads_are_those_of_the_best_chain(src: list[int], tgt: list[int]) -> None:
    texts = [["xy"[side] * size for size in page] for side, page in enumerate((src, tgt))]

    def score(chain: Sequence[tuple[int, int]]) -> float:
        gaps = len(src) + len(tgt) - 2 * len(chain)
        return sum(length_fit(src[a], tgt[b]) for a, b in chain) - 0.6 * gaps

    best = max(map(score, chains(len(src), len(tgt))))
    assert score(Two(*texts, {}).beads()) == pytest.approx(best, abs=1e-4)
