"""Where evidence for beads comes from, as users name it: ``embed``, ``dictionary:PATH``, ``translations:PATH``,
``apertium:MODE``, or a function that encodes sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from diglot.alignment.dictionary_evidence import dictionary_similarity
from diglot.alignment.embedding_evidence import embedding_similarity
from diglot.alignment.encoders import Encoder, encoder_for
from diglot.alignment.lexical_evidence import Similarity
from diglot.alignment.translation_evidence import (
    apertium_translations,
    read_translations,
    sentence_key,
    translation_similarity,
)
from diglot.errors import LanguageError, SourceError, UsageError
from diglot.lexicons import find_lexicon
from diglot.lexicons.lexicon import language

KINDS = "embed, dictionary:PATH, translations:PATH, apertium:MODE"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Sides = tuple[Sequence[str], Sequence[str]]
"""Sentences of both sides of a text."""
_MODE = re.compile(r"([A-Za-z]{2,3})-([A-Za-z]{2,3})(?:_\w+)?")


def similarities(source: str | Encoder, texts: Sequence[Sides], langs: tuple[str, str]) -> list[Similarity]:
    """What a source says of each of several texts; ``langs`` are BCP 47 tags of source and target.

    Raises: UsageError for a source that is none of :data:`KINDS`, a missing package, program or file, or one that
    does not hold the two languages or any of the sentences.
    """
    if not isinstance(source, str):
        return [embedding_similarity(*text, source) for text in texts]
    kind, _, value = source.partition(":")
    if kind == "embed" and not value:
        encode = encoder_for(langs)
        return [embedding_similarity(*text, encode) for text in texts]
    if kind == "dictionary" and value:
        return _by_dictionary(value, texts, langs)
    if kind == "translations" and value:
        return _by_file(Path(value).expanduser(), texts, langs)
    if kind == "apertium" and value:
        return _by_apertium(value, texts, langs)
    raise UsageError(f"--evidence {source}: give one of {KINDS}")


def _by_dictionary(paths: str, texts: Sequence[Sides], langs: tuple[str, str]) -> list[Similarity]:
    lexicon = find_lexicon(paths, *langs)
    if lexicon is None:
        raise LanguageError(f"--evidence dictionary:{paths}: not a dictionary of {langs[0]} and {langs[1]}")
    return [dictionary_similarity(*text, lexicon) for text in texts]


def _by_file(path: Path, texts: Sequence[Sides], langs: tuple[str, str]) -> list[Similarity]:
    known = read_translations(path)
    for side in (0, 1):
        if any(sentence_key(sentence) in known for text in texts for sentence in text[side]):
            return [_by_translations(text, langs, known, from_side=side) for text in texts]
    raise SourceError(f"{path}: none of the sentences is in its first column; give source<TAB>translation of this text")


def _by_apertium(mode: str, texts: Sequence[Sides], langs: tuple[str, str]) -> list[Similarity]:
    named = _MODE.fullmatch(mode)
    if named is None:
        raise UsageError(f"--evidence apertium:{mode}: give a mode of two languages, such as eng-spa (`apertium -l`)")
    from_lang, to_lang = (language(code) for code in named.groups())
    own = [language(lang) for lang in langs]
    if [from_lang, to_lang] not in (own, own[::-1]):
        raise LanguageError(f"--evidence apertium:{mode}: the texts are in {langs[0]} and {langs[1]}")
    side = 0 if from_lang == own[0] else 1
    known = apertium_translations(mode, [sentence for text in texts for sentence in text[side]])
    return [_by_translations(text, langs, known, from_side=side) for text in texts]


def _by_translations(text: Sides, langs: tuple[str, str], known: Mapping[str, str], *, from_side: int) -> Similarity:
    if from_side == 0:
        return translation_similarity(*text, langs[1], known)
    back = translation_similarity(text[1], text[0], langs[0], known)
    return lambda beads: back(beads[:, [2, 3, 0, 1]])
