"""What ``--help`` shows: examples that the program would take, panels, and all of it at any width."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from diglot.cli import app, main
from diglot.cli.examples import EXAMPLES
from slow_cases import slow_but

FEW = 8
"""So many options are shown in one panel."""


def commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


COMMANDS = dict(commands(typer.main.get_command(app)))
WORDS = [words for examples in EXAMPLES.values() for words, _ in examples]


def test_every_command_has_an_example_of_its_own() -> None:
    assert set(EXAMPLES) == set(COMMANDS)
    for name, examples in EXAMPLES.items():
        assert 1 <= len(examples) <= 4
        assert all(words.startswith(f"diglot {name}") for words, _ in examples)


@pytest.mark.parametrize("words", WORDS)
def test_an_example_is_taken_by_the_parser(words: str) -> None:
    name = next(
        name
        for name in sorted(COMMANDS, key=len, reverse=True)
        if words.startswith(f"diglot {name} ") or words == f"diglot {name}"
    )
    given = shlex.split(words)[1 + len(name.split()) :]
    with COMMANDS[name].make_context(name, given) as context:
        assert context.args == []


def test_a_line_that_is_no_example_is_not_taken() -> None:
    with pytest.raises(Exception, match="No such option"):
        COMMANDS["harvest"].make_context("harvest", shlex.split("a -l en,fr -o run --colour"))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_many_options_are_in_panels(name: str) -> None:
    options = [each for each in COMMANDS[name].params if each.param_type_name == "option"]
    in_none = [each.name for each in options if getattr(each, "rich_help_panel", None) is None]
    assert len(in_none) <= FEW


@pytest.mark.parametrize("columns", slow_but([60, 80], [60, 80, 200]))
@pytest.mark.parametrize("name", ["", *sorted(COMMANDS)])
def test_nothing_is_cut(
    name: str, columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*name.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= columns
    for words, _ in EXAMPLES.get(name, ()):
        assert "".join(words.split()) in "".join(shown.split())
