"""The flag ``wrong_language``: which segments of a run have a side in another language than it should be."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from diglot.arrays import Ints, Mask
from diglot.corpus.flags.foreign import Texts, Verdicts, foreign_texts, is_in_a_third
from diglot.corpus.flags.repeats import combine, rows_by, sorted_codes
from diglot.corpus.flags.sites import SegmentSites

PAGE_TEXTS = pa.schema([("url", pa.string()), ("lang", pa.string()), ("text", pa.string())])
"""A text, its language (BCP 47) and the page it stands on."""


def wrong_language(segments: pa.Table, sites: SegmentSites, usable: Mask, others: pa.Table) -> Mask:
    """Rows of which a side is in another language than its own, shape (rows,).

    ``others``: texts of pages in languages that nobody asked for (:data:`PAGE_TEXTS`). Each site is learnt from and
    judged by itself.
    """
    flagged = np.zeros(segments.num_rows, bool)
    other_sites = sites.of_urls(others["url"]) if others.num_rows else np.zeros(0, np.int64)
    for rows in rows_by(sites.of_row):
        asked = rows[usable[rows]]
        if len(asked):
            taught = others.filter(pa.array(other_sites == sites.of_row[rows[0]]))
            columns = segments.select(["src", "tgt", "src_lang", "tgt_lang"]).take(pa.array(asked))
            flagged[asked] = _of_site(columns, taught)
    return flagged


def _of_site(segments: pa.Table, others: pa.Table) -> Mask:
    texts, rows = _distinct(segments, others)
    verdicts = foreign_texts(texts)
    src, tgt = rows
    flagged = verdicts.foreign[src] | verdicts.foreign[tgt]
    for side, other in ((src, tgt), (tgt, src)):
        doubted = np.flatnonzero(verdicts.by_words[side] & ~flagged)
        flagged[doubted] = verdicts.stays(side[doubted], other[doubted])
    left = np.flatnonzero(~flagged)
    pairs, pair_of = np.unique(rows[:, left], axis=1, return_inverse=True)
    flagged[left] = _holds_a_third(texts, verdicts, *pairs)[pair_of.ravel()]
    return np.asarray(flagged, bool)


def _holds_a_third(texts: Texts, verdicts: Verdicts, src: Ints, tgt: Ints) -> Mask:
    """Which pairs of texts hold mostly the same words of a third language, by those words or the identifier; shape of
    ``src``."""
    copied = verdicts.copied(src, tgt)
    third = verdicts.are_third(copied, src, tgt)
    asked = np.setdiff1d(copied.text, np.flatnonzero(third))
    bounds = np.searchsorted(copied.text, [asked, asked + 1]).tolist()
    for place, start, end in zip(asked.tolist(), *bounds, strict=True):
        words = frozenset(copied.known.take(pa.array(copied.word[start:end])).to_pylist())
        langs = texts.tags[texts.lang[src[place]]], texts.tags[texts.lang[tgt[place]]]
        third[place] = is_in_a_third(texts.text[src[place]].as_py(), words, langs)
    return third


def _distinct(segments: pa.Table, others: pa.Table) -> tuple[Texts, Ints]:
    """The distinct texts of each language, by language and text, and rows of them: shape (2, segments)."""
    columns = (["src", "tgt"], ["src_lang", "tgt_lang"])
    text, lang = (
        sorted_codes(pa.chunked_array([*segments[src].chunks, *segments[tgt].chunks, *others[also].chunks]))
        for (src, tgt), also in zip(columns, ("text", "lang"), strict=True)
    )
    numbers = combine(lang[1], text[1])
    first = np.unique(numbers, return_index=True)[1]
    sides = numbers[: 2 * segments.num_rows].reshape(2, -1)
    judged = np.zeros(len(first), bool)
    judged[sides] = True
    tags = tuple(lang[0].to_pylist())
    return Texts(text[0].take(pa.array(text[1][first])), lang[1][first], tags, judged), sides
