"""The same of a folder and of S3: whole files by name, errors that name them, nothing outside."""

from __future__ import annotations

import gc
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO, ClassVar

import pyarrow as pa
import pytest
from pyarrow import fs

from diglot.disk import store as store_module
from diglot.disk.store import Store
from diglot.errors import RunFolderError, SourceError
from made_object_store import CREDENTIALS

TABLE = pa.table({"a": [3, 1, 2], "b": ["x", "ö", None]})
MANY_BYTES = 13 << 20
"""Above what S3 takes in one part."""


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "shelf") if request.param == "folder" else request.getfixturevalue("s3_shelf")


def test_files_come_back_as_they_were_put(place: str, tmp_path: Path) -> None:
    store = Store.at(place)
    assert store.names() == []
    store.put_bytes("site/b ö.json", b"one")
    store.put_bytes("site/b ö.json", b"two")
    store.put_table("site/a.parquet", TABLE)
    store.put_bytes("sites", b"")
    (tmp_path / "here").write_bytes(os.urandom(MANY_BYTES))
    store.put_file(tmp_path / "here", "large.gz")
    assert store.names() == ["large.gz", "site/a.parquet", "site/b ö.json", "sites"]
    assert store.names("site/") == ["site/a.parquet", "site/b ö.json"]
    assert store.names("site/b") == ["site/b ö.json"]
    assert store.names("site") == ["site/a.parquet", "site/b ö.json", "sites"]
    assert store.names("none/") == []
    assert store.read_bytes("site/b ö.json") == b"two"
    assert store.read_table("site/a.parquet").equals(TABLE)
    store.fetch_to("large.gz", tmp_path / "new" / "there")
    assert (tmp_path / "new" / "there").read_bytes() == (tmp_path / "here").read_bytes()
    with store.open("large.gz") as file:
        file.seek(MANY_BYTES - 5)
        assert file.read() == (tmp_path / "here").read_bytes()[-5:]
    assert store.exists("sites")
    assert not store.exists("site")
    store.delete("sites")
    store.delete("sites")
    assert not store.exists("sites")


def test_an_error_while_writing_leaves_what_was_there(place: str) -> None:
    store = Store.at(place)
    store.put_bytes("old", b"old")

    def fail(handle: BinaryIO) -> None:
        handle.write(b"half" * MANY_BYTES)
        raise KeyboardInterrupt

    for name in ("old", "new"):
        with pytest.raises(KeyboardInterrupt):
            store.put(name, fail)
    assert store.names() == ["old"]
    assert store.read_bytes("old") == b"old"


def test_the_address_opens_the_same_store_in_another_process(place: str) -> None:
    store = Store.at(place)
    code = "import sys; from diglot.disk.store import Store; Store.at(sys.argv[1]).put_bytes('from/child', b'x')"
    subprocess.run([sys.executable, "-c", code, store.uri], check=True)
    assert store.read_bytes("from/child") == b"x"
    again = pickle.loads(pickle.dumps(store))
    assert (again.uri, again.names()) == (store.uri, ["from/child"])


