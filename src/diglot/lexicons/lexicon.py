"""Bilingual lexicons: pairs of phrases and their translations, and hashes of the source files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import escape
from pathlib import Path

import langcodes
import xxhash

from diglot.disk.safe_read import read_whole
from diglot.errors import SourceError

_BRACKETS = {"<": ">", "[": "]", "(": ")", "{": "}"}
_OPENING = re.compile(r"[<\[({]")
_NUMBER = re.compile(r"^\s*\d+\.\s")
_SEPARATORS = ",；，、"
"""Separators of translations beside the semicolon."""

PhrasePair = tuple[str, str]
"""A phrase and a translation, as written in the lexicon."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Entries of one file, from ``src_lang`` to ``tgt_lang`` (BCP 47), usable in both directions.

    ``skipped``: number of lines without entry. Lexicons compare by identity, so that a lexicon may be part of a key
    without comparing entries.
    """

    name: str
    src_lang: str
    tgt_lang: str
    entries: tuple[PhrasePair, ...]
    skipped: int = 0

    def covers(self, src_lang: str, tgt_lang: str) -> bool:
        """Whether the lexicon holds a language pair, in either direction; scripts and regions do not matter."""
        return {language(self.src_lang), language(self.tgt_lang)} == {language(src_lang), language(tgt_lang)}

    def orient(self, src_lang: str, tgt_lang: str) -> Lexicon:
        """The lexicon from ``src_lang`` to ``tgt_lang``; ValueError for a pair not covered."""
        if not self.covers(src_lang, tgt_lang):
            raise ValueError(f"{self.name} is {self.src_lang}-{self.tgt_lang}, not {src_lang}-{tgt_lang}")
        forward = language(self.src_lang) == language(src_lang)
        entries = self.entries if forward else tuple((tgt, src) for src, tgt in self.entries)
        return Lexicon(self.name, src_lang, tgt_lang, entries, self.skipped)


def merge(lexicons: Iterable[Lexicon]) -> Lexicon:
    """Lexicons of one language pair and direction as one lexicon, in order."""
    first, *rest = lexicons
    if not rest:
        return first
    parts = (first, *rest)
    return Lexicon(
        ", ".join(part.name for part in parts),
        first.src_lang,
        first.tgt_lang,
        tuple(dict.fromkeys(entry for part in parts for entry in part.entries)),
        sum(part.skipped for part in parts),
    )


def split_gloss(gloss: str) -> Iterator[str]:
    """Translations in a line of a dictionary, without numbers and remarks in brackets.

    A piece with a colon at its end announces a reference ("see:") and is left out.

    >>> list(split_gloss("1. setting test <n>, test (of cement); see: {Beton}"))
    ['setting test', 'test']
    """
    if gloss.lstrip()[:1].isdigit():
        gloss = _NUMBER.sub("", gloss)
    gloss = _without_remarks(gloss)
    for separator in _SEPARATORS if not gloss.isascii() else ",":
        gloss = gloss.replace(separator, ";")
    for piece in gloss.split(";"):
        translation = " ".join(piece.split())
        if translation and translation[-1] != ":":
            yield translation


def _without_remarks(gloss: str) -> str:
    """The text with a blank for each bracket, from its opening to the next closing sign of its kind."""
    kept, at, closing = [], 0, dict(_BRACKETS)
    for opening in _OPENING.finditer(gloss):
        kind = opening[0]
        if opening.start() < at or kind not in closing:
            continue
        end = gloss.find(closing[kind], opening.end())
        if end < 0:
            del closing[kind]  # no closing sign follows: not searched again
            continue
        kept.append(gloss[at : opening.start()])
        at = end + 1
    return " ".join([*kept, gloss[at:]])


def language(tag: str) -> str:
    """Primary subtag of a language tag in standard form."""
    primary: str = langcodes.standardize_tag(tag).split("-")[0]
    return primary


def file_hashes(paths: str, *, parted: bool = True) -> list[str]:
    """A hash of each file, and of files beside it with the same stem.

    ``paths``: names separated by commas if ``parted``, else a single name. Raises: SourceError for an unreadable file.
    """
    names = paths.split(",") if parted else [paths]
    return [_hash(path) for name in names if name.strip() for path in _with_companions(Path(name.strip()).expanduser())]


def _with_companions(path: Path) -> list[Path]:
    """The file, and files with its name up to the first full stop: a dictd index lies beside its articles."""
    stem = path.name.split(".")[0]
    return sorted({path, *path.parent.glob(f"{escape(stem)}.*")})


def _hash(path: Path) -> str:
    try:
        return xxhash.xxh3_128_hexdigest(read_whole(path))
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}; name a file that can be read") from error
