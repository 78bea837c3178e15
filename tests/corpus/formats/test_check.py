"""Planted faults: each is found, named with its line, and nothing else is."""

import os
import random
import re
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from lxml import etree

from diglot.corpus.formats import check, tmx
from diglot.corpus.formats.check import SHOWN_PROBLEMS, CheckReport, Problem, check_tmx
from diglot.corpus.formats.tmx import read_tmx
from diglot.corpus.formats.xml_bounds import MAX_UNIT_BYTES
from diglot.errors import SourceError

DTD = Path(os.environ.get("DIGLOT_DATA", "/nonexistent"), "tmx14.dtd")
GOOD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en" datatype="x">
<note>n</note><prop type="p">v</prop><ude name="u"><map unicode="#xF8FF"/></ude></header>
<body>
<tu tuid="1"><note>n</note><prop type="p">v</prop>
<tuv xml:lang="en"><prop type="p">v</prop><seg>a <bpt i="1">x<sub>s</sub></bpt><hi>b</hi><ept i="1"/></seg></tuv>
<tuv xml:lang="fr"><seg><it pos="begin"/><ph/>c<ut/></seg></tuv>
</tu>
<tu srclang="de-AT"><tuv xml:lang="de"><seg>d</seg></tuv><tuv xml:lang="fr"><seg>e</seg></tuv></tu>
</body>
</tmx>
"""


def checked(path: Path, content: str | bytes) -> CheckReport:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return check_tmx(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.tmx"


def test_a_good_file(path: Path) -> None:
    report = checked(path, GOOD)
    assert report == CheckReport(ok=True, units=2, languages=("de", "en", "fr"), problems=(), counts={})


# What to replace, by what, the kind of fault, its line, words of the message.
FAULTS = [
    ('<tmx version="1.4">', '<tmx version="1.1">', Problem.ATTRIBUTE, 3, "not one of 1.4"),
    (' segtype="sentence"', "", Problem.ATTRIBUTE, 4, "header without the attribute segtype"),
    (' o-tmf="t"', "", Problem.ATTRIBUTE, 4, "o-tmf"),
    ('segtype="sentence"', 'segtype="words"', Problem.ATTRIBUTE, 4, "words"),
    (' tuid="1"', ' id="1"', Problem.ATTRIBUTE, 7, "attribute id"),
    ('<prop type="p">v</prop><ude', "<prop>v</prop><ude", Problem.ATTRIBUTE, 5, "type"),
    ('pos="begin"', 'pos="middle"', Problem.ATTRIBUTE, 9, "begin, end"),
    ("</seg></tuv>\n</tu>", '</seg><prop type="p"/></tuv>\n</tu>', Problem.STRUCTURE, 9, "prop after seg"),
    ("</tuv>\n</tu>", '</tuv>\n<prop type="p"/></tu>', Problem.STRUCTURE, 10, "prop after tuv"),
    ("<seg>e</seg>", "<seg>e</seg><seg>f</seg>", Problem.STRUCTURE, 11, "more than 1 seg"),
    ("<seg>d</seg>", "", Problem.STRUCTURE, 11, "tuv without seg"),
    ("<tu tuid", "stray<tu tuid", Problem.STRUCTURE, 7, "text has no place in body"),
    ("<hi>b</hi>", "<b>b</b>", Problem.STRUCTURE, 8, "b has no place in seg"),
    ("<ph/>", "<sub/>", Problem.STRUCTURE, 9, "sub has no place in seg"),
    ('xml:lang="fr"><seg><it', 'xml:lang="xx"><seg><it', Problem.LANGUAGE, 9, '"xx"'),
    ('xml:lang="fr"><seg><it', 'xml:lang="pt_BR"><seg><it', Problem.LANGUAGE, 9, '"pt_BR"'),
    ('<tuv xml:lang="fr"><seg>e</seg></tuv>', "", Problem.ONE_LANGUAGE, 11, "1 tuv"),
    ('srclang="en"', 'srclang="es"', Problem.NO_SOURCE, 10, "es"),
    (' srclang="de-AT"', "", Problem.NO_SOURCE, 11, "en"),
    ("<seg>d</seg>", "<seg> \n</seg>", Problem.EMPTY_SEGMENT, 12, "without text"),
    ("<seg>d</seg>", "<seg/>", Problem.EMPTY_SEGMENT, 11, "without text"),
    ("<seg>d</seg>", "<seg>d\x85\x86</seg>", Problem.CONTROL_CHARACTER, 11, "U+007F"),
    ("<seg>d</seg>", "<seg>d\x0b</seg>", Problem.CONTROL_CHARACTER, 11, "U+000B"),
    ("<seg>d</seg>", "<seg>d\x00</seg>", Problem.CONTROL_CHARACTER, 11, "U+0000"),
    ("<seg>d</seg>", "<seg>d&#11;</seg>", Problem.NOT_WELL_FORMED, 11, "character"),
    ("<seg>d</seg>", "<seg>d\uffff</seg>", Problem.NOT_WELL_FORMED, 11, "not XML"),
    ("<seg>d</seg>", "<seg>d&nbsp;</seg>", Problem.ENTITY, 11, "nbsp"),
    ("<seg>d</seg>", "<seg>R & D</seg>", Problem.NOT_WELL_FORMED, 11, "not XML"),
    ("</body>", "", Problem.NOT_WELL_FORMED, 13, "mismatched"),
    ("UTF-8", "KLINGON", Problem.NOT_WELL_FORMED, 1, "encoding"),
    ("UTF-8", "Shift_JIS", Problem.NOT_WELL_FORMED, 1, "encoding"),
    ('"tmx14.dtd"', '"tmx14.dtd" [<!ENTITY a "b">]', Problem.ENTITY, 2, "declares an entity (a)"),
    ('"tmx14.dtd"', '"tmx14.dtd" [<!ENTITY a SYSTEM "file:///etc/passwd">]', Problem.ENTITY, 2, "(a)"),
    ('"tmx14.dtd"', '"tmx14.dtd" [<!ENTITY % a "b">]', Problem.ENTITY, 2, "(a)"),
]


@pytest.mark.parametrize(("old", "new", "kind", "line", "words"), FAULTS)
def test_one_fault_is_found_and_named(path: Path, old: str, new: str, kind: Problem, line: int, words: str) -> None:
    assert old in GOOD
    report = checked(path, GOOD.replace(old, new, 1))
    assert not report.ok
    assert report.counts == {kind: 1}
    (problem,) = report.problems
    assert problem.startswith(f"line {line}: ")
    assert words in problem


def test_a_header_that_is_missing_or_late(path: Path) -> None:
    start, end = GOOD.index("<header"), GOOD.index("<body>")
    header = GOOD[start:end]
    missing = checked(path, GOOD.replace(header, ""))
    assert (missing.counts, missing.problems) == ({"structure": 1}, ("line 4: tmx without header",))
    late = checked(path, GOOD.replace(header, "").replace("</body>", f"</body>{header}"))
    assert late.counts["structure"] == 2
    assert "header after body" in late.problems[1]


def test_another_root(path: Path) -> None:
    assert "root element is html" in checked(path, "<html><body/></html>").problems[0]
    assert checked(path, '<t:tmx xmlns:t="http://x.example/" version="1.4"/>').counts["structure"] == 1


def test_problems_are_counted_beyond_those_shown(path: Path) -> None:
    unit = '<tu><tuv xml:lang="en"><seg/></tuv></tu>\n'
    report = checked(path, GOOD.replace("</body>", unit * 100 + "</body>"))
    assert report.counts == {"one_language": 100, "empty_segment": 100}
    assert len(report.problems) == 20
    assert report.units == 102


def test_bombs_do_not_go_off(path: Path) -> None:
    declared = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    started = time.process_time()
    report = checked(path, f'<!DOCTYPE tmx [<!ENTITY e0 "01">{declared}]><tmx version="&e9;">&e9;</tmx>')
    assert time.process_time() - started < 1
    assert report.counts == {"entity": 1}


def test_nesting_without_bound_is_no_traceback(path: Path) -> None:
    deep = "<hi>" * 990 + "x" + "</hi>" * 990
    assert checked(path, GOOD.replace("<seg>d</seg>", f"<seg>{deep}</seg>")).ok
    report = checked(path, GOOD.replace("<seg>d</seg>", "<seg>" + "<hi>" * 100_000))
    assert report.problems == ("line 11: more than 1,000 elements within each other; nothing after it was read",)


@pytest.mark.parametrize(("start", "end"), [("<tu tuid='", "'/>"), ("<!--", "-->"), ("<?x ", "?>"), ("<tu", "/>")])
def test_tags_without_end_are_not_read_again_and_again(path: Path, start: str, end: str) -> None:
    almost = GOOD.replace("</body>", f"{start}{'x' * 500_000}{end}</body>")
    assert not any("more than" in problem for problem in checked(path, almost).problems)
    began = time.process_time()
    report = checked(path, GOOD.replace("</body>", f"{start}{'x' * 20_000_000}"))
    assert "a tag or comment of more than 1,048,576 bytes; nothing" in report.problems[0]
    assert time.process_time() - began < 1


def test_names_without_end_are_not_held(path: Path) -> None:
    names = "".join(f"<x{number}/>" for number in range(100_000))
    # Every name is a problem, until the check ends.
    assert 10_000 < checked(path, GOOD.replace("</body>", f"{names}</body>")).counts["structure"] < 20_000


@pytest.mark.parametrize("content", [b"", b"text", b"\xff\xfe", b"\x00" * 1000, b"PK\x03\x04", b"\x1f\x8b\x08\x00"])
def test_what_is_no_xml_is_reported(path: Path, content: bytes) -> None:
    report = checked(path, content)
    assert not report.ok
    assert len(report.problems) == 1


def test_no_such_file(tmp_path: Path) -> None:
    for missing in (tmp_path / "none.tmx", tmp_path):
        with pytest.raises(SourceError, match="cannot read"):
            check_tmx(missing)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_other_encodings(path: Path, encoding: str) -> None:
    text = GOOD.replace("UTF-8", encoding.removesuffix("-sig")).replace("<seg>d</seg>", "<seg>d\xe9</seg>")
    assert checked(path, text.encode(encoding)).ok


@pytest.mark.skipif(not DTD.exists(), reason="the TMX DTD is not at hand")
def test_structure_is_judged_as_the_dtd_does(path: Path) -> None:
    """1,000 random mutilations of a good file: we call its structure wrong when the DTD does, and only then."""
    dtd = etree.DTD(str(DTD))
    rng = random.Random(4)
    verdicts = []
    for _ in range(1000):
        root = etree.fromstring(GOOD.encode(), etree.XMLParser(load_dtd=False, no_network=True))
        for _ in range(rng.randint(1, 2)):
            mutilate(root, rng)
        path.write_bytes(etree.tostring(root))
        counts = check_tmx(path).counts
        # We ask for a version, which the DTD supplies.
        ours = "structure" not in counts and "attribute" not in counts
        theirs = dtd.validate(etree.fromstring(path.read_bytes())) and root.get("version") is not None
        assert ours == theirs, (path.read_text(), check_tmx(path).problems, dtd.error_log)
        verdicts.append(ours)
    assert 100 < sum(verdicts) < 900


def mutilate(root: etree._Element, rng: random.Random) -> None:
    """Drop, double, move, rename or re-attribute one element, or put text into it."""
    every = list(root.iter(etree.Element))
    element, other = rng.choice(every), rng.choice(every)
    parent = element.getparent()
    match rng.randrange(6):
        case 0 if parent is not None:
            parent.remove(element)
        case 1 if parent is not None:
            parent.insert(rng.randrange(len(parent) + 1), etree.fromstring(etree.tostring(element, with_tail=False)))
        case 2:
            other.insert(rng.randrange(len(other) + 1), etree.fromstring(etree.tostring(element, with_tail=False)))
        case 3:
            element.tag = other.tag
        case 4 if element.attrib:
            del element.attrib[rng.choice(list(element.attrib))]
        case 4:
            element.set(rng.choice(["type", "x", "segtype", "tuid"]), rng.choice(["block", "1"]))
        case 5:
            element.text = (element.text or "") + "text"
        case _:
            pass


def test_the_check_ends_after_many_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "MAX_PROBLEMS", 30)
    path = tmp_path / "empty.tmx"
    path.write_bytes(b'<tmx version="1.4"><header/><body>' + b"<tu/>\n" * 1_000)
    report = check_tmx(path)
    assert sum(report.counts.values()) == 30
    assert len(report.problems) == SHOWN_PROBLEMS + 1
    assert re.fullmatch(r"line \d+: 30 problems up to here; nothing after it was read", report.problems[-1])
    assert report.units < 40


@pytest.mark.parametrize(
    ("inside", "most"),
    [
        (b"<tuv xml:lang='en'><seg>a</seg></tuv>", 1 << 20),
        (b"<prop type='a'>a</prop>", 1 << 20),
        (b"some text ", MAX_UNIT_BYTES),
    ],
)
def test_no_unit_is_larger_than_a_reader_can_hold(
    inside: bytes, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (check, tmx):
        monkeypatch.setattr(module, "MAX_UNIT_BYTES", most)
    path = tmp_path / "large.tmx"
    path.write_bytes(b'<tmx version="1.4"><header/><body><tu>' + inside * (most // len(inside) + 10_000))
    [*_, problem] = check_tmx(path).problems
    assert problem.endswith(f"a unit of more than {most:,} bytes; nothing after it was read")
    with pytest.raises(SourceError, match=rf"large.tmx: a unit of more than {most:,} bytes.*cut the unit"):
        list(read_tmx(path))


def test_units_side_by_side_are_no_large_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (check, tmx):
        monkeypatch.setattr(module, "MAX_UNIT_BYTES", 1 << 17)
    path, unit = (
        tmp_path / "many.tmx",
        "<tu><tuv xml:lang='en'><seg>a</seg></tuv><tuv xml:lang='fr'><seg>b</seg></tuv></tu>",
    )
    head = "creationtool='a' creationtoolversion='1' segtype='block' o-tmf='a' adminlang='en' srclang='en' datatype='a'"
    path.write_text(f'<tmx version="1.4"><header {head}/><body>{unit * 10_000}</body></tmx>')
    assert check_tmx(path).ok
    assert sum(1 for _ in read_tmx(path)) == 10_000


@pytest.mark.parametrize(("filled", "is_read"), [(0, False), (20, True)])
def test_many_units_without_text_are_no_memory(
    filled: int, is_read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tmx, "MAX_EMPTY_UNITS", 10)
    path = tmp_path / "empty.tmx"
    path.write_text(f"<tmx><body>{'<tu><tuv><seg>a</seg></tuv></tu>' * filled}{'<tu/>' * 30}</body></tmx>")
    if is_read:
        assert sum(1 for _ in read_tmx(path)) == filled + 30
    else:
        with pytest.raises(SourceError, match=r"empty.tmx line \d+: 10 units without text; take them out"):
            list(read_tmx(path))


def test_elements_around_units_are_not_kept(tmp_path: Path) -> None:
    path, sizes = tmp_path / "around.tmx", set[int]()
    path.write_text(f"<tmx><body>{'<a><b/><tu><tuv><seg>a</seg></tuv></tu></a>' * 2_000}</body></tmx>")

    def count(tuv: Any) -> tmx.Variant:
        sizes.add(sum(1 for _ in tuv.getroottree().iter("a")))
        return tmx.Variant("", "a", {})

    with patch.object(tmx, "_variant", count):
        assert sum(1 for _ in read_tmx(path)) == 2_000
    # The parser is ahead by the bytes that it takes at a time.
    assert max(sizes) < 1_000
