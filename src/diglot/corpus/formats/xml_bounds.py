"""Bounds of what expat holds of a file of XML: tags before their end, open elements, names.

Before version 2.6, expat reads a tag or comment without end again with every piece of the file, so that 256 MiB take
many minutes; and expat keeps every name that it meets. A stranger can pack either into a megabyte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from xml.parsers import expat

MAX_TAG_BYTES = 1 << 20
"""Most bytes of a tag, a comment or an instruction. Tags of memories and workbooks take some hundred."""
MAX_DEPTH = 1_000
"""Most elements within each other. Memories and workbooks have about ten, inline codes within inline codes included."""
MAX_NAMES = 10_000
"""Most names of elements, attributes and prefixes. Memories and workbooks have about a hundred."""
MAX_UNIT_BYTES = 1 << 24
"""Most bytes of a unit of a translation memory with all its languages: it is read as a whole. The 24 languages of the
European Union with a page of text each take 100,000."""
STEP_BYTES = 1 << 16


class BeyondBounds(Exception):
    """The file is beyond a bound that no program's file reaches; the message names the bound."""


class XmlBounds:
    """Feeds a parser and counts. The parser's handlers of elements must call :meth:`begin` and :meth:`end`."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self._parser = parser
        self._fed = 0
        self._depth = 0
        self._names: set[str] = set()
        parser.StartNamespaceDeclHandler = lambda prefix, _: self._names.add(prefix or "")

    def feed(self, pieces: Iterable[bytes]) -> Iterator[None]:
        """Parse a file, with a pause after each piece of at most ``STEP_BYTES``.

        Raises: BeyondBounds, expat.ExpatError.
        """
        for piece in pieces:
            self._parser.Parse(piece, False)
            self._fed += len(piece)
            # The parser holds the bytes of an unfinished tag or comment; it hands text on at once.
            if self._fed - self._parser.CurrentByteIndex > MAX_TAG_BYTES:
                raise BeyondBounds(f"a tag or comment of more than {MAX_TAG_BYTES:,} bytes")
            if len(self._names) > MAX_NAMES:
                raise BeyondBounds(f"more than {MAX_NAMES:,} names of elements and attributes")
            yield
        self._parser.Parse(b"", True)
        yield

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins. Raises: BeyondBounds."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BeyondBounds(f"more than {MAX_DEPTH:,} elements within each other")
        self._names.add(name)
        self._names.update(attributes)

    def end(self) -> None:
        """An element ends."""
        self._depth -= 1
