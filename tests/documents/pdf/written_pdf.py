"""Writes small PDFs by hand: text at places on pages, in a font of one width, and whatever else a test puts there."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

Text = tuple[float, float, float, str]
"""Left, baseline, font size and text."""


def content_of(texts: Sequence[Text]) -> bytes:
    """A content stream that shows the texts."""
    shown = (
        f"/F1 {size} Tf 1 0 0 1 {left} {baseline} Tm ({_escaped(text)}) Tj" for left, baseline, size, text in texts
    )
    return ("BT " + "\n".join(shown) + " ET").encode("latin-1")


def _escaped(text: str) -> str:
    return "".join("\\" * (sign in "()\\") + sign for sign in text)


def stream(body: bytes, extra: str = "", deflate: int = 1) -> bytes:
    """A stream object, deflated so many times."""
    for _ in range(deflate):
        body = zlib.compress(body)
    filters = "/Filter [" + " /FlateDecode" * deflate + "]" if deflate else ""
    return f"<< /Length {len(body)} {filters} {extra} >>\nstream\n".encode() + body + b"\nendstream"


def pdf_of(pages: Sequence[Sequence[Text]], info: str = "", catalogue: str = "") -> bytes:
    """A document of such pages, 600 points wide and 800 high."""
    return pdf_of_contents([stream(content_of(page)) for page in pages], info=info, catalogue=catalogue)


def pdf_of_contents(
    contents: Sequence[bytes], *, info: str = "", catalogue: str = "", more: Sequence[bytes] = ()
) -> bytes:
    """A document with a page for each content stream; ``more``: objects from number 5 on, of any meaning."""
    first = 5 + len(more)
    kids = " ".join(f"{first + 2 * place} 0 R" for place in range(len(contents)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalogue} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        f"<< {info} >>".encode("latin-1"),
        *more,
    ]
    for place, content in enumerate(contents):
        signs = "/F2 << /Type /Font /Subtype /Type1 /BaseFont /Wingdings >>"
        second = "/F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier-Bold /Encoding /WinAnsiEncoding >>"
        resources = f"/Resources << /Font << /F1 3 0 R {signs} {second} >> /XObject << /X 5 0 R >> >>"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {resources}"
        objects += [f"{page} /StructParents {place} /Contents {first + 2 * place + 1} 0 R >>".encode(), content]
    return file_of(objects)


def file_of(objects: Sequence[bytes], trailer: str = "/Root 1 0 R /Info 4 0 R") -> bytes:
    """The objects, numbered from 1, as a file."""
    body, places = bytearray(b"%PDF-1.7\n"), []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n".encode() + each + b"\nendobj\n"
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    body += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    return bytes(body) + f"trailer\n<< /Size {len(objects) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()


def lines(left: float, top: float, texts: Sequence[str], size: float = 10, leading: float = 12) -> list[Text]:
    """Lines one below the other."""
    return [(left, top - leading * place, size, text) for place, text in enumerate(texts)]
