"""XLIFF, XLSX, vertical text and the conflict sheet: what a reader that is not ours finds in them."""

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from lxml import etree

from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.formats import FORMATS, Segments, check_formats, write_parts, writers
from diglot.corpus.formats.check import check_tmx
from diglot.corpus.formats.conflicts import write_conflicts
from diglot.corpus.formats.sheets import CELL_CHARS, CUT, SHEET_COLUMNS, write_xlsx
from diglot.corpus.formats.tmx import SegmentUnit, read_tmx
from diglot.corpus.formats.xliff import XLIFF12_NAMESPACE, XLIFF_NAMESPACE, write_xliff, write_xliff12
from diglot.corpus.verdicts import segment_id
from diglot.errors import LanguageError, UsageError
from diglot.records import FLAGGED_SCHEMA, SEGMENT_SCHEMA
from diglot.site import site_number

SCHEMA = Path("/usr/share/php/Symfony/Component/Translation/Resources/schemas/xliff-core-2.0.xsd")
"""The OASIS schema, as Debian's php-symfony-translation carries it, with W3C's xml.xsd beside it."""


SCHEMA_1_2 = SCHEMA.with_name("xliff-core-1.2-strict.xsd")


class XmlSchemaBeside(etree.XMLParser):
    """Finds the schema of xml:space and xml:lang beside that of XLIFF, which expects it in a folder below."""

    def __init__(self) -> None:
        super().__init__(no_network=True)
        self.resolvers.add(_Beside())


class _Beside(etree.Resolver):
    def resolve(self, url: str, public_id: str, context: Any) -> Any:
        return self.resolve_filename(str(SCHEMA.parent / "xml.xsd"), context) if url.endswith("/xml.xsd") else None


FORMS_OF_PAIRS = [form.name for form in FORMATS if form.write]
FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "{=A1}",
    '=HYPERLINK("http://a.example")',
    "http://a.example/",
    "007",
    "1e5",
]


def flagged(rows: list[tuple[str, str]], **other: Any) -> pa.Table:
    base = {"src_lang": "en", "tgt_lang": "fr", "score": 0.5, "bead": "1-1", "kind": 0, "flags": [], "fetched": ""}
    base |= {"src_page": 0, "tgt_page": 0}
    base |= {"src_url": "https://a.example/en", "tgt_url": "https://a.example/fr"} | other
    table = [base | {"src": src, "tgt": tgt, "position": n} for n, (src, tgt) in enumerate(rows)]
    return flag_segments(pa.Table.from_pylist(table, schema=SEGMENT_SCHEMA))


def of_site(name: str, table: pa.Table) -> pa.Table:
    return table.append_column("site", pa.array([name] * table.num_rows, pa.string()))


def test_xliff_has_a_file_a_page_pair_and_notes(tmp_path: Path) -> None:
    units = [
        SegmentUnit("A <b> & \x02]]>", "Un", 0.5, "1-1", "s1", "t1", "2024-01-02T03:04:05Z", 0, ["names"]),
        SegmentUnit("Two", "Deux", 0.25, "2-1", "s1", "t1", "", 1, [], ["s3"], ["t3"]),
        SegmentUnit("Three", "Trois", 1, "1-1", "s2", "t2"),
        SegmentUnit("\x02", "nothing", 1, "1-1", "s2", "t2"),
    ]
    assert write_xliff(tmp_path / "x.xlf", units, src_lang="en", tgt_lang="pt-BR") == 3
    root = etree.parse(tmp_path / "x.xlf").getroot()
    names = {"x": XLIFF_NAMESPACE}
    assert (root.get("version"), root.get("srcLang"), root.get("trgLang")) == ("2.0", "en", "pt-BR")
    assert [file.get("original") for file in root.findall("x:file", names)] == ["s1", "s2"]
    assert root.xpath("//x:unit/@id", namespaces=names) == ["u1", "u2", "u3"]
    assert root.xpath("//x:source/text()", namespaces=names) == ["A <b> & ]]>", "Two", "Three"]
    assert root.xpath("//x:unit[1]//x:note[@category='flags']/text()", namespaces=names)[0] == "names"
    assert root.xpath("//x:note[@category='also-at']/text()", namespaces=names) == ["s3 t3"]
    assert root.xpath("//x:file[1]/x:notes/x:note[@category='fetched']/text()", namespaces=names) == [units[0].fetched]


