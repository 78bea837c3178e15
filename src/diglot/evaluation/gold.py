"""Read gold and proposed page pairs from files, and restrict gold to language pairs."""

from __future__ import annotations

import gzip
import math
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from diglot.disk.safe_read import MAX_TEXT_BYTES, require_regular, too_large
from diglot.errors import LanguageError, SourceError, UsageError, describe_error
from diglot.languages import LangPair, standard_tag, wanted_language
from diglot.pages.address import normalise_address


class GoldPair(NamedTuple):
    """A page and its translation; in an ignore file, a pair that counts as neither right nor wrong."""

    lang1: str
    lang2: str
    url1: str
    url2: str


class ProposedPair(NamedTuple):
    """Two pages that a system pairs."""

    src_url: str
    tgt_url: str
    probability: float = math.nan
    """In [0, 1], or any score; NaN for none."""
    src_lang: str = ""
    tgt_lang: str = ""


_TAG = "[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?"
# zh-Hant-pt-BR are zh-Hant and pt-BR: within a tag only the language is lower case, so the next one begins at "pt".
_PAIRS_NAME = re.compile(f"pairs\\.({_TAG})-({_TAG})\\.tsv(?:\\.gz)?")


def read_gold(path: str | os.PathLike[str]) -> list[GoldPair]:
    """Rows of lang1, lang2, url1, url2 divided by tabs, in order; ``.gz`` too; further columns are not read.

    A header line is recognised and left out, and so are blanks and quotes around a field. Addresses are in normal form,
    like those of a run.

    Raises: SourceError, which names file and line, for a row with a missing or empty field, or without language codes;
    for a missing file.
    """
    pairs = []
    for number, cells in tab_fields(path):
        fields = [*map(_plain_cell, cells)]
        if len(fields) < 4 or not all(fields[:4]):
            raise SourceError(f"{path} line {number}: expected lang1, lang2, url1, url2 divided by tabs")
        if number > 1 or _holds_address(fields[2:4]):
            if wrong := [field for field in fields[2:4] if not _holds_address([field])]:
                is_of_run = all(_holds_address([field]) for field in fields[:2])
                hint = (
                    "; these are page pairs of a run, and no gold: two languages come before the addresses"
                    if is_of_run
                    else ""
                )
                raise SourceError(f"{path} line {number}: {wrong[0][:40]!r} is no address{hint}")
            _require_languages(path, number, fields[:2])
            url1, url2 = map(normalise_address, fields[2:4])
            pairs.append(GoldPair(fields[0], fields[1], url1, url2))
    return pairs


def read_pairs(path: str | os.PathLike[str]) -> list[ProposedPair]:
    """Proposed pairs in the order of the file: a run folder (all of its ``out/pairs.*.tsv``) or one TSV file.

    A TSV holds src_url, tgt_url and perhaps a probability or score; a header line is recognised. Languages are read
    from a file name ``pairs.SRC-TGT.tsv``.

    Raises: SourceError, which names file and line, for an invalid row; for a folder without pairs.
    """
    if not Path(path).is_dir():
        return list(_read_pairs_tsv(Path(path)))
    # With --folders, the files are in the folder out/pairs.
    files = sorted([*Path(path, "out").glob("pairs.*.tsv"), *Path(path, "out").glob("pairs/pairs.*.tsv")])
    if not files:
        raise SourceError(f"{path} has no out/pairs.*.tsv: it is no run folder, or its pages are not paired yet")
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
        src_url, tgt_url = map(normalise_address, fields[:2])
        yield ProposedPair(src_url, tgt_url, probability, src_lang, tgt_lang)


_NO_LANGUAGES = frozenset({"und", "mul", "mis", "zxx"})
"""Tags of texts in no certain language, in several, in one without a code, and in none."""


def _plain_cell(cell: str) -> str:
    """A cell without the blanks and quotes that spreadsheets and people leave around it.

    >>> _plain_cell(' "en" '), _plain_cell('"')
    ('en', '"')
    """
    text = cell.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] == '"' else text


def _require_languages(path: str | os.PathLike[str], number: int, langs: Iterable[str]) -> None:
    """Raise SourceError, which names the language meant, for a field of gold that is no language code."""
    try:
        for lang in langs:
            _require_language(lang.replace("_", "-"))
    except LanguageError as error:
        raise SourceError(f"{path} line {number}: {error}") from error


# Gold names few languages in many rows.
@cache
def _require_language(lang: str) -> None:
    """Raise LanguageError unless a tag begins with a known language; its variants may be gold's own (``ja-basic``)."""
    language = lang.partition("-")[0]
    if language.lower() not in _NO_LANGUAGES:
        standard_tag(language)


def _holds_address(fields: list[str]) -> bool:
    """Whether a field of a line may be an address; names in a header line, such as src_url, have no colon,
    slash or dot."""
    return any(char in field for field in fields for char in ":/.")


