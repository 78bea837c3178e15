"""CC-CEDICT text: ``traditional simplified [pinyin] /gloss/gloss/``, one entry a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from diglot.lexicons.lexicon import Entry, split_gloss

LANGS = ("zh", "en")
_LINE = re.compile(r"(\S+) (\S+) \[[^\]]*\] /(.+)/\s*")


def is_entry(line: str) -> bool:
    """Whether a line is an entry or a comment of CC-CEDICT."""
    return line.startswith("#") or _LINE.fullmatch(line) is not None


def entries(lines: Iterable[str]) -> Iterator[Entry | None]:
    """Entries of the lines, both spellings of a word; None for each line that is neither entry nor comment."""
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            yield None
            continue
        traditional, simplified, glosses = found.groups()
        for gloss in glosses.split("/"):
            for translation in split_gloss(gloss):
                for word in dict.fromkeys((simplified, traditional)):
                    yield word, translation
