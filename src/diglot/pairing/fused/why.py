"""Explanation of a pair of the recipe ``fused``: words, aligned blocks, and the best rival."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Rows
from diglot.pairing.cascade import Contribution, Contributions
from diglot.pairing.fused import outcome_of_two
from diglot.pairing.fused.blocks import block_beads
from diglot.pairing.fused.decision import Outcome
from diglot.pairing.fused.likelihood import word_ratios
from diglot.pairing.fused.matching import Matching
from diglot.pairing.fused.words import SiteWords, site_words
from diglot.site import Site
from diglot.sparse import SparseMatrix

SHOWN_WORDS, SHOWN_BLOCKS = 8, 3
"""Number of words for, words against, and blocks to show."""


def explain_fused(site: Site, src_row: int, tgt_row: int, *, src_lang: str, tgt_lang: str, seed: int) -> Contributions:
    """The contributions to a pair of rows, which need not be a candidate of the run."""
    words = site_words(site)
    outcome = outcome_of_two(site, src_lang, tgt_lang, seed=seed)
    matching = outcome.matching
    rows = site.rows_of(src_lang), site.rows_of(tgt_lang)
    contributions, ratios = _word_contributions(words, rows, matching, (src_row, tgt_row))
    rival, of_src, lead_bits = _best_rival(outcome, src_row, tgt_row)
    ranked = sorted(contributions, key=lambda word: (-abs(word.bits), word.src, word.tgt))
    return Contributions(
        words_for=tuple(word for word in ranked if word.bits > 0)[:SHOWN_WORDS],
        words_against=tuple(word for word in ranked if word.bits < 0)[:SHOWN_WORDS],
        blocks=_block_contributions(site, words, matching, (src_row, tgt_row), ratios),
        rival=rival,
        of_src=of_src,
        lead_bits=lead_bits,
    )


def _word_contributions(
    words: SiteWords, rows: tuple[Rows, Rows], matching: Matching, pair: tuple[int, int]
) -> tuple[list[Contribution], dict[int, float]]:
    """The counted words of the source page, and those of the target page without a translation on the source page, each
    with its bits; and the bits of the source page's words by number."""
    i, j = pair
    lexicon, idf, training = matching.lexicon, matching.idf, matching.training
    back = lexicon.T
    forward = word_ratios(words, rows[1], (i, j), training, lexicon, idf[1])
    reverse = word_ratios(words, rows[0], (j, i), training[:, ::-1], back, idf[0])
    held = [set(words.counts[[row]].columns.tolist()) for row in pair]
    name = words.vocabulary
    contributions = [
        Contribution(name[x], _translation_on_page(x, lexicon, held[1], name), nats / np.log(2))
        for x, nats in forward.items()
    ]
    contributions += [
        Contribution("", name[x], nats / np.log(2))
        for x, nats in reverse.items()
        if not _translation_on_page(x, back, held[0], name)
    ]
    return contributions, {x: nats / np.log(2) for x, nats in forward.items()}


def _translation_on_page(word: int, lexicon: SparseMatrix, held: set[int], vocabulary: list[str]) -> str:
    """The likeliest translation of a word among ``held``, the words of the other page; "" for none."""
    start, end = lexicon.starts[word], lexicon.starts[word + 1]
    entries = zip(lexicon.values[start:end].tolist(), lexicon.columns[start:end].tolist(), strict=True)
    found = [(-value, vocabulary[x]) for value, x in entries if x in held]
    return min(found)[1] if found else ""


def _block_contributions(
    site: Site, words: SiteWords, matching: Matching, pair: tuple[int, int], bits: dict[int, float]
) -> tuple[Contribution, ...]:
    """The aligned blocks with the most bits: those of the source words with a translation in the other block."""
    pairs = np.array([pair], np.int32)
    beads = block_beads(pairs, matching.blocks, matching.lexicon, matching.idf, log_ratio=matching.log_ratio)
    texts = [_kept_texts(site, row) for row in pair]
    starts = [int(words.block_offsets[row]) for row in pair]
    found = []
    for src_block, tgt_block in beads.tolist():
        opposite = np.zeros(len(words.vocabulary), bool)
        opposite[words.blocks.row(tgt_block)] = True
        mine = words.blocks.row(src_block)
        answered = matching.lexicon[mine].keep_columns(opposite).row_sizes() > 0
        worth = sum(bits.get(x, 0.0) for x in mine[answered].tolist())
        if worth > 0:
            found.append(Contribution(texts[0][src_block - starts[0]], texts[1][tgt_block - starts[1]], worth))
    return tuple(sorted(found, key=lambda each: (-each.bits, each.src))[:SHOWN_BLOCKS])


def _kept_texts(site: Site, row: int) -> list[str]:
    """Texts of a page's blocks, blocks repeated all over the site left out."""
    keep = ~site.repeated_blocks.row(row)
    return [text for text, kept in zip(site.blocks(row), keep.tolist(), strict=True) if kept]


def _best_rival(outcome: Outcome, src_row: int, tgt_row: int) -> tuple[int, bool, float]:
    """Row of the best rival, whether it competes for the source page, and the pair's lead in bits.

    Without a rival: -1, True and NaN. The lead of a pair that is no candidate is NaN.
    """
    bits = np.nansum(outcome.bits, axis=1)
    is_src, is_tgt = outcome.pairs[:, 0] == src_row, outcome.pairs[:, 1] == tgt_row
    own = bits[is_src & is_tgt]
    others = np.flatnonzero(is_src ^ is_tgt)
    if not len(others):
        return -1, True, np.nan
    best = int(others[np.argmax(bits[others])])
    of_src = bool(is_src[best])
    rival = int(outcome.pairs[best, 1 if of_src else 0])
    return rival, of_src, float(own[0] - bits[best]) if len(own) else np.nan
