"""Sources of an object store: read as files of this machine are, and nothing of them left here."""

from __future__ import annotations

import gzip
import pickle
import tempfile
from pathlib import Path

import pytest
from made_archive import made_records, write_archive
from made_warcs import drops_of, http, member, pages_of, record

from diglot.disk.store import Store
from diglot.errors import SourceError
from diglot.pages import Source, open_source, open_sources, read

WARC = member(record(http(b"<html><body><p>text</p></body></html>")))


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def source(s3_shelf: str, tmp_path: Path) -> Source:
    """A file of an archive there, that lies here too."""
    write_archive(tmp_path, made_records())
    Store.at(s3_shelf).put_file(tmp_path / "0.warc.gz", "0.warc.gz")
    return open_source(address(s3_shelf, "0.warc.gz"))


def address(shelf: str, name: str) -> str:
    place, _, options = shelf.partition("?")
    return f"{place}/{name}?{options}"


def test_a_remote_file_gives_what_it_gives_here(source: Source, tmp_path: Path, scratch: Path) -> None:
    here = open_source(str(tmp_path / "0.warc.gz"))
    assert list(read(source)) == list(read(here))
    assert (source.name, source.kind, source.size_bytes()) == (here.name, here.kind, here.size_bytes())
    assert list(scratch.iterdir()) == []


def test_nothing_is_left_of_a_reading_that_ends_early(source: Source, scratch: Path) -> None:
    found = read(source)
    next(found)
    assert list(scratch.iterdir()) != []
    found.close()  # type: ignore[attr-defined]
    assert list(scratch.iterdir()) == []


def test_nothing_is_left_of_a_reading_that_fails(source: Source, s3_shelf: str, scratch: Path) -> None:
    Store.at(s3_shelf).delete("0.warc.gz")
    with pytest.raises(SourceError, match=r"0\.warc\.gz: not there"):
        list(read(source))
    assert list(scratch.iterdir()) == []


def test_a_full_disk_is_told(source: Source, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(SourceError, match=r"no room for a copy.*No space left.*TMPDIR"):
        list(read(source))
    assert list(scratch.iterdir()) == []


def test_a_remote_source_is_the_same_in_another_process(source: Source) -> None:
    again = open_source(source.spec)
    assert again == source
    assert again.fingerprint() == source.fingerprint()
    assert pickle.loads(pickle.dumps(source)) == source


def test_a_fingerprint_follows_the_file(source: Source, s3_shelf: str) -> None:
    store = Store.at(s3_shelf)
    content = store.read_bytes("0.warc.gz")
    store.put_bytes("0.warc.gz", content[:-1] + b"x")
    assert open_source(source.spec).fingerprint() != source.fingerprint()


def test_names_of_remote_sources(s3_shelf: str) -> None:
    store = Store.at(s3_shelf)
    for name in ("a/x.warc.gz", "b/x.warc.gz", "y.warc.gz"):
        store.put_bytes(name, WARC)
    specs = [address(s3_shelf, name) for name in ("a/x.warc.gz", "b/x.warc.gz", "y.warc.gz")]
    names = [source.name for source in open_sources(specs)]
    assert names == [*(spec.partition("?")[0] for spec in specs[:2]), "y.warc.gz"]
    with pytest.raises(SourceError, match="given twice"):
        open_sources([specs[0], *specs])


def test_lett_and_damage_are_read_as_here(s3_shelf: str, scratch: Path) -> None:
    store = Store.at(s3_shelf)
    store.put_bytes("a.lett.gz", gzip.compress(b"en\tno page\n"))
    store.put_bytes("a.warc.gz", b"no archive")
    for name in ("a.lett.gz", "a.warc.gz"):
        found = list(read(open_source(address(s3_shelf, name))))
        assert (len(drops_of(found)), len(pages_of(found))) == (1, 0)


def test_remote_files_that_are_no_source(s3_shelf: str) -> None:
    store = Store.at(s3_shelf)
    store.put_bytes("empty.warc.gz", b"")
    store.put_bytes("page.html", b"<p>text</p>")
    for name, told in [
        ("none.warc.gz", "no such file"),
        ("empty.warc.gz", "empty"),
        ("page.html", "known by its name"),
        ("", "known by its name"),
    ]:
        with pytest.raises(SourceError, match=told):
            open_source(address(s3_shelf, name))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("https://a.example/x.warc.gz", "files are read from s3://, gs://, hdfs://"),
        ("s3://key:secret@bucket/x.warc.gz?region=r", "no user and no password"),
        ("s3://x.warc.gz?region=r", "names no file"),
        ("gs://x.paths", "names no file"),
        ("hdfs://host:1/x.warc.gz", "Hadoop"),
    ],
)
def test_addresses_that_are_no_source(spec: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        open_sources([spec])
