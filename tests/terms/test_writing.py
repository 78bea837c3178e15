"""Terms as files, read back as other programs read them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from lxml import etree

from diglot.errors import LanguageError, UsageError
from diglot.terms.rows import Terms
from diglot.terms.table import TERM_SCHEMA
from diglot.terms.writing import COLUMNS, TBX_NAMESPACE, write_tbx, write_terms

NS = f"{{{TBX_NAMESPACE}}}"
CHILDREN = {
    "tbx": ["tbxHeader", "text"],
    "tbxHeader": ["fileDesc"],
    "fileDesc": ["sourceDesc"],
    "sourceDesc": ["p"],
    "text": ["body"],
    "body": ["conceptEntry"],
    "conceptEntry": ["note", "langSec"],
    "langSec": ["termSec"],
    "termSec": ["term", "termNote", "descripGrp", "xref"],
    "descripGrp": ["descrip", "admin"],
}
"""What may stand in each element that we write, in this order (ISO 30042:2019, core structure)."""
TYPES = {"descrip": {"context"}, "admin": {"source"}, "xref": {"externalCrossReference"}, "termNote": {"termType"}}
"""Data categories of TBX-Basic that we use; their places are those of :data:`CHILDREN`."""


def term(**changes: object) -> dict[str, object]:
    usual: dict[str, object] = {
        field.name: [] if pa.types.is_list(field.type) else "" if field.type == pa.string() else 1
        for field in TERM_SCHEMA
    }
    return {
        **usual,
        "src": "wheel",
        "tgt": "roue",
        "src_lang": "en",
        "tgt_lang": "fr",
        "probability": 0.98,
        "inconsistent": False,
        **changes,
    }


def terms(*rows: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=TERM_SCHEMA)


HOSTILE = term(
    src='a\tb <i> & "c"\u2028',
    tgt="=1+1\x02",
    rivals=["d\te", "f"],
    inconsistent=True,
    tgt_forms=["]]>"],
    example_srcs=["one\ntwo"],
    example_tgts=["<b>"],
    example_src_urls=['https://a.example/?x="1"&y=<2>'],
    example_tgt_urls=["file:///b"],
)


def check_tbx(path: Path) -> etree._Element:
    root = etree.parse(str(path)).getroot()
    assert (root.tag, root.get("type"), root.get("style")) == (f"{NS}tbx", "TBX-Basic", "dca")
    ids = [each.get("id") for each in root.iter(f"{NS}conceptEntry")]
    assert all(ids)
    assert len(set(ids)) == len(ids) > 0
    for element in root.iter():
        name = element.tag.removeprefix(NS)
        order = [CHILDREN.get(name, []).index(child.tag.removeprefix(NS)) for child in element]
        assert order == sorted(order)
        assert element.get("type") in TYPES.get(name, {None, "TBX-Basic"})
        assert name not in CHILDREN or not (element.text or "").strip()
    for entry in root.iter(f"{NS}conceptEntry"):
        assert len(entry.findall(f"{NS}langSec")) == 2
        assert all(section.find(f"{NS}termSec/{NS}term").text for section in entry.iter(f"{NS}langSec"))
    return root


def test_tbx_is_built_as_its_standard_asks(tmp_path: Path) -> None:
    assert write_tbx(tmp_path / "t.tbx", terms(HOSTILE, term(src_forms=["wheels"]))) == 2
    root = check_tbx(tmp_path / "t.tbx")
    texts = [each.text for each in root.iter(f"{NS}term")]
    assert texts == ['a b <i> & "c"\u2028', "=1+1", "]]>", "wheel", "wheels", "roue"]
    assert [each.get("target") for each in root.iter(f"{NS}xref")] == ['https://a.example/?x="1"&y=<2>']
    assert "also: d e, f" in root.find(f".//{NS}note").text


OLD_NAMES = {
    "tbx": "martif",
    "tbxHeader": "martifHeader",
    "conceptEntry": "termEntry",
    "langSec": "langSet",
    "termSec": "tig",
}
"""Elements of TBX of 2008 by their names of 2019."""


def test_tbx_of_2008_is_the_same_by_its_own_names(tmp_path: Path) -> None:
    table = terms(HOSTILE, term(src_forms=["wheels"]))
    paths = write_terms(table, tmp_path, ["tbx", "tbx2"], src_lang="en", tgt_lang="fr")
    assert [path.name for path in paths] == ["terms.en-fr.tbx", "terms.en-fr.v2.tbx"]
    new, old = (etree.parse(str(path)).getroot() for path in paths)
    (encoding,) = old.findall("martifHeader/encodingDesc")
    assert encoding.find("p").get("type") == "XCSURI"
    encoding.getparent().remove(encoding)
    assert (old.tag, old.get("type"), old.get("style")) == ("martif", "TBX", None)
    for one, other in zip(new.iter(), old.iter(), strict=True):
        name = one.tag.removeprefix(NS)
        assert other.tag == OLD_NAMES.get(name, name)
        assert (one.text or "").strip() == (other.text or "").strip()
        assert name == "tbx" or {**one.attrib} == {**other.attrib}


def test_tbx_of_nothing_is_no_file_and_a_language_must_be_one(tmp_path: Path) -> None:
    assert write_tbx(tmp_path / "t.tbx", terms()) == 0
    with pytest.raises(LanguageError, match="hbs_cyrillic"):
        write_tbx(tmp_path / "t.tbx", terms(term(tgt_lang="hbs_cyrillic")))
    assert not list(tmp_path.iterdir())


def test_a_glossary_has_three_fields_a_line(tmp_path: Path) -> None:
    (path,) = write_terms(terms(HOSTILE, term()), tmp_path, ["omegat"], src_lang="en", tgt_lang="fr")
    lines = path.read_bytes().decode("utf-8").split("\n")
    assert [line.split("\t")[:2] for line in lines[:-1]] == [['a b <i> & "c" ', "=1+1"], ["wheel", "roue"]]
    assert all(line.count("\t") == 2 for line in lines[:-1])
    assert "inconsistent, also: d e, f" in lines[0]
    assert lines[-1] == ""


def test_tables(tmp_path: Path) -> None:
    tsv, xlsx = write_terms(terms(HOSTILE, term()), tmp_path, ["tsv", "xlsx"], src_lang="en", tgt_lang="fr")
    head, *lines = tsv.read_text(encoding="utf-8").splitlines()
    assert tuple(head.split("\t")) == COLUMNS
    first = dict(zip(COLUMNS, lines[0].split("\t"), strict=True))
    assert (first["rivals"], first["inconsistent"], first["probability"]) == ("d e | f", "yes", "0.9800")
    with zipfile.ZipFile(xlsx) as book:
        strings = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in strings
    assert "=1+1" in strings


def test_the_same_terms_are_the_same_bytes(tmp_path: Path) -> None:
    names = ["tsv", "tbx", "tbx2", "omegat", "xlsx"]
    once, again = (
        write_terms(terms(HOSTILE), tmp_path / name, names, src_lang="en", tgt_lang="fr") for name in ("a", "b")
    )
    assert [path.read_bytes() for path in once] == [path.read_bytes() for path in again]


@pytest.mark.parametrize("names", [[], ["tbxx"]])
def test_a_format_must_be_known(names: list[str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tbx"):
        write_terms(terms(term()), tmp_path, names, src_lang="en", tgt_lang="fr")


def test_columns_of_a_workbook_are_as_wide_as_their_texts(tmp_path: Path) -> None:
    (path,) = write_terms(terms(term()), tmp_path, ["xlsx"], src_lang="en", tgt_lang="fr")
    with zipfile.ZipFile(path) as book:
        sheet = etree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    widths = {
        place: int(float(each.get("width")))
        for each in sheet.iter("{*}col")
        for place in range(int(each.get("min")), int(each.get("max")) + 1)
    }
    wide = {"src": 32, "tgt": 32, "rivals": 32, "src_forms": 24, "tgt_forms": 24}
    examples = [name for name in COLUMNS if name.startswith("example")]
    assert len(examples) == 4
    expected = {**dict.fromkeys(COLUMNS, 11), **wide, **dict.fromkeys(examples, 50)}
    assert [widths[place] for place in range(1, len(COLUMNS) + 1)] == [expected[name] for name in COLUMNS]


def test_terms_are_taken_by_place_and_shown_in_a_notebook() -> None:
    found = Terms(terms(*(term(src=f"term <{number}>") for number in range(12))), "en", "de")
    assert [each.src for each in found[:2]] == [found[0].src, found[1].src] == ["term <0>", "term <1>"]
    assert found[-1].src == "term <11>"
    assert found[12:] == []
    with pytest.raises(IndexError, match="no term 12: there are 12"):
        found[12]
    wrong: Any = "term"
    with pytest.raises(UsageError, match="give a number or a slice"):
        found[wrong]
    shown = found._repr_html_()
    assert "term &lt;9&gt;" in shown
    assert "term &lt;10&gt;" not in shown
    assert "10 of 12 terms" in shown
