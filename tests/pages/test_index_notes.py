"""A note names the files of an index that are not there, and hosts of which the index has no record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_archive import line_of
from made_warcs import http, member, record

from diglot.cli import main
from diglot.merging import merge
from diglot.results.run import Run
from made_website import HOST, website

LOST = "1 record in 1 file that cannot be read: lost.warc.gz (1); --warc-prefix names the folder"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of a site, beside its archive, and of a record in a file that is not there."""
    content, lines = b"", []
    for name, body in ((name, body) for name, body in website().items() if body):
        packed = member(record(http(body), url=f"{HOST}/{name}"))
        told = {"url": f"{HOST}/{name}", "filename": "site.warc.gz", "offset": str(len(content))}
        lines.append(line_of({**told, "length": str(len(packed))}))
        content += packed
    lines.append(line_of({"url": f"{HOST}/lost", "filename": "lost.warc.gz", "offset": "0", "length": "99"}))
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "site.warc.gz").write_bytes(content)
    (folder / "site.cdxj").write_bytes(b"".join(lines))
    return folder / "site.cdxj"


def told(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    assert main(list(map(str, words))) == code
    return capsys.readouterr().err


def test_reading_names_the_files_that_are_not_there(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("read", index, "-l", "en,fr", "-o", tmp_path / "run", "--jobs", "1")
    assert told(capsys, *command).count(f"site.cdxj: {LOST}") == 1
    assert LOST in told(capsys, *command)  # as before
    moved = index.parent / "lost.warc.gz"
    moved.write_bytes((index.parent / "site.warc.gz").read_bytes())
    assert "cannot be read" not in told(capsys, *command, "--overwrite")


def test_a_harvest_names_them_in_the_notes_of_the_run_and_of_a_merge(index: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert main(["harvest", str(index), "-l", "en,fr", "-o", str(tmp_path / name), "--jobs", "1"]) == 0
    (note,) = Run(tmp_path / "one").summary()["notes"]
    assert note.startswith(f"site.cdxj: {LOST}")
    assert f"one: {note}" in merge([tmp_path / "one", tmp_path / "two"], tmp_path / "both").summary()["notes"]


def test_tasks_name_them(index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "plan", str(index), "-l", "en,fr", "-o", str(tmp_path / "run")]) == 0
    assert LOST in told(capsys, "tasks", "run", tmp_path / "run", "read")
    told(capsys, "tasks", "run", tmp_path / "run", "site")
    told(capsys, "tasks", "finish", tmp_path / "run")
    assert [LOST in note for note in Run(tmp_path / "run").summary()["notes"]] == [True]


@pytest.mark.parametrize("command", ["plan", "languages"])
def test_a_look_names_them(command: str, index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(index), "--jobs", "1"]) == 0
    assert f"note      site.cdxj: {LOST}" in capsys.readouterr().out
    assert main([command, str(index), "--jobs", "1", "--json"]) == 0
    assert [LOST in note for note in json.loads(capsys.readouterr().out)["notes"]] == [True]
    assert main([command, str(index.parent / "site.warc.gz"), "--jobs", "1"]) == 0
    assert "note  " not in capsys.readouterr().out


def test_a_host_without_a_record_is_said(index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["-l", "en,fr", "-o", tmp_path / "run", "--host", "other.example"]
    note = "site.cdxj: no record of other.example; --host takes hosts of its addresses"
    assert note in told(capsys, "read", index, *command, "--jobs", "1")
    told(capsys, "harvest", index, *command, "--jobs", "1", code=3)
    summary = json.loads((tmp_path / "run" / "out" / "summary.json").read_text())
    assert (summary["pages"], note in summary["notes"]) == (0, True)
