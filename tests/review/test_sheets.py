"""Verdicts and corrections as people hand them in, in whatever order of columns; what cannot be meant is named."""

from __future__ import annotations

import csv
import io
import time
import zipfile
from pathlib import Path

import pytest
import xlsxwriter

from diglot.corpus.formats import workbook
from diglot.corpus.formats.workbook import read_rows
from diglot.corpus.verdicts import segment_id
from diglot.errors import SourceError
from diglot.outputs.made_files import strike_lines
from diglot.review import sheets
from diglot.review.sheets import SHEET_COLUMNS, VerdictRow, read_verdicts

SEGMENT = {"src": "A cat.", "tgt": "Un chat.", "src_url": "http://a.example/en", "tgt_url": "http://a.example/fr"}


def test_columns_are_known_by_their_names_and_a_segment_by_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "v.tsv"
    lines = [
        ["Corrected_tgt", "note", "verdict", "id", *SEGMENT],
        ["", "x", "Accept", "one", "", "", "", ""],
        ["", "", "", "two", "", "", "", ""],
        [" Le chat. ", "", "reject", "", *SEGMENT.values()],
        ["Le chat.", "", "", "four"],
        [],
    ]
    path.write_text("\r\n".join("\t".join(cells) for cells in lines), encoding="utf-8-sig")
    found = read_verdicts(path)
    assert found.rows == (
        VerdictRow("one", "right"),
        VerdictRow(segment_id(SEGMENT), "wrong", "", "Le chat."),
        VerdictRow("four", "", "", "Le chat."),
    )
    assert (found.open, found.listed) == (1, None)  # a row without an id: no sheet of a sample


@pytest.mark.parametrize("mark", "\t,;")
def test_all_cells_may_be_quoted(mark: str, tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    rows = [["id", "verdict", "corrected_tgt"], ["a", "y", 'Il dit "non"'], ["b", "", f"deux{mark}mots"]]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL).writerows(rows)
    expected = VerdictRow("a", "right", "", 'Il dit "non"'), VerdictRow("b", "", "", f"deux{mark}mots")
    assert read_verdicts(path).rows == expected


def test_two_rows_on_a_segment_must_agree(tmp_path: Path) -> None:
    path = tmp_path / "v.tsv"
    head = "id\tverdict\tcorrected_tgt\n"
    path.write_text(f"{head}a\ty\nb\ty\na\tright\n")
    assert read_verdicts(path).rows == (VerdictRow("a", "right"), VerdictRow("b", "right"))
    for other in ("n", "y\tLe chat."):
        path.write_text(f"{head}a\ty\nb\ty\na\t{other}\n")
        with pytest.raises(SourceError, match="line 4: line 2 judges this segment differently; leave one of the rows"):
            read_verdicts(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id\tverdict\na\tmaybe\n", "line 2: verdict 'maybe'"),
        (b"id\tverdict\nb\ty\n\ty\n", "line 3: a verdict on no segment"),
        (b"a\tb\n", "names no column verdict"),
        (
            b'<?xml version="1.0"?>\n<xliff version="2.0"><file>',
            "v.tsv: an XLIFF file, .* they come back by .xlsx, .csv or",
        ),
        (b'<tmx version="1.4"><header/>', "v.tsv: a translation memory, from which Diglot takes no verdicts"),
        (b"", "names no column verdict"),
        (b"src\ttgt\tverdict\na\tb\ty\n", "names no column verdict"),
        (b"id;verdict\na;maybe\n", "line 2: verdict 'maybe'"),
        (b"sep=;\nid;verdict\na;maybe\n", "line 3: verdict 'maybe'"),
        (b'id,verdict\n"' + b"a" * 140_000 + b'",y\n', "line 2: field larger"),
        (b"id\tverdict\n\xff", "not UTF-8 at byte 11"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "v.tsv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=said):
        read_verdicts(path)
    with pytest.raises(SourceError, match="cannot be read"):
        read_verdicts(tmp_path / "none.tsv")
    with pytest.raises(SourceError, match="save them from it"):
        read_verdicts(tmp_path / "sheet.html")


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ('a;;"un\nb;y;\nc;n;\n', 2),
        ('a;;"un\nb;y;\nc;n;', 2),
        ('a;y;\nb;;"un', 3),
        ('a;y;\nb;;"un\n', 3),
        ('a;;"un\nb;y;\nc;;"deux"\nd;n;\n', 2),
        ('a;;"un\ndeux" trois\n', 2),
        ('a;;"un\ndeux" "trois" \n', 2),
        ('a;;"un\ndeux"\nb;;"trois\nc;n;\n', 4),
    ],
)
def test_a_quote_that_ends_nowhere_swallows_no_rows(tmp_path: Path, rows: str, line: int) -> None:
    path = tmp_path / "v.csv"
    path.write_text(f"id;verdict;corrected_tgt\n{rows}")
    with pytest.raises(SourceError, match=f"v.csv: line {line}: a cell begins with a quote"):
        read_verdicts(path)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('un 5" disque', 'un 5" disque'),
        ('un "deux" trois', 'un "deux" trois'),
        ('"un" deux', "un deux"),
        ('"un\ndeux"', "un\ndeux"),
        ('"un\ndeux" ', "un\ndeux"),
        ('"un "" ; "" \n""deux"" ; trois"  ', 'un " ; " \n"deux" ; trois'),
        ('"un ""deux""\n\ntrois"', 'un "deux"\n\ntrois'),
    ],
)
def test_stray_quotes_and_cells_of_several_lines_are_read(tmp_path: Path, cell: str, text: str) -> None:
    path = tmp_path / "v.csv"
    for end in ("", "\n"):
        path.write_text(f"id;verdict;corrected_tgt\na;;{cell}\nb;y;\nc;;{cell}{end}")
        assert read_verdicts(path).rows == (
            VerdictRow("a", "", "", text),
            VerdictRow("b", "right"),
            VerdictRow("c", "", "", text),
        )