def test_two_writers_of_the_same_bytes_do_no_harm(place: str) -> None:
    code = (
        "import sys; from diglot.disk.store import Store; store = Store.at(sys.argv[1])\n"
        "for _ in range(20): store.put_bytes('both', b'same' * 1000)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, place]) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    store = Store.at(place)
    assert store.names() == ["both"]
    assert store.read_bytes("both") == b"same" * 1000


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../out", "a/../../out", "a//b", "a/", "./a", "a\0b"])
def test_no_name_leads_out_of_the_store(tmp_path: Path, name: str) -> None:
    store = Store.at(tmp_path / "shelf")
    for do in (store.read_bytes, store.exists, store.open, store.delete, lambda each: store.put_bytes(each, b"x")):
        with pytest.raises(RunFolderError, match="no name of a file"):
            do(name)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_there_is_named(place: str) -> None:
    store = Store.at(place, error=SourceError)
    for do in (store.read_bytes, store.open, store.read_table):
        with pytest.raises(SourceError, match=r"shelf.*/none: not there"):
            do("none")
    store.put_bytes("broken", b"PAR1 and no more")
    with pytest.raises(SourceError, match=r"shelf.*/broken: "):
        store.read_table("broken")


def test_a_stamp_is_that_of_the_bytes(place: str) -> None:
    store = Store.at(place)
    store.put_bytes("a", b"one")
    assert store.stamp("none") is None
    before = store.stamp("a")
    assert before is not None
    assert before.size_bytes == 3
    assert store.stamp("a") == before
    store.put_bytes("a", b"two")
    assert store.stamp("a") != before


def test_a_name_cut_short_is_not_seen(tmp_path: Path) -> None:
    (tmp_path / ".a.parquet.77.part").write_bytes(b"half")
    assert Store.at(tmp_path).names() == []


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for do in (Store.at(tmp_path).open, Store.at(tmp_path).read_bytes, Store.at(tmp_path).stamp):
        with pytest.raises(RunFolderError, match="pipe"):
            do("pipe")


def test_addresses_of_one_place(s3_shelf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole bucket, one more stroke, the protocol at the host, nobody's name, a blank in the prefix."""
    Store.at(s3_shelf).put_bytes("a b/c", b"x")
    place, _, options = s3_shelf.partition("?")
    assert f"{place.rpartition('/')[2]}/a b/c" in Store.at(f"s3://shelf?{options}").names()
    assert Store.at(f"{place}/?{options}").names() == ["a b/c"]
    assert Store.at(f"{place}/a%20b?{options}").names() == ["c"]
    assert Store.at(s3_shelf.replace("override=", "override=http://")).names() == ["a b/c"]
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    assert Store.at(f"{s3_shelf}&anonymous=true").names() == ["a b/c"]


def test_a_missing_bucket_is_named(s3_shelf: str) -> None:
    store = Store.at(s3_shelf.replace("s3://shelf", "s3://no-such"))
    for name in ("a", "b"):
        with pytest.raises(RunFolderError, match=r"s3://no-such/.*: no such bucket"):
            store.put_bytes(name, b"x")


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, s3_shelf: str) -> None:
    def full(handle: BinaryIO) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(RunFolderError, match=r"disk is full.*TMPDIR"):
        Store.at(s3_shelf).put("a", full)
    assert Store.at(s3_shelf).names() == []


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("ftp://host/p", "not one of"),
        ("s3://bucket/p?region=r&color=red", "color is no option"),
        ("s3://key:secret@bucket/p?region=r", r"^s3://bucket/p\?region=r: no user and no password"),
        ("s3:///p?region=r", "no bucket"),
        ("s3://bucket/p?region=r&anonymous=yes", "anonymous=true"),
        ("s3://bucket/p?region=r&scheme=ftp", "scheme"),
        ("s3://[bucket/p?region=r", "IPv6"),
        ("gs://bucket/p?color=red", "color"),
        ("file://host/p", "host"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(place: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        Store.at(place, error=SourceError)


class Refusing(BaseHTTPRequestHandler):
    """An S3 that lets nobody in."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.answer(403)

    def answer(self, status: int, body: bytes = b"", **fields: str) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_PUT = do_POST = do_GET  # noqa: N815  names of http.server

    def log_message(self, *args: object) -> None:
        """Nothing."""


class Stopping(Refusing):
    """An S3 that takes the first part of an upload and no other."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.asked.append(self.path)
        self.answer(200, b"<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>")

    def do_PUT(self) -> None:
        self.answer(200 if "partNumber=1&" in self.path else 403, ETag='"a"')


def test_an_upload_that_fails_in_its_midst_is_not_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with (tmp_path / "large.gz").open("wb") as file:
        file.truncate(3 * MANY_BYTES)
    with serving(Stopping) as port:
        store = Store.at(f"s3://shelf/p?region=us-east-1&scheme=http&endpoint_override=127.0.0.1:{port}")
        with pytest.raises(RunFolderError, match=r"s3://shelf/p/large.gz: access denied"):
            store.put_file(tmp_path / "large.gz", "large.gz")
        del store
        gc.collect()
    assert Stopping.asked == ["/shelf/p/large.gz?uploads"]


@contextmanager
def serving(answers: type[Refusing]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def refusing() -> AbstractContextManager[int]:
    return serving(Refusing)


@contextmanager
def silent() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        yield server.getsockname()[1]


@contextmanager
def closed() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("server", "told"), [(refusing, "access denied"), (closed, "cannot be reached"), (silent, "cannot be reached")]
)
def test_a_store_that_does_not_serve_is_told_soon(monkeypatch: pytest.MonkeyPatch, server: object, told: str) -> None:
    monkeypatch.setattr(store_module, "REQUEST_S", 1)
    monkeypatch.setattr(store_module, "TRIES", 1)
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with server() as port:  # type: ignore[operator]
        store = Store.at(f"s3://shelf/p?region=us-east-1&scheme=http&endpoint_override=127.0.0.1:{port}")
        for do in (store.read_bytes, store.names, lambda name: store.put_bytes(name, b"x")):
            with pytest.raises(RunFolderError, match=f"^s3://shelf/p/a: {told}"):
                do("a")


def test_a_store_that_shows_what_is_being_written_gets_it_under_another_name() -> None:
    shown = fs._MockFileSystem()
    store = Store("hdfs://host/run", shown, "run", RunFolderError)
    for content in (b"one", b"two"):
        store.put_bytes("a/b", content)
        assert store.read_bytes("a/b") == content
        assert [info.path for info in shown.get_file_info(fs.FileSelector("run/a"))] == ["run/a/b"]
