"""The bilingual terminology of a site: words and phrases, with their translations, from its aligned segments.

:func:`find_terms` takes an Arrow table of segments and gives an Arrow table of terms. The steps are the modules
``tokens``, ``links``, ``function_words``, ``phrases``, ``candidates``, ``variants``, ``scoring``, ``estimate``,
``rivals`` and ``table``, in this order; ``writing`` makes files.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask
from diglot.records import BlockKind
from diglot.terms.candidates import Candidates, Phrases, Side, find_candidates, is_complete
from diglot.terms.estimate import probability

# Under another name, since the package has the module under this one.
from diglot.terms.function_words import function_words as find_function_words
from diglot.terms.links import link_words
from diglot.terms.phrases import hashes, phrase_pairs
from diglot.terms.scoring import FREE_SHARE, cohesion, count, free_counts
from diglot.terms.table import TERM_SCHEMA, TermGroups, term_table
from diglot.terms.tokens import cut
from diglot.terms.variants import base_forms, content_words, find_endings, group_forms

MIN_PROBABILITY = 0.5
"""Least probability of a pair: below it, wrong is likelier than right."""
_OPEN_LINKED, _OPEN_SHARE = 4, 0.25
"""Number of linked segments from which a pair must be complete in this share of its places; else it is a part of a
longer phrase."""
_LOOSE, _FIRM = 3.0, 4.0
"""Least cohesion of a phrase, in bits above chance, and least cohesion to count its parts as hidden."""


def find_terms(
    segments: pa.Table, src_lang: str, tgt_lang: str, *, min_probability: float = MIN_PROBABILITY
) -> pa.Table:
    """Terms of the kept segments of one language pair (:data:`TERM_SCHEMA`), most telling first.

    ``segments``: columns ``src``, ``tgt``, ``kind``, ``src_url``, ``tgt_url`` and ``other_src_urls``. Each segment
    once, from all pages of the run, since a word on many pages is a general word. The same segments give the same
    terms, byte for byte.
    """
    # Program code has no terms of a language.
    segments = segments.filter(pc.not_equal(segments["kind"], BlockKind.PREFORMATTED.value))
    texts = [segments[name].to_pylist() for name in ("src", "tgt")]
    sides, candidates, phrases, complete = _candidates(texts, (src_lang, tgt_lang))
    if not len(candidates):
        return TERM_SCHEMA.empty_table()
    words = [content_words(side, each) for side, each in zip(sides, phrases, strict=True)]
    own = candidates.src, candidates.tgt
    endings = find_endings(words[0], words[1], own), find_endings(words[1], words[0], own[::-1])
    groups = group_forms(candidates, words[0], words[1], endings)
    counts = count(candidates, groups, *phrases, segments.num_rows)
    best = _best(candidates, groups)
    numbers = candidates.src[best], candidates.tgt[best]
    ending = np.minimum(*(_ending(side, each, own) for side, each, own in zip(sides, phrases, numbers, strict=True)))
    cohesive = np.minimum(*(cohesion(side, each)[own] for side, each, own in zip(sides, phrases, numbers, strict=True)))
    chance = probability(counts, ending)
    firm = (chance >= MIN_PROBABILITY) & (cohesive >= _FIRM) & (counts.linked > 1)
    # Only now: a part is hidden by firm phrases alone, and firmness needs the counts.
    free = free_counts(candidates, groups, firm, segments.num_rows)
    whole = np.bincount(groups[candidates.numbers], complete, len(best)) / np.bincount(groups[candidates.numbers])
    kept = (counts.linked < _OPEN_LINKED) | (whole >= _OPEN_SHARE)
    kept &= (chance >= min_probability) & (cohesive >= _LOOSE) & (free >= np.maximum(1, FREE_SHARE * counts.linked))
    base = base_forms(candidates, groups, best, *words)
    found = TermGroups(texts, sides, candidates, phrases, groups, counts, best, base, chance, cohesive, words, endings)
    return term_table(found, np.flatnonzero(kept), segments, src_lang, tgt_lang)


def _candidates(
    texts: list[list[str]], langs: tuple[str, str]
) -> tuple[list[Side], Candidates, tuple[Phrases, Phrases], Mask]:
    src, tgt = (cut(each, lang) for each, lang in zip(texts, langs, strict=True))
    links = link_words(src, tgt)
    words = find_function_words(src, tgt, links)
    sides = [Side(side, own, hashes(side)) for side, own in zip((src, tgt), words, strict=True)]
    pairs = phrase_pairs(src, tgt, links, sides[0].hashes, sides[1].hashes)
    candidates, *phrases = find_candidates(sides[0], sides[1], pairs)
    return sides, candidates, (phrases[0], phrases[1]), is_complete(sides, links, candidates.pairs)


def _best(candidates: Candidates, groups: Ints) -> Ints:
    """The most linked candidate of each group; the first on a tie."""
    order = np.lexsort((-np.arange(len(candidates)), candidates.linked))
    best = np.zeros(int(groups.max()) + 1, np.int64)
    best[groups[order]] = order
    return best


def _ending(side: Side, phrases: Phrases, numbers: Ints) -> Floats:
    """Relative frequency of the last word of phrases at the end of a clause."""
    return np.asarray(side.words.ending[side.tokens.words[phrases.first[numbers] + phrases.sizes[numbers] - 1]])