@pytest.mark.skipif(
    not SCHEMA.exists(), reason="the schema of XLIFF is absent (Debian package php-symfony-translation)"
)
def test_xliff_is_valid_by_the_schema_of_its_standard(tmp_path: Path) -> None:
    schema = etree.XMLSchema(etree.parse(SCHEMA, XmlSchemaBeside()))
    full = SegmentUnit(
        "A", "B", 0.5, "1-1", "s", "t", "2024-01-02T03:04:05Z", 0, ["names"], ["o"], ["p"], "zh-Hant", "sr-Latn"
    )
    write_xliff(
        tmp_path / "x.xlf", [full, SegmentUnit("Two", "Deux", 1, "1-1", "s2", "t2")], src_lang="zh", tgt_lang="sr"
    )
    document = etree.parse(tmp_path / "x.xlf")
    schema.assertValid(document)
    document.find(f".//{{{XLIFF_NAMESPACE}}}unit").attrib.pop("id")
    assert not schema.validate(document)


def test_xliff_1_2_says_the_same(tmp_path: Path) -> None:
    units = [
        SegmentUnit("A <b> & \x02]]>", "Un", 0.5, "1-1", "s1", "t1", "2024-01-02T03:04:05Z", 0, ["names"]),
        SegmentUnit("Two", "Deux", 0.25, "2-1", "s1", "t1", "", 1, [], ["s3"], ["t3"]),
        SegmentUnit("Three", "Trois", 1, "1-1", "s2", "t2"),
    ]
    assert write_xliff12(tmp_path / "x.xlf", units, src_lang="en", tgt_lang="pt-BR") == 3
    root = etree.parse(tmp_path / "x.xlf").getroot()
    names = {"x": XLIFF12_NAMESPACE}
    assert root.get("version") == "1.2"
    files = root.findall("x:file", names)
    assert [file.get("original") for file in files] == ["s1", "s2"]
    assert {(file.get("source-language"), file.get("target-language")) for file in files} == {("en", "pt-BR")}
    assert root.xpath("//x:trans-unit/@id", namespaces=names) == ["u1", "u2", "u3"]
    assert root.xpath("//x:source/text()", namespaces=names) == ["A <b> & ]]>", "Two", "Three"]
    assert root.xpath("//x:target[@state='translated']/text()", namespaces=names) == ["Un", "Deux", "Trois"]
    assert root.xpath("//x:trans-unit[1]/x:note[@from='flags']/text()", namespaces=names) == ["names"]
    assert root.xpath("//x:note[@from='also-at']/text()", namespaces=names) == ["s3 t3"]
    if SCHEMA_1_2.exists():
        etree.XMLSchema(etree.parse(SCHEMA_1_2, XmlSchemaBeside())).assertValid(root)


@pytest.mark.parametrize(
    ("flags", "is_vouched"),
    [([], False), (["names", "judged_right"], True), (["corrected"], True), (["judged_partly"], False)],
)
def test_what_a_person_answers_for_is_reviewed(flags: list[str], is_vouched: bool, tmp_path: Path) -> None:
    units = [SegmentUnit("One", "Un", 0.5, "1-1", "s1", "t1", flags=flags)]
    write_xliff(tmp_path / "x.xlf", units, src_lang="en", tgt_lang="fr")
    write_xliff12(tmp_path / "y.xlf", units, src_lang="en", tgt_lang="fr")
    two, one = (etree.parse(tmp_path / name) for name in ("x.xlf", "y.xlf"))
    assert two.xpath("//*[local-name()='segment']/@state") == ["reviewed" if is_vouched else "translated"]
    assert one.xpath("//*[local-name()='trans-unit']/@approved") == ["yes"] * is_vouched
    for schema, document in ((SCHEMA, two), (SCHEMA_1_2, one)):
        if schema.exists():
            etree.XMLSchema(etree.parse(schema, XmlSchemaBeside())).assertValid(document)


