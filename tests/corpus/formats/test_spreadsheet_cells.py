"""No text of a website is a formula where people open it; data files hold texts as they are."""

from __future__ import annotations

import codecs
import csv
import errno
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diglot.corpus.characters import spreadsheet_cell, text_of_cell
from diglot.corpus.formats.sheets import SheetColumn, write_sheets
from diglot.corpus.formats.tables import write_csv, write_tsv
from diglot.corpus.verdicts import segment_id
from diglot.errors import UsageError
from diglot.review.sheets import read_verdicts, write_sheet

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1"]
PLAIN = ["", "1-1", "a=b", "'tis", " =1", "–1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_looks_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_stay(text: str) -> None:
    assert spreadsheet_cell(text) == text == text_of_cell(text)


@given(st.text(st.sampled_from("'=+-@\t\rab "), max_size=6))
@example("''=1")
def test_the_text_comes_back_and_is_no_formula(text: str) -> None:
    cell = spreadsheet_cell(text)
    assert text_of_cell(cell) == text
    assert cell[:1] not in {"=", "+", "-", "@", "\t", "\r"}


def test_csv_and_tsv_are_data_unless_they_are_for_a_spreadsheet(tmp_path: Path) -> None:
    table = pa.table({"src": FORMULAS[:4], "score": pa.array([-1.0] * 4, pa.float32())})
    for spreadsheet in (False, True):
        write_csv(tmp_path / "a.csv", table, spreadsheet=spreadsheet)
        write_tsv(tmp_path / "a.tsv", table, ("src", "score"), spreadsheet=spreadsheet)
        assert (tmp_path / "a.csv").read_bytes().startswith(codecs.BOM_UTF8) is spreadsheet
        expected = [[f"'{text}" if spreadsheet else text, "-1.0000"] for text in FORMULAS[:4]]
        assert list(csv.reader(io.StringIO((tmp_path / "a.csv").read_text())))[1:] == expected
        lines = (tmp_path / "a.tsv").read_text().splitlines()[1:]
        assert [line.split("\t") for line in lines] == expected


def test_a_sheet_is_safe_to_open_and_says_the_same_when_read(tmp_path: Path) -> None:
    row = {"src": '=HYPERLINK("http://evil.example","x")', "tgt": "-1", "src_lang": "en", "tgt_lang": "fr"}
    row |= {"src_url": "http://a.example/en", "tgt_url": "http://a.example/fr"}
    path = tmp_path / "sheet.tsv"
    write_sheet(pa.Table.from_pylist([row]), path, title="run")
    head, line = (each.split("\t") for each in path.read_text().splitlines())
    assert not [cell for cell in line if cell[:1] in ("=", "-")]
    # Judged by the texts alone: the id was lost on the way.
    cells = dict(zip(head, line, strict=True)) | {"id": "", "verdict": "right"}
    path.write_text("\n".join("\t".join(each) for each in (cells, cells.values())), encoding="utf-8")
    assert [each.id for each in read_verdicts(path).rows] == [segment_id(row)]


def test_a_full_disk_for_the_parts_of_a_workbook_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(workbook: Any) -> None:
        for sheet in workbook.worksheets():
            sheet.row_data_fh.close()
        raise OSError(errno.ENOSPC, "No space left on device")

    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr("xlsxwriter.workbook.Workbook._store_workbook", fill)
    with pytest.raises(UsageError, match=r"a\.xlsx: cannot be written \(the disk is full"):
        write_sheets(tmp_path / "a.xlsx", [{"src": "text"}], [SheetColumn("src", 20)], name="terms")
    assert [*tmp_path.rglob("*")] == [temporary]


@pytest.mark.parametrize(
    ("number", "raised", "said"),
    [
        (errno.ENOSPC, UsageError, r"a\.xlsx: cannot be written \(the disk is full; free space\); .* \(TMPDIR\)"),
        (errno.ENOENT, FileNotFoundError, "in.parquet"),
    ],
)
def test_rows_that_cannot_be_read_are_no_error_of_the_workbook(
    number: int, raised: type[Exception], said: str, tmp_path: Path
) -> None:
    def rows() -> Iterator[dict[str, str]]:
        yield {"src": "text"}
        raise OSError(number, os.strerror(number), "in.parquet" if number == errno.ENOENT else None)

    with pytest.raises(raised, match=said):
        write_sheets(tmp_path / "a.xlsx", rows(), [SheetColumn("src", 20)], name="terms")
    assert list(tmp_path.iterdir()) == []
