"""Elements of a page with their attributes -> its links with their anchors, its images, its declared language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat

from diglot.documents.addresses import Addresses, unescape
from diglot.documents.chunks import Chunks
from diglot.documents.pieces import Elements
from diglot.documents.tags import end_code, start_code

_A, _A_END, _IMG = start_code("a"), end_code("a"), start_code("img")
_AREA, _BASE, _FRAME, _HTML, _LINK, _META = map(start_code, ("area", "base", "frame", "html", "link", "meta"))

Values = Sequence[str | None]
"""Values of an element's slots (see :mod:`diglot.documents.elements`) as serialised; None where it has no such
attribute."""
Element = tuple[int, int, Values]
"""Code of a tag, how many chunks stand before it, and its values."""


@dataclass(slots=True)
class Links:
    """What a page leads to, shows and says of itself, gathered in its order."""

    addresses: Addresses
    texts: _ChunkTexts
    urls: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    hreflangs: list[str] = field(default_factory=list)
    alternate: list[bool] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    inside: list[tuple[int, int]] = field(default_factory=list)
    """Chunks inside links: number of the first, and of the first one behind."""
    declared_lang: str = ""
    _opened: int = -1
    _alt: str = ""

    def show(self, src: str | None) -> None:
        """Record the address of an image, or of what an iframe shows."""
        if src and not src.startswith("data:"):
            self.images.append(self.addresses.resolve(src))

    def follow(self, elements: Iterator[Element]) -> None:
        """Take in the elements of a page, in its order."""
        for code, chunk, values in elements:
            if code == _A:
                if values[0] is not None:
                    self._end_inside(chunk)
                    self._add(values[0], "", values[1])
                    self._opened, self._alt = chunk, ""
            elif code == _A_END:
                self._end_link(chunk)
            elif code == _IMG:
                self.show(values[0])
                if self._opened >= 0 and values[1] is not None:
                    self._alt = values[1]
            else:
                self._other(code, values)

    def _add(self, href: str | None, anchor: str, hreflang: str | None, *, alternate: bool = False) -> None:
        self.urls.append(self.addresses.resolve(href or ""))
        self.anchors.append(anchor)
        self.hreflangs.append(hreflang.strip() if hreflang else "")
        self.alternate.append(alternate)

    def _end_inside(self, chunk: int) -> None:
        if 0 <= self._opened < chunk:
            self.inside.append((self._opened, chunk))

    def _end_link(self, chunk: int) -> None:
        if self._opened < 0:
            return
        self._end_inside(chunk)
        if not self.anchors[-1]:
            self.anchors[-1] = self.texts.joined(self._opened, chunk) or unescape(self._alt)
        self._opened = -1

    def _other(self, code: int, values: Values) -> None:
        first, second = values[0] or "", values[1] or ""
        if code == _LINK:
            if second and "alternate" in (values[2] or "").lower().split():
                self._add(first, "", second, alternate=True)
        elif code == _AREA and values[0] is not None:
            self._add(first, unescape(second), "")
        elif code == _FRAME:
            self._add(first, "", "")
        elif code == _BASE and first:
            self.addresses.rebase(self.addresses.join(unescape(first)) or self.addresses.url)
        elif code == _HTML:
            self._declare(first or second)
        elif code == _META and second.lower() == "content-language":
            self._declare(first)

    def _declare(self, lang: str) -> None:
        self.declared_lang = self.declared_lang or lang.strip()


class _ChunkTexts:
    """Texts of a page's chunks by number."""

    def __init__(self, chunks: Chunks) -> None:
        self._text = chunks.text.tobytes()
        self._offsets: list[int] = chunks.offsets.tolist()

    def joined(self, first: int, behind: int) -> str:
        """Chunks from ``first`` up to ``behind`` with one space between."""
        offsets, text = self._offsets, self._text
        if behind == first + 1:
            return text[offsets[first] : offsets[behind]].decode().strip(" ")
        parts = [text[offsets[chunk] : offsets[chunk + 1]].strip(b" ") for chunk in range(first, behind)]
        return b" ".join(parts).decode()


def read_links(markup: bytes, elements: Elements, chunks: Chunks, url: str) -> Links:
    """Follow the elements of a page with this address."""
    links = Links(Addresses(url), _ChunkTexts(chunks))
    places = elements.values.reshape(len(elements.values), -1).tolist()
    before = chunks.before[elements.pieces].tolist()
    links.follow(zip(elements.codes.tolist(), before, map(_values, repeat(markup), places), strict=False))
    return links


def _values(markup: bytes, places: list[int]) -> Values:
    """Values of the three slots, whose starts and ends are given in turn."""
    first, first_end, second, second_end, third, third_end = places
    return (
        markup[first:first_end].decode() if first >= 0 else None,
        markup[second:second_end].decode() if second >= 0 else None,
        markup[third:third_end].decode() if third >= 0 else None,
    )
