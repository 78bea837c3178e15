"""The log of a run: each command, its stages, how it ended; nothing that must not be kept, and never too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.errors import RecipeError, Stopped
from diglot.harvesting import clean_run, harvest
from diglot.progress import Silent
from diglot.run import log
from diglot.run.log import LOG, command_line, open_log, write_line
from made_website import as_lett


def told(run: Path) -> list[str]:
    """The lines without their times."""
    return [line.partition(" ")[2] for line in (run / LOG).read_text(encoding="utf-8").splitlines()]


def test_a_run_has_a_log_that_each_command_adds_to(tmp_path: Path) -> None:
    as_lett(tmp_path / "site.lett")
    harvest(tmp_path / "site.lett", "en,fr", tmp_path / "run", jobs=1)
    first = told(tmp_path / "run")
    assert first[0].startswith("command   Python (Diglot ")
    assert first[1].startswith("source    lett ")
    assert "langs=['en', 'fr']" in first[2]
    stages = [line.split()[0] for line in first[4:]]
    assert [name for name in stages if name != "note"] == [
        *("read", "resolve", "pair", "align", "clean", "write", "report", "done")
    ]
    outputs = {path.name: path.read_bytes() for path in (tmp_path / "run" / "out").iterdir()}
    clean_run(tmp_path / "run", min_score=0.9)
    again = told(tmp_path / "run")
    assert again[: len(first)] == first
    assert "min_score=0.9" in again[len(first) + 1]
    assert LOG not in outputs


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (RecipeError("no recipe"), "error     RecipeError: no recipe"),
        (KeyboardInterrupt(), "stopped   by an interrupt"),
        (ZeroDivisionError("a bug"), "error     ZeroDivisionError: a bug"),
    ],
)
def test_how_it_ended(error: BaseException, last: str, tmp_path: Path) -> None:
    with pytest.raises(type(error)), open_log(tmp_path, Silent()):
        raise error
    lines = told(tmp_path)
    assert lines[-1] == last
    assert ("Traceback" in " ".join(lines)) is isinstance(error, ZeroDivisionError)


def test_an_interrupt_behind_an_error_of_ours_is_one(tmp_path: Path) -> None:
    with pytest.raises(Stopped), open_log(tmp_path, Silent()):
        raise Stopped("stopped") from KeyboardInterrupt()
    assert told(tmp_path)[-1] == "stopped   by an interrupt"


def test_what_is_to_be_forgotten_and_passwords_are_not_written_down(tmp_path: Path) -> None:
    words = ["diglot", "forget", "a run", "--url", "http://x.example/secret", "--host=y.example", "--jobs", "1"]
    assert command_line(words) == "diglot forget 'a run' --url ... --host=... --jobs 1"
    write_line(tmp_path / LOG, "error     http://me:word@proxy.example:80/: no answer\nof it")
    assert told(tmp_path) == ["error     http://proxy.example:80/: no answer of it"]


def test_a_log_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", 4_000)
    for number in range(100):
        with open_log(tmp_path, Silent()) as listener:
            listener.start("read", None, "")
            listener.finish(f"{number} {'x' * 5_000}")
    size = (tmp_path / LOG).stat().st_size
    assert size < 2 * 4_000 + log.MAX_LINE_CHARS
    assert all(line[:1] == "2" for line in (tmp_path / LOG).read_text().splitlines())
    assert "99 xxx" in (tmp_path / LOG).read_text()


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / LOG).symlink_to(elsewhere)
    with open_log(tmp_path, Silent()):
        pass
    assert elsewhere.read_text() == "mine"