@pytest.mark.parametrize("first", ["", "sep={}\r\n"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(";", "utf-8-sig"), (",", "utf-8-sig"), ("\t", "utf-8-sig"), ("\t", "utf-16"), (";", "utf-16")],
)
def test_a_sheet_that_a_spreadsheet_saved_with_other_marks_is_read(
    tmp_path: Path, mark: str, encoding: str, first: str
) -> None:
    path = tmp_path / "v.csv"
    quotes_nothing = (mark, encoding) == ("\t", "utf-8-sig")
    with path.open("w", encoding=encoding, newline="") as file:
        file.write(first.format(mark))
        writer = csv.writer(file, delimiter=mark)
        writer.writerows([["id", "verdict", "src", "corrected_tgt"], ["a", "right", "x; y, z", ""]])
        writer.writerow(["b", "", "", "'=1; 2" if quotes_nothing else '\'=1; "2",\n3'])
    end = "=1; 2" if quotes_nothing else '=1; "2",\n3'
    assert read_verdicts(path).rows == (VerdictRow("a", "right"), VerdictRow("b", "", "", end))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_of_a_forgotten_address_are_struck_from_a_sheet(tmp_path: Path, encoding: str) -> None:
    gone = "http://a.example/x,1" if encoding == "utf-16" else "http://a.example/x"
    path = tmp_path / "v.txt"
    quoted = f'"{gone}"' if "," in gone else gone
    lines = ["\t".join(["id", "right", "a", "b", "en", "fr", url, url]) for url in (quoted, "http://a.example/y")]
    head = "\t".join(SHEET_COLUMNS)
    path.write_bytes("\r\n".join([head, *lines, ""]).encode(encoding))
    strike_lines(tmp_path, lambda url: url == gone)
    assert path.read_bytes() == "\r\n".join([head, lines[1], ""]).encode(encoding)


@pytest.mark.parametrize("shared", [True, False])
def test_a_workbook_says_the_same_as_lines(tmp_path: Path, shared: bool) -> None:
    path = tmp_path / "v.xlsx"
    odd = 'x < y & "z"\n_x0041_ \u00e9 \U0001f600 =1+1'
    with xlsxwriter.Workbook(path, {"constant_memory": not shared}) as book:
        book.add_worksheet("about").write_string(0, 0, "How to judge")
        sheet = book.add_worksheet("judge")
        sheet.write_string(0, 0, "A title above the columns")
        for column, name in enumerate(["verdict", "score", *SEGMENT, "corrected_tgt"]):
            sheet.write_string(2, column, name)
        for row, (verdict, correction) in enumerate([("p", odd), ("", ""), (1, "")], start=3):
            cells = [verdict, 0.5, *({**SEGMENT, "src": f"cat {row}"}).values(), correction]
            for column, cell in enumerate(cells):
                (sheet.write_number if isinstance(cell, int | float) else sheet.write_string)(row, column, cell)
    found = read_verdicts(path)
    names = [segment_id({**SEGMENT, "src": f"cat {row}"}) for row in (3, 5)]
    assert found.rows == (VerdictRow(names[0], "partly", "", odd), VerdictRow(names[1], "right"))
    assert found.open == 1


