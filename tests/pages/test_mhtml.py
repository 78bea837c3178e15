"""Pages saved by a browser as one file."""

from __future__ import annotations

import quopri
from pathlib import Path

import pytest
from made_warcs import drops_of, pages_of

from diglot.pages import open_sources, read
from diglot.pages.folder import COMMENT_WITHIN_BYTES, is_mirror
from diglot.pages.mhtml import MAX_PARTS, html_of
from diglot.reasons import Reason
from diglot.records import Drop, Page

ADDRESS = "https://a.example/fr/a--b?x=1"
TEXT = "<!DOCTYPE html><html lang=fr><p>Le café est ouvert = été comme hiver, et la terrasse aussi.</p></html>"
IMAGE = (
    "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://a.example/a.png\r\n\r\n"
)
CHROME = (
    "From: <Saved by Blink>\r\nSnapshot-Content-Location: {address}\r\nSubject: =?utf-8?Q?Caf=C3=A9?=\r\n"
    "Date: Fri, 1 Mar 2024 12:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n"
    '\ttype="text/html";\r\n\tboundary="----MultipartBoundary--x----"\r\n\r\n\r\n'
)
EXPLORER = (
    'From: "Saved by Windows Internet Explorer 11"\r\nSubject: x\r\nMIME-Version: 1.0\r\n'
    'Content-Type: multipart/related; type="text/html"; boundary="----MultipartBoundary--x----"\r\n\r\n'
    "This is a multi-part message in MIME format.\r\n\r\n"
)


def mhtml(*parts: str, head: str = CHROME, address: str = ADDRESS) -> bytes:
    marked = "".join(f"------MultipartBoundary--x----\r\n{part}\r\n" for part in parts)
    return f"{head.format(address=address)}{marked}------MultipartBoundary--x------\r\n".encode()


def page_part(address: str = ADDRESS, text: str = TEXT) -> str:
    written = quopri.encodestring(text.encode()).decode().replace("\n", "\r\n")
    return (
        "Content-Type: text/html\r\nContent-ID: <frame-1@mhtml.blink>\r\n"
        f"Content-Transfer-Encoding: quoted-printable\r\nContent-Location: {address}\r\n\r\n{written}"
    )


def read_all(root: Path, files: dict[str, bytes], max_page_bytes: int = 10_000) -> list[Page | Drop]:
    for name, content in files.items():
        (root / name).write_bytes(content)
    return list(read(*open_sources([str(root)]), max_page_bytes=max_page_bytes))


@pytest.mark.parametrize("head", [CHROME, EXPLORER])
def test_a_page_saved_as_one_file_is_read_by_its_address(head: str, tmp_path: Path) -> None:
    frame = page_part("https://ads.example/", "<html><p>Buy!</html>")
    images = f"{IMAGE}{'QUJD' * COMMENT_WITHIN_BYTES}"  # larger than a page may be
    saved = mhtml(page_part(), images, frame, head=head)
    (page,) = read_all(tmp_path, {"Le café.mhtml": saved})
    assert isinstance(page, Page)
    assert page.url == ADDRESS
    assert page.body.partition(b"-->\n")[2].decode().strip() == TEXT
    assert is_mirror(tmp_path)


def test_what_is_no_saved_page_is_dropped(tmp_path: Path) -> None:
    nested = (
        'Content-Type: multipart/alternative; boundary="y"\r\n\r\n--y\r\nContent-Type: text/html\r\n\r\n<p>x\r\n--y--'
    )
    files = {
        "a.mhtml": mhtml(page_part()),
        "b.mhtml": mhtml(f"{IMAGE}QUJD"),
        "c.mhtml": mhtml(nested),
        "d.mhtml": mhtml(page_part("https://a.example/long", "<p>" + "long " * 3000)),
        "e.mhtml": b"From: <Saved by Blink>\r\nContent-Type: multipart/related\r\n\r\n<html>",
        "f.eml": b"From: <me@a.example>\r\nContent-Type: text/plain\r\n\r\nA message.",
    }
    found = read_all(tmp_path, files)
    assert list(pages_of(found)) == [ADDRESS]
    assert [each.reason for each in found if isinstance(each, Drop)] == [
        *(Reason.NOT_HTML, Reason.NOT_HTML, Reason.TOO_LARGE, Reason.NOT_HTML, Reason.NOT_HTML)
    ]
    assert drops_of(found)


def test_parts_behind_the_first_are_not_looked_at() -> None:
    assert html_of(mhtml(*[f"{IMAGE}QUJD"] * (MAX_PARTS - 1), page_part()))
    assert html_of(mhtml(*[f"{IMAGE}QUJD"] * MAX_PARTS, page_part())) == b""
