"""Gold and proposed page pairs, read from files, and gold kept to the language pairs that a run was asked for."""

from __future__ import annotations

import gzip
import math
import os
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from diglot.disk.safe_read import MAX_TEXT_BYTES, require_regular, too_large
from diglot.errors import SourceError, UsageError
from diglot.languages import wanted_language

LangPair = tuple[str, str]


class GoldPair(NamedTuple):
    """Two pages known to translate each other (or, in an ignore file, neither right nor wrong)."""

    lang1: str
    lang2: str
    url1: str
    url2: str


class ProposedPair(NamedTuple):
    """Two pages said to translate each other."""

    src_url: str
    tgt_url: str
    probability: float = math.nan
    """In [0, 1], or any score, or NaN where the file states none."""
    src_lang: str = ""
    tgt_lang: str = ""


_TAG = "[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?"
# In the usual case of BCP 47 a lower-case subtag begins a language, so the hyphen between two is found.
_PAIRS_NAME = re.compile(f"pairs\\.({_TAG})-({_TAG})\\.tsv(?:\\.gz)?")


def read_gold(path: str | os.PathLike[str]) -> list[GoldPair]:
    """Rows of lang1, lang2, url1, url2 divided by tabs, in order; ``.gz`` too; further columns are not read.

    Raises: SourceError naming file and line for a row with fewer fields or an empty one; for no such file.
    """
    pairs = []
    for number, fields in tab_fields(path):
        if len(fields) < 4 or not all(fields[:4]):
            raise SourceError(f"{path} line {number}: expected lang1, lang2, url1, url2 divided by tabs")
        if number > 1 or _holds_address(fields[2:4]):
            pairs.append(GoldPair(*fields[:4]))
    return pairs


def read_pairs(path: str | os.PathLike[str]) -> list[ProposedPair]:
    """Proposed pairs in the order of the file: a run folder (all of its ``out/pairs.*.tsv``) or one TSV file.

    A TSV holds src_url, tgt_url and, if it has more, a probability or score; a header line is recognised.
    The languages are those of a file name ``pairs.SRC-TGT.tsv``.

    Raises: SourceError naming file and line for a row that is not such; for a folder without pairs.
    """
    if not Path(path).is_dir():
        return list(_read_pairs_tsv(Path(path)))
    files = sorted(Path(path, "out").glob("pairs.*.tsv"))
    if not files:
        raise SourceError(f"{path} has no out/pairs.*.tsv: it is no run folder, or its pairs are not made yet")
    return [pair for file in files for pair in _read_pairs_tsv(file)]


def _read_pairs_tsv(path: Path) -> Iterator[ProposedPair]:
    named = _PAIRS_NAME.fullmatch(path.name)
    src_lang, tgt_lang = named.groups() if named else ("", "")
    for number, fields in tab_fields(path):
        if len(fields) < 2 or not (fields[0] and fields[1]):
            raise SourceError(f"{path} line {number}: expected src_url and tgt_url divided by a tab")
        if number == 1 and not _holds_address(fields[:2]):
            continue
        try:
            probability = float(fields[2]) if len(fields) > 2 else math.nan
        except ValueError as error:
            wrong = f"{path} line {number}: {fields[2][:40]!r} is no probability"
            raise SourceError(f"{wrong}; expected src_url, tgt_url, probability") from error
        yield ProposedPair(fields[0], fields[1], probability, src_lang, tgt_lang)


def _holds_address(fields: list[str]) -> bool:
    """Tells rows from a header line, whose words hold none of these."""
    return any(char in field for field in fields for char in ":/.")


def tab_fields(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Line number from 1 and fields of every line of a UTF-8 file (``.gz`` too) that is not blank.

    Raises: SourceError naming the file, and the line where it is not UTF-8.
    """
    require_regular(path)
    left = MAX_TEXT_BYTES
    try:
        open_bytes = gzip.open if os.fspath(path).endswith(".gz") else open
        with open_bytes(path, "rb") as handle:
            number = 0
            while line := handle.readline(left + 1):
                number, left = number + 1, left - len(line)
                if left < 0:
                    raise too_large(path, MAX_TEXT_BYTES)
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if text.strip():
                    yield number, text.split("\t")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} line {number}: not UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot read {path}: {error}") from error


def fold_tag(lang: str) -> str:
    """A language tag to compare by: gold files write zh-cn, zh_CN or zh-CN for one language."""
    return lang.replace("_", "-").casefold()


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Gold pairs, pairs that are neither right nor wrong, and where the former are from."""

    pairs: tuple[GoldPair, ...]
    ignored: tuple[GoldPair, ...] = ()
    name: str = "the gold"

    def of_languages(self, lang_pairs: Collection[LangPair]) -> GoldSet:
        """The gold of these language pairs, in either order, its languages called as they are in ``lang_pairs``.

        A gold language belongs to a wanted one as a page's language does: ``zh-cn`` to ``zh`` or ``zh-Hans``,
        not to ``zh-Hant``. Pages of other language pairs are unknown to the result.

        Raises: UsageError where nothing is left; it names the language pairs there are.
        """
        wanted = {frozenset(pair) for pair in lang_pairs}
        langs = tuple(dict.fromkeys(lang for pair in lang_pairs for lang in pair))
        kept = _kept(self.pairs, langs, wanted)
        if not kept:
            asked = ", ".join(f"{src}-{tgt}" for src, tgt in lang_pairs)
            there = ", ".join(sorted({"-".join(sorted(pair[:2])) for pair in self.pairs})) or "no pair at all"
            raise UsageError(f"{self.name} has no pair in {asked}; it has: {there}")
        return GoldSet(tuple(kept), tuple(_kept(self.ignored, langs, wanted)), self.name)


def read_gold_set(
    gold: str | os.PathLike[str],
    ignore: str | os.PathLike[str] | None = None,
) -> GoldSet:
    """Gold and, if given, the pairs to ignore; raises :class:`diglot.errors.SourceError` naming file and line."""
    ignored = tuple(read_gold(ignore)) if ignore else ()
    return GoldSet(tuple(read_gold(gold)), ignored, os.fspath(gold))


def _kept(pairs: Sequence[GoldPair], langs: tuple[str, ...], wanted: set[frozenset[str]]) -> list[GoldPair]:
    named: dict[str, str] = {}
    for lang in {lang for pair in pairs for lang in pair[:2]}:
        named[lang] = wanted_language(lang, lang, langs)
    relabelled = (pair._replace(lang1=named[pair.lang1], lang2=named[pair.lang2]) for pair in pairs)
    return [pair for pair in relabelled if frozenset((pair.lang1, pair.lang2)) in wanted]
