"""The list of what a run wrote: nothing else is replaced or deleted, also after a kill between two steps."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from diglot.cli.console import tell_kept_aside
from diglot.disk import written
from diglot.disk.atomic import file_hash, kept_aside, remove_file, replacing
from diglot.disk.folder import RunFolder
from diglot.disk.folder_list import LIST, FolderList
from diglot.disk.written import files_replaced
from diglot.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    kept_aside.clear()
    with RunFolder(tmp_path / "run") as opened, opened.lock():
        (opened.path / "out").mkdir()
        yield opened


def write(path: Path, text: str, *, revises: bool = False) -> None:
    with replacing(path, revises=revises) as handle:
        handle.write(text.encode())


def contents(folder: RunFolder) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder.path / "out").iterdir()}


def test_our_own_file_is_replaced_and_deleted(folder: RunFolder) -> None:
    path = folder.path / "out" / "a.tmx"
    for text in ("one", "two"):
        write(path, text)
        assert contents(folder) == {"a.tmx": text}
        assert folder.written.hashes(path) == {written.file_hash(path)}
    folder.written.remove(path)
    assert (contents(folder), folder.written.names(), kept_aside) == ({}, [], [])


def test_a_changed_file_and_one_of_the_user_keep_another_name(folder: RunFolder) -> None:
    path = folder.path / "out" / "a.tmx"
    path.write_text("first of the user")
    write(path, "ours")
    path.write_text("corrected")
    write(path, "ours again")
    path.write_text("corrected again")
    folder.written.remove(path)
    texts = ["first of the user", "corrected", "corrected again"]
    assert contents(folder) == dict(zip(("a.tmx.yours", "a.tmx.2.yours", "a.tmx.3.yours"), texts, strict=True))
    names = [("a.tmx.yours", False), ("a.tmx.2.yours", True), ("a.tmx.3.yours", True)]
    assert [(other.name, was_ours) for _, other, was_ours in kept_aside] == names


def test_a_file_with_the_bytes_to_be_written_needs_no_other_name(folder: RunFolder) -> None:
    path = folder.path / "out" / "a.tmx"
    path.write_text("the same")
    write(path, "the same")
    assert contents(folder) == {"a.tmx": "the same"}
    assert folder.written.is_ours(path)


def test_a_file_outside_of_the_list_is_not_deleted(folder: RunFolder) -> None:
    path = folder.path / "out" / "a.tmx"
    path.write_text("of the user")
    folder.written.remove(path)
    assert contents(folder) == {"a.tmx": "of the user"}
    folder.written.remove(path, is_output=True)
    assert contents(folder) == {"a.tmx.yours": "of the user"}


def test_a_revised_file_is_not_kept_and_stays_whose_it_was(folder: RunFolder) -> None:
    mine, ours = (folder.path / "out" / name for name in ("mine.tsv", "ours.tsv"))
    mine.write_text("a\nb\n")
    write(ours, "a\nb\n")
    for path in (mine, ours):
        write(path, "a\n", revises=True)
    assert contents(folder) == {"mine.tsv": "a\n", "ours.tsv": "a\n"}
    assert [folder.written.is_ours(path) for path in (mine, ours)] == [False, True]


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_kill_between_list_and_file_makes_nothing_foreign(
    is_moved: bool, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.path / "out" / "a.tmx"
    write(path, "one")
    move = os.replace

    def killed(source: str, target: str) -> None:
        if is_moved:
            move(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write(path, "two")
    monkeypatch.undo()
    assert contents(folder) == {"a.tmx": "two" if is_moved else "one"}
    assert folder.written.is_ours(path)
    write(path, "three")
    assert contents(folder) == {"a.tmx": "three"}


def test_a_damaged_stage_file_is_made_again_without_a_copy(folder: RunFolder) -> None:
    path = folder.shard_path("documents", "k", 0)
    for _ in range(2):
        folder.write_shard("documents", "k", 0, pa.table({"a": [1]}))
        assert folder.written.is_ours(path)
        path.write_text("damaged")
    folder.write_shard("documents", "k", 0, pa.table({"a": [1]}))
    assert [each.name for each in path.parent.iterdir()] == ["k-00000.parquet"]


def test_outside_of_a_run_only_what_this_process_wrote_is_replaced_and_deleted(tmp_path: Path) -> None:
    kept_aside.clear()
    path = tmp_path / "en-fr.00001.tmx"
    path.write_text("perhaps of the user")
    for text in ("ours", "ours again"):
        write(path, text)
    path.write_text("filled in")
    write(path, "ours")
    remove_file(path)
    path.write_text("perhaps of the user, too")
    remove_file(path)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {
        "en-fr.00001.tmx.yours": "perhaps of the user",
        "en-fr.00001.tmx.2.yours": "filled in",
        "en-fr.00001.tmx.3.yours": "perhaps of the user, too",
    }
    remove_file(path)


def test_a_file_for_programs_is_replaced_without_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("{")
    with replacing(path, for_programs=True) as handle:
        handle.write(b"{}")
    assert [each.name for each in tmp_path.iterdir()] == ["state.json"]


def test_a_run_knows_later_what_it_wrote_elsewhere(folder: RunFolder, tmp_path: Path) -> None:
    client = tmp_path / "client"

    def export(text: str, run: RunFolder) -> list[str]:
        with run.writing_to(client):
            write(client / "en-fr.tmx", text)
        return sorted(each.name for each in client.iterdir())

    first, second = (RunFolder(tmp_path / name) for name in ("first", "second"))
    for text in ("one", "two", "two"):
        assert export(text, first) == ["en-fr.tmx"]
    first.close()
    with RunFolder(tmp_path / "first", create=False) as again:
        assert export("three", again) == ["en-fr.tmx"]
        assert (again.written.names(), again.written.elsewhere()) == ([], [(client / "en-fr.tmx").resolve()])
        (client / "en-fr.tmx").write_text("filled in")
        assert export("three", again) == ["en-fr.tmx", "en-fr.tmx.yours"]
        assert (client / "en-fr.tmx.yours").read_text() == "filled in"
        with again.writing_to(client):  # nobody looks for a file that was carried away
            write(client / "other.tmx", "one")
            (client / "other.tmx").unlink()
        assert again.written.hashes(client / "other.tmx") == set()
    assert export("of another run", second) == ["en-fr.tmx", "en-fr.tmx.2.yours", "en-fr.tmx.yours"]
    second.close()


class Client:
    """A folder into which runs write, with a list there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        files_replaced.clear()
        kept_aside.clear()

    def take(self, run: Path, text: str, name: str = "en-fr.tmx") -> dict[str, str]:
        """A run writes a file; what is then there, without the list."""
        with RunFolder(run) as opened, opened.writing_to(self.folder, shared=True):
            write(self.folder / name, text)
        paths = [path for path in self.folder.rglob("*") if path.is_file() and path.name != LIST]
        return {path.relative_to(self.folder).as_posix(): path.read_text() for path in paths}