def tab_fields(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Line number, from 1, and fields of the lines of a UTF-8 file (``.gz`` too); blank lines are skipped.

    Raises: SourceError, which names the file, for a line that is not UTF-8 (it names the line), a file of more than
    :data:`MAX_TEXT_BYTES` unpacked, and a file that cannot be read.
    """
    require_regular(path)
    left = MAX_TEXT_BYTES
    try:
        open_bytes = gzip.open if os.fspath(path).endswith(".gz") else open
        with open_bytes(path, "rb") as handle:
            number = 0
            # A small .gz file may unpack to a single line of any size.
            while line := handle.readline(left + 1):
                left -= len(line)
                if left < 0:
                    raise too_large(path, MAX_TEXT_BYTES)
                # Some programs end a line by a carriage return alone. In a file with line feeds a carriage return ends
                # no line: `paste` leaves those of files from Windows at the ends of fields.
                is_cut_by_returns = number == 0 and not line.endswith(b"\n")
                for content in line.splitlines() if is_cut_by_returns else (line.rstrip(b"\r\n"),):
                    number += 1
                    text = content.decode("utf-8-sig" if number == 1 else "utf-8")
                    if text.strip():
                        yield number, [field.removesuffix("\r") for field in text.split("\t")]
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} line {number}: not UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot read {path}: {describe_error(error)}") from error


def fold_tag(lang: str) -> str:
    """A language tag for comparison: gold files write zh-cn, zh_CN or zh-CN for one language."""
    return lang.replace("_", "-").casefold()


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Gold pairs, ignored pairs (neither right nor wrong), and the name of the gold."""

    pairs: tuple[GoldPair, ...]
    ignored: tuple[GoldPair, ...] = ()
    name: str = "the gold"

    def of_languages(self, lang_pairs: Collection[LangPair]) -> GoldSet:
        """The gold of these language pairs, in either order, with the language tags of ``lang_pairs``.

        Tags match as for pages: ``zh-cn`` is ``zh`` or ``zh-Hans``, not ``zh-Hant``. Pages of other language pairs are
        not in the result.

        Raises: UsageError, which names the language pairs of the gold, where nothing is left.
        """
        wanted = {frozenset(pair) for pair in lang_pairs}
        langs = tuple(dict.fromkeys(lang for pair in lang_pairs for lang in pair))
        kept = _of_lang_pairs(self.pairs, langs, wanted)
        if not kept:
            asked = ", ".join(f"{src}-{tgt}" for src, tgt in lang_pairs)
            there = ", ".join(sorted({"-".join(sorted(pair[:2])) for pair in self.pairs})) or "no pair at all"
            raise UsageError(f"{self.name} has no pair in {asked}; it has: {there}")
        return GoldSet(tuple(kept), tuple(_of_lang_pairs(self.ignored, langs, wanted)), self.name)

    def addresses(self) -> set[str]:
        """Addresses of the gold pairs."""
        return {url for pair in self.pairs for url in (pair.url1, pair.url2)}

    def spelled_like(self, addresses: Iterable[str]) -> GoldSet:
        """The gold with ``https`` for ``http``, or the reverse, where only that spelling is among ``addresses``.

        Both are one page (decision 67).
        """
        known = set(addresses)
        by_rest = {_without_scheme(url): url for url in sorted(known)}

        def known_address(url: str) -> str:
            return url if url in known else by_rest.get(_without_scheme(url), url)

        def respell(pairs: Iterable[GoldPair]) -> tuple[GoldPair, ...]:
            return tuple(pair._replace(url1=known_address(pair.url1), url2=known_address(pair.url2)) for pair in pairs)

        return GoldSet(respell(self.pairs), respell(self.ignored), self.name)


def read_gold_set(
    gold: str | os.PathLike[str],
    ignore: str | os.PathLike[str] | None = None,
) -> GoldSet:
    """Gold and, if given, the pairs to ignore; raises :class:`diglot.errors.SourceError` naming file and line."""
    ignored = tuple(read_gold(ignore)) if ignore else ()
    return GoldSet(tuple(read_gold(gold)), ignored, os.fspath(gold))


def _without_scheme(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    return rest if mark and scheme in ("http", "https") else url


def _of_lang_pairs(pairs: Sequence[GoldPair], langs: tuple[str, ...], wanted: set[frozenset[str]]) -> list[GoldPair]:
    named: dict[str, str] = {}
    for lang in {lang for pair in pairs for lang in pair[:2]}:
        named[lang] = wanted_language(lang, lang, langs)
    relabelled = (pair._replace(lang1=named[pair.lang1], lang2=named[pair.lang2]) for pair in pairs)
    return [pair for pair in relabelled if frozenset((pair.lang1, pair.lang2)) in wanted]
