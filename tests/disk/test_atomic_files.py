"""Whole files or none."""

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from diglot.disk.atomic import remove_unfinished, replacing
from diglot.errors import UsageError

NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")


def test_a_finished_block_replaces_the_file(tmp_path: Path) -> None:
    target = tmp_path / "new" / "a.txt"
    for content in (b"one", b"two"):
        with replacing(target) as handle:
            handle.write(content)
        assert target.read_bytes() == content
    assert [each.name for each in target.parent.iterdir()] == ["a.txt"]


def test_an_interrupted_block_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_bytes(b"old")

    def interrupted() -> None:
        with replacing(target) as handle:
            handle.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "file" / "below", tmp_path / "folder"):
        with pytest.raises(UsageError, match=target.name), replacing(target) as handle:
            handle.write(b"x")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize("size", [256, 5000])
def test_a_name_that_is_too_long_is_named(size: int, tmp_path: Path) -> None:
    expected = r"a: cannot be written \(the name is too long; choose a shorter one\)$"
    with pytest.raises(UsageError, match=expected), replacing(tmp_path / ("a" * size)):
        raise AssertionError("nothing is to be written")


def test_an_error_of_the_input_is_no_error_of_the_output(tmp_path: Path) -> None:
    def read_missing() -> None:
        (tmp_path / "in.txt").read_bytes()

    def read_broken() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))  # as of a handle: without a name

    def write(read: Callable[[], object]) -> None:
        with replacing(tmp_path / "out.txt") as handle:
            handle.write(b"x")
            read()

    for read, number in ((read_missing, errno.ENOENT), (read_broken, errno.EIO)):
        with pytest.raises(OSError, match=os.strerror(number)):
            write(read)
    assert list(tmp_path.iterdir()) == []


def _fill(handle: BinaryIO, size: int) -> None:
    """Write bytes to a handle whose disk is full."""
    with open("/dev/full", "wb") as full:
        os.dup2(full.fileno(), handle.fileno())
    handle.write(b"x" * size)


@NEEDS_FULL
@pytest.mark.parametrize("size", [1, io.DEFAULT_BUFFER_SIZE + 1])
def test_a_full_disk_is_an_error_of_the_output(size: int, tmp_path: Path) -> None:
    expected = r"out\.txt: cannot be written \(the disk is full; free space\)"
    with pytest.raises(UsageError, match=expected), replacing(tmp_path / "out.txt") as handle:
        _fill(handle, size)
    assert list(tmp_path.iterdir()) == []


@NEEDS_FULL
@pytest.mark.parametrize("place", [0, 1])
def test_of_two_outputs_the_one_that_failed_is_named(place: int, tmp_path: Path) -> None:
    def write() -> None:
        with replacing(tmp_path / "0.txt") as first, replacing(tmp_path / "1.txt") as second:
            _fill((first, second)[place], io.DEFAULT_BUFFER_SIZE + 1)

    with pytest.raises(UsageError, match=f"{place}.txt: cannot be written"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_what_to_try_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "a-file").write_bytes(b"a")
    with pytest.raises(UsageError) as caught, replacing(tmp_path / "a-file" / "out.tmx"):
        pass
    assert str(caught.value).count("choose another") == 1


@pytest.mark.parametrize("place", ["/", "", "."])
def test_a_folder_is_no_file_to_write(place: str) -> None:
    with pytest.raises(UsageError, match="a folder; name a file to write"), replacing(place):
        raise AssertionError("nothing is to be written")


def test_only_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    unfinished = [tmp_path / ".a.txt.123.part", tmp_path / "deep" / "er" / ".b.4.part"]
    others = [
        tmp_path / name for name in ("a.txt.123.part", ".a.txt.part", ".a.txt.12x.part", ".a.txt.123.parts", "deep/c")
    ]
    for path in [*unfinished, *others]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    remove_unfinished(tmp_path)
    assert [path for path in [*unfinished, *others] if path.exists()] == others


def test_what_an_unfinished_block_is_called_is_what_is_removed(tmp_path: Path) -> None:
    with replacing(tmp_path / "a.txt") as handle:
        handle.write(b"x")
        (hidden,) = tmp_path.iterdir()
        remove_unfinished(tmp_path)
        assert not hidden.exists()
        hidden.touch()


def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="a device, pipe or socket"), replacing(tmp_path / "pipe"):
        raise AssertionError("nothing is to be written")
    assert (tmp_path / "pipe").is_fifo()
