"""Addresses and texts are found in files of every kind, and only where they are."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from diglot.disk.leak_check import Texts, address_pattern, data_leaks, file_leaks
from diglot.report.one_file import pack

PAGE = "http://example.org/a/b.html"
TEXT = "The harbour opens “early”, at 7 & 8."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see http://example.org/a/b.html.", True),
        ("https://example.org/a/b.html#part", True),
        ('href="//example.org/a/b.html"', True),
        ("example.org/a/b.html\t7", True),
        ("http://example.org/a/b.html?x=1", False),
        ("http://example.org/a/b.html5", False),
        ("http://www.example.org/a/b.html", False),
        ("/a/b.html", False),
    ],
)
def test_an_address_is_found_as_itself_only(text: str, found: bool) -> None:
    assert (address_pattern([PAGE]).search(text) is not None) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("http://example.org", True),
        ("//example.org/x", True),
        ("of example.org.", True),
        ("http://example.org:8080/", False),
        ("http://www.example.org/", False),
        ("example.organ", False),
        ("example.org.uk", False),
    ],
)
def test_a_host_is_found_as_itself_only(text: str, found: bool) -> None:
    assert (address_pattern((), ["example.org"]).search(text) is not None) is found


def test_nothing_is_sought_where_nothing_is_named() -> None:
    assert not data_leaks(b"anything at all", address_pattern(()), Texts(()))


HTML = "<p>The <b>harbour</b> opens &ldquo;early&rdquo;,\n at 7 &amp; 8.</p>"


def _zip(text: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("sheet.xml", text)
    return out.getvalue()


def _parquet(text: str) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"rows": [[{"text": text}]]}), out, compression="zstd")
    return out.getvalue()


FILES = {
    "plain.txt": TEXT.encode(),
    "page.html": HTML.encode(),
    "report.html": f"<script>{pack({'x': 'y' * 9, 'texts': [TEXT, *map(str, range(200))]})}</script>".encode(),
    "latin.txt": "Zoé Müller’s house".encode("cp1252") + TEXT.replace("“", "").replace("”", "").encode("latin-1"),
    "unicode.txt": TEXT.encode("utf-16"),
    "two.gz": gzip.compress(b"first") + gzip.compress(HTML.encode()),
    "cut.gz": gzip.compress(HTML.encode() + bytes(1 << 16))[:-9],
    "book.xlsx": _zip(HTML),
    "table.parquet": _parquet(TEXT),
    "words.vert": "\n".join(TEXT.replace(",", "\n<g/>\n,").split()).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_text_is_found_whatever_it_is_packed_in(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    assert file_leaks(path, address_pattern(()), Texts([TEXT]))
    assert not file_leaks(path, address_pattern(()), Texts(["The harbour opens “late”, at 7 & 8."]))


@pytest.mark.parametrize("start", [b"PAR1", b"PK\x03\x04", b"\x1f\x8b"])
def test_a_file_that_is_not_what_it_begins_as_is_read_as_it_is(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(start + b" " + TEXT.encode())
    assert file_leaks(path, address_pattern(()), Texts([TEXT]))


def test_texts_across_the_pieces_that_a_file_is_read_in_are_found() -> None:
    data = b"x " * ((1 << 21) - 10) + TEXT.encode()
    assert data_leaks(data, address_pattern(()), Texts([TEXT]))


def test_texts_that_others_have_too_are_left_out() -> None:
    own = Texts([TEXT, "Opening hours of the market"])
    assert own.without(["Come in the opening hours of the market!"]).squeezed_texts() == own.squeezed_texts()
    assert own.without(["Some: Opening hours of the market hall"]).squeezed_texts() == ["Theharbouropensearlyat78"]


@given(st.lists(st.text(min_size=1, max_size=30), max_size=8), st.text(max_size=20), st.text(max_size=20))
def test_what_is_sought_is_found_in_the_midst_of_anything(texts: list[str], before: str, after: str) -> None:
    # Inside of a tag nothing is sought: "<A" before a text and ">" behind it make a tag of it.
    assume("<" not in before)
    for text in Texts(texts).squeezed_texts():
        assert text.encode() in Texts(texts).found_in(f"{before} {text} {after}")


@pytest.mark.parametrize(("text", "is_sought"), [("a-b c.d e_f g", False), ("a-b c.d e_f g h", True), ("öööö", True)])
def test_a_text_of_fewer_than_8_bytes_is_anybody_s(text: str, is_sought: bool) -> None:
    assert bool(Texts([text]).squeezed_texts()) is is_sought
    assert bool(Texts([text]).found_in(f"before {text} after")) is is_sought


def test_of_a_long_text_200_bytes_are_sought() -> None:
    assert Texts(["x" * 250]).squeezed_texts() == ["x" * 200]
    assert Texts(["x" * 199 + "ö"]).squeezed_texts() == ["x" * 199]  # no half of a character
    texts = Texts(["y" + "x" * 250])
    assert texts.found_in("y" + "x" * 199)
    assert not texts.found_in("y" + "x" * 198)


def test_an_address_is_sought_beside_a_host_and_beside_another() -> None:
    pattern = address_pattern([PAGE, "https://other.example/"], ["example.net"])
    for text in (PAGE, "other.example/", "//example.net"):
        assert pattern.search(f"({text})")
    for text in ("example.org/a", "other.example/x", "a.example.net", "-example.net"):
        assert not pattern.search(text)