def packed(sheet: str, *, shared: str = "", name: str = "xl/worksheets/sheet1.xml") -> bytes:
    """The least that is a workbook to us."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(name, sheet)
        if shared:
            book.writestr("xl/sharedStrings.xml", shared)
    return file.getvalue()


def rows_in(path: Path, content: bytes) -> list[dict[int, str]]:
    path.write_bytes(content)
    return [row for _, _, row in read_rows(path)]


def test_cells_that_other_programs_write(tmp_path: Path) -> None:
    cells = (
        '<c r="B1" t="s"><v>1</v></c><c t="str"><f>A1</f><v>sum</v></c><c r="AA1" t="inlineStr"><is><r><t>in</t></r>'
        "<rPh><t>said</t></rPh><r><t>line</t></r></is></c><c r='XFD1'><v>9</v></c><c r='D1' t='s'><v>77</v></c>"
    )
    sheet = f"<worksheet xmlns='urn:x'><sheetData><row>{cells}</row><row/></sheetData></worksheet>"
    shared = "<sst xmlns='urn:x'><si><t>zero</t></si><si><t>o</t><t>_x005F_x0041_ne</t></si></sst>"
    assert rows_in(tmp_path / "v.xlsx", packed(sheet, shared=shared)) == [
        {1: "o_x0041_ne", 2: "sum", 26: "inline"},
        {},
    ]


def test_attacks_by_workbook_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "v.xlsx"
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><worksheet><row><c><v>&b;</v></c></row></worksheet>'
    outside = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><worksheet/>'
    for sheet in (laughs, outside):
        with pytest.raises(SourceError, match="has a DOCTYPE"):
            rows_in(path, packed(sheet))
    with pytest.raises(SourceError, match="a cell of more than"):
        rows_in(path, packed(f"<worksheet><row><c><v>{'x' * (workbook.MAX_CELL_CHARS + 1)}</v></c></row></worksheet>"))
    monkeypatch.setattr(workbook, "MAX_FILE_BYTES", 50)
    with pytest.raises(SourceError, match="more than 50 bytes"):
        rows_in(path, packed("<worksheet/>"))
    monkeypatch.undo()
    monkeypatch.setattr(workbook, "MAX_UNPACKED_BYTES", 1 << 20)
    with pytest.raises(SourceError, match="bytes unpacked"):
        rows_in(path, packed(f"<worksheet>{'<row/>' * (1 << 18)}</worksheet>"))
    monkeypatch.setattr(workbook, "MAX_SHARED_CHARS", 100)
    with pytest.raises(SourceError, match="characters; cut it"):
        rows_in(path, packed("<worksheet/>", shared=f"<sst>{'<si><t>abcdefgh</t></si>' * 20}</sst>"))


def test_workbooks_that_would_be_held_whole_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, began = tmp_path / "v.xlsx", time.process_time()
    bombs = {
        "a tag or comment of more than": f"<worksheet a='{'x' * 20_000_000}'/>",
        "within each other": "<worksheet>" + "<a>" * 100_000,
        "more than 10,000 names": f"<worksheet>{''.join(f'<x{n}/>' for n in range(20_000))}</worksheet>",
        "10,000 names": f"<worksheet>{''.join(f'<x xmlns:p{n}=%r/>' % 'u' for n in range(20_000))}</worksheet>",
    }
    for said, sheet in bombs.items():
        for content in (packed(sheet), packed("<worksheet/>", shared=sheet)):
            with pytest.raises(SourceError, match=said):
                rows_in(path, content)
    assert time.process_time() - began < 5
    monkeypatch.setattr(workbook, "MAX_CHARS", 1000)
    cells = "<row><c t='s'><v>0</v></c></row>"
    shared = f"<sst><si><t>{'x' * 100}</t></si></sst>"
    assert len(rows_in(path, packed(f"<worksheet>{cells * 10}</worksheet>", shared=shared))) == 10
    with pytest.raises(SourceError, match="more than 1,000 characters"):
        rows_in(path, packed(f"<worksheet>{cells * 11}</worksheet>", shared=shared))


@pytest.mark.parametrize("name", ["v.ods", "v.ODS", "v.xls"])
def test_a_workbook_of_another_kind_is_to_be_saved_as_xlsx(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PK\3\4\xff\0")
    with pytest.raises(SourceError, match=r"a workbook of another kind; save it as \.xlsx \(Excel\)"):
        read_verdicts(tmp_path / name)


@pytest.mark.parametrize("name", ["v.xlsx", "v.tsv"])
def test_corrections_that_would_not_fit_in_memory_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "MAX_CORRECTED_CHARS", 1000)
    path, head, text = tmp_path / name, ("id", "verdict", "corrected_src"), "x" * 100
    for count in (10, 11):
        if name == "v.tsv":
            path.write_text(
                "\n".join("\t".join(row) for row in [head, *((str(row), "y", text) for row in range(count))])
            )
        else:
            titles = "".join(f"<c t='str'><v>{title}</v></c>" for title in head)
            cells = "<c t='str'><v>y</v></c><c t='s'><v>0</v></c>"
            rows = (f"<row><c t='str'><v>{row}</v></c>{cells}</row>" for row in range(count))
            sheet = f"<worksheet><row>{titles}</row>{''.join(rows)}</worksheet>"
            path.write_bytes(packed(sheet, shared=f"<sst><si><t> {text}</t></si></sst>"))
        if count == 10:
            assert len(read_verdicts(path).rows) == 10
        else:
            with pytest.raises(SourceError, match=rf"{name}: .*12: corrections of more than 1,000 char.*cut it into"):
                read_verdicts(path)


def test_a_formula_without_a_result_is_refused(tmp_path: Path) -> None:
    """Spreadsheet programs store the result, be it an empty text; a script that writes ``=...`` stores none."""
    row = "<row r='5'><c r='C5' t='str'><f>T(A5)</f><v></v></c>{}</row>"
    assert rows_in(tmp_path / "v.xlsx", packed(f"<worksheet>{row.format('')}</worksheet>")) == [{}]
    cell = "<c r='E5'><f>CONCAT(A5)</f><v/></c>"
    with pytest.raises(SourceError, match=r"v\.xlsx: E5 is a formula without a result, .* as text"):
        rows_in(tmp_path / "v.xlsx", packed(f"<worksheet>{row.format(cell)}</worksheet>"))


@pytest.mark.parametrize(("kind", "column", "is_refused"), [("e", "C", True), ("str", "C", False), ("e", "D", False)])
def test_an_error_in_a_cell_is_no_correction(kind: str, column: str, is_refused: bool, tmp_path: Path) -> None:
    """A text such as ``=Une phrase`` that a spreadsheet takes for a formula; a column of the user's own may hold it."""
    head = "".join(
        f"<c r='{place}' t='str'><v>{name}</v></c>"
        for place, name in {"A1": "id", "B1": "verdict", "C1": "corrected_tgt", "D1": "my notes"}.items()
    )
    cells = f"<c r='A2' t='str'><v>0a</v></c><c r='{column}2' t='{kind}'><f>Une phrase</f><v>#NAME?</v></c>"
    path = tmp_path / "v.xlsx"
    path.write_bytes(packed(f"<worksheet><row r='1'>{head}</row><row r='2'>{cells}</row></worksheet>"))
    if is_refused:
        with pytest.raises(SourceError, match=r"v\.xlsx: sheet 1, row 2: corrected_tgt shows the error #NAME\?; write"):
            read_verdicts(path)
    else:
        found = read_verdicts(path).rows
        assert [row.corrected_tgt for row in found] == (["#NAME?"] if column == "C" else [])


def test_escapes_and_numbers_that_no_program_writes(tmp_path: Path) -> None:
    cells = ["<c><v>a_xD800_b</v></c>", "<c><v>_xD83D__xDE00_</v></c>", f"<c t='s'><v>{'9' * 5000}</v></c>"]
    sheet = f"<worksheet><row>{''.join(cells)}</row></worksheet>"
    assert rows_in(tmp_path / "v.xlsx", packed(sheet, shared="<sst/>")) == [{0: "a\ufffdb", 1: "\U0001f600"}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed("<?xml version='1.0' encoding='base64'?><worksheet/>"), "cannot be read as a workbook"),
        (packed("<?xml version='1.0' encoding='utf-7'?><worksheet/>"), "cannot be read as a workbook"),
        (b"PK\x03\x04 and no more", "cannot be read as a workbook"),
        (b"id\tverdict\n", "cannot be read as a workbook"),
        (packed("<worksheet><row>"), "cannot be read as a workbook"),
        (packed("<worksheet/>", name="word/document.xml"), "without sheets"),
        (packed("<worksheet/>"), "names no column verdict"),
    ],
)
def test_files_that_are_no_workbook_are_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "v.xlsx"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=said):
        read_verdicts(path)
