"""Standard streams closed, full or with nobody reading: the same work is done, and no traceback is printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diglot.cli import main
from diglot.harvesting import harvest
from made_website import as_lett
from slow_cases import slow_but

PROGRAM = [sys.executable, "-m", "diglot"]
NO_SPACE = "diglot: standard output: No space left on device; free space first\n"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    as_lett(folder / "site.lett")
    harvest(folder / "site.lett", "en,fr", folder / "run", jobs=1)
    return folder


def outputs(run: Path) -> dict[str, bytes]:
    """The files of a run; the summary holds times."""
    return {path.name: path.read_bytes() for path in (run / "out").iterdir() if path.name != "summary.json"}


@pytest.mark.parametrize("closed", slow_but(["<&- >&- 2>&-"], ["2>&-", "<&- >&- 2>&-", "2>/dev/full"]))
def test_a_harvest_works_without_its_streams(closed: str, finished: Path, tmp_path: Path) -> None:
    command = f'"$0" -m diglot harvest "$1" -l en,fr -o "$2" --jobs 1 {closed}'
    arguments = [sys.executable, str(finished / "site.lett"), str(tmp_path / "run")]
    done = subprocess.run(["sh", "-c", command, *arguments], capture_output=True)
    assert done.returncode == 0
    assert not done.stderr
    assert outputs(tmp_path / "run") == outputs(finished / "run")


def printing(finished: Path) -> list[list[str]]:
    run, tmx, gold = finished / "run", finished / "run/out/en-fr.tmx", finished / "gold.tsv"
    url = next(line.split("\t")[0] for line in (run / "out/pairs.en-fr.tsv").read_text().splitlines()[1:])
    gold.write_text("en\tfr\t{}\t{}\n".format(*(run / "out/pairs.en-fr.tsv").read_text().splitlines()[1].split("\t")))
    texts = [finished / "src.txt", finished / "tgt.txt"]
    for text in texts:
        text.write_text("One line.\n")
    return [
        list(map(str, words))
        for words in [
            ("--version",),
            ("--help",),
            ("harvest", "--help"),
            ("recipes",),
            ("recipes", "fused"),
            ("why", run, url),
            ("check", tmx),
            ("export", run, "-o", finished / "exported"),
            ("open", "--path", run),
            ("sample", run, "-o", finished / "sheet.tsv"),
            ("align", *texts, "-l", "en,fr", "--aligner", "gale_church"),
            ("align", *texts, "-l", "en,fr", "--aligner", "gale_church", "--to", "tmx"),
            ("evaluate", "pairs", run, gold),
            ("harvest", finished / "site.lett", "-l", "en,fr", "-o", run, "--json", "--jobs", "1"),
        ]
    ]


@contextmanager
def standard_output(descriptor: int) -> Iterator[None]:
    """Buffered as it is where it leads to no terminal; what is left in it at the end is thrown away."""
    before, sys.stdout = sys.stdout, os.fdopen(descriptor, "w", encoding="utf-8")
    try:
        yield
    finally:
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
        sys.stdout, ours = before, sys.stdout
        ours.close()


def test_a_reader_that_has_gone_and_a_full_disk(finished: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for command in printing(finished):
        reads, writes = os.pipe()
        os.close(reads)
        capfd.readouterr()
        with standard_output(writes):
            assert main(command) == 141, command
        assert "rror" not in capfd.readouterr().err, command
        with standard_output(os.open("/dev/full", os.O_WRONLY)):
            assert main(command) == 2, command
        assert capfd.readouterr().err.endswith(NO_SPACE), command


def test_the_program_itself_ends_as_quietly() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    gone = subprocess.run([*PROGRAM, "recipes"], stdout=writes, stderr=subprocess.PIPE, text=True)
    os.close(writes)
    assert (gone.returncode, gone.stderr) == (141, "")
    with open("/dev/full", "wb") as full:
        filled = subprocess.run([*PROGRAM, "recipes"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (filled.returncode, filled.stderr) == (2, NO_SPACE)


def test_a_line_that_nobody_hears_is_no_error() -> None:
    with open("/dev/full", "wb") as full:
        assert subprocess.run([*PROGRAM, "check", "no such file"], stderr=full).returncode == 2
        assert subprocess.run([*PROGRAM, "check", "--nonsense"], stderr=full).returncode == 2
