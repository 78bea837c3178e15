"""Lists of sources: a path or address a line, from the folder of the list or from where it is said."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from made_warcs import http, record

from diglot.disk.store import Store
from diglot.errors import SourceError
from diglot.pages import open_sources

WARC = record(http(b"<html><body><p>text</p></body></html>"))
FILES = ("crawl/a.warc", "crawl/b c.warc", "d.warc")
LINES = b"\xef\xbb\xbf# pages of May\r\ncrawl/a.warc\n\n  crawl/b c.warc  \nd.warc"


def put(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["warc.paths", "warc.paths.gz", "@these.txt", "@these"])
def test_sources_lie_beside_their_list(tmp_path: Path, name: str) -> None:
    for file in FILES:
        put(tmp_path / file, WARC)
    path = put(tmp_path / name.removeprefix("@"), gzip.compress(LINES) if name.endswith(".gz") else LINES)
    spec = f"@{path}" if name.startswith("@") else str(path)
    assert [source.spec for source in open_sources([spec])] == [str(tmp_path / file) for file in FILES]
    assert [source.name for source in open_sources([spec])] == ["a.warc", "b c.warc", "d.warc"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_list_may_be_saved_on_windows(tmp_path: Path, encoding: str, newline: str) -> None:
    for file in FILES:
        put(tmp_path / file, WARC)
    path = put(tmp_path / "these.txt", newline.join(FILES).encode(encoding))
    assert [source.spec for source in open_sources([f"@{path}"])] == [str(tmp_path / file) for file in FILES]


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = put(tmp_path / "a.warc", WARC)
    put(tmp_path / "lists" / "these.txt", b"~/a.warc\n")
    for spec in ("@~/lists/these.txt", "~/a.warc"):
        assert [source.spec for source in open_sources([spec])] == [str(file)]


def test_sources_lie_where_it_is_said(tmp_path: Path) -> None:
    for file in FILES:
        put(tmp_path / "archive" / file, WARC)
    other = put(tmp_path / "other.warc", WARC)
    path = put(tmp_path / "warc.paths", LINES + f"\n{other}".encode())
    found = open_sources([str(path)], warc_prefix=str(tmp_path / "archive"))
    assert [source.spec for source in found] == [*(str(tmp_path / "archive" / file) for file in FILES), str(other)]
    with pytest.raises(SourceError, match=r"a\.warc: no such file"):
        open_sources([str(path)])
    with pytest.raises(SourceError, match="given twice"):
        open_sources([str(path), str(other)], warc_prefix=str(tmp_path / "archive"))


@pytest.mark.parametrize("place", ["https://a.example/warcs/", "file:///warcs"])
def test_sources_lie_at_no_web_address(tmp_path: Path, place: str) -> None:
    path = put(tmp_path / "warc.paths", LINES)
    for specs in ([str(path)], [str(tmp_path / "index.cdxj")]):
        with pytest.raises(SourceError, match=rf"^warc_prefix={place}: give a folder, or s3://, gs:// or hdfs://; .*$"):
            open_sources(specs, warc_prefix=place)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "names no source"),
        (b"# nothing\n\n", "names no source"),
        (b"more.paths\n", "a list itself"),
        (b"@more\n", "a list itself"),
        (b"https://a.example/x.warc.gz\n", "a list names files"),
        (b"\xff\xfe\n", "no list of sources"),
        (b"a.warc\n\xe4.warc\n", "not UTF-8 at byte 7; save it as UTF-8, or name the file itself without @"),
        (b"a\0b\n", "a zero at byte 1"),
        (gzip.compress(LINES, mtime=0)[:-9], "no list of sources"),
        (gzip.compress(LINES, mtime=0)[:20] + b"\xff" * 20, "no list of sources"),
    ],
)
def test_files_that_are_no_list(tmp_path: Path, content: bytes, told: str) -> None:
    path = put(tmp_path / "warc.paths", content)
    with pytest.raises(SourceError, match=told) as refused:
        open_sources([str(path)])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("spec", ["@", "@none", "none.paths", "@/dev/zero", "@."])
def test_lists_that_are_not_there(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=r"list|device"):
        open_sources([spec])


def test_a_list_without_a_name_is_told_how_to_be_named() -> None:
    with pytest.raises(SourceError, match=r"^@: name the file of a list of sources, as in @sources\.txt$"):
        open_sources(["@"])


def test_a_list_of_an_object_store(s3_shelf: str) -> None:
    shelf, _, options = s3_shelf.partition("?")
    store = Store.at(s3_shelf)
    store.put_bytes("index/warc.paths.gz", gzip.compress(LINES))
    for file in FILES:
        store.put_bytes(f"index/{file}", WARC)
        store.put_bytes(file, WARC)
    beside = open_sources([f"{shelf}/index/warc.paths.gz?{options}"])
    assert [source.name for source in beside] == ["a.warc", "b c.warc", "d.warc"]
    assert beside[1].spec == f"{shelf}/index/crawl/b%20c.warc?{options}"
    above = open_sources([f"{shelf}/index/warc.paths.gz?{options}"], warc_prefix=s3_shelf)
    assert above[1].spec == f"{shelf}/crawl/b%20c.warc?{options}"
    store.delete("d.warc")
    with pytest.raises(SourceError, match=r"d\.warc.*: no such file"):
        open_sources([f"{shelf}/index/warc.paths.gz?{options}"], warc_prefix=s3_shelf)
