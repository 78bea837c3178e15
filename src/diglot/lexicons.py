"""Bilingual lexicons: words and their translations, read from files that people have; nothing is shipped here.

Formats, told apart by content: dictd (FreeDict: ``.index`` beside ``.dict.dz``), CC-CEDICT, tab-separated text.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from glob import escape
from pathlib import Path

import langcodes
import xxhash

from diglot.disk.safe_read import gunzip, read_whole
from diglot.errors import LanguageError, SourceError
from diglot.languages import parse_languages

_BRACKETS = {"<": ">", "[": "]", "(": ")", "{": "}"}
_OPENING = re.compile(r"[<\[({]")
_NUMBER = re.compile(r"^\s*\d+\.\s")
_SEPARATORS = ",；，、"
"""Separators of translations beside the semicolon."""

PhrasePair = tuple[str, str]
"""A phrase and a translation, as written in the lexicon."""

MAX_GLOSS_CHARS = 100_000
"""Characters that are read of a line of translations; an article of a dictionary has some hundred."""
_GZIP_MAGIC = b"\x1f\x8b"
SAMPLE_LINES = 1_000
MIN_ENTRY_SHARE = 0.5
"""Number of first lines that tell a file's format, and least share of them in the format; our choice."""

LEXICON_FORMATS = (
    "a dictd index beside its .dict.dz (FreeDict), CC-CEDICT, or lines of phrase<TAB>translation in UTF-8 (each may be "
    "gzipped)"
)
_NAMED = re.compile(r"(?<![A-Za-z])([A-Za-z]{2,3})[-_]([A-Za-z]{2,3})(?![A-Za-z])")
_DICTIONARY_ENDINGS = (".dict.dz", ".dict")
CEDICT_LANGS = ("zh", "en")
_CEDICT_LINE = re.compile(r"(\S+) (\S+) \[[^\]]*\] /(.+)/\s*")
_DIGITS = {
    digit: value for value, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
"""Digits of base 64, the notation of offsets and lengths in a dictd index."""
_INDEX_LINE = re.compile(r"[^\t]*\t[A-Za-z0-9+/]{1,10}\t[A-Za-z0-9+/]{1,10}(\t.*)?")
_ABOUT_ITSELF = re.compile(r"00-?database")
"""Headwords of articles about the database itself."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Entries of one file, from ``src_lang`` to ``tgt_lang`` (BCP 47), usable in both directions.

    ``skipped``: number of malformed lines. Lexicons compare by identity, so that a lexicon may be part of a key
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
    """Merge lexicons of the same languages and direction, in order; a single lexicon is returned itself."""
    first, *rest = lexicons
    # No copy: lexicons compare by identity, and caches hold results by lexicon.
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
    # Dictionaries have a million glosses: the search runs only where it may find a number.
    gloss = gloss[:MAX_GLOSS_CHARS]
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
    """The text with a blank for each remark: from an opening bracket to the next closing bracket of the same kind."""
    kept, at, closing = [], 0, dict(_BRACKETS)
    for opening in _OPENING.finditer(gloss):
        kind = opening[0]
        if opening.start() < at or kind not in closing:
            continue
        end = gloss.find(closing[kind], opening.end())
        if end < 0:
            del closing[kind]  # no closing bracket of this kind follows
            continue
        kept.append(gloss[at : opening.start()])
        at = end + 1
    return " ".join([*kept, gloss[at:]])


def language(tag: str) -> str:
    """Primary subtag of a language tag in standard form."""
    primary: str = langcodes.standardize_tag(tag).split("-")[0]
    return primary


def absolute_file(path: str) -> str:
    """The path from the root, so that a run takes the same file whatever folder a later command stands in."""
    given = Path(path).expanduser()
    return str(given if given.is_absolute() else given.parent.resolve() / given.name)


def file_name(path: str) -> str:
    """The path without its folders: what outputs that are passed on may say of a file, and keys of stages."""
    return Path(path).name


def split_paths(paths: str) -> list[str]:
    """The names of files in a list separated by commas.

    >>> split_paths("a.tsv, b/c.tsv,")
    ['a.tsv', 'b/c.tsv']
    """
    return [name.strip() for name in paths.split(",") if name.strip()]


def place_files(paths: str, place: Callable[[str], str], *, parted: bool = True, reserved: str = "") -> str:
    """The paths, each as ``place`` gives it.

    ``paths``: names separated by commas if ``parted``, else a single name. ``reserved``: characters that a name may not
    have. A name stays as typed where a folder before it has such a character, or is not UTF-8: ``diglot.toml`` could
    not state it.
    """
    names = split_paths(paths) if parted else [paths]
    barred = {*reserved, *("," if parted else "")}

    def is_fit(path: str) -> bool:
        return barred.isdisjoint(path) and path.encode("utf-8", "ignore").decode() == path

    return ",".join(new if is_fit(new := place(name)) else name for name in names)


def file_hashes(paths: str, *, parted: bool = True) -> list[str]:
    """A hash of each file, and of files beside it with the same stem.

    ``paths``: names separated by commas if ``parted``, else a single name. Raises: SourceError for an unreadable file.
    """
    names = split_paths(paths) if parted else [paths.strip()]
    return [_hash(path) for name in names if name for path in _with_companions(Path(name).expanduser())]


def _with_companions(path: Path) -> list[Path]:
    """The file, and files with the same name up to the first full stop, in the same folder."""
    # A dictd index lies beside its articles, and a change of the articles changes the lexicon.
    stem = path.name.split(".")[0]
    return sorted({path, *path.parent.glob(f"{escape(stem)}.*")})


def _hash(path: Path) -> str:
    try:
        return xxhash.xxh3_128_hexdigest(read_whole(path))
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}; name a file that can be read") from error


def find_lexicon(paths: str, src_lang: str, tgt_lang: str) -> Lexicon | None:
    """One lexicon from ``src_lang`` to ``tgt_lang`` from files, names separated by commas; None without entries.

    A tab-separated file without languages in its header is read as a file of this pair. Files are cached until they
    change. Raises: SourceError for a file that is missing, damaged or no lexicon.
    """
    files = [Path(name).expanduser() for name in split_paths(paths)]
    stamps = tuple((str(path), *_stamp(path)) for path in files)
    return _find(stamps, src_lang, tgt_lang)


@lru_cache(maxsize=8)
def _find(stamps: tuple[tuple[str, int, int], ...], src_lang: str, tgt_lang: str) -> Lexicon | None:
    found = [read_lexicon(Path(path), (src_lang, tgt_lang)) for path, _, _ in stamps]
    fitting = [lexicon.orient(src_lang, tgt_lang) for lexicon in found if lexicon.covers(src_lang, tgt_lang)]
    return merge(fitting) if fitting else None


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}; give the path of a lexicon") from error
    return status.st_mtime_ns, status.st_size


def read_lexicon(path: Path, langs: tuple[str, str]) -> Lexicon:
    """A lexicon file in its own direction; ``langs``: languages of a file without languages of its own.

    Raises: SourceError for an unreadable file or an unknown format.
    """
    if path.name.endswith(_DICTIONARY_ENDINGS):
        ending = next(ending for ending in _DICTIONARY_ENDINGS if path.name.endswith(ending))
        path = path.with_name(path.name.removesuffix(ending) + ".index")
    lines = _lines(path)
    sample = [line for line in lines[:SAMPLE_LINES] if line.strip()]
    # The loosest format comes last: a line of an index would pass as a tab-separated entry.
    if _share(sample, is_cedict_entry) >= MIN_ENTRY_SHARE:
        return _lexicon(path, CEDICT_LANGS, cedict_entries(lines))
    articles = _articles_beside(path)
    if articles is not None and _share(sample, is_index_line) >= MIN_ENTRY_SHARE:
        content = _content(articles)
        _require_utf8(articles, content)
        return _lexicon(path, _named_langs(path), dictd_entries(lines, content))
    if path.name.endswith(".index"):
        raise SourceError(f"{path}: no dictd index with its .dict.dz beside it; put both files in one folder")
    if _share(sample, is_tab_separated_entry) >= MIN_ENTRY_SHARE:
        header = header_langs(lines)
        return _lexicon(path, header or langs, tab_separated_entries(lines[1:] if header else lines))
    raise SourceError(f"{path}: not a lexicon; give {LEXICON_FORMATS}")


def _lexicon(path: Path, langs: tuple[str, str], found: Iterable[PhrasePair | None]) -> Lexicon:
    entries: dict[PhrasePair, None] = {}
    skipped = 0
    for entry in found:
        if entry is None:
            skipped += 1
        else:
            entries[entry] = None
    if not entries:
        raise SourceError(f"{path}: holds no translation; give {LEXICON_FORMATS}")
    return Lexicon(path.name, *langs, tuple(entries), skipped)


def _share(lines: Sequence[str], is_entry: Callable[[str], bool]) -> float:
    return sum(map(is_entry, lines)) / len(lines) if lines else 0.0


def _articles_beside(index: Path) -> Path | None:
    stem = index.name.removesuffix(".gz").removesuffix(".index")
    beside = (index.with_name(stem + ending) for ending in _DICTIONARY_ENDINGS)
    return next((path for path in beside if path.is_file() and path != index), None)


def _named_langs(path: Path) -> tuple[str, str]:
    """Languages of a dictd database, by a name such as ``freedict-deu-eng.index``."""
    for first, second in _NAMED.findall(path.name.removesuffix(".index")):
        try:
            langs = parse_languages([first, second])
        except LanguageError:
            continue
        return langs[0], langs[1]
    raise SourceError(f"{path}: its name does not say its languages; rename index and dictionary like deu-eng.index")


def _lines(path: Path) -> list[str]:
    content = _content(path)
    # Binary files would decode with replacements, and fail only later as an unknown format.
    if b"\x00" in content[:4096]:
        raise SourceError(f"{path}: not text in UTF-8; give {LEXICON_FORMATS}")
    _require_utf8(path, content)
    return content.decode("utf-8-sig").splitlines()


def _require_utf8(path: Path, content: bytes) -> None:
    """Raise SourceError, with the line, for a lexicon in another encoding: its words with accents would be lost."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(f"{path}: line {line:,} is not UTF-8; save the lexicon as UTF-8") from error


def _content(path: Path) -> bytes:
    """Bytes of a file, inflated if gzipped (dictzip is gzip)."""
    try:
        content = read_whole(path)
        return gunzip(path, content) if content.startswith(_GZIP_MAGIC) else content
    except OSError as error:  # gzip.BadGzipFile among them
        raise SourceError(f"{path}: {error.strerror or error}; give the path of a lexicon") from error
    except (EOFError, zlib.error) as error:
        raise SourceError(f"{path}: the compressed file is damaged ({error}); fetch it again") from error


def is_index_line(line: str) -> bool:
    """Whether a line may be a line of a dictd index."""
    return _INDEX_LINE.fullmatch(line) is not None


def dictd_entries(index: Iterable[str], articles: bytes) -> Iterator[PhrasePair | None]:
    """Entries of a dictd database; None for each malformed line, or line with an article beyond the end.

    Articles about the database and articles without translation give no entry. ``articles``: the inflated dictionary.
    """
    known: dict[tuple[int, int], tuple[str, ...]] = {}  # several headwords share an article
    for line in index:
        fields = line.split("\t")
        if len(fields) == 1 and not line.strip():
            continue
        span = _span(fields, len(articles))
        if span is None:
            yield None
        elif not _ABOUT_ITSELF.match(fields[0]):
            headword = (fields[3] if len(fields) > 3 and fields[3] else fields[0]).strip()
            translations = known.get(span)
            if translations is None:
                translations = known[span] = _translations(articles[span[0] : span[1]].decode("utf-8", "replace"))
            if headword:
                for translation in translations:
                    yield headword, translation


def _span(fields: list[str], size: int) -> tuple[int, int] | None:
    """Start and end of an article by its line in the index; None for a malformed line, or an end beyond ``size``."""
    if not 3 <= len(fields) <= 4 or not all(fields[1:3]):
        return None
    try:
        start, length = _NUMBERS[fields[1]], _NUMBERS[fields[2].rstrip()]
    except KeyError:
        return None
    return (start, start + length) if start + length <= size else None


class _Numbers(dict[str, int]):
    """Numbers by their digits in base 64; numbers of up to three digits, fewer than 300,000, are cached."""

    def __missing__(self, digits: str) -> int:
        if len(digits) > 3:
            return self[digits[:-2]] * 4096 + self[digits[-2:]]
        if len(digits) < 2:
            raise KeyError(digits)
        self[digits] = value = self[digits[:-1]] * 64 + self[digits[-1]]
        return value


_NUMBERS = _Numbers(_DIGITS)


def _translations(article: str) -> tuple[str, ...]:
    """Translations on the lines behind the headword, indented at most one character deeper than the first of them."""
    found: dict[str, None] = {}
    deepest = -1
    for line in article.split("\n")[1:]:
        text = line.lstrip()
        if text:
            indent = len(line) - len(text)
            if deepest < 0:
                deepest = indent + 1
            # Deeper lines are examples and notes, no translations.
            if indent <= deepest:
                for translation in split_gloss(text):
                    found[translation] = None
    return tuple(found)


def is_cedict_entry(line: str) -> bool:
    """Whether a line is a CC-CEDICT entry or comment."""
    return line.startswith("#") or _CEDICT_LINE.fullmatch(line) is not None


def cedict_entries(lines: Iterable[str]) -> Iterator[PhrasePair | None]:
    """Entries of CC-CEDICT lines, for both spellings of a word; None for each malformed line."""
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        found = _CEDICT_LINE.fullmatch(line)
        if found is None:
            yield None
            continue
        traditional, simplified, glosses = found.groups()
        for gloss in glosses.split("/"):
            for translation in split_gloss(gloss):
                for word in dict.fromkeys((simplified, traditional)):
                    yield word, translation


def header_langs(lines: Sequence[str]) -> tuple[str, str] | None:
    """The two languages in the first line (``en<TAB>de``); None for a line that names no languages."""
    fields = [field.strip() for field in lines[0].split("\t")] if lines else []
    if len(fields) < 2:
        return None
    try:
        langs = parse_languages(fields[:2])
    except LanguageError:
        return None
    return langs[0], langs[1]


def is_tab_separated_entry(line: str) -> bool:
    """Whether the first two fields of a line are filled."""
    fields = line.split("\t")
    return len(fields) >= 2 and bool(fields[0].strip()) and bool(fields[1].strip())


def tab_separated_entries(lines: Iterable[str]) -> Iterator[PhrasePair | None]:
    """Entries of tab-separated lines; None for each line without two filled fields."""
    for line in lines:
        if line.strip():
            fields = line.split("\t")
            yield (fields[0].strip(), fields[1].strip()) if is_tab_separated_entry(line) else None
