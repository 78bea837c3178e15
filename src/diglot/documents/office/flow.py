"""Text of a paragraph piece by piece -> a block, with its language by the most characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

from diglot.documents.blocks import Block

_LINE_BLANKS = "\t\r\f\v"
_OTHER_BLANKS = f"\n{_LINE_BLANKS}\u2028\u2029"
_BLANKS = re.compile(" {2,}")


@dataclass(slots=True)
class Flow:
    """A paragraph being read."""

    _pieces: list[str] = field(default_factory=list)
    _langs: Counter[str] = field(default_factory=Counter)
    _links: dict[str, None] = field(default_factory=dict)

    def add(self, text: str, lang: str = "") -> None:
        """Add text in a language; "" for an unknown language."""
        self._pieces.append(text)
        self._langs[lang] += len(text.strip())

    def link(self, address: str) -> None:
        """Add the address of a link."""
        if address:
            self._links[address] = None

    def block(self, kind: str) -> Block | None:
        """The paragraph as a block, None for one without text."""
        whole = "".join(self._pieces)
        text = _lines(whole) if kind == "pre" else fold(whole)
        lang = max(self._langs, key=self._langs.__getitem__, default="")
        return Block(kind, text, 0, lang, tuple(self._links)) if text else None


def join_listings(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with neighbouring lines of a listing as one block: office programs make each line a paragraph."""
    for kind, same in groupby(blocks, lambda block: block.kind):
        lines = list(same)
        if kind == "pre":
            yield replace(lines[0], text="\n".join(line.text for line in lines))
        else:
            yield from lines


def fold(text: str) -> str:
    """Text with each run of blanks as a single one, and none at its ends; no-break spaces stay."""
    return single_blanks(text, _OTHER_BLANKS).strip(" ")


def single_blanks(text: str, others: str) -> str:
    """Text with each run of blanks, and of the ``others`` that stand for blanks, as a single blank.

    >>> single_blanks("a \\t b\\nc", "\\t\\n")
    'a b c'
    """
    # A pattern of all of them is ten times slower on a text with one after each letter.
    for sign in others:
        text = text.replace(sign, " ")
    return _BLANKS.sub(" ", text)


def _lines(text: str) -> str:
    """Lines of a listing, without blanks at their ends and without empty lines around."""
    if not text.strip():
        return ""
    return "\n".join(line.rstrip(f" {_LINE_BLANKS}") for line in text.split("\n")).strip("\n")


def main_language(blocks: Iterable[Block], default: str) -> str:
    """Language of most characters of the blocks; ``default`` for blocks without a language."""
    counts: Counter[str] = Counter()
    for block in blocks:
        counts[block.lang or default] += len(block.text)
    return max(counts, key=counts.__getitem__, default=default)
