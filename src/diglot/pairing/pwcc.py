"""PWCC: pages of like path, size and anchors as candidates, then their sentences compared under a lexicon.

Sentences of the main text are aligned by length (section 4 of the paper). The score of a bead counts the words with a
translation by the lexicon; the score of two pages is made of the scores of their beads.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from diglot.alignment.gale_church import align_lengths, text_length
from diglot.alignment.segmenting import split_sentences
from diglot.arrays import Column, Mask, Pairs, Rows
from diglot.features.sentence_similarity import NumberedSentences, Translations, sentence_similarities, translations
from diglot.features.surface import path_directories, size_difference_bytes
from diglot.layout import largest_first
from diglot.lexicons import Lexicon
from diglot.pairing.candidates import BATCH_PAIRS, collect
from diglot.site import Site
from diglot.words import shorten_word, words_of

Folder = tuple[tuple[str, ...], int]
"""Directory names of an address, and its depth."""
LEAST_SIMILARITY = 0.01
"""Least sentence similarity, because 0 has no logarithm; our reading of the paper's equation 6."""

_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U00020000-\U0003fffd]"
)


def most_common_path(
    site: Site,
    src: Rows,
    tgt: Rows,
    *,
    less_bytes: float,
    agreement: Callable[[Site, Pairs], Column] | None = None,
    mutual: bool = False,
) -> Iterator[Pairs]:
    """Pairs of pages with most directories in common and, among these, the least difference of depth.

    Only pairs count whose sizes differ by less than ``less_bytes`` and whose ``agreement`` is not 0. A pair is best for
    either page, or with ``mutual`` for both.
    Cost: pages are compared folder by folder; a site with all pages in one folder gives all pairs of like size.
    Source: PWCC, section 3 and appendix A; as in the paper, the best is sought among pages that pass the filters.
    """
    passes = partial(_passes, site, less_bytes=less_bytes, agreement=agreement)
    forward = _nearest(site, src, tgt, passes)
    backward = (found[:, ::-1] for found in _nearest(site, tgt, src, lambda pairs: passes(pairs[:, ::-1])))
    if not mutual:
        yield from forward
        yield from backward
        return
    both, times = np.unique(np.concatenate([collect(forward), collect(backward)]), axis=0, return_counts=True)
    yield both[times == 2]


def _passes(site: Site, pairs: Pairs, *, less_bytes: float, agreement: Callable[[Site, Pairs], Column] | None) -> Mask:
    mask: Mask = size_difference_bytes(site, pairs) < less_bytes
    if agreement is not None:
        # Anchors are compared for pairs of like size alone: sizes cost next to nothing.
        mask[mask] = agreement(site, pairs[mask]) != 0
    return mask


def _nearest(site: Site, src: Rows, tgt: Rows, passes: Callable[[Pairs], Mask]) -> Iterator[Pairs]:
    """Pairs of each source page with the targets that pass, at the best level where any target passes."""
    if not len(tgt):
        return
    targets = _by_folder(site, tgt)
    folders, depths = list(targets), np.array([depth for _, depth in targets])
    for (directories, depth), waiting in _by_folder(site, src).items():
        shared = process.cdist([directories], [names for names, _ in folders], scorer=LCSseq.similarity)[0]
        # Negative, because np.unique sorts upwards and most shared directories come first.
        levels = np.stack([-shared.astype(np.int64), np.abs(depths - depth)], axis=1)
        best_first, level_of = np.unique(levels, axis=0, return_inverse=True)
        level_of = level_of.reshape(-1)
        for level in range(len(best_first)):
            partners = np.concatenate([targets[folders[k]] for k in np.flatnonzero(level_of == level).tolist()])
            for batch in _all_pairs(waiting, partners):
                found = batch[passes(batch)]
                yield found
                # A page with a passing target at this level needs no worse level.
                waiting = np.setdiff1d(waiting, found[:, 0])
            if not len(waiting):
                break


def _by_folder(site: Site, rows: Rows) -> dict[Folder, Rows]:
    folders: dict[Folder, list[int]] = defaultdict(list)
    for row in rows.tolist():
        folders[path_directories(site.urls[row]), int(site.depth[row])].append(row)
    return {folder: np.array(found, np.int32) for folder, found in folders.items()}


