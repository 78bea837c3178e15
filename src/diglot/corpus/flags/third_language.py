"""Scores of segments whose two texts have a common translation in a third language.

A text and its translations into two languages translate each other. Where the aligner is unsure of the third pair, as
of two languages unlike each other, the two pairs that it is sure of answer for it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints
from diglot.corpus.flags.codes import codes_of, combine, stack


def scores_by_third_language(segments: pa.Table) -> Floats:
    """Score of each segment, or the chance that both its texts are translated by one text of a third language, if that
    is higher; float64 in [0, 1], shape (segments,).

    The chance is the product of two scores. The text between is one on a page, and counts with its best translation in
    each language alone: a text beside many texts, such as a notice, joins no two of these.
    """
    scores: Floats = segments["score"].to_numpy().astype(np.float64)
    langs = codes_of(stack(segments["src_lang"], segments["tgt_lang"]))
    languages = int(langs.max(initial=-1)) + 1
    if languages < 3:
        return scores
    urls, texts = (codes_of(stack(segments[f"src{name}"], segments[f"tgt{name}"])) for name in ("_url", ""))
    # Each text on a page has a number, however often it stands there.
    sides, langs = combine(langs, urls, texts).reshape(2, -1), langs.reshape(2, -1)
    joins = np.all([pc.not_equal(segments[side], "").to_numpy() for side in ("src", "tgt")], axis=0)
    between, ends, worth = _best_translations(sides[:, joins], langs[:, joins], scores[joins])
    span = np.int64(sides.max() + 1)
    keys, chances = [], []
    # A text has one best translation in a language: with as many steps as languages, each two of them meet.
    for step in range(1, languages):
        rows = np.flatnonzero(between[step:] == between[:-step])
        keys.append(_pair_keys(np.stack((ends[rows], ends[rows + step])), span))
        chances.append(worth[rows] * worth[rows + step])
    key, chance = np.concatenate(keys), np.concatenate(chances)
    order = np.lexsort((-chance, key))
    key, first = np.unique(key[order], return_index=True)
    asked = _pair_keys(sides, span)
    place = np.searchsorted(key, asked)
    place[place == len(key)] = 0
    found = joins & (key[place] == asked) if len(key) else np.zeros(len(asked), bool)
    scores[found] = np.maximum(scores[found], chance[order][first][place[found]])
    return scores


def _pair_keys(pairs: Ints, span: np.int64) -> Ints:
    """A number for each two texts, in either order; ``pairs``: numbers below ``span``, int64 (2, pairs)."""
    return np.asarray(pairs.min(axis=0) * span + pairs.max(axis=0))


def _best_translations(sides: Ints, langs: Ints, scores: Floats) -> tuple[Ints, Ints, Floats]:
    """Each text on a page with its best translation in each language, and the score; sorted by the text.

    Three arrays of one length: the text, the translation, the score.
    """
    text, other = np.concatenate([sides, sides[::-1]], axis=1)
    lang, score = np.concatenate([langs[1], langs[0]]), np.concatenate([scores, scores])
    order = np.lexsort((-score, lang, text))
    is_best = np.ones(len(order), bool)
    is_best[1:] = (np.diff(text[order]) != 0) | (np.diff(lang[order]) != 0)
    best = order[is_best]
    return text[best], other[best], score[best]
