"""A lexicon file -> :class:`Lexicon`, its format told by its content, its languages by its header or name."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from diglot.errors import LanguageError, SourceError
from diglot.languages import parse_languages
from diglot.lexicons import cedict, dictd, tab_separated
from diglot.lexicons.lexicon import Entry, Lexicon, merged

GZIP_MAGIC = b"\x1f\x8b"
SAMPLE_LINES = 1_000
MIN_ENTRY_SHARE = 0.5
"""A file is of a format where at least this share of its first lines is; our choice."""

FORMATS = (
    "a dictd index beside its .dict.dz (FreeDict), CC-CEDICT, or lines of phrase<TAB>translation in UTF-8 (each may be "
    "gzipped)"
)
_NAMED = re.compile(r"(?<![A-Za-z])([A-Za-z]{2,3})[-_]([A-Za-z]{2,3})(?![A-Za-z])")
_DICTIONARY_ENDINGS = (".dict.dz", ".dict")


def find_lexicon(paths: str, src_lang: str, tgt_lang: str) -> Lexicon | None:
    """Entries for a language pair out of files, their names parted by commas; None where no file holds the pair.

    Parameters: a tab-separated file that does not say its languages is taken to hold this pair.
    Returns: one lexicon read from ``src_lang`` to ``tgt_lang``. A file is read once, until it changes.
    Raises: SourceError for a file that is missing, damaged or no lexicon.
    """
    files = [Path(name.strip()).expanduser() for name in paths.split(",") if name.strip()]
    stamps = tuple((str(path), *_stamp(path)) for path in files)
    return _find(stamps, src_lang, tgt_lang)


@lru_cache(maxsize=8)
def _find(stamps: tuple[tuple[str, int, int], ...], src_lang: str, tgt_lang: str) -> Lexicon | None:
    found = [read_lexicon(Path(path), (src_lang, tgt_lang)) for path, _, _ in stamps]
    fitting = [lexicon.oriented(src_lang, tgt_lang) for lexicon in found if lexicon.covers(src_lang, tgt_lang)]
    return merged(fitting) if fitting else None


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}; give the path of a lexicon") from error
    return status.st_mtime_ns, status.st_size


def read_lexicon(path: Path, langs: tuple[str, str]) -> Lexicon:
    """One lexicon file in the direction it is written in; ``langs``: languages of a file that does not say.

    Raises: SourceError for a file that cannot be read or is in none of the formats.
    """
    if path.name.endswith(_DICTIONARY_ENDINGS):
        ending = next(ending for ending in _DICTIONARY_ENDINGS if path.name.endswith(ending))
        path = path.with_name(path.name.removesuffix(ending) + ".index")
    lines = _lines(path)
    sample = [line for line in lines[:SAMPLE_LINES] if line.strip()]
    if _share(sample, cedict.is_entry) >= MIN_ENTRY_SHARE:
        return _lexicon(path, cedict.LANGS, cedict.entries(lines))
    articles = _articles_beside(path)
    if articles is not None and _share(sample, dictd.is_index_line) >= MIN_ENTRY_SHARE:
        return _lexicon(path, _named_langs(path), dictd.entries(lines, _content(articles)))
    if path.name.endswith(".index"):
        raise SourceError(f"{path}: no dictd index with its .dict.dz beside it; put both files in one folder")
    if _share(sample, tab_separated.is_entry) >= MIN_ENTRY_SHARE:
        header = tab_separated.header_langs(lines)
        return _lexicon(path, header or langs, tab_separated.entries(lines[1:] if header else lines))
    raise SourceError(f"{path}: not a lexicon; give {FORMATS}")


def _lexicon(path: Path, langs: tuple[str, str], found: Iterable[Entry | None]) -> Lexicon:
    entries: dict[Entry, None] = {}
    skipped = 0
    for entry in found:
        if entry is None:
            skipped += 1
        else:
            entries[entry] = None
    if not entries:
        raise SourceError(f"{path}: holds no translation; give {FORMATS}")
    return Lexicon(path.name, *langs, tuple(entries), skipped)


def _share(lines: Sequence[str], is_entry: Callable[[str], bool]) -> float:
    return sum(map(is_entry, lines)) / len(lines) if lines else 0.0


def _articles_beside(index: Path) -> Path | None:
    stem = index.name.removesuffix(".gz").removesuffix(".index")
    beside = (index.with_name(stem + ending) for ending in _DICTIONARY_ENDINGS)
    return next((path for path in beside if path.is_file() and path != index), None)


def _named_langs(path: Path) -> tuple[str, str]:
    """Languages of a dictd database, from a name such as ``freedict-deu-eng.index``."""
    for first, second in _NAMED.findall(path.name.removesuffix(".index")):
        try:
            langs = parse_languages([first, second])
        except LanguageError:
            continue
        return langs[0], langs[1]
    raise SourceError(f"{path}: its name does not say its languages; rename index and dictionary like deu-eng.index")


def _lines(path: Path) -> list[str]:
    content = _content(path)
    if b"\x00" in content[:4096]:
        raise SourceError(f"{path}: not text in UTF-8; give {FORMATS}")
    return content.decode("utf-8-sig", "replace").splitlines()


def _content(path: Path) -> bytes:
    """The bytes of a file, inflated where it is gzipped (dictzip is gzip)."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content.startswith(GZIP_MAGIC) else content
    except OSError as error:  # gzip.BadGzipFile among them
        raise SourceError(f"{path}: {error.strerror or error}; give the path of a lexicon") from error
    except (EOFError, zlib.error) as error:
        raise SourceError(f"{path}: the compressed file is damaged ({error}); fetch it again") from error