def test_a_run_that_is_made_anew_replaces_what_it_wrote_elsewhere(tmp_path: Path) -> None:
    client, run = Client(tmp_path / "client"), tmp_path / "run"
    for night in ("one", "two", "three"):
        assert client.take(run, night, "a/en-fr.tmx") == {"a/en-fr.tmx": night}
        shutil.rmtree(run)
    assert files_replaced == []
    (client.folder / "a" / "en-fr.tmx").write_text("corrected")
    assert client.take(run, "four", "a/en-fr.tmx") == {"a/en-fr.tmx": "four", "a/en-fr.tmx.yours": "corrected"}
    (client.folder / "a" / "en-fr.tmx").unlink()
    (client.folder / "mine.tmx").write_text("mine")
    assert client.take(run, "five", "mine.tmx")["mine.tmx.yours"] == "mine"
    listed = (client.folder / LIST).read_text().splitlines()[1:]
    assert [line.split("\t")[::2] for line in listed] == [["mine.tmx", "run"]]


def test_another_run_replaces_files_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = Client(tmp_path / "client")
    client.take(tmp_path / "a" / "ru\x1bn", "first")
    assert client.take(tmp_path / "b" / "run", "second") == {"en-fr.tmx": "second"}
    tell_kept_aside()
    said = capsys.readouterr().err
    assert said == f"replaced  {client.folder}: 1 file that the run run had written there\n"
    # A file that somebody changed is not replaced, whoever wrote it.
    (client.folder / "en-fr.tmx").write_text("corrected")
    assert client.take(tmp_path / "c" / "run", "third") == {"en-fr.tmx": "third", "en-fr.tmx.yours": "corrected"}
    assert files_replaced == []


def test_two_commands_at_once_keep_the_lines_of_each_other(tmp_path: Path) -> None:
    first, second = (FolderList(tmp_path, tmp_path / "run") for _ in range(2))
    for one, name in ((first, "a.tmx"), (second, "b.tmx")):
        (tmp_path / name).write_text(name)
        one.add(tmp_path / name, file_hash(tmp_path / name))
    first.close()
    second.close()
    again = FolderList(tmp_path, tmp_path / "run")
    assert all(again.hashes(tmp_path / name) for name in ("a.tmx", "b.tmx"))
    again.drop(tmp_path / "a.tmx")
    again.close()
    assert not FolderList(tmp_path, tmp_path / "run").hashes(tmp_path / "a.tmx")


def test_a_kill_before_or_after_a_file_is_moved_makes_nothing_foreign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, move = Client(tmp_path / "client"), os.replace
    client.take(tmp_path / "run", "one")
    for is_moved in (False, True):

        def killed(source: Path, target: Path, *, is_moved: bool = is_moved) -> None:
            if is_moved:
                move(source, target)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", killed)
            patched.setattr(FolderList, "close", lambda _: None)
            with pytest.raises(KeyboardInterrupt):
                client.take(tmp_path / "run", "two")
        shutil.rmtree(tmp_path / "run")
        assert client.take(tmp_path / "run", "three") == {"en-fr.tmx": "three"}


