"""Files that are no files, never end, or hold something else: a line that names them, for every command."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from odd_place import made_place

from diglot.cli import main
from diglot.disk import safe_read
from diglot.disk.stage_files import write_stage_file
from diglot.errors import SourceError, UsageError
from slow_cases import slow_but


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    made_place(folder)
    os.mkfifo(folder / "fifo")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "socket"))
    server.close()
    return folder


FILE_ARGUMENTS = [
    "harvest {} -l en,fr -o {run}2",
    "read {} -l en,fr -o {run}2",
    "compare {} -l en,fr",
    "harvest {site} -l en,fr -o {run}2 --config {}",
    "harvest {site} -l en,fr -o {run}2 --offensive {}",
    "harvest {site} -l en,fr -o {run}2 --set aligner_evidence=translations:{}",
    "harvest {site} -l en,fr -o {run}2 --set aligner_evidence=dictionary:{}",
    "harvest {site} -l en,fr -o {run}2 --recipe pwcc --set lexicon={}",
    "harvest {site} -l en,fr -o {run}2 --recipe ilsp --set structure_weights={}",
    "align {} {text} -l en,fr",
    "align {text} {} -l en,fr",
    "align {text} {text} -l en,fr --evidence translations:{}",
    "align {run} --evidence dictionary:{}",
    "clean {run} --offensive {}",
    "check {}",
    "judge {run} {}",
    "evaluate pairs {} {gold}",
    "evaluate pairs {run} {}",
    "evaluate pairs {run} {gold} --ignore {}",
    "evaluate segments {} {gold}",
    "evaluate segments {gold} {}",
    "evaluate segments {} {gold} --beads",
    "evaluate wmt16 {}",
    "compare {site} -l en,fr --gold {}",
    "why {} http://a.example/",
    "export {}",
    "open --path {}",
    "sample {}",
    "pair {}",
    "sample {run} -o {}",
    "compare {site} -l en,fr --recipes url_baseline --html {}",
]


@pytest.mark.parametrize("line", FILE_ARGUMENTS)
def test_what_is_no_file_is_refused_in_a_line(line: str, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    names = {"run": place / "run", "site": place / "site.lett", "text": place / "text.txt", "gold": place / "gold.tsv"}
    for odd in ("/dev/zero", "/dev/null", place / "fifo", place / "socket"):
        words = line.format(odd, **names).split()
        code = main(words)
        said = capfd.readouterr().err.strip().splitlines()
        assert code == 2, words
        assert "Traceback" not in "".join(said), words
        assert str(odd) in said[-1], words


def test_a_device_is_not_replaced_by_a_file(place: Path) -> None:
    with pytest.raises(UsageError, match="device, pipe or socket"), whole_replacing(place / "fifo"):
        pass
    assert (place / "fifo").is_fifo()


def whole_replacing(path: Path):  # type: ignore[no-untyped-def]
    from diglot.disk.atomic import replacing

    return replacing(path)


def test_what_is_read_whole_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(101))
    with pytest.raises(SourceError, match="more than 100 bytes"):
        safe_read.read_whole(tmp_path / "large", max_bytes=100)
    assert len(safe_read.read_whole(tmp_path / "large", max_bytes=101)) == 101
    with pytest.raises(SourceError, match="more than 1,000 bytes"):
        safe_read.gunzip("bomb.gz", gzip.compress(bytes(10 << 20)), max_bytes=1000)


# -- stage files of other columns and types --------------------------------------------------------------


def without_a_column(table: pa.Table) -> pa.Table:
    return table.drop_columns([table.column_names[0]])


def of_numbers(table: pa.Table) -> pa.Table:
    return table.set_column(0, table.column_names[0], pa.array(range(table.num_rows), pa.int64()))


def of_lists(table: pa.Table) -> pa.Table:
    return table.set_column(0, table.column_names[0], pa.array([[1]] * table.num_rows, pa.list_(pa.int8())))


def of_nothing(table: pa.Table) -> pa.Table:
    return table.set_column(0, table.column_names[0], pa.array([None] * table.num_rows, pa.string()))


def of_another_program(_table: pa.Table) -> pa.Table:
    return pa.table({"a": [1, 2]})


OPENED = [
    "why {run} http://a.example/",
    "export {run} --to tsv,parquet,cesalign -o {run}/elsewhere",
    "sample {run}",
    "judge {run} {sheet}",
    "evaluate pairs {run} {gold}",
    "clean {run} --quiet",
    "align {run} --quiet --jobs 1",
    "pair {run} --quiet",
    "open --path {run}",
]


STAGES = ["documents", "pairs", "segments", "flagged"]
CHANGES = [without_a_column, of_numbers, of_lists, of_nothing, of_another_program]


@pytest.mark.parametrize(
    ("change", "stage"),
    slow_but([*zip(CHANGES, STAGES, strict=False), (of_another_program, "documents")], product(CHANGES, STAGES)),
)
def test_stage_files_of_other_types_are_named(
    stage: str, change: Callable[[pa.Table], pa.Table], place: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    shutil.copytree(place / "run", run)
    files = list((run / stage).glob("*.parquet"))
    assert files
    for file in files:
        write_stage_file(file, change(pq.read_table(file)))
    shutil.rmtree(run / "out" / "report.html", ignore_errors=True)
    codes = {}
    for line in OPENED:
        sheet = place / "sheet.tsv"
        sheet.write_text("id\tverdict\nx\tright\n")
        codes[line] = main(line.format(run=run, gold=place / "gold.tsv", sheet=sheet).split())
        said = capfd.readouterr().err
        assert "Traceback" not in said
        assert codes[line] in (0, 2, 3), said
        assert codes[line] != 2 or said.startswith("diglot: "), said
    assert 2 in codes.values()
