"""A sheet is read by its last known ending, and its column names stand in its first rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from xlsxwriter import Workbook

from diglot.corpus.formats.sheet_rows import rows_by_column
from diglot.errors import SourceError

COLUMNS = ["src", "tgt", "verdict"]
ROW = {"src": "a", "tgt": "b", "verdict": "right"}


def cells_of(path: Path) -> list[dict[str, str]]:
    return [dict(cells) for _, cells in rows_by_column(path, lambda names: "verdict" in names, ["verdict"])]


@pytest.mark.parametrize("name", ["s.csv", "s.xlsx.csv", "s.XLSX.TSV", "s.xlsx.txt", "s.xlsx.csv.yours", "s", "s.1"])
def test_lines_are_read_as_lines(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("src\ttgt\tverdict\na\tb\tright\n", encoding="utf-8")
    assert cells_of(tmp_path / name) == [{}, ROW]


@pytest.mark.parametrize("name", ["s.xlsx", "s.csv.xlsx", "s.xlsx.yours", "s.XLSX.2.yours", "s.xlsx.bak"])
def test_a_workbook_is_read_as_a_workbook(name: str, tmp_path: Path) -> None:
    with Workbook(tmp_path / "made.xlsx") as book:
        sheet = book.add_worksheet()
        for number, line in enumerate([COLUMNS, list(ROW.values())]):
            sheet.write_row(number, 0, line)
    path = (tmp_path / "made.xlsx").rename(tmp_path / name)
    assert cells_of(path) == [{}, ROW]
    (tmp_path / name).write_text("src\ttgt\tverdict\n", encoding="utf-8")
    with pytest.raises(SourceError):
        cells_of(path)


@pytest.mark.parametrize("mark", ["\t", ";"])
@pytest.mark.parametrize(("above", "found"), [(9, [{}, ROW]), (10, [])])
def test_column_names_stand_in_the_first_ten_rows(mark: str, above: int, found: list[object], tmp_path: Path) -> None:
    lines = ["title"] * above + [mark.join(COLUMNS), mark.join(ROW.values())]
    (tmp_path / "s.csv").write_text("\n".join(lines), encoding="utf-8")
    assert cells_of(tmp_path / "s.csv") == found
