"""What a run says while it works: lines, JSON, nothing, or bars."""

from __future__ import annotations

import json
import re
import sys

import pytest

from diglot.cli import lines
from diglot.cli.bars import Bars
from diglot.cli.console import close_consoles, console_for
from diglot.cli.lines import Lines
from diglot.cli.streams import wrap_lines
from diglot.progress import BYTES, Progress, Silent

HIDDEN, SEEN = "\x1b[?25l", "\x1b[?25h"
"""What a terminal is told of its cursor."""


def work(listener: Progress) -> None:
    listener.start("read", 2_000_000, BYTES)
    listener.advance(1_000_000)
    listener.finish("3 records")
    listener.start("pair", None, "sites")
    listener.step("pairing 7 pages", 2, "sites")
    listener.advance(2)
    listener.finish("1 page pair")
    listener.reuse("align", "5 segments")


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    listener = console_for()
    work(listener)
    listener.result({"pages": 3}, "the funnel")
    printed = capsys.readouterr()
    assert printed.err == (
        "read      3 records, 0.0 s\npair      1 page pair, 0.0 s\nalign     5 segments, as before\n"
    )
    assert printed.out == "the funnel\n"
    work(console_for(verbose=True))
    assert "pair      ... pairing 7 pages (2 sites)\n" in capsys.readouterr().err


def test_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "COUNT_EVERY_S", 0.0)
    listener = console_for(as_json=True)
    work(listener)
    listener.result({"pages": 3, "é": 1}, "the funnel")
    printed = capsys.readouterr()
    events = [json.loads(line) for line in printed.err.splitlines()]
    assert events[:2] == [
        {"stage": "read", "total": 2_000_000, "unit": "bytes"},
        {"stage": "read", "total": 2_000_000, "unit": "bytes", "at": 1_000_000},
    ]
    assert events[4:6] == [
        {"stage": "pair", "step": "pairing 7 pages", "total": 2, "unit": "sites"},
        {"stage": "pair", "step": "pairing 7 pages", "total": 2, "unit": "sites", "at": 2},
    ]
    assert (events[6]["stage"], events[6]["done"]) == ("pair", "1 page pair")
    assert events[7] == {"stage": "align", "done": "5 segments", "kept": True}
    assert printed.out == '{"pages": 3, "é": 1}\n'


def test_counts_are_told_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    listener = console_for(as_json=True)
    listener.start("read", None, "records")
    for _ in range(10_000):
        listener.advance(1)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_state_of_a_crawl(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def crawl(listener: Progress, *, at_once: bool = False) -> list[str]:
        listener.start("crawl", 5000, "pages")
        listener.advance(1200)
        listener.show_state("636 waiting", 1836, at_once=at_once)
        close_consoles()
        return capsys.readouterr().err.splitlines()

    assert crawl(console_for()) == []  # a minute has not passed
    assert crawl(console_for(), at_once=True) == ["crawl     ... 1,200 pages, 636 waiting"]
    told = [json.loads(line) for line in crawl(console_for(as_json=True), at_once=True)]
    assert [each["state"] for each in told if "at" in each] == ["636 waiting"]
    monkeypatch.setattr(lines, "STATE_EVERY_S", 0.0)
    assert crawl(console_for()) == ["crawl     ... 1,200 pages, 636 waiting"]
    monkeypatch.setattr(lines, "COUNT_EVERY_S", 0.0)
    told = json.loads(crawl(console_for(as_json=True))[-1])
    assert told == {"stage": "crawl", "total": 1836, "unit": "pages", "at": 1200, "state": "636 waiting"}
    be_terminal(monkeypatch)
    shown = "".join(crawl(console_for()))
    assert "1,200 of 1,836 pages" in shown
    assert "          636 waiting" in shown


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    for listener in (console_for(quiet=True), Silent()):
        work(listener)
    Lines(quiet=True).result({}, "the funnel")
    assert capsys.readouterr() == ("", "")
    console_for(quiet=True, as_json=True).result({"pages": 3}, "the funnel")
    assert capsys.readouterr() == ('{"pages": 3}\n', "")


def test_an_answer_is_printed_even_if_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    for as_json, told in ((False, "en 31\n"), (True, '{"en": 31}\n')):
        console_for(quiet=True, as_json=as_json).answer({"en": 31}, "en 31")
        assert capsys.readouterr() == (told, "")


def be_terminal(monkeypatch: pytest.MonkeyPatch, kind: str = "xterm") -> None:
    """Standard error, as it is now, is a terminal."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", kind)


def test_bars_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    be_terminal(monkeypatch)
    listener = console_for()
    assert isinstance(listener, Bars)
    work(listener)
    shown = capsys.readouterr().err
    assert "1.0 of 2.0 MB" in shown
    assert "2 of 2 sites" in shown
    assert re.search(r"1 page pair, \d+\.\d s", shown)
    assert shown.count(HIDDEN) == shown.count(SEEN) == 2
    assert not isinstance(console_for(as_json=True), Bars)
    assert not isinstance(console_for(quiet=True), Bars)


def test_one_piece_of_work_says_what_it_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    be_terminal(monkeypatch)
    listener = console_for()
    listener.start("align", None, "page pairs")
    listener.step("learning words", 1, "models")
    listener.finish("done")
    shown = capsys.readouterr().err
    assert "learning words" in shown
    assert "of 1" not in shown


def test_a_stage_that_ends_early_leaves_the_cursor_to_be_seen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_terminal(monkeypatch)
    console_for().start("read", None, "records")
    close_consoles()
    shown = capsys.readouterr().err
    assert shown.rindex(SEEN) > shown.rindex(HIDDEN)


def test_a_terminal_that_cannot_go_back_in_a_line_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    be_terminal(monkeypatch, "dumb")
    assert type(console_for()) is Lines


def test_lines_are_broken_between_words_below_their_words() -> None:
    text = (
        "segments  9,354 aligned\n               1,494  identical: both sides are the same\ndiglot: /a/b: no such file"
    )
    assert wrap_lines(text, None) == text
    assert wrap_lines("cut: a\x1b[31m\x9b.wacz\n\tb", None) == "cut: a\ufffd[31m\ufffd.wacz\n\tb"
    assert wrap_lines(text, 200) == text
    assert wrap_lines(text, 36).split("\n") == [
        "segments  9,354 aligned",
        "               1,494  identical:",
        "                  both sides are the",
        "                  same",
        "diglot: /a/b: no such file",
    ]
    assert wrap_lines("diglot: /a/b: no such file", 20) == "diglot: /a/b: no\n        such file"
    assert wrap_lines("note      " + "x" * 30, 20).replace("\n", "").replace(" ", "") == "note" + "x" * 30


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_bar_is_cut_at_no_width(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(columns))
    listener = console_for()
    listener.start("align", None, "page pairs")
    listener.step("learning words of 246,900 pairs", 1, "models")
    listener.step("aligning", 246_900, "page pairs")
    listener.advance(123_456)
    close_consoles()
    shown = capsys.readouterr().err
    assert "learning words of 246,900 pairs" in shown
    assert "123,456 of 246,900 page pairs" in shown
    assert "…" not in shown
