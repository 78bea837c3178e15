"""Bounds of what expat holds of a file of XML: tags before their end, open elements, names.

A tag or a comment without end is read again with every piece that comes (expat before 2.6), so that a file of 256 MiB
takes many minutes; a name is held for ever once it was met. A stranger packs either into a megabyte.
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
    """Feeds a parser, whose handlers of elements call :meth:`begin` and :meth:`end`."""

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
            # What is behind the last event waits for its end; text is handed on as it comes.
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
