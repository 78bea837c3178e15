"""Files that people name are read whole up to a size, and never wait for what does not end."""

from __future__ import annotations

import gzip
import os
import re
from contextlib import nullcontext
from pathlib import Path

import pytest

from diglot.disk.safe_read import gunzip, read_named_text, read_text, read_whole, require_regular
from diglot.errors import SourceError


@pytest.mark.parametrize(("size", "fits"), [(0, True), (9, True), (10, True), (11, False)])
def test_a_file_has_so_many_bytes_at_most(size: int, fits: bool, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * size)
    if fits:
        assert read_whole(path, max_bytes=10) == b"x" * size
        return
    with pytest.raises(SourceError, match=re.escape(f"{path}: more than 10 bytes; cut it into several files")):
        read_whole(path, max_bytes=10)


def test_a_file_of_unknown_size_is_read_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the system have no bytes by their own word, and some."""
    assert os.stat("/proc/self/status").st_size == 0
    assert b"Pid:" in read_whole("/proc/self/status")
    with pytest.raises(SourceError, match="more than 10 bytes"):
        read_whole("/proc/self/status", max_bytes=10)


@pytest.mark.parametrize(("size", "fits"), [(10, True), (11, False)])
def test_what_a_packed_file_holds_has_so_many_bytes_at_most(size: int, fits: bool) -> None:
    packed = gzip.compress(b"x" * size)
    if fits:
        assert gunzip("a.gz", packed, max_bytes=10) == b"x" * size
        return
    with pytest.raises(SourceError, match=r"a\.gz: more than 10 bytes"):
        gunzip("a.gz", packed, max_bytes=10)


def test_several_packed_parts_are_one() -> None:
    assert gunzip("a.gz", gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"
    with pytest.raises(SourceError):
        gunzip("a.gz", gzip.compress(b"x" * 6) + gzip.compress(b"x" * 5), max_bytes=10)
    with pytest.raises(EOFError):
        gunzip("a.gz", gzip.compress(b"one")[:-3])


def test_a_text_has_one_kind_of_line_end_and_no_mark(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n\xef\xbb\xbf")
    assert read_text(path) == "one\ntwo\nthree\n\ufeff"
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes("\ufeffone\r\ntwo".encode(encoding))
        assert read_text(path) == "one\ntwo"
    path.write_bytes(b"\xff\xfeo\x00\x00")
    with pytest.raises(UnicodeDecodeError):
        read_text(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_zeros_are_no_text(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text"
    for before, is_refused in ((0, True), (1023, True), (1024, False)):
        path.write_bytes(("é" * before + "\0" * 20).encode(encoding))
        with pytest.raises(SourceError, match="or another that is no text") if is_refused else nullcontext():
            assert read_named_text(path).startswith("é")


@pytest.mark.parametrize(
    ("name", "advice"), [("a.txt", ""), ("a.CSV", ", in Excel as CSV UTF-8"), ("a.tsv", ", in Excel as CSV UTF-8")]
)
def test_the_advice_on_another_encoding_names_excel_for_sheets_alone(tmp_path: Path, name: str, advice: str) -> None:
    (tmp_path / name).write_bytes("été".encode("latin-1"))
    with pytest.raises(SourceError, match=rf"not UTF-8 at byte 0; save it in UTF-8{advice}$"):
        read_named_text(tmp_path / name)


def test_a_pipe_or_device_is_refused_and_what_is_not_there_left_to_others(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", "/dev/null"):
        with pytest.raises(SourceError, match="a device, pipe or socket"):
            require_regular(place)
        with pytest.raises(SourceError, match="a device, pipe or socket"):
            read_whole(place)
    for place in (tmp_path, tmp_path / "none", "a\0b", __file__):
        require_regular(place)
