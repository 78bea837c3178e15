"""Errors of the system are told in words, with what to try, and never by their number."""

from __future__ import annotations

import errno
import socket
from pathlib import Path

import pytest

from diglot.cli import main
from diglot.errors import describe_error


def test_no_number_is_told() -> None:
    for number, name in errno.errorcode.items():
        told = describe_error(OSError(number, "words of the system"))
        assert told, name
        assert "Errno" not in told, name


def test_errors_of_several_connections_have_no_numbers() -> None:
    error = OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 9), [Errno 111] Connect call failed")
    assert "Errno" not in describe_error(error)


def test_a_refused_connection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    host = f"127.0.0.1:{port}"
    assert main(["crawl", f"http://{host}/", "-l", "en,fr", "-o", str(tmp_path / "run"), "--allow-host", host]) == 2
    told = capsys.readouterr().err
    assert "the connection is refused" in told
    assert "Errno" not in told


def test_a_source_of_an_impossible_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harvest", "x" * 5000, "-l", "en,fr", "-o", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err
    assert "the name is too long; choose a shorter one" in told
    assert "Errno" not in told
