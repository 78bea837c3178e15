"""Translations as evidence for beads: of words by a dictionary, of sentences from a file or by Apertium."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from diglot.alignment.beads import Similarity
from diglot.arrays import Floats, Ints
from diglot.disk.safe_read import read_named_text
from diglot.errors import SourceError, UsageError
from diglot.features.sentence_similarity import NumberedSentences, sentence_similarities, translations
from diglot.html_sniff import aligned_kind
from diglot.lexicons import Lexicon, language
from diglot.words import shorten_word, words_of

_MODE = re.compile(r"([A-Za-z]{2,3})-([A-Za-z]{2,3})(?:_\w+)?")
STEM_LETTERS = 5
"""First letters of a word, compared as its stem: dictionaries have base forms, texts inflected forms. Our choice."""


def sentence_key(sentence: str) -> str:
    """A sentence as a key: white space does not matter."""
    return " ".join(sentence.split())


def read_translations(path: Path) -> dict[str, str]:
    """Translations in a UTF-8 file of ``source<TAB>translation`` lines, by :func:`sentence_key`.

    Further columns and incomplete lines are ignored. Raises: SourceError for an unreadable file, or a file without a
    complete line. A file is read once, until it changes.
    """
    try:
        status = path.stat()
        return _read_lines(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}); give lines of source<TAB>translation") from error


@lru_cache(maxsize=2)
def _read_lines(path: Path, _mtime_ns: int, _size: int) -> dict[str, str]:
    rows = [line.split("\t") for line in read_named_text(path).split("\n")]
    known = {sentence_key(row[0]): sentence_key(row[1]) for row in rows if len(row) > 1}
    known = {source: made for source, made in known.items() if source and made}
    if not known:
        if kind := aligned_kind(path.read_bytes()):
            raise SourceError(
                f"{path}: {kind}; give lines of source<TAB>translation, as `diglot export RUN --to tsv` writes them"
            )
        raise SourceError(f"{path}: holds no line of source<TAB>translation; part the two with a tab")
    return known


def known_side(known: Mapping[str, str], texts: Iterable[tuple[Sequence[str], Sequence[str]]]) -> int | None:
    """The side, 0 or 1, with more sentences in ``known``; None if neither has one. ``texts``: pairs of sides."""
    found = [0, 0]
    for text in texts:
        for side in (0, 1):
            found[side] += sum(sentence_key(sentence) in known for sentence in text[side])
    return None if not any(found) else int(found[1] > found[0])


def mode_languages(mode: str) -> tuple[str, str]:
    """Primary subtags of the source and target of a mode of Apertium; UsageError for a malformed name."""
    named = _MODE.fullmatch(mode)
    if named is None:
        raise UsageError(f"evidence apertium:{mode}: give a mode of two languages, such as eng-spa (`apertium -l`)")
    return language(named[1]), language(named[2])


def apertium_translations(mode: str, sentences: Sequence[str]) -> dict[str, str]:
    """Translations of sentences by ``apertium MODE``, by :func:`sentence_key`; without sentences the mode is only
    tried.

    Raises: UsageError if the program is not on the PATH, does not have the mode, or fails.
    """
    program = shutil.which("apertium")
    if program is None:
        raise UsageError(f"evidence apertium:{mode}: no program apertium on the PATH; install it with its pair")
    # One line a sentence: keys hold no line break.
    asked = [key for key in dict.fromkeys(map(sentence_key, sentences)) if key]
    done = subprocess.run(
        # -u: no mark before words unknown to Apertium.
        [program, "-u", mode],
        input="".join(f"{sentence}\n" for sentence in asked),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        said = " ".join(done.stderr.split())[:200] or f"code {done.returncode}"
        raise UsageError(f"evidence apertium:{mode}: apertium failed ({said}); `apertium -l` lists what it has")
    made = done.stdout.split("\n")
    if len(made) != len(asked) + 1:
        raise UsageError(
            f"evidence apertium:{mode}: {len(made) - 1} lines came back for {len(asked)}; give a file of translations"
        )
    return {source: found for source, text in zip(asked, made, strict=False) if (found := sentence_key(text))}


def translation_similarity(
    src: Sequence[str], tgt: Sequence[str], tgt_lang: str, known: Mapping[str, str]
) -> Similarity:
    """:func:`diglot.features.sentence_similarity.sentence_similarities` of the target side and the translation of the
    source side; every stem is its own translation.

    ``known``: translations by :func:`sentence_key`. NaN if a sentence of the source side has no translation.
    """
    numbers: dict[str, int] = {}
    made = [known.get(sentence_key(sentence), "") for sentence in src]
    made_words, tgt_words = number_stems(made, tgt_lang, numbers), number_stems(tgt, tgt_lang, numbers)
    same = translations(((stem, (stem,)) for stem in numbers), numbers, numbers)
    translated_before = np.concatenate(([0], np.cumsum([bool(text) for text in made])))

    def similarity(beads: Ints) -> Floats:
        i, i_end = beads[:, 0], beads[:, 1]
        found = sentence_similarities(made_words, tgt_words, beads, same)
        # The similarity of its neighbours alone would draw a sentence without translation into their bead.
        return np.where(translated_before[i_end] - translated_before[i] == i_end - i, found, np.nan)

    return similarity


def dictionary_similarity(src: Sequence[str], tgt: Sequence[str], lexicon: Lexicon) -> Similarity:
    """Mean over both directions of :func:`diglot.features.sentence_similarity.sentence_similarities`, by stems.

    ``lexicon`` leads from the language of ``src`` to the language of ``tgt``. A word is not its own translation here:
    the aligner sees equal spelling without a dictionary.
    """
    src_numbers: dict[str, int] = {}
    tgt_numbers: dict[str, int] = {}
    src_words = number_stems(src, lexicon.src_lang, src_numbers)
    tgt_words = number_stems(tgt, lexicon.tgt_lang, tgt_numbers)
    there = translations(_known_entries(src_numbers, lexicon, backward=False), src_numbers, tgt_numbers)
    back = translations(_known_entries(tgt_numbers, lexicon, backward=True), tgt_numbers, src_numbers)

    def similarity(beads: Ints) -> Floats:
        forward = sentence_similarities(src_words, tgt_words, beads, there)
        return (forward + sentence_similarities(tgt_words, src_words, beads[:, [2, 3, 0, 1]], back)) / 2

    return similarity


def number_stems(sentences: Sequence[str], lang: str, numbers: dict[str, int]) -> NumberedSentences:
    """Numbers of the word stems of every sentence; new stems join ``numbers``."""
    return NumberedSentences.of(
        [numbers.setdefault(stem, len(numbers)) for stem in _stems(sentence, lang)] for sentence in sentences
    )


def _stems(text: str, lang: str) -> list[str]:
    return [shorten_word(word, STEM_LETTERS) for word in words_of(text, lang)]


def _known_entries(
    numbers: dict[str, int], lexicon: Lexicon, *, backward: bool
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Entries of a dictionary whose headword is a stem of ``numbers``: the headword and the stems of a translation."""
    entries = _entries_by_headword(lexicon, backward)
    return ((stem, translation) for stem in numbers for translation in entries.get(stem, ()))


@lru_cache(maxsize=4)
def _entries_by_headword(lexicon: Lexicon, backward: bool) -> dict[str, list[tuple[str, ...]]]:
    """Translations, as stems, of every headword of a single word; computed once for all page pairs."""
    langs = (lexicon.tgt_lang, lexicon.src_lang) if backward else (lexicon.src_lang, lexicon.tgt_lang)
    entries: dict[str, list[tuple[str, ...]]] = {}
    for entry in lexicon.entries:
        phrase, translation = reversed(entry) if backward else entry
        head = _stems(phrase, langs[0])
        # A headword of several words would have to be found as a whole, and sentences are compared word by word.
        if len(head) == 1:
            entries.setdefault(head[0], []).append(tuple(_stems(translation, langs[1])))
    return entries
