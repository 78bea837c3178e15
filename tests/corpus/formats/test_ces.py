"""cesDoc and cesAlign: what stands where, and that hostile text keeps the files well-formed."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from diglot.corpus.formats.ces import (
    CES_NAMESPACE,
    CesDocument,
    CesParagraph,
    ces_document,
    cesalign_xml,
    cesdoc_xml,
    write_ces_pairs,
)
from diglot.errors import UsageError
from diglot.records import PAIR_SCHEMA, BlockKind
from diglot.site import Site
from ilsp_pages import body, site_of

HOSTILE = "a\x00\x02<p>&amp;\"'\ud800]]>\ufffe\x1f b\nc"
TITLE = "<title>The <title>'s title</title>"


def parsed(xml: str) -> etree._Element:
    return etree.fromstring(xml.encode())


def find(root: etree._Element, path: str) -> list[etree._Element]:
    found: list[etree._Element] = root.findall(path, namespaces={"": CES_NAMESPACE})
    return found


def a_site() -> Site:
    menu = '<nav><a href="/">Home</a></nav>'
    return site_of(
        ("http://a/1?x=1&y=2", "en", body(menu, "<h1>Cats</h1>", "<p>They sleep.</p>", "<ul><li>A lot", head=TITLE)),
        ("http://a/2", "fr", body("<p>Ils dorment.</p>")),
        ("http://a/3", "fr", body("<p>Autre.</p>")),
    )


def test_a_page_with_its_header_and_paragraphs() -> None:
    root = parsed(cesdoc_xml(ces_document(a_site(), 0)))
    assert [p.text for p in find(root, ".//eAddress")] == ["http://a/1?x=1&y=2"]
    assert find(root, ".//language")[0].get("iso639") == "en"
    assert find(root, ".//titleStmt/title")[0].text == "The <title>'s title"
    assert [(p.get("id"), p.get("crawlinfo"), p.get("type"), p.text) for p in find(root, "text/body/p")] == [
        ("p1", None, "title", "The <title>'s title"),
        ("p2", "boilerplate", None, "Home"),
        ("p3", None, "heading", "Cats"),
        ("p4", None, None, "They sleep."),
        ("p5", None, "listitem", "A lot"),
    ]


def test_paragraphs_of_a_document_have_their_page() -> None:
    site = a_site()
    pages = [[1, 1, 2, 2, 3] if blocks == 5 else [] for blocks in map(len, site.documents["block_ends"].to_pylist())]
    place = site.documents.schema.get_field_index("block_pages")
    field = site.documents.schema.field("block_pages")
    paged = Site(site.name, site.documents.set_column(place, field, pa.array(pages, field.type)))
    root = parsed(cesdoc_xml(ces_document(paged, 0)))
    assert [p.get("page") for p in find(root, "text/body/p")] == ["1", "1", "2", "2", "3"]
    assert [p.get("page") for p in find(parsed(cesdoc_xml(ces_document(paged, 1))), "text/body/p")] == [None]


def test_hostile_text_is_well_formed_and_loses_only_what_xml_forbids() -> None:
    document = CesDocument(
        HOSTILE,
        'en"',
        (CesParagraph(HOSTILE, BlockKind.TITLE, boilerplate=True),),
        title=HOSTILE,
        fetched="2024-01-02T03:04:05Z",
    )
    root = parsed(cesdoc_xml(document))
    kept = "a<p>&amp;\"']]>  b c"
    assert [e.text for e in (*find(root, "text/body/p"), *find(root, ".//eAddress"))] == [kept] * 2
    assert find(root, ".//imprint/pubDate")[0].text == "2024-01-02"


@given(st.text())
def test_any_text_is_well_formed(text: str) -> None:
    root = parsed(cesdoc_xml(CesDocument(text, text, (CesParagraph(text),), title=text)))
    assert len(find(root, "text/body/p")) == 1
    parsed(cesalign_xml((text, text), (text, text)))


def pairs_table(*pairs: tuple[str, str, bool]) -> pa.Table:
    rows = [
        {
            "src_url": src,
            "tgt_url": tgt,
            "src_lang": "en",
            "tgt_lang": "fr",
            "accepted": kept,
            "probability": 1.0,
            "method": "u/<p>",
            "refused_by": "",
            "evidence": [],
        }
        for src, tgt, kept in pairs
    ]
    return pa.Table.from_pylist(rows, schema=PAIR_SCHEMA)


def test_files_of_a_pair(tmp_path: Path) -> None:
    refused = ("http://a/1?x=1&y=2", "http://a/2", False)
    (path,) = write_ces_pairs(tmp_path, a_site(), pairs_table(("http://a/1?x=1&y=2", "http://a/3", True), refused))
    assert path.name == "en-1_fr-2_u--p-.xml"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["en-1.xml", path.name, "fr-2.xml"]
    sides = find(parsed(path.read_text(encoding="utf-8")), ".//translation")
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    assert [(side.get("trans.loc"), side.get(lang), side.get("n")) for side in sides] == [
        ("en-1.xml", "en", "1"),
        ("fr-2.xml", "fr", "2"),
    ]
    assert all((tmp_path / side.get("trans.loc")).exists() for side in sides)


def test_texts_of_pages_are_masked(tmp_path: Path) -> None:
    pairs = pairs_table(("http://a/1?x=1&y=2", "http://a/3", True))
    write_ces_pairs(tmp_path, a_site(), pairs, lambda text: "<phone>")
    texts = [p.text for file in ("en-1.xml", "fr-2.xml") for p in find(parsed((tmp_path / file).read_text()), ".//p")]
    assert set(texts) == {"<phone>"}


def test_a_pair_of_another_site_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="http://b/9"):
        write_ces_pairs(tmp_path, a_site(), pairs_table(("http://a/1?x=1&y=2", "http://b/9", True)))
