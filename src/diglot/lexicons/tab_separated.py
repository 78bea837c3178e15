"""Tab-separated lexicons: a phrase and one translation of it a line; a first line of two language tags is a header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from diglot.errors import LanguageError
from diglot.languages import parse_languages
from diglot.lexicons.lexicon import Entry


def header_langs(lines: Sequence[str]) -> tuple[str, str] | None:
    """The two languages that the first line names (``en<TAB>de``); None where it names none."""
    fields = [field.strip() for field in lines[0].split("\t")] if lines else []
    if len(fields) < 2:
        return None
    try:
        langs = parse_languages(fields[:2])
    except LanguageError:
        return None
    return langs[0], langs[1]


def is_entry(line: str) -> bool:
    """Whether a line has two filled fields; further ones are left out."""
    fields = line.split("\t")
    return len(fields) >= 2 and bool(fields[0].strip()) and bool(fields[1].strip())


def entries(lines: Iterable[str]) -> Iterator[Entry | None]:
    """Entries of the lines; None for each line without two filled fields."""
    for line in lines:
        if line.strip():
            fields = line.split("\t")
            yield (fields[0].strip(), fields[1].strip()) if is_entry(line) else None
