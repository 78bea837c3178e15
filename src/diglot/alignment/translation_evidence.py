"""Translations made elsewhere as evidence for beads: how many words the target side shares with that of its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from diglot.alignment.dictionary_evidence import numbered, same_words
from diglot.alignment.lexical_evidence import Similarity
from diglot.alignment.made_translations import sentence_key
from diglot.features.sentence_similarity import sentence_similarities

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def translation_similarity(
    src: Sequence[str], tgt: Sequence[str], tgt_lang: str, known: Mapping[str, str]
) -> Similarity:
    """:func:`diglot.features.sentence_similarity.sentence_similarities` of the translation of the source side and the
    target side, every stem being its own translation.

    ``known``: translations by source sentence, see :func:`sentence_key`. NaN where a sentence of the source side has
    none: what is known of its neighbours says nothing of it, and would draw it into their bead.
    """
    numbers: dict[str, int] = {}
    made = [known.get(sentence_key(sentence), "") for sentence in src]
    made_words, tgt_words = numbered(made, tgt_lang, numbers), numbered(tgt, tgt_lang, numbers)
    same = same_words(numbers)
    told = np.concatenate(([0], np.cumsum([bool(text) for text in made])))

    def similarity(beads: Ints) -> Floats:
        i, i_end = beads[:, 0], beads[:, 1]
        found = sentence_similarities(made_words, tgt_words, beads, same)
        return np.where(told[i_end] - told[i] == i_end - i, found, np.nan)

    return similarity
