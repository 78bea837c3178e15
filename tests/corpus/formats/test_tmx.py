"""TMX written here opens everywhere and says the same when read back."""

import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from diglot.corpus.characters import clean_text
from diglot.corpus.formats import tmx
from diglot.corpus.formats.check import check_tmx
from diglot.corpus.formats.tmx import Header, SegmentUnit, read_tmx, units_of, write_tmx
from diglot.errors import LanguageError, SourceError
from diglot.records import SEGMENT_SCHEMA

DTD = Path(os.environ.get("DIGLOT_DATA", "/nonexistent"), "tmx14.dtd")
UNIT = SegmentUnit("Good morning.", "Bonjour.", 0.97312, "1-1", "https://a.example/en", "https://a.example/fr")

EXPECTED = """\
<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="diglot" creationtoolversion="VERSION" segtype="sentence" o-tmf="diglot" adminlang="en" \
srclang="en" datatype="plaintext" creationdate="20240102T020405Z">\
<prop type="x-signature">fused|diglot:1</prop></header>
<body>
<tu creationdate="20240102T020405Z"><prop type="x-score">0.9731</prop><prop type="x-bead">1-1</prop>\
<prop type="x-src-url">https://a.example/?a=1&amp;b=2</prop><prop type="x-tgt-url">https://a.example/fr</prop>
<tuv xml:lang="en"><seg>R&amp;D &lt;b&gt;]]&gt;</seg></tuv>
<tuv xml:lang="fr"><seg>Bonjour.</seg></tuv></tu>
</body>
</tmx>
"""


def every_code_point() -> list[str]:
    """All of them, 1,112,064 and the surrogates, a thousand a text, each text with letters at both ends."""
    step = 1000
    ranges = (range(start, min(start + step, sys.maxunicode + 1)) for start in range(0, sys.maxunicode + 1, step))
    return [f"a{''.join(map(chr, codes))}z" for codes in ranges]


def units(texts: list[str]) -> list[SegmentUnit]:
    return [UNIT._replace(src=text, tgt=text[::-1]) for text in texts]


@pytest.fixture(scope="module")
def all_characters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tmx") / "all.tmx"
    write_tmx(path, units(every_code_point()), src_lang="en", tgt_lang="fr")
    return path


def test_the_form_of_a_file() -> None:
    handle = io.BytesIO()
    unit = UNIT._replace(src="R&D <b>]]>", src_url="https://a.example/?a=1&b=2", fetched="2024-01-02T03:04:05+01:00")
    header = Header(created="2024-01-02T02:04:05Z", signature="fused|diglot:1")
    written = write_tmx(handle, [unit], src_lang="en", tgt_lang="fr", header=header)
    text = handle.getvalue().decode()
    start = text.index('version="', text.index("creationtoolversion")) + len('version="')
    assert text.replace(text[start : text.index('"', start)], "VERSION", 1) == EXPECTED
    assert written == 1


def test_the_docstring_names_every_prop() -> None:
    named = str(tmx.__doc__)
    assert [prop for prop in tmx.Prop if f"``{prop}``" not in named and f'"{prop}"' not in named] == []


def test_every_code_point_survives_but_those_that_may_not(all_characters: Path) -> None:
    texts = every_code_point()
    assert write_tmx(io.BytesIO(), units(texts), src_lang="en", tgt_lang="fr") == len(texts)
    removed = sum(map(len, texts)) - sum(len(clean_text(text)) for text in texts)
    assert removed == 2048 + 2 + 32 - 9 + 33 - 1
    for text, unit in zip(texts, read_tmx(all_characters), strict=True):
        src, tgt = unit.variants
        assert src.text == clean_text(text)
        assert tgt.text == clean_text(text)[::-1]
    assert check_tmx(all_characters).ok


@pytest.mark.skipif(not DTD.exists(), reason="the TMX DTD is not at hand")
def test_every_code_point_is_valid_by_the_dtd(all_characters: Path) -> None:
    dtd = etree.DTD(str(DTD))
    tree = etree.parse(all_characters, etree.XMLParser(huge_tree=True))
    assert dtd.validate(tree), dtd.error_log
    tree.getroot().find("body/tu/tuv").append(etree.Element("prop", type="late"))
    assert not dtd.validate(tree)


@pytest.mark.skipif(not DTD.exists() or not shutil.which("xmllint"), reason="no TMX DTD or no xmllint at hand")
def test_xmllint_agrees(all_characters: Path) -> None:
    command = ["xmllint", "--noout", "--nonet", "--dtdvalid", str(DTD), str(all_characters)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@settings(max_examples=60)
@given(
    st.text(st.characters(), min_size=1),
    st.text(st.characters(), min_size=1),
    st.text(st.characters()),
    st.floats(0, 1),
)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, src: str, tgt: str, url: str, score: float) -> None:
    path = tmp_path_factory.getbasetemp() / "round.tmx"
    unit = SegmentUnit(src, tgt, score, "2-1", url, UNIT.tgt_url)
    written = write_tmx(path, [unit], src_lang="sr-Latn", tgt_lang="zh-Hant")
    kept = [clean_text(text) for text in (src, tgt)]
    if not all(text.strip() for text in kept):
        assert (written, list(read_tmx(path))) == (0, [])
        return
    (read,) = read_tmx(path)
    assert [(each.lang, each.text) for each in read.variants] == [("sr-Latn", kept[0]), ("zh-Hant", kept[1])]
    addresses = {"x-src-url": clean_text(url)} if url else {}
    addresses["x-tgt-url"] = UNIT.tgt_url
    assert read.props == {"x-score": f"{score:.4f}", "x-bead": "2-1", **addresses}


