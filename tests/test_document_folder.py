"""A flat folder of documents with meaningless names: pairs are found by content, whatever the kinds of file."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "documents"))

import pytest
from made_office import made_docx, made_epub, made_odt

from diglot import harvest
from diglot.errors import NothingFound, SourceError
from diglot.pages import open_sources
from diglot.public_suffixes import invented_base
from diglot.records import BlockKind
from made_sample import sample_site

MAKERS = ((made_docx, "docx"), (made_odt, "odt"), (made_epub, "epub"))
KINDS = {BlockKind.HEADING: "h2", BlockKind.LIST_ITEM: "li", BlockKind.TABLE_CELL: "td", BlockKind.PREFORMATTED: "pre"}


def manual_pages() -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Main blocks of the pages of the sample that are in English and in French, by name and language."""
    found: dict[str, dict[str, list[tuple[str, str]]]] = {}
    site = sample_site()
    for row, (url, lang) in enumerate(zip(site.urls, site.strings("lang"), strict=True)):
        if lang in ("en", "fr") and f"/{lang}/" in url:
            marks = (site.ragged_column(name).row(row).tolist() for name in ("block_kinds", "block_main"))
            blocks = zip(site.blocks(row), *marks, strict=True)
            shown = [(KINDS.get(BlockKind(kind), "p"), text) for text, kind, is_main in blocks if is_main and text]
            found.setdefault(url.partition(f"/{lang}/")[2], {})[lang] = shown[1:]  # without the title
    return {name: sides for name, sides in found.items() if len(sides) == 2}


def test_twenty_documents_without_names(tmp_path: Path) -> None:
    folder = tmp_path / "Contracts 2024"
    folder.mkdir()
    chosen = sorted(manual_pages().items())[:10]
    expected = set()
    for number, (_, sides) in enumerate(chosen):
        names = []
        for place, lang in enumerate(("en", "fr")):
            make, ending = MAKERS[(number + place) % 3]
            # A number that says nothing, in an order that says nothing.
            name = f"{(7919 * (2 * number + place) + 13) % 10007:05d}.{ending}"
            (folder / name).write_bytes(make(sides[lang], lang))
            names.append(f"https://contracts-2024.invalid/{name}")
        expected.add(tuple(names))
    run = harvest(folder, "en,fr", tmp_path / "run", jobs=1)
    pairs = run.pairs()
    assert {(pair.src_url, pair.tgt_url) for pair in pairs} == expected
    assert min(pair.probability for pair in pairs) >= 0.9


def test_where_two_documents_are_no_pair_the_run_says_what_to_type_if_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (_, first), *_, (_, last) = sorted(manual_pages().items())
    (folder / "1.docx").write_bytes(made_docx(first["en"], "en"))
    (folder / "2.docx").write_bytes(made_docx(last["fr"], "fr"))  # of another page: no translation
    with pytest.raises(NothingFound, match=r"too few pages to learn .*\(en 1, fr 1\).*diglot align FILE FILE -l en,fr"):
        harvest(folder, "en,fr", tmp_path / "run", jobs=1)


@pytest.mark.parametrize("name", ["old.tmx", "terms.tbx", "lease.docx.xlf", "Lease.docx.sdlxliff"])
def test_a_memory_or_termbase_among_documents_is_no_page(tmp_path: Path, name: str) -> None:
    _, sides = min(manual_pages().items())
    (tmp_path / "1.docx").write_bytes(made_docx(sides["en"], "en"))
    (tmp_path / name).write_text('<?xml version="1.0"?>\n<tmx version="1.4"><header/><body></body></tmx>')
    (source,) = open_sources([str(tmp_path)])
    assert source.base_url == invented_base(tmp_path.name)


def test_a_folder_with_html_needs_the_address_that_its_links_lead_to(tmp_path: Path) -> None:
    _, sides = min(manual_pages().items())
    (tmp_path / "1.docx").write_bytes(made_docx(sides["en"], "en"))
    (source,) = open_sources([str(tmp_path)])
    assert source.base_url == invented_base(tmp_path.name)
    (source,) = open_sources([str(tmp_path)], base_url="https://files.example/x/")
    assert source.base_url == "https://files.example/x/"
    (tmp_path / "2.html").write_text("<p>Un texte</p>")
    with pytest.raises(SourceError, match="its pages do not say where they come from"):
        open_sources([str(tmp_path)])
