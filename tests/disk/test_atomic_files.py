"""Whole files or none."""

from pathlib import Path

import pytest

from diglot.disk.atomic import replacing
from diglot.errors import UsageError


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


@pytest.mark.parametrize("place", ["/", "", "."])
def test_a_folder_is_no_file_to_write(place: str) -> None:
    with pytest.raises(UsageError, match="a folder; name a file to write"), replacing(place):
        raise AssertionError("nothing is to be written")