def killed_while_writing(run: Path, folder: Path, name: str = "en-fr.tmx") -> Path:
    """What a process on a run leaves that is killed while it writes a file into a folder; the path of the half file."""
    child = os.fork()
    if not child:
        with RunFolder(run) as opened, opened.writing_to(folder, shared=True), replacing(folder / name) as handle:
            handle.write(b"half")
            handle.flush()
            os._exit(0)
    os.waitpid(child, 0)
    (left,) = folder.rglob(f".{name.rpartition('/')[2]}.*.part")
    return left


@pytest.mark.parametrize("name", ["en-fr.tmx", "cesalign.en-fr/en-1.xml"])
@pytest.mark.parametrize("is_anew", [False, True])
def test_the_next_export_deletes_what_a_killed_one_left_half_written(name: str, is_anew: bool, tmp_path: Path) -> None:
    client, run = Client(tmp_path / "client"), tmp_path / "run"
    left = killed_while_writing(run, client.folder, name)
    # Of another run, of nobody, and of the user.
    others = {".en-fr.tmx.17.part", ".mine.part", left.name.replace(".en-", ".mine-").replace(".part", "0.parts")}
    others.add(killed_while_writing(tmp_path / "other", client.folder, "de-fr.tmx").name)
    for other in others:
        (client.folder / other).touch()
    if is_anew:
        shutil.rmtree(run)
    assert client.take(run, "whole").keys() == {"en-fr.tmx", *others}


def test_any_next_command_deletes_what_a_killed_export_left(tmp_path: Path) -> None:
    client, run = Client(tmp_path / "client"), tmp_path / "run"
    left = killed_while_writing(run, client.folder)
    with RunFolder(run) as opened:
        with opened.read_lock():
            assert left.exists()
        with opened.lock():
            assert not left.exists()
        later = client.folder / left.name
        later.touch()
        with opened.lock():  # the run has no more to do with that folder
            assert later.exists()


def test_a_noted_folder_that_cannot_be_read_stops_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client, run = Client(tmp_path / "client"), tmp_path / "run"
    killed_while_writing(run, client.folder)

    def refuse(*_: object, **__: object) -> list[Path]:
        raise PermissionError

    monkeypatch.setattr(Path, "glob", refuse)
    with RunFolder(run) as opened, opened.lock():
        assert not opened.recall_all("writing")


def test_what_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    client, run = Client(tmp_path / "client"), tmp_path / "run"
    path = client.folder / "en-fr.tmx"
    with RunFolder(run) as opened, opened.writing_to(client.folder, shared=True), replacing(path) as handle:
        handle.write(b"first")
        (running,) = client.folder.glob(".en-fr.tmx.*.part")
        assert client.take(run, "second").keys() == {"en-fr.tmx", running.name}
    assert path.read_bytes() == b"first"


@pytest.mark.parametrize("list_of", ["link", "folder", "garbage", "claim", "long"])
def test_a_list_that_is_none_lets_all_files_be_those_of_the_user(list_of: str, tmp_path: Path) -> None:
    client, outside = Client(tmp_path / "client"), tmp_path / "outside"
    client.folder.mkdir()
    (client.folder / "en-fr.tmx").write_text("mine")
    outside.write_text("a shell reads this")
    if list_of == "link":
        (client.folder / LIST).symlink_to(outside)
    elif list_of == "folder":
        (client.folder / LIST).mkdir()
    else:
        claim = f"en-fr.tmx\tabc\trun\tplace\n../outside\t{file_hash(outside)}\trun\tplace\nen-fr.tmx\t"
        claim = f"{'a' * 9999}\tb\tc\td\n{'a/' * 9999}\tb\tc\td\n" if list_of == "long" else claim
        (client.folder / LIST).write_bytes(b"\xff\x00\t\t\t\t" * 99 if list_of == "garbage" else claim.encode())
    for text in ("one", "two"):
        assert client.take(tmp_path / "run", text) == {"en-fr.tmx": text, "en-fr.tmx.yours": "mine"}
    assert outside.read_text() == "a shell reads this"


def test_nothing_is_written_into_another_run(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "a") as first, RunFolder(tmp_path / "b") as second:
        for folder in (second.path, second.path / "out", second.path / "out" / "tmx", second.path / "mine"):
            told = r"belongs to the run .*/b; name a folder outside of it"
            with pytest.raises(UsageError, match=told), first.writing_to(folder):
                pass
        for folder in (first.path, first.path / "mine", tmp_path):
            with first.writing_to(folder):
                pass
        with first.writing_to(first.path / "out", shared=True):
            write(first.path / "out" / "a.tmx", "one")
        assert not (first.path / "out" / LIST).exists()