def _all_pairs(src: Rows, tgt: Rows) -> Iterator[Pairs]:
    """All pairs of source and target rows, in batches; a source row's pairs are in one batch."""
    step = max(1, BATCH_PAIRS // len(tgt))
    for start in range(0, len(src), step):
        rows = src[start : start + step]
        yield np.stack([np.repeat(rows, len(tgt)), np.tile(tgt, len(rows))], axis=1).astype(np.int32)


@dataclass(frozen=True, kw_only=True)
class SentenceReading:
    """How to read and compare the sentences of two pages.

    ``lexicon``: from the source language to the target language. ``stem_letters``: first letters of a word that count,
    0 for all. ``stop_share``: see :func:`stop_words`. ``same_words``: a word translates itself (numbers, names).
    ``symmetric``: mean of both directions of the sentence similarity. ``low``: similarity below which a bead is low.
    """

    lexicon: Lexicon
    stem_letters: int = 0
    stop_share: float = 0.0
    same_words: bool = False
    symmetric: bool = False
    low: float = 0.2


def page_similarity(site: Site, pairs: Pairs, *, reading: SentenceReading, product: bool = False) -> Column:
    """Geometric mean of the sentence similarities of all beads, each at least 0.01; with ``product`` their product.

    Returns: float32 (n,), in [0, 1]; 0 for a pair without a bead that has words.
    Cost: a sentence alignment a pair, about 1 ms for pages of 50 sentences; computed once a pair and reading.
    Source: PWCC, section 4.2, equations 5 and 6. The paper prints the product, which gives thirty sentences of 0.9 only
    0.04; the mean does not depend on the number of sentences.
    """
    logs = _evidence(site, pairs, reading)[:, 1 if product else 0]
    return np.exp(logs).astype(np.float32)


def page_distance(site: Site, pairs: Pairs, *, reading: SentenceReading, product: bool = False) -> Column:
    """1 - :func:`page_similarity`, for ranking."""
    return (1 - page_similarity(site, pairs, reading=reading, product=product)).astype(np.float32)


def low_share(site: Site, pairs: Pairs, *, reading: SentenceReading) -> Column:
    """Share of beads of low similarity; a sentence without counterpart is a low bead.

    Returns: float32 (n,), in [0, 1]; 1 for a pair without a bead that has words.
    Source: PWCC, section 4.2, "too many aligned sentences are low", without a number.
    """
    return _evidence(site, pairs, reading)[:, 2].astype(np.float32)


def combine_beads(similarities: npt.NDArray[np.float64], low: float) -> tuple[float, float, float]:
    """Mean log, sum of logs and share of low similarities of beads; NaN (no words) is left out."""
    known = similarities[~np.isnan(similarities)]
    if not len(known):
        return -np.inf, -np.inf, 1.0
    logs = np.log(np.clip(known, LEAST_SIMILARITY, 1.0))
    return float(logs.mean()), float(logs.sum()), float(np.mean(known < low))


def stop_words(counts: Counter[str], share: float) -> frozenset[str]:
    """The most frequent words of a language on a site that together make up ``share`` of its running text.

    The most frequent words are taken while their sum does not exceed the share; words of equal count are in
    alphabetical order. A share of a third covers the twenty or thirty commonest function words of a European language,
    and the words of the site's theme.
    """
    left = share * counts.total()
    found = []
    for word, count in largest_first(counts):
        if count > left:
            break
        left -= count
        found.append(word)
    return frozenset(found)


def sentence_length(sentence: str) -> int:
    """Characters without white space, those of East Asian scripts counted twice (PWCC, section 4.1)."""
    return text_length(sentence) + len(_WIDE.findall(sentence))


class _Sentence(NamedTuple):
    length: int
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Side:
    """Pages of a language: by row, sentence lengths, and the sentences' words without stop words, as numbers."""

    lengths: dict[int, list[int]]
    words: dict[int, NumberedSentences]
    numbers: dict[str, int]
    stops: frozenset[str]


def _evidence(site: Site, pairs: Pairs, reading: SentenceReading) -> npt.NDArray[np.float64]:
    """Rows of :func:`combine_beads` of every pair, float64 (n, 3); each pair is aligned once a site and reading."""
    known: dict[tuple[int, int], tuple[float, float, float]] = site.keep(("sentence evidence", reading), dict)
    compare = None
    for i, j in map(tuple, pairs.tolist()):
        if (i, j) not in known:
            # Reading and splitting all pages is slow: only if a pair has not been compared yet.
            compare = compare or _Comparison(site, reading)
            known[i, j] = combine_beads(compare(i, j), reading.low)
    return np.array([known[i, j] for i, j in pairs.tolist()], np.float64).reshape(-1, 3)


class _Comparison:
    """The pages of both languages, read once, and the translations between their words."""

    def __init__(self, site: Site, reading: SentenceReading) -> None:
        lexicon = reading.lexicon
        self._symmetric = reading.symmetric
        self._src, self._tgt = (_side(site, lang, reading) for lang in (lexicon.src_lang, lexicon.tgt_lang))
        self._forward, self._backward = site.keep(
            ("translations", reading), lambda: _translations(self._src, self._tgt, reading)
        )

    def __call__(self, i: int, j: int) -> npt.NDArray[np.float64]:
        """Similarity of each bead of two pages."""
        found = align_lengths(self._src.lengths[i], self._tgt.lengths[j], ratio=1.0)
        beads = np.array([(*bead.src, *bead.tgt) for bead in found], np.int64).reshape(-1, 4)
        src, tgt = self._src.words[i], self._tgt.words[j]
        forward = sentence_similarities(src, tgt, beads, self._forward)
        if not self._symmetric:
            return forward
        return (forward + sentence_similarities(tgt, src, beads[:, [2, 3, 0, 1]], self._backward)) / 2


def _side(site: Site, lang: str, reading: SentenceReading) -> _Side:
    key = ("sentences", lang, reading.stem_letters, reading.stop_share)
    return site.keep(key, lambda: _read_side(site, lang, reading))


def _read_side(site: Site, lang: str, reading: SentenceReading) -> _Side:
    """Sentences of the main blocks of every page in a language, blocks repeated over the site left out."""
    read = cache(partial(_read_block, lang=lang, letters=reading.stem_letters))  # blocks recur over a site
    pages = {row: [s for text in _main_blocks(site, row) for s in read(text)] for row in site.rows_of(lang).tolist()}
    counts = Counter(word for sentences in pages.values() for sentence in sentences for word in sentence.words)
    stops = stop_words(counts, reading.stop_share)
    numbers: dict[str, int] = {}
    words = {
        row: NumberedSentences.of(
            [numbers.setdefault(word, len(numbers)) for word in sentence.words if word not in stops]
            for sentence in sentences
        )
        for row, sentences in pages.items()
    }
    lengths = {row: [sentence.length for sentence in sentences] for row, sentences in pages.items()}
    return _Side(lengths, words, numbers, stops)


def _main_blocks(site: Site, row: int) -> list[str]:
    kept = site.ragged_column("block_main").row(row) & ~site.repeated_blocks.row(row)
    return [text for text, is_kept in zip(site.blocks(row), kept.tolist(), strict=True) if is_kept]


def _read_block(text: str, *, lang: str, letters: int) -> tuple[_Sentence, ...]:
    return tuple(
        _Sentence(sentence_length(sentence), tuple(shorten_word(word, letters) for word in words_of(sentence, lang)))
        for sentence in split_sentences(text, lang)
    )


def _translations(src: _Side, tgt: _Side, reading: SentenceReading) -> tuple[Translations, Translations]:
    """Translations between the words of both sides, in the spelling of the texts."""
    forward = list(_word_translations(src, tgt, reading, backward=False))
    backward = list(_word_translations(tgt, src, reading, backward=True)) if reading.symmetric else []
    return translations(forward, src.numbers, tgt.numbers), translations(backward, tgt.numbers, src.numbers)


def _word_translations(
    src: _Side, tgt: _Side, reading: SentenceReading, *, backward: bool
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Words of a side with their translations by the lexicon; ``backward``: from its target language."""
    lexicon = reading.lexicon
    langs = (lexicon.tgt_lang, lexicon.src_lang) if backward else (lexicon.src_lang, lexicon.tgt_lang)
    if reading.same_words:
        yield from ((word, (word,)) for word in src.numbers)
    for entry in lexicon.entries:
        phrase, translation = reversed(entry) if backward else entry
        word = _content_words(phrase, langs[0], src.stops, reading.stem_letters)
        if len(word) == 1 and word[0] in src.numbers:
            yield word[0], _content_words(translation, langs[1], tgt.stops, reading.stem_letters)


def _content_words(phrase: str, lang: str, stops: frozenset[str], letters: int) -> tuple[str, ...]:
    """Words of a phrase without stop words, as the sentences have them: "hold" of "to hold" if "to" is a stop word."""
    words = (shorten_word(word, letters) for word in words_of(phrase, lang))
    return tuple(word for word in words if word not in stops)
