"""The server: one to a folder, on loopback, and closed by an interrupt with one sentence."""

from __future__ import annotations

import errno
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from diglot.errors import UsageError
from diglot.workbench import shelf as shelf_module
from diglot.workbench.server import PORT, _bind, _bind_as_before, serve
from diglot.workbench.shelf import SERVER, Shelf, write_json


def test_a_folder_has_one_server_and_a_second_shows_the_first(tmp_path: Path, interruptible: None) -> None:
    command = [sys.executable, "-m", "diglot", "ui", str(tmp_path / "home"), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = line.split()[1]
        assert address.startswith("http://127.0.0.1:")
        secret = tmp_path / "home" / ".workbench" / SERVER
        assert secret.stat().st_mode & 0o077 == 0
        with urlopen(address) as entered:
            assert b"workbench" in entered.read()
        with pytest.raises(HTTPError, match="403"):
            urlopen(address.split("/enter")[0])
        second = subprocess.run(command, capture_output=True, text=True, check=True)
        assert second.stdout.splitlines()[0] == line.strip()
        assert second.stdout.splitlines()[1].endswith("was open already, in another workbench")
        server.send_signal(signal.SIGINT)
        rest, errors = server.communicate()
    assert (rest, errors, server.returncode) == ("the workbench is closed\n", "", 0)
    assert not secret.exists()


def test_connections_wait_for_a_server_that_has_not_started() -> None:
    with _bind(0) as bound, socket.create_connection(bound.getsockname(), timeout=10.0):
        pass


def test_a_server_takes_the_port_of_the_last_one_if_it_is_free(tmp_path: Path) -> None:
    """So that pages that were open all the time can save what they hold."""
    shelf = Shelf(tmp_path)
    with _bind_as_before(shelf) as first:
        port = first.getsockname()[1]
    with _bind_as_before(shelf) as second:
        assert second.getsockname()[1] == port
        with _bind_as_before(shelf) as third:
            assert third.getsockname()[1] != port
    for damaged in (-1, 1 << 16, "x", None):
        write_json(shelf.own(PORT), {"port": damaged})
        with _bind_as_before(shelf) as bound:
            assert bound.getsockname()[1]


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a part of the path is a file"):
        serve(tmp_path / "file" / "home", say=print)


def test_a_run_is_no_folder_of_runs(run: Path) -> None:
    with pytest.raises(UsageError, match=r"town: a run; name the folder above it, or `diglot open .*town`$"):
        serve(run, say=print)
    assert not (run / ".workbench").exists()


def test_a_folder_that_is_read_only_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own files are there, from a time when it could be written."""
    Shelf(tmp_path)

    def refuse(_: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "server.lock")

    monkeypatch.setattr(shelf_module, "lock_file", refuse)
    with pytest.raises(UsageError, match=r"the place is read-only; .* name another FOLDER$") as refusal:
        serve(tmp_path, say=print)
    assert str(refusal.value).startswith(f"{tmp_path}: ")


def test_an_address_of_a_stranger_is_not_opened(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    write_json(shelf.own(SERVER), {"address": "http://evil.example/"})
    with shelf.lock(), pytest.raises(UsageError, match="open in another workbench"):
        serve(tmp_path, say=print)


def test_the_server_loads_neither_arrow_nor_numpy() -> None:
    # They would take 60 MB while nothing happens; heavy steps are processes of their own.
    script = "import sys, diglot.workbench.app; print([name for name in ('pyarrow', 'numpy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