def test_the_same_bytes_for_the_same_units(tmp_path: Path) -> None:
    paths = [tmp_path / "one.tmx", tmp_path / "two.tmx"]
    for path in paths:
        write_tmx(path, iter([UNIT] * 2500), src_lang="en", tgt_lang="fr")
        time.sleep(0.01)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sum(1 for _ in read_tmx(paths[0])) == 2500


def test_a_failing_source_of_units_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError):
        write_tmx(path, (UNIT._replace(score=1 / n) for n in (1, 0)), src_lang="en", tgt_lang="fr")
    assert path.read_text() == "old"


def test_a_language_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match="hbs_cyrillic"):
        write_tmx(tmp_path / "a.tmx", [UNIT], src_lang="en", tgt_lang="hbs_cyrillic")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fetched", ["", "yesterday", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_is_none_is_left_out(fetched: str) -> None:
    handle = io.BytesIO()
    write_tmx(handle, [UNIT._replace(fetched=fetched)], src_lang="en", tgt_lang="fr", header=Header(created=fetched))
    assert b"creationdate" not in handle.getvalue()


def test_units_of_a_segment_table() -> None:
    row = {"src_lang": "en", "tgt_lang": "fr", "kind": 0, **UNIT._asdict()}
    row |= {"score": 0.5, "position": 3, "flags": ["numbers"]}
    row = {name: row.get(name) for name in SEGMENT_SCHEMA.names}
    table = pa.Table.from_pylist([row, row | {"src": "Second."}], schema=SEGMENT_SCHEMA)
    assert list(units_of(table.to_batches(max_chunksize=1))) == [
        UNIT._replace(score=0.5, position=3, flags=["numbers"]),
        UNIT._replace(score=0.5, position=3, flags=["numbers"], src="Second."),
    ]


def test_foreign_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "foreign.tmx"
    path.write_text(
        '<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><!-- c -->'
        '<header/><body><tu tuid="1"><note>n</note><tuv lang="EN-US"><seg>a <bpt i="1">&lt;b></bpt><hi>bold</hi>'
        '<ept i="1">&lt;/b></ept> caf\xe9</seg></tuv><tuv xml:lang="fr"><seg/></tuv>'
        '<tuv xml:lang="de"/></tu></body></tmx>',
        encoding="iso-8859-1",
    )
    (unit,) = read_tmx(path)
    assert [(each.lang, each.text) for each in unit.variants] == [("EN-US", "a bold caf\xe9"), ("fr", ""), ("de", "")]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not well-formed"),
        (b"plain text", "not well-formed"),
        (b"<tmx><body><tu></body></tmx>", "not well-formed"),
        (b"<tmx><body><tu><tuv><seg>a\x0bb</seg></tuv></tu></body></tmx>", "not well-formed"),
        (b"<html><body/></html>", "root element is html"),
        (b'<!DOCTYPE tmx [<!ENTITY x "y">]><tmx><body><tu><tuv><seg>a&x;</seg></tuv></tu></body></tmx>', "entities"),
        (
            b'<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
            b"<tmx><body><tu><prop>&x;</prop></tu></body></tmx>",
            "entities",
        ),
        (b'<!DOCTYPE tmx SYSTEM "x.dtd"><tmx><body><tu><tuv><seg>a&nbsp;</seg></tuv></tu></body></tmx>', "entities"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "bad.tmx"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=rf"bad\.tmx.*{complaint}"):
        list(read_tmx(path))


def test_entities_do_not_explode(tmp_path: Path) -> None:
    declared = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    for use in ('<tu tuid="&e9;"/>', "<tu><prop>&e9;</prop></tu>"):
        path = tmp_path / "bomb.tmx"
        path.write_text(f'<!DOCTYPE tmx [<!ENTITY e0 "0123456789">{declared}]><tmx><body>{use}</body></tmx>')
        started = time.process_time()
        with pytest.raises(SourceError):
            list(read_tmx(path))
        assert time.process_time() - started < 1


def test_no_such_file(tmp_path: Path) -> None:
    for path in (tmp_path / "none.tmx", tmp_path):
        with pytest.raises(SourceError, match="cannot read"):
            list(read_tmx(path))


def test_a_unit_of_flagged_segments_states_all_that_is_known() -> None:
    handle = io.BytesIO()
    unit = UNIT._replace(
        position=3,
        flags=["names"],
        other_src_urls=["https://a.example/en/2"],
        other_tgt_urls=["https://a.example/fr/2"],
        tgt_variant="fr-CA",
    )
    write_tmx(handle, [unit], src_lang="en", tgt_lang="fr")
    text = handle.getvalue().decode()
    assert '<prop type="x-position">3</prop><prop type="x-flags">names</prop>' in text
    assert '<prop type="x-also-at">https://a.example/en/2 https://a.example/fr/2</prop>' in text
    assert '<tuv xml:lang="fr"><prop type="x-variant">fr-CA</prop><seg>' in text
    assert '<tuv xml:lang="en"><seg>' in text
