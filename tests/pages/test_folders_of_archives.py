"""Folders of archives as a source, and all unreadable sources named at once."""

from __future__ import annotations

import gzip
import os
from contextlib import closing
from pathlib import Path

import pytest
from made_containers import wacz
from made_warcs import http, record

from diglot.arguments import path_list
from diglot.disk.folder import RunFolder
from diglot.errors import SourceError, UsageError
from diglot.harvesting import read_sources
from diglot.outputs.same_run import own_folder
from diglot.pages import open_sources
from diglot.pages.opening import NAMED_AT_MOST
from diglot.pages.source import Kind
from diglot.run.work import SKIPPED

RECORD = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"


def test_a_folder_of_archives_is_all_of_them_in_order(tmp_path: Path) -> None:
    for name in ("b.warc", "a/c.warc.gz", "a/B.WARC"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(RECORD) if name.endswith(".gz") else RECORD)
    (tmp_path / "notes.log").write_text("no archive", encoding="utf-8")
    sources = open_sources([str(tmp_path)])
    assert [source.spec for source in sources] == [
        str(tmp_path / name) for name in ("a/B.WARC", "a/c.warc.gz", "b.warc")
    ]
    assert {source.kind for source in sources} == {Kind.WARC}


def test_a_folder_is_the_same_by_its_name_and_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("archives", "documents"):
        Path(name).mkdir()
    # Archives look like HTML or a document by their first bytes.
    Path("archives/a.warc").write_bytes(record(http(b"<html><p>text</p></html>")))
    Path("archives/b.wacz").write_bytes(wacz({"c.warc": RECORD}))
    Path("documents/a.pdf").write_bytes(b"%PDF-1.7")
    Path("documents/b.warc").write_bytes(RECORD)
    for place in (".", str(tmp_path), "~"):
        assert [source.name for source in open_sources([f"{place}/archives"])] == ["a.warc", "b.wacz"]
        (source,) = open_sources([f"{place}/documents"])
        assert source.kind is Kind.FOLDER


def test_links_in_a_folder_of_archives(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    for path in (folder / "b.warc", other / "c.warc"):
        path.parent.mkdir()
        path.write_bytes(RECORD)
    (folder / "a.warc").symlink_to("b.warc")
    (folder / "other").symlink_to(other)
    (other / "back").symlink_to(folder)
    assert [source.name for source in open_sources([str(folder)])] == ["b.warc", "c.warc"]
    (folder / "d.warc").symlink_to("moved.warc")
    with pytest.raises(SourceError, match=r"d\.warc: no such file"):
        open_sources([str(folder)])


def test_a_folder_with_pages_stays_a_folder_of_pages(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html><p>text</html>", encoding="utf-8")
    (tmp_path / "a.warc").write_bytes(RECORD)
    (source,) = open_sources([str(tmp_path)], base_url="https://example.org/")
    assert source.kind is Kind.FOLDER


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anywhere")
def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(RECORD)
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(SourceError, match=r"closed: the folder may not be read; check its permissions; skip_"):
        open_sources([str(tmp_path)])


def test_names_that_no_output_could_state(tmp_path: Path) -> None:
    for name in (b"a\nb.warc", b"caf\xe9.warc"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(RECORD)
    with pytest.raises(
        SourceError, match=r"caf\\xe9\.warc': not UTF-8; rename the file or its folder; skip_unreadable="
    ):
        open_sources([str(tmp_path)])
    (source,) = open_sources([str(tmp_path)], skip_unreadable=True)
    assert source.name == "a\ufffdb.warc"


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no document in this folder, and no archive; name another"):
        open_sources([str(tmp_path)])


def test_all_unreadable_sources_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "good.warc").write_bytes(RECORD)
    (tmp_path / "empty.warc").write_bytes(b"")
    (tmp_path / "text.warc").write_bytes(b"no archive")
    names = [str(tmp_path / name) for name in ("good.warc", "empty.warc", "text.warc")]
    with pytest.raises(SourceError) as told:
        open_sources(names)
    first, *lines, last = str(told.value).split("\n")
    assert (first, last) == ("2 of 3 sources cannot be read:", "skip_unreadable=True goes on without them")
    assert [line.partition(":")[0] for line in lines] == [f"  {name}" for name in names[1:]]
    many = [str(tmp_path / f"missing{number}.warc") for number in range(NAMED_AT_MOST + 5)]
    with pytest.raises(SourceError, match=r"\n  and 5 more$"):
        open_sources(many)


def test_missing_and_damaged_sources_are_named_together(tmp_path: Path) -> None:
    (tmp_path / "good.warc").write_bytes(RECORD)
    (tmp_path / "empty.warc").write_bytes(b"")
    names = [str(tmp_path / name) for name in ("empty.warc", "missing.warc")]
    with pytest.raises(SourceError, match=r"(?s)2 of 2 .*missing\.warc.*empty\.warc: the file is empty[^\n]*$"):
        open_sources(names)
    with pytest.raises(SourceError, match="empty; fetch or copy it again; skip_unreadable=True goes on without it"):
        open_sources([names[0], str(tmp_path / "good.warc")])


def test_unreadable_sources_are_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "empty.warc").write_bytes(b"")
    names = [str(tmp_path / name) for name in ("missing.warc", "good.warc", "empty.warc")]
    (tmp_path / "good.warc").write_bytes(RECORD)
    skipped: list[str] = []
    assert [source.spec for source in open_sources(names, skip_unreadable=True, skipped=skipped)] == [names[1]]
    assert [line.partition(":")[0] for line in skipped] == [names[0], names[2]]
    with pytest.raises(SourceError, match=r"2 of 2 sources cannot be read:\n  [^\n]*\n  [^\n]*$"):
        open_sources([names[0], names[2]], skip_unreadable=True)


def test_a_run_notes_the_sources_that_it_left_out(tmp_path: Path) -> None:
    lost = tmp_path / "lost.warc"
    lost.write_bytes(b"")
    sources = [tmp_path / "good.warc", lost]
    sources[0].write_bytes(RECORD)
    with pytest.raises(SourceError, match=r"lost\.warc"):
        read_sources(sources, "en,fr", tmp_path / "run", jobs=1)
    read_sources(sources, "en,fr", tmp_path / "run", jobs=1, skip_unreadable=True)
    with closing(RunFolder(tmp_path / "run")) as folder:
        number, named = folder.recall(*SKIPPED)
    assert number == "1 of 2 sources cannot be read and are left out"
    assert named.startswith(f"{lost}: the file is empty")


def test_hosts_are_addresses_unless_a_file_has_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert path_list(["www.example.org", "example.org", Path("www.other.org/docs")]) == [
        *("https://www.example.org", "example.org", "https://www.other.org/docs"),
    ]
    (tmp_path / "www.example.org").mkdir()
    assert path_list("www.example.org") == ["www.example.org"]


def test_a_file_name_is_no_run_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"run\.tmx: a run is a folder of many files; name a folder"),
        own_folder(tmp_path / "run.tmx"),
    ):
        pass
    assert not (tmp_path / "run.tmx").exists()
