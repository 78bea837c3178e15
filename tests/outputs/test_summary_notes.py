"""Notes in the summary: few pages, pages in several languages, machine translation."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import diglot
from diglot.errors import NothingFound
from diglot.harvesting import harvest
from diglot.outputs.finish import _count_aligned, count_run
from diglot.outputs.funnel import Counts
from diglot.outputs.sampled_pages import SampledPage
from diglot.outputs.summary_notes import (
    closed_notes,
    few_pages_notes,
    machine_notes,
    missing_languages_notes,
    other_host_notes,
    scripted_pages_notes,
    several_languages_notes,
    several_sites_notes,
    unread_notes,
)
from diglot.page_language.variants import variants_notes
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA
from diglot.run.bundles import Bundle
from diglot.run.settings import make_settings
from diglot.run.stored_pages import RESOLVED_SCHEMA
from documents.made_office import zipped
from made_segments import filled
from made_sites import page_html
from sentences import SENTENCES


@pytest.mark.parametrize("has_sites_left", [True, False])
def test_only_where_sites_are_left_it_is_said_that_they_were_read_no_further(has_sites_left: bool) -> None:
    (note,) = missing_languages_notes(("en", "ja"), {"en": 243}, lambda: has_sites_left)
    assert ("read no further" in note) == has_sites_left


@pytest.mark.parametrize(
    ("langs", "documents", "said"),
    [
        (("en", "uk"), {"en": 231, "de": 5}, "no page is in Ukrainian (uk). "),
        (("en", "uk", "ja"), {"en": 231, "uk": 0}, "no page is in Ukrainian (uk) or Japanese (ja). "),
        (("en", "zh"), {"en": 3, "zh-Hans": 1}, ""),
        (("en", "zh-Hans", "zh-Hant"), {"en": 3, "zh-Hans": 1}, "no page is in Chinese (Traditional) (zh-Hant). "),
        (("en", "zh-Hans", "zh-Hant"), {"en": 3, "zh-Hans": 1, "zh-Hant": 1}, ""),
        (("en", "fr"), {}, ""),
    ],
)
def test_languages_without_a_page_are_named(langs: tuple[str, ...], documents: dict[str, int], said: str) -> None:
    notes = missing_languages_notes(langs, documents, lambda: False)
    assert [note[: len(said)] for note in notes] == [said] * bool(said)


@pytest.mark.parametrize(
    ("langs", "declared", "used", "named"),
    [
        ("en,zh", ("zh-CN", "zh-TW"), (3, 0), "zh-Hans,zh-Hant"),
        ("en,zh", ("zh-Hant-HK", "zh-hans"), (1, 2), "zh-Hans,zh-Hant"),
        ("en,pt", ("pt-BR", "pt-PT"), (3, 1), "pt-BR,pt-PT"),
        # One script, named in two ways; and pages that compete for no translation.
        ("en,zh", ("zh-CN", "zh-Hans"), (3, 0), ""),
        ("en,pt", ("pt-BR", "pt-PT"), (2, 2), ""),
        ("en,pt", ("pt-BR", "pt"), (3, 0), ""),
        ("en,pt-BR", ("pt-BR", "pt-PT"), (3, 0), ""),
        ("en,pt", ("pt-BR", "fr-FR"), (3, 0), ""),
    ],
)
def test_variants_whose_pages_share_one_translation_are_named(
    langs: str, declared: tuple[str, str], used: tuple[int, int], named: str
) -> None:
    settings = make_settings(langs)
    lang = settings.langs[1]
    sites = []
    for variant, of_variant in zip(declared, used, strict=True):
        urls = [f"https://{variant}.example/{page}" for page in range(3)]
        pairs = [{"src_url": f"{url}/en", "tgt_url": url, "src_lang": "en", "tgt_lang": lang} for url in urls]
        pages = [{"url": url, "lang": lang, "declared_lang": variant} for url in urls]
        pages += [{"url": f"{url}/en", "lang": "en"} for url in urls]
        pair_tables = (filled(schema, *pairs[:of_variant]) for schema in (PAIR_SCHEMA, FLAGGED_SCHEMA))
        sites.append(Bundle(settings, filled(RESOLVED_SCHEMA, *pages), *pair_tables, {}))
    notes = variants_notes(settings.langs, count_run(settings, sites).variants)
    assert [note.endswith(f" name each: -l en,{named}") for note in notes] == [True] * bool(named)


def test_few_pages_of_a_variant_are_no_matter_for_a_note() -> None:
    assert not variants_notes(("en", "zh"), Counter({("zh", "zh-Hans", True): 9, ("zh", "zh-Hant", False): 2}))
    (note,) = variants_notes(("en", "zh"), Counter({("zh", "zh-Hans", True): 9, ("zh", "zh-Hant", False): 3}))
    assert note.startswith("the pages in zh are in zh-Hans (9) and zh-Hant (3); most of one have no translation")


@pytest.mark.parametrize(
    ("flags", "aligned", "beginnings"),
    [
        ({"machine_translated": 50}, 100, ["mostly translated by a machine: 50%"]),
        ({"machine_translated": 49}, 100, []),
        (
            {"gibberish": 6, "nonsense": 4},
            1000,
            ["10 of 1,000 segments with two sides are garbled or repeat their text (gibberish and nonsense): "],
        ),
        ({"gibberish": 6, "nonsense": 4}, 1001, []),
        ({"nonsense": 5}, 20, ["5 of 20 segments with two sides are garbled or repeat their text (nonsense): "]),
        ({"nonsense": 4}, 20, []),
        ({}, 0, []),
    ],
)
def test_notes_on_machine_translation(flags: dict[str, int], aligned: int, beginnings: list[str]) -> None:
    notes = machine_notes(flags, aligned=aligned)
    assert len(notes) == len(beginnings)
    assert all(note.startswith(beginning) for note, beginning in zip(notes, beginnings, strict=True))


def test_segments_with_an_empty_side_are_not_aligned() -> None:
    counts = Counts(segments=Counter({"en-fr": 10, "de-en": 5}), flags=Counter({"unaligned": 4, "numbers": 2}))
    assert _count_aligned(counts) == 11


@pytest.mark.parametrize(
    ("documents", "pairs", "noted"),
    [
        ({"en": 1, "fr": 1}, {("en", "fr"): 0}, True),
        ({"en": 3, "fr": 1}, {("en", "fr"): 0}, True),
        ({"en": 4, "fr": 1}, {("en", "fr"): 0}, False),  # enough of one side: the other side is not translated
        ({"en": 1, "fr": 1}, {("en", "fr"): 1}, False),
        ({"en": 1}, {("en", "fr"): 0}, False),
        ({"en": 2, "pt": 1, "pt-BR": 2}, {("en", "pt-BR"): 0}, True),
        ({"en": 2, "pt": 2, "pt-BR": 2}, {("en", "pt-BR"): 0}, False),
        ({"en": 2, "pt-BR": 3}, {("pt-BR", "en"): 0}, True),
        ({"zh-Hans": 3, "zh-Hant": 3}, {("zh-Hans", "zh-Hant"): 0}, True),
        ({"zh-Hans": 4, "zh-Hant": 3}, {("zh-Hans", "zh-Hant"): 0}, False),
        ({}, {}, False),
    ],
)
def test_a_note_where_both_languages_have_few_pages(
    documents: dict[str, int], pairs: dict[tuple[str, str], int], noted: bool
) -> None:
    assert bool(few_pages_notes(documents, pairs)) == noted


def page_in(*langs: str, blocks: int = 4) -> list[str]:
    """Blocks of a page, so many in each language, of 150 letters or more."""
    return [f"{SENTENCES[lang]} {SENTENCES[lang]}" for lang in langs for _ in range(blocks)]


@pytest.mark.parametrize(
    ("pages", "named"),
    [
        ([page_in("en", "fr")], "en, fr"),
        ([page_in("en", "fr"), page_in("en")], "en, fr"),
        ([page_in("en", "fr"), page_in("en"), page_in("fr")], "en, fr"),
        ([page_in("en", "fr"), *([page_in("en")] * 3)], ""),
        ([page_in("en", "fr", blocks=3)], ""),
        ([page_in("en", "fr", "hu")], "en, fr, hu"),
        ([], ""),
    ],
)
def test_a_note_where_a_third_of_the_pages_hold_texts_in_several_languages(pages: list[list[str]], named: str) -> None:
    notes = several_languages_notes([SampledPage(texts, 0.0, []) for texts in pages], has_pairs=True)
    assert [f"({named})" in note for note in notes] == [True] * bool(named)


@pytest.mark.parametrize(
    ("ratios", "said"),
    [([0.5], "1 of 1"), ([0.49], ""), ([2.0, 0.0, 0.0], "1 of 3"), ([2.0, 0.0, 0.0, 0.0], ""), ([], "")],
)
def test_a_note_where_a_third_of_the_pages_hide_half_as_much_text_as_they_show(ratios: list[float], said: str) -> None:
    pages = [SampledPage(page_in("en"), ratio, [("", "", "")] * 9) for ratio in ratios]
    notes = several_languages_notes(pages, has_pairs=False)
    assert [note.startswith(f"{said} pages looked at hide much text") for note in notes] == [True] * bool(said)
    assert not several_languages_notes(pages, has_pairs=True)


BARE = "You need to enable JavaScript to run this app."


@pytest.mark.parametrize(
    ("chars", "links", "said"),
    [
        ([0], [0], "1 of 1"),
        ([199], [0], "1 of 1"),
        ([200], [0], ""),
        ([10], [1], ""),
        ([10, 900, 900], [0, 5, 5], "1 of 3"),
        ([10, 900, 900, 900], [0, 5, 5, 5], ""),
        ([], [], ""),
    ],
)
def test_a_note_where_a_third_of_the_pages_may_be_made_by_scripts(
    chars: list[int], links: list[int], said: str
) -> None:
    pages = [
        SampledPage(["x" * count] * bool(count), 0.0, [("", "", "")] * n) for count, n in zip(chars, links, strict=True)
    ]
    said_of = [
        note.partition(" pages looked at have no links and hardly any text")[0] for note in scripted_pages_notes(pages)
    ]
    assert said_of == [said] * bool(said)


@pytest.mark.parametrize(
    ("hosts", "base_url", "named"),
    [
        (["https://www.a.example", "https://www.a.example", ""], "https://a.example/", "https://www.a.example/"),
        (["https://www.a.example", "", ""], "https://a.example/", "https://www.a.example/"),  # two of a blog
        (["https://www.a.example", "https://a.example", "https://a.example"], "https://a.example/", ""),  # few
        (["https://a.example"] * 3, "https://a.example/shop/", ""),
        (["https://a.example{{index.Args 2}}"] * 2, "https://a.example/", ""),  # a template not filled in
        (["https://a.example%7B"] * 2, "https://a.example/", ""),
        (["http://a.example:80"] * 2, "https://a.example/", "http://a.example:80/"),
        (["http://[::1]:80"] * 2, "https://a.example/", "http://[::1]:80/"),
        (["https://bücher_2.example"] * 2, "https://a.example/", "https://bücher_2.example/"),
        (["https://[", "https://["], "https://a.example/", ""),  # no address
        (["https://www.a.example"], "", ""),  # no folder
    ],
)
def test_versions_on_another_host_than_the_user_named(hosts: list[str], base_url: str, named: str) -> None:
    # Links in the text do not count: in a mirror they lead to files.
    of_all = [("Home", "", "https://b.example/"), ("FR", "fr", "https://a.example/fr"), ("DE", "de", "https://b.org")]
    pages = [SampledPage([], 0.0, [*of_all, *([("", "fr", f"{host}/fr")] if host else [])]) for host in hosts]
    notes = other_host_notes(pages, base_url)
    assert [f"With --base-url {named} they count" in note for note in notes] == [True] * bool(named)


@pytest.mark.parametrize(
    "body", [f"<noscript>{BARE}</noscript><div id=root></div>", "<div id=root></div>", f"<p>{BARE}"]
)
def test_a_site_of_pages_made_by_scripts_says_how_to_read_it(tmp_path: Path, body: str) -> None:
    pages = tmp_path / "app"
    pages.mkdir()
    for path in ("en-a", "en-b", "fr-a", "fr-b"):
        (pages / f"{path}.html").write_text(f"<html lang={path[:2]}><script src=/app.js></script>{body}</html>")
    with pytest.raises(NothingFound) as raised:
        harvest(pages, "en,fr", tmp_path / "run", base_url="https://app.example/", jobs=1)
    assert "a crawl with --browser '*' runs the scripts" in str(raised.value)


def test_languages_hidden_until_a_script_shows_them_are_named_and_split(tmp_path: Path) -> None:
    pages = tmp_path / "hotel"
    pages.mkdir()
    for name in ("rooms", "prices", "garden"):
        parts = "".join(
            f"<div id={lang}{'' if lang == 'en' else ' style=display:none'}>{texts}</div>"
            for lang in ("en", "fr")
            for texts in ["".join(f"<p>{name}: {text}</p>" for text in page_in(lang))]
        )
        (pages / f"{name}.html").write_text(f"<html lang=en><title>{name}</title>{parts}</html>")
    with pytest.raises(diglot.errors.NothingFound):
        diglot.harvest(pages, "en,fr", tmp_path / "run", base_url="https://hotel.example/")
    notes = diglot.open_run(tmp_path / "run").summary()["notes"]
    assert [note[:44] for note in notes if "--split-pages" in note] == ["3 of 3 pages looked at hide much text until "]
    split = diglot.harvest(pages, "en,fr", tmp_path / "split", base_url="https://hotel.example/", split_pages=True)
    assert len(split.pairs()) == 3


def test_the_page_of_a_hotel_in_three_languages_is_named(tmp_path: Path) -> None:
    pages = tmp_path / "hotel"
    pages.mkdir()
    for name in ("rooms", "prices", "garden"):
        parts = "".join(f"<p>{name}: {text}</p>" for text in page_in("en", "fr", "hu"))
        (pages / f"{name}.html").write_text(f"<html lang=en><title>{name}</title>{parts}</html>")
    with pytest.raises(diglot.errors.NothingFound):
        diglot.harvest(pages, "en,fr", tmp_path / "run", base_url="https://hotel.example/")
    notes = diglot.open_run(tmp_path / "run").summary()["notes"]
    assert [note for note in notes if "--split-pages" in note] == [
        "3 of 3 pages looked at hold texts in several languages (en, fr, hu). With --split-pages each language of such "
        "a page is a page of its own, if its texts correspond"
    ]
    split = diglot.harvest(pages, "en,fr", tmp_path / "split", base_url="https://hotel.example/", split_pages=True)
    assert {(pair.src_url, pair.tgt_url) for pair in split.pairs()} == {
        (f"https://hotel.example/{name}.html#lang=en", f"https://hotel.example/{name}.html#lang=fr")
        for name in ("rooms", "prices", "garden")
    }
    assert not any("--split-pages" in note for note in split.summary()["notes"])
    found = diglot.find_languages(pages, base_url="https://hotel.example/", split_pages=True)
    assert {each.tag: each.pages for each in found.languages} == {"en": 3, "fr": 3, "hu": 3}
    # How the pages of a run are taken is no matter of a merge.
    merged = diglot.merge([tmp_path / "run", tmp_path / "split"], tmp_path / "merged")
    assert len(merged.pairs()) == 3
    garden, rooms = "hotel.example/garden.html", "https://hotel.example/rooms.html"
    for scheme in ("", "http://", "https://"):
        said = split.why(f"{scheme}{garden}#lang=fr")
        assert said.line.startswith(f"https://{garden}#lang=fr: paired with https://{garden}#lang=en")
        said = split.why(f"{scheme}{garden}#lang=fr", f"{scheme}{garden}#lang=en")
        assert said.line.startswith(f"https://{garden}#lang=en and https://{garden}#lang=fr: a pair")
        shown = str(split.why(f"{scheme}{garden}"))
        assert all(f"https://{garden}#lang={lang}: " in shown for lang in ("en", "fr", "hu"))
    with pytest.raises(diglot.errors.UsageError, match=f"in parts by language; name one of {rooms}#lang=en, {rooms}#"):
        split.why(rooms, f"{rooms}#lang=fr")
    with pytest.raises(diglot.errors.UsageError, match="not an address of"):
        split.why(f"{rooms}#lang=de")


def test_folders_that_may_not_be_listed_are_named() -> None:
    missing = "The pages in such a folder are missing: allow it (chmod -R u+rX), and harvest again"
    assert closed_notes(Counter()) == []
    assert closed_notes(Counter({"m/fr": 1})) == [f"not allowed to list m/fr. {missing}"]
    folders = Counter(f"m/{name}" for name in "dcba")
    assert closed_notes(folders) == [f"not allowed to list m/a, m/b, m/c and 1 more. {missing}"]


def test_a_folder_that_may_not_be_listed_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lang in ("en", "fr"):
        for number in range(4):
            page = tmp_path / "www.town.example" / lang / f"page{number}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_bytes(page_html(lang, number))
    (tmp_path / "www.town.example" / "closed").mkdir()
    (tmp_path / "www.town.example" / "link").symlink_to("en")
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        # Root may list any folder.
        if str(path).rstrip("/").endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    run = diglot.harvest(
        tmp_path / "www.town.example", "en,fr", tmp_path / "run", base_url="https://town.example", jobs=1
    )
    note = "not allowed to list www.town.example/closed. The pages in such a folder are missing: allow it"
    assert [each.startswith(note) for each in run.summary()["notes"]] == [True]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({}, ""),
        ({".rtf": 1}, "1 .rtf file was not read: save it as DOCX, "),
        ({".rtf": 2, ".doc": 2}, "2 .doc and 2 .rtf files were not read: save them as DOCX, "),
        ({".xlsx": 3, ".doc": 1200, ".pptx": 5}, "1,200 .doc, 5 .pptx and 3 .xlsx files were not read: save them as "),
    ],
)
def test_office_files_that_were_not_read_are_counted_by_kind(counts: dict[str, int], said: str) -> None:
    assert [note[: len(said)] for note in unread_notes(counts)] == [said] * bool(said)


def test_office_files_among_pages_are_noted_and_pictures_are_not(tmp_path: Path) -> None:
    for lang in ("en", "fr"):
        for number in range(4):
            page = tmp_path / "town" / lang / f"page{number}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_bytes(page_html(lang, number))
    others = {"a.rtf": b"{\\rtf1 a}", "b.dat": b"{\\rtf1 b}", "c.png": b"\x89PNG", "d.css": b"a {}", "e.dat": b"e"}
    others["slides.odp"] = zipped({"mimetype": "application/vnd.oasis.opendocument.presentation"})
    for name, body in others.items():
        (tmp_path / "town" / name).write_bytes(body)
    run = diglot.harvest(tmp_path / "town", "en,fr", tmp_path / "run", base_url="https://town.example", jobs=1)
    assert run.summary()["dropped"]["not_html"] == len(others)
    assert [note for note in run.summary()["notes"] if "not read" in note] == [
        "2 .rtf and 1 .odp files were not read: save them as DOCX, ODT, EPUB, PDF or HTML, and harvest again; "
        "out/pages.tsv has the addresses"
    ]


def test_text_files_of_a_web_archive_are_said_to_hold_no_page(tmp_path: Path) -> None:
    head = "WARC-Type: conversion\r\nWARC-Target-URI: https://a.example/\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
    head += "WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
    path = tmp_path / "crawl.warc.wet"
    path.write_bytes(f"WARC/1.0\r\n{head}\r\nhello\r\n\r\n".encode())
    with pytest.raises(diglot.errors.NothingFound, match=r"no record holds a page.*\(WET\)"):
        diglot.harvest(path, "en,fr", tmp_path / "run")


@pytest.mark.parametrize(
    ("sites", "documents", "has_pairs", "noted"),
    [
        (2, {"en": 40, "fr": 40}, False, True),
        (1, {"en": 40, "fr": 40}, False, False),
        (21, {"en": 40, "fr": 40}, False, False),
        (2, {"en": 40}, False, False),
        (2, {"en": 40, "fr": 40}, True, False),
    ],
)
def test_sites_without_a_pair_may_be_one(sites: int, documents: dict[str, int], has_pairs: bool, noted: bool) -> None:
    found = [{"site": f"site.{number}", "documents": 40} for number in range(sites)]
    notes = several_sites_notes(found, documents, has_pairs=has_pairs)
    told = (
        "the pages are of 2 sites (site.0, site.1), which do not name each other by hreflang and were paired each by "
    )
    told += "itself; where one translates the other, give --one-site"
    assert notes == ([told] if noted else [])