def test_xliff_of_nothing_is_no_file(tmp_path: Path) -> None:
    assert write_xliff(tmp_path / "x.xlf", [], src_lang="en", tgt_lang="fr") == 0
    assert not (tmp_path / "x.xlf").exists()
    with pytest.raises(LanguageError, match="zh_CN"):
        write_xliff(tmp_path / "x.xlf", [], src_lang="en", tgt_lang="zh_CN")


def test_xlsx_cells_are_text_and_nothing_else(tmp_path: Path) -> None:
    table = flagged([(formula, f"{formula} ") for formula in FORMULAS] + [("x" * 40_000, "y")])
    for name in ("one.xlsx", "two.xlsx"):
        assert write_xlsx(tmp_path / name, table) == len(FORMULAS) + 1
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.xlsx") as archive:
        sheet = etree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        assert not any("hyperlink" in name.lower() for name in archive.namelist())
    main = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    assert sheet.xpath("//m:f", namespaces=main) == []
    texts = sheet.xpath("//m:c[starts-with(@r, 'A')]//m:t/text()", namespaces=main)
    assert texts[1:-1] == FORMULAS
    assert texts[-1] == "x" * (CELL_CHARS - len(CUT)) + CUT


def test_a_sheet_can_be_filtered_judged_and_corrected(tmp_path: Path) -> None:
    """What a spreadsheet program is told: a filter over all rows, a list of verdicts, names and ids to read back by."""
    table = flagged([("One", "Un"), ("Two", "Deux")])
    write_xlsx(tmp_path / "a.xlsx", table, name="en-fr")
    main = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        sheet = etree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        (name,) = etree.fromstring(archive.read("xl/workbook.xml")).xpath("//m:sheet/@name", namespaces=main)
        notes = etree.fromstring(archive.read("xl/comments1.xml")).xpath("//m:comment", namespaces=main)
    assert name == "en-fr"
    last = chr(ord("A") + len(SHEET_COLUMNS) - 1)
    assert sheet.find("m:autoFilter", main).get("ref") == f"A1:{last}3"
    (rule,) = sheet.findall("m:dataValidations/m:dataValidation", main)
    assert (rule.get("sqref"), rule.get("type")) == ("C2:C3", "list")
    assert rule.findtext("m:formula1", namespaces=main) == '"right,partly,wrong,unsure"'
    head = sheet.xpath("//m:row[@r='1']//m:t/text()", namespaces=main)
    assert head == [column.name for column in SHEET_COLUMNS]
    assert {"id", "verdict", "src", "tgt", "corrected_src", "corrected_tgt", "src_url", "tgt_url"} <= set(head)
    assert len(notes) == len(head)
    ids = [sheet.xpath(f"//m:c[@r='{last}{line}']//m:t/text()", namespaces=main)[0] for line in (2, 3)]
    assert ids == [segment_id(row) for row in table.to_pylist()]
    assert sheet.xpath("//m:c[@r='C2' or @r='D2' or @r='E3']//m:t", namespaces=main) == []


def test_vertical_text_and_its_map(tmp_path: Path) -> None:
    table = flagged([("Don't <stop>, now.", "N'arrêtez pas."), ("中文 ok here", "Et voilà donc")])
    Segments(table, "en", "fr").write(tmp_path, "vertical")
    lines = (tmp_path / "en-fr.en.vert").read_text(encoding="utf-8").splitlines()
    assert lines[0] == '<doc url="https://a.example/en">'
    assert lines[1].startswith('<align score="0.5000" bead="1-1"')
    first = lines[2 : lines.index("</align>")]
    assert first == ["Don't", "&lt;", "<g/>", "stop", "<g/>", ">", "<g/>", ",", "now", "<g/>", "."]
    assert lines[lines.index("中") : lines.index("中") + 3] == ["中", "<g/>", "文"]
    assert lines.count("</align>") == 2
    assert lines[-1] == "</doc>"
    assert (tmp_path / "en-fr.map").read_text() == "0\t0\n1\t1\n"


