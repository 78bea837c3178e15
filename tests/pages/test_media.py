"""Kinds of page: documents are known by their bytes in every source, and limits are those of their kind."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest
from made_warcs import drops_of, http, pages_of, read_bytes, record

sys.path.insert(0, str(Path(__file__).parents[1] / "documents"))

from made_office import zipped

from diglot.document_kinds import MEDIA
from diglot.errors import SourceError
from diglot.pages import open_sources, read
from diglot.pages.folder import read_folder
from diglot.pages.media import MAX_DOCUMENT_BYTES, media_of
from diglot.reasons import Reason
from diglot.records import Drop, Page

ZIP_HEAD = b"PK\x03\x04" + bytes(2) + bytes(2) + bytes(2) + bytes(8)


def stored(name: bytes, content: bytes = b"x") -> bytes:
    """The first file of a ZIP that is cut before its directory."""
    sizes = len(content).to_bytes(4, "little") * 2 + len(name).to_bytes(2, "little") + bytes(2)
    return ZIP_HEAD + sizes + name + content


PDF = b"%PDF-1.7\n%%EOF"
DOCX = stored(b"word/document.xml")
ODT = stored(b"mimetype", b"application/vnd.oasis.opendocument.text")
EPUB = stored(b"mimetype", b"application/epub+zip")
HTML = b"<html><p>text</p></html>"


@pytest.mark.parametrize(
    ("body", "content_type", "media"),
    [
        (PDF, "application/pdf", "pdf"),
        (PDF, "text/html", "pdf"),
        (b"\n" * 1_000 + PDF, "", "pdf"),
        (b"\n" * 1_024 + PDF, "", ""),
        (b"<html><title>%PDF- begins a file</title>", "text/html", "html"),
        (DOCX, "application/msword", "docx"),
        (ODT, "", "odt"),
        (EPUB, "application/octet-stream", "epub"),
        (stored(b"mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), "", ""),
        (stored(b"xl/workbook.xml"), "", ""),
        (HTML, "application/pdf", ""),
        (HTML, "", "html"),
        (b"PK\x03\x04", "", ""),
    ],
)
def test_the_bytes_decide(body: bytes, content_type: str, media: str) -> None:
    assert media_of(body, content_type) == media


@pytest.mark.parametrize("media_type", sorted(media_type for medium in MEDIA for media_type in medium.types))
def test_documents_of_every_stated_type_are_pages_of_an_archive(tmp_path: Path, media_type: str) -> None:
    found = read_bytes(tmp_path, record(http(DOCX, fields={"Content-Type": media_type})))
    assert pages_of(found) == {"http://a.example/": DOCX}


def test_other_kinds_are_dropped_by_name(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, record(http(b"PK\x03\x04sheet", fields={"Content-Type": "application/zip"})))
    (drop,) = drops_of(found)
    assert (drop.reason, drop.detail) == (Reason.NOT_HTML, "not HTML, though sent as application/zip")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (zipped({"xl/workbook.xml": "<x/>"}), "an Excel file; save it as DOCX"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.presentation"}), "an OpenDocument presentation"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le"), "an Excel file of 1997 to 2003"),
        (b"{\\rtf1 a}", "an RTF file"),
        (bytes.fromhex("0606edf5d81d46e5bd31efe7fe74b71d") + b"DOCUMENT", "an InDesign file"),
        (zipped({"a.txt": "ppt/"}), "no markup"),
    ],
)
def test_office_files_that_are_not_read_are_named_in_a_folder(tmp_path: Path, body: bytes, kind: str) -> None:
    (tmp_path / "file").write_bytes(body)
    (found,) = read_folder(tmp_path, name="f", base_url="http://a.example/", max_page_bytes=10_000)
    assert isinstance(found, Drop)
    assert (found.reason, found.detail[: len(kind)]) == (Reason.NOT_HTML, kind)


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (b"<html>" + b"x" * 2_000, "text/html", Reason.TOO_LARGE),
        (b"<html>" + b"x" * 2_000, "", Reason.TOO_LARGE),
        (PDF + b"x" * 2_000, "application/pdf", None),
        (PDF + b"x" * 2_000, "", None),
        (PDF + b"x" * MAX_DOCUMENT_BYTES, "application/pdf", Reason.TOO_LARGE),
    ],
)
def test_documents_have_a_limit_of_their_own(
    tmp_path: Path, body: bytes, content_type: str, reason: Reason | None
) -> None:
    found = read_bytes(tmp_path, record(http(body, fields={"Content-Type": content_type})), max_page_bytes=1_000)
    assert getattr(found[0], "reason", None) == reason


@pytest.mark.parametrize("end", [b"", b"%%EOF\n"])
def test_a_document_cut_by_its_crawler_says_so(tmp_path: Path, end: bytes) -> None:
    body = b"%PDF-1.7" + bytes((1 << 20) - 8 - len(end)) + end
    found = read_bytes(tmp_path, record(http(body, fields={"Content-Type": "application/pdf"})))
    assert [drop.reason for drop in drops_of(found)] == ([] if end else [Reason.TRUNCATED])


def test_documents_in_a_folder_and_in_lett(tmp_path: Path) -> None:
    root = tmp_path / "site"
    root.mkdir()
    for name, content in {"a.pdf": PDF, "b": DOCX, "c.zip": DOCX, "d.docx": b"PK\x03\x04", "e.bin": ODT}.items():
        (root / name).write_bytes(content)
    (source,) = open_sources([str(root)], base_url="https://a.example")
    found = list(read(source))
    assert pages_of(found) == {f"https://a.example/{n}": c for n, c in (("a.pdf", PDF), ("b", DOCX), ("e.bin", ODT))}
    assert {drop.url[-6:]: drop.reason for drop in drops_of(found)} == {
        "/c.zip": Reason.NOT_HTML,
        "d.docx": Reason.NOT_HTML,
    }
    encoded = base64.b64encode(EPUB)
    line = b"\t".join([b"en", b"application/epub+zip", b"", b"https://a.example/x", encoded, encoded]) + b"\n"
    (tmp_path / "x.lett").write_bytes(line)
    (source,) = open_sources([str(tmp_path / "x.lett")])
    (page,) = read(source)
    assert isinstance(page, Page)
    assert page.body == EPUB


@pytest.mark.parametrize("content", [PDF, DOCX])
def test_a_document_alone_says_what_to_type(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "contract"
    path.write_bytes(content)
    with pytest.raises(
        SourceError, match=r"one (PDF|DOCX); name the folder it is in, or two documents to `diglot align`"
    ):
        open_sources([str(path)])
