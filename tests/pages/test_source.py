"""What a SOURCE is: found out before any work, refused in one line that says what to try."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from pathlib import Path

import pytest
from made_warcs import http, member, record

from diglot.errors import SourceError
from diglot.pages import Kind, Source, open_sources

HTML = b"<html><body><p>text</p></body></html>"
WARC = record(http(HTML))
CDX = b" CDX N b a m s k r M S V g\norg,a)/ 20200101000000 http://a.org/ text/html 200 AAAA - - 100 0 a.warc.gz\n"


def put(path: Path, content: bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return str(path)


def test_kinds_are_found_by_content(tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    put(tmp_path / "www" / "index.html", HTML)
    specs = [
        put(tmp_path / "no-suffix", WARC),
        put(tmp_path / "packed.bin", member(WARC)),
        str(tmp_path / "www"),
    ]
    sources = open_sources(specs, base_url="https://a.example")
    assert [(source.name, source.kind) for source in sources] == [
        ("no-suffix", Kind.WARC),
        ("packed.bin", Kind.WARC),
        ("www", Kind.FOLDER),
    ]


TAR = tarfile.TarInfo("site.lett").tobuf()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.warc.gz", b"", "empty"),
        ("a.warc.gz", gzip.compress(b"", mtime=0), "the file is empty"),
        ("a.lett.gz", gzip.compress(b"", mtime=0) * 2, "the file is empty"),
        ("a.cdx", CDX, "format CDX, which is not read; give the WARC files"),
        ("a.cdx.gz", gzip.compress(CDX, mtime=0), "format CDX, which is not read"),
        ("a.warc.gz", b"GIF89a", "neither WARC nor"),
        ("a.warc", HTML, "name the folder"),
        ("a.lett.xz", lzma.compress(HTML), "a packed file; unpack it by `xz -dk FILE`"),
        ("a.warc.bz2", bz2.compress(HTML), "a packed file; unpack it by `bzip2 -dk FILE`"),
        (
            "a.warc.gz",
            gzip.compress(gzip.compress(HTML, mtime=0), mtime=0),
            "packed by gzip twice; unpack it once by `gunzip -c",
        ),
        ("a.warc.lz4", b"\x04\x22\x4d\x18" + HTML, "a packed file; unpack it by `lz4 -dk FILE`"),
        ("a.tgz", gzip.compress(TAR, mtime=0), "a packed file; unpack it by `tar -xf FILE`"),
        ("a.warc.zst", b"\x28\xb5\x2f\xfd...", "neither WARC nor"),
    ],
)
def test_files_that_are_no_source(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    spec = put(tmp_path / name, content)
    with pytest.raises(SourceError, match=message) as refused:
        open_sources([spec])
    assert "\n" not in str(refused.value)
    assert spec in str(refused.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("https://a.example/", "an address is no file"),
        ("no/such.warc", "no such file or folder; check the path"),
        ("no.such.zip", "no such file or folder; check the path"),
        (
            "127.0.0.1:18800",
            "^127.0.0.1:18800: an address begins with https:// or http://, as in http://127.0.0.1:18800;",
        ),
        ("127.0.0.1/a", "^127.0.0.1/a: an address begins"),
        ("localhost", "^localhost: an address begins"),
        ("localhosts", "^localhosts: no such file"),
        ("www.example.org/de/", "^www.example.org/de/: an address begins"),
        ("a/www.example.org", "no such file or folder; check the path"),
        ("a\0b", "null"),
        ("x" * 5000, "too long"),
        ("/dev/null", "neither a file nor a folder"),
    ],
)
def test_specs_that_are_no_source(spec: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        open_sources([spec])


def test_no_source_at_all() -> None:
    with pytest.raises(SourceError, match="no SOURCE given"):
        open_sources([])


@pytest.mark.parametrize("base", ["a.example", "ftp://a.example", "https://a.example/?x=1", "http://[::1"])
def test_base_urls_that_are_none(tmp_path: Path, base: str) -> None:
    put(tmp_path / "a.html", HTML)
    with pytest.raises(SourceError, match="base_url="):
        open_sources([str(tmp_path)], base_url=base)


def test_a_base_url_without_a_folder(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no source is a folder"):
        open_sources([put(tmp_path / "a.warc", WARC)], base_url="https://a.example")


def test_sources_of_one_name_and_the_same_source_twice(tmp_path: Path) -> None:
    specs = [put(tmp_path / folder / "a.warc", WARC) for folder in ("x", "y")]
    assert [source.name for source in open_sources(specs)] == specs
    with pytest.raises(SourceError, match="given twice"):
        open_sources([specs[0], str(tmp_path / "y" / ".." / "x" / "a.warc")])


def test_fingerprints_follow_content_alone(tmp_path: Path) -> None:
    first, moved = (open_sources([put(tmp_path / name, WARC)])[0] for name in ("a.warc", "b.warc"))
    assert first.fingerprint() == moved.fingerprint()
    put(tmp_path / "b.warc", WARC + b"\r\n")
    assert first.fingerprint() != moved.fingerprint()
    moved.path.unlink()
    with pytest.raises(SourceError, match="check the file"):
        moved.fingerprint()


def test_fingerprints_of_folders(tmp_path: Path) -> None:
    def of(name: str, files: dict[str, bytes], base_url: str = "https://a.example") -> str:
        for file, content in files.items():
            put(tmp_path / name / file, content)
        return Source(name, Kind.FOLDER, str(tmp_path / name), base_url).fingerprint()

    reference = of("1", {"a": b"xy", "b": b"z"})
    assert of("2", {"b": b"z", "a": b"xy"}) == reference
    assert of("3", {"a": b"x", "b": b"yz"}) != reference
    assert of("4", {"a": b"xy", "c": b"z"}) != reference
    assert of("2", {}, "https://b.example") != reference