def on_pages(table: pa.Table, src_page: int, tgt_page: int) -> pa.Table:
    """The segments, of two documents with pages."""
    for name, page in (("src_page", src_page), ("tgt_page", tgt_page)):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(name), pa.array([page] * len(table), pa.int32()))
    return table


def test_segments_of_documents_have_their_page_in_vertical_text_and_the_conflict_sheet(tmp_path: Path) -> None:
    rows = [("Open the image", "Ouvrir l'image"), ("Open the image", "Ouvrez-la")]
    table = on_pages(flagged(rows), 12, 0)
    Segments(table, "en", "fr").write(tmp_path, "vertical")
    assert ' page="12">' in (tmp_path / "en-fr.en.vert").read_text(encoding="utf-8").splitlines()[1]
    assert "page=" not in (tmp_path / "en-fr.fr.vert").read_text(encoding="utf-8")
    write_conflicts(tmp_path / "c.tsv", of_site("a", table))
    lines = [line.split("\t")[5:] for line in (tmp_path / "c.tsv").read_text(encoding="utf-8").splitlines()]
    assert lines[1:] == [["https://a.example/en#page=12", "https://a.example/fr"]] * 2


def test_the_conflict_sheet_names_the_one_that_is_kept(tmp_path: Path) -> None:
    rows = [
        ("Open the image", "Ouvrir l'image"),
        ("Close the image", "Fermer l'image"),
        ("Open the image", "Ouvrez-la"),
    ]
    table = flagged(rows)
    assert write_conflicts(tmp_path / "c.tsv", of_site("a", table)) == 2
    lines = [line.split("\t")[:5] for line in (tmp_path / "c.tsv").read_text(encoding="utf-8").splitlines()]
    assert lines[1:] == [
        ["Open the image", "Ouvrir l'image", "yes", "0.5000", "1"],
        ["Open the image", "Ouvrez-la", "no", "0.5000", "1"],
    ]
    assert write_conflicts(tmp_path / "none.tsv", of_site("a", table.slice(0, 2))) == 0


def test_what_was_not_kept_stands_best_first_and_then_by_its_text(tmp_path: Path) -> None:
    table = flagged([("Open the image", made) for made in ("kept", "worst", "better", "as good")])
    place = table.schema.get_field_index("score")
    table = table.set_column(place, table.schema.field(place), pa.array([0.5, 0.2, 0.4, 0.4], pa.float32()))
    assert write_conflicts(tmp_path / "c.tsv", of_site("a", table)) == 4
    lines = [line.split("\t") for line in (tmp_path / "c.tsv").read_text(encoding="utf-8").splitlines()]
    assert [(line[1], line[3]) for line in lines[1:]] == [
        ("kept", "0.5000"),
        ("as good", "0.4000"),
        ("better", "0.4000"),
        ("worst", "0.2000"),
    ]


def test_a_second_translation_that_is_kept_stands_behind_the_first(tmp_path: Path) -> None:
    table = flagged([("Open the image", made) for made in ("first", "weak", "second")])
    place = table.schema.get_field_index("score")
    table = table.set_column(place, table.schema.field(place), pa.array([0.9, 0.4, 1.0], pa.float32()))
    lists = pa.array([[], ["conflict"], ["alternative"]], pa.list_(pa.string()))
    table = table.set_column(table.schema.get_field_index("flags"), "flags", lists)
    assert write_conflicts(tmp_path / "c.tsv", of_site("a", table)) == 3
    lines = [line.split("\t") for line in (tmp_path / "c.tsv").read_text(encoding="utf-8").splitlines()]
    assert [line[1:3] for line in lines[1:]] == [["first", "yes"], ["second", "yes"], ["weak", "no"]]
    assert write_conflicts(tmp_path / "kept.tsv", of_site("a", table.take([0, 2]))) == 2


@pytest.mark.parametrize("form", FORMS_OF_PAIRS)
def test_no_segments_in_every_format(form: str, tmp_path: Path) -> None:
    paths = Segments(FLAGGED_SCHEMA.empty_table(), "en", "fr").write(tmp_path, form)
    assert all(path.is_file() for path in paths)
    assert bool(paths) == (form not in ("xliff", "xliff12"))


