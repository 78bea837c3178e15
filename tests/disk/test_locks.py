"""Who holds a file keeps others out, with the locks of this system and with those of one that has no shared ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from diglot.disk import atomic as locks
from diglot.disk.atomic import lock_file
from diglot.disk.folder import RunFolder
from diglot.errors import RunFolderError


@pytest.fixture(params=["shared locks", "no shared locks"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "no shared locks":
        monkeypatch.setattr(locks, "fcntl", None)
    return str(request.param)


@pytest.mark.parametrize(("first", "second"), [(False, False), (False, True), (True, False), (True, True)])
def test_who_is_kept_out(first: bool, second: bool, system: str, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    both_share = first and second and system == "shared locks"
    with lock_file(path, shared=first):
        if both_share:
            with lock_file(path, shared=second):
                pass
        else:
            with pytest.raises(BlockingIOError), lock_file(path, shared=second):
                pass
    with lock_file(path, shared=second):  # nobody is left
        assert path.is_file()


@pytest.mark.usefixtures("system")
def test_a_run_folder_that_is_held_says_so(tmp_path: Path) -> None:
    with (
        RunFolder(tmp_path / "run") as one,
        RunFolder(tmp_path / "run") as other,
        one.lock(),
        pytest.raises(RunFolderError, match="another run is at work on this folder"),
        other.lock(),
    ):
        pass


@pytest.mark.usefixtures("system")
def test_a_file_that_cannot_be_made_is_not_taken_for_a_held_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), lock_file(tmp_path / "nowhere" / "lock"):
        pass


def test_a_process_that_is_killed_holds_nothing(system: str, tmp_path: Path) -> None:
    code = f"""
import sys
from diglot.disk import atomic as locks
if {system == "no shared locks"}:
    locks.fcntl = None
with locks.lock_file({str(tmp_path / "lock")!r}):
    print("lock_file", flush=True)
    sys.stdin.read()
"""
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "lock_file\n"
    with pytest.raises(BlockingIOError), lock_file(tmp_path / "lock"):
        pass
    holder.kill()
    holder.communicate()
    with lock_file(tmp_path / "lock"):
        pass
