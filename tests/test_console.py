"""What a run says while it works: lines, JSON, nothing, or bars."""

from __future__ import annotations

import json
import sys

import pytest

from diglot.cli.console import Bars, Lines, console_for
from diglot.progress import Progress, Silent


def work(listener: Progress) -> None:
    listener.start("read", None, "records")
    listener.advance(3)
    listener.finish("3 records")
    listener.start("pair", 2, "language pairs")
    listener.advance(2)
    listener.finish("1 page pair")


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    listener = console_for()
    work(listener)
    listener.result({"pages": 3}, "the funnel")
    printed = capsys.readouterr()
    assert printed.err == "read      3 records, 0.0 s\npair      1 page pair, 0.0 s\n"
    assert printed.out == "the funnel\n"


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    listener = console_for(as_json=True)
    work(listener)
    listener.result({"pages": 3, "é": 1}, "the funnel")
    printed = capsys.readouterr()
    events = [json.loads(line) for line in printed.err.splitlines()]
    assert events[0] == {"stage": "read", "total": None, "unit": "records"}
    assert (events[3]["stage"], events[3]["done"]) == ("pair", "1 page pair")
    assert printed.out == '{"pages": 3, "é": 1}\n'


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    for listener in (console_for(quiet=True), Silent()):
        work(listener)
    Lines(quiet=True).result({}, "the funnel")
    assert capsys.readouterr() == ("", "")
    Lines(quiet=True, as_json=True).result({"pages": 3}, "the funnel")
    assert capsys.readouterr() == ('{"pages": 3}\n', "")


def test_bars_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    listener = console_for()
    assert isinstance(listener, Bars)
    work(listener)
    assert "1 page pair" in capsys.readouterr().err
    assert not isinstance(console_for(as_json=True), Bars)
    assert not isinstance(console_for(quiet=True), Bars)