def test_formats_that_are_not_known() -> None:
    with pytest.raises(UsageError, match="no format 'doc'; there are: tmx, tsv"):
        check_formats(["tmx", "doc"])
    with pytest.raises(UsageError, match="no format"):
        check_formats([])


def test_a_conflict_is_a_matter_of_one_site(tmp_path: Path) -> None:
    """Two sites, each with the same two translations: they stand site by site, in one table or in two."""
    rows = [("Open the image", "Ouvrir l'image"), ("Open the image", "Ouvrez-la")]
    sites = [of_site("a", flagged(rows)), of_site("b", flagged(rows, src_url="https://b.example/en"))]
    sites.sort(key=lambda table: site_number(table["site"][0].as_py()))
    assert write_conflicts(tmp_path / "two.tsv", iter(sites)) == 4
    assert write_conflicts(tmp_path / "one.tsv", pa.concat_tables(sites)) == 4
    lines = [line.split("\t") for line in (tmp_path / "two.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    assert [(kept, url) for _, _, kept, _, _, url, _ in lines] == [
        (kept, table["src_url"][0].as_py()) for table in sites for kept in ("yes", "no")
    ]
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "two.tsv").read_bytes()


def test_a_tmx_file_that_would_be_too_large_is_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five units, two a file, each file valid by itself and of the same header; files of other cuts
    are deleted, or keep another name where they were changed."""
    segments = Segments(
        flagged([(f"Page {word}", f"Feuille {word}") for word in ["one", "two", "three", "four", "five"]]), "en", "fr"
    )
    (whole,) = segments.write(tmp_path, "tmx")
    units = list(read_tmx(whole))
    monkeypatch.setattr(writers, "TMX_UNITS", 2)
    paths = segments.write(tmp_path, "tmx")
    assert [path.name for path in paths] == [f"en-fr.0000{number}.tmx" for number in (1, 2, 3)]
    assert not whole.exists()
    assert all(check_tmx(path).ok for path in paths)
    assert [unit for path in paths for unit in read_tmx(path)] == units
    assert len({path.read_text("utf-8").partition("<body>")[0] for path in paths}) == 1
    (tmp_path / "en-fr.notes.tmx").write_text("mine")
    paths[2].write_text("changed")
    monkeypatch.setattr(writers, "TMX_UNITS", 4)
    assert len(segments.write(tmp_path, "tmx")) == 2
    assert sorted(path.name for path in tmp_path.glob("*.tmx")) == [
        *("en-fr.00001.tmx", "en-fr.00002.tmx", "en-fr.notes.tmx")
    ]
    assert sorted(path.name for path in tmp_path.glob("*.yours")) == ["en-fr.00003.tmx.yours"]
    monkeypatch.setattr(writers, "TMX_UNITS", 5)
    segments.write(tmp_path, "tmx")
    assert sorted(path.name for path in tmp_path.glob("*.tmx")) == ["en-fr.notes.tmx", "en-fr.tmx"]


def test_parts_give_the_bytes_of_the_whole(tmp_path: Path) -> None:
    table = flagged([(f"Page {word}", f"Feuille {word}") for word in ["one", "two", "three", "four", "five"]])
    whole = Segments(table, "en", "fr")

    def parts() -> Iterator[Segments]:
        return (replace(whole, table=table.slice(start, 2)) for start in range(0, 6, 2))

    for form in FORMS_OF_PAIRS:
        names = [path.name for path in write_parts(tmp_path / "parts", parts, form)]
        assert names == [path.name for path in whole.write(tmp_path / "whole", form)]
        for name in names if form != "xlsx" else ():
            assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_below_the_least_score_no_translation_is_kept(tmp_path: Path) -> None:
    table = flagged([("Open the image", "Ouvrir l'image"), ("Open the image", "Ouvrez-la")])
    for least, kept in ((0.5, ["yes", "no"]), (0.6, ["no", "no"])):
        assert write_conflicts(tmp_path / "c.tsv", of_site("a", table), least) == 2
        lines = (tmp_path / "c.tsv").read_text(encoding="utf-8").splitlines()[1:]
        assert [line.split("\t")[2] for line in lines] == kept
