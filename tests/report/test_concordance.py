"""The search of the report in Chromium: what is found, every hit in sight, filters, links, and what is saved."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from diglot.corpus.formats.check import check_tmx
from diglot.corpus.formats.tmx import read_tmx
from diglot.report.run_page import write_report
from report.made_run import HOSTILE, made_run, segment

pytest.importorskip("selenium.webdriver")
from report.chromium import READY, Browser, fill, found, saved_file

FILLER = "nothing of what is looked for stands in this long stretch of words, which goes on for some time; "
LONG = f"First fenêtre. {FILLER * 9}second Fenetre, {FILLER * 12}and a last FENÊTRE"
ROWS = [
    segment("window", LONG, score=0.91),
    segment("windows and window", "des fenêtres", position=1, score=0.55),
    segment("Die Straße, the window", "La rue", position=2, score=0.72, flags=["too_short"]),
    segment("Cafe\u0301 and café", "Un café", page=1, score=0.99),
    segment("ODOS", "ΟΔΟΣ, οδός", page=1, position=1, score=0.3),
    segment("largest", "最大の窓", page=2, tgt_lang="ja", tgt_url="https://example.org/ja/2", score=0.8),
    segment("kitten", "𝒳 kitten 😀 l’été", page=3, score=0.97),
    segment("Zebra", "ânesse", page=3, position=1, score=0.98),
    segment("", "seul", page=3, position=2, flags=["unaligned"], score=0.0),
    segment("no hang", "a" * 5_000 + "!", page=4, score=0.9),
    *[segment(f"item {n} window", f"élément {n}", page=5, position=n, score=0.6) for n in range(200)],
]
LANG_PAIRS = (("en", "fr"), ("en", "ja"))
PHONE, DESK = (390, 800), (1280, 900)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("concordance") / "report.html"
    write_report(made_run(ROWS, lang_pairs=LANG_PAIRS), path)
    return path


@pytest.fixture
def report(browser: Browser, path: Path) -> Browser:
    browser.open(path)
    browser.until(READY)
    return browser


def marked(report: Browser) -> list[list[str]]:
    """What is marked in each row shown."""
    rows = "[...document.querySelectorAll('#segments .segment')]"
    return report.run(f"return {rows}.map(r => [...r.querySelectorAll('mark')].map(m => m.textContent))")


def sources(report: Browser) -> list[str]:
    sides = "[...document.querySelectorAll('#segments .segment .side:first-child')]"
    return report.run(f"return {sides}.map(s => s.textContent)")


UNSEEN = """
const unseen = [];
for (const mark of document.querySelectorAll('#segments mark')) {
  scrollBy(0, mark.getBoundingClientRect().top - innerHeight / 2); // the page alone, no box within it
  for (const box of mark.getClientRects()) {
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!mark.contains(at)) unseen.push(`${mark.parentElement.textContent.slice(0, 40)}: ${at?.className}`);
  }
}
return unseen;
"""


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_every_hit_is_marked_and_in_sight(report: Browser, size: tuple[int, int]) -> None:
    report.driver.set_window_size(*size)
    assert report.run("return innerWidth") == size[0]
    fill(report, "which", "all")
    for query in ("fenetre", "window", "a", "e"):
        report.run("byId('query').value = arguments[0]; report.search()", query)
        hits = 0
        while True:
            hits += sum(map(len, marked(report)))
            assert report.run(UNSEEN) == []
            more = "[...document.querySelectorAll('#segments .pager button')].at(-2)"
            if not report.run(f"return {more} && !{more}.disabled"):
                break
            report.run(f"{more}.click()")
        if query == "a":  # in the text of 5,000 of them, as many are marked as are of use to anybody
            assert hits > 1_000
        else:
            folded = [text.lower().replace("ê", "e").replace("é", "e").replace("\u0301", "") for row in ROWS
                      for text in (row["src"], row["tgt"])]  # fmt: skip
            assert hits == sum(text.count(query) for text in folded)
    report.driver.set_window_size(*DESK)


def test_a_long_text_shows_its_hits_in_context_and_opens(report: Browser) -> None:
    fill(report, "whole", True)
    fill(report, "query", "fenetre")
    found(report, "1 segment found")
    assert marked(report) == [["fenêtre", "Fenetre", "FENÊTRE"]]
    side = "document.querySelector('#segments .side:nth-child(2)')"
    shown = report.run(f"return {side}.textContent")
    assert len(shown) < len(LONG) / 2
    assert re.search(r"some time; second Fenetre, nothing of what", shown)
    report.run(f"{side}.querySelector('.gap').click()")
    assert report.run("return document.activeElement.className") == "segment"  # and not nowhere
    assert report.run(f"return {side}.textContent") == LONG
    assert marked(report) == [["fenêtre", "Fenetre", "FENÊTRE"]]


FINDS: tuple[tuple[str, tuple[str, ...], Any], ...] = (
    ("strasse", (), [["Straße"]]),
    ("STRASS", (), [["Straß"]]),
    ("cafe", (), [["Cafe\u0301", "café", "café"]]),
    ("café", ("exact",), [["café", "café"]]),
    ("Café", ("exact",), []),
    ("οδος", (), [["ΟΔΟΣ", "οδός"]]),
    ("window", ("whole",), "windows and window"),
    ("大", ("whole",), [["大"]]),
    ("kitten 😀", (), [["kitten 😀"]]),
    ("kitten  😀", (), [["kitten 😀"]]),
    ("l'ete", (), [["l’été"]]),
    ("l’été", (), [["l’été"]]),
    ("l'été", ("exact",), []),
    ("(fen.tre", (), []),  # signs of patterns stand for themselves
)
"""A query, the boxes that are ticked, and what is marked in each row, or the source of a row with a hit."""


def test_what_is_found_and_where(report: Browser) -> None:
    fill(report, "which", "all")
    for query, ticked, expected in FINDS:
        for box in ("exact", "whole"):
            fill(report, box, box in ticked)
        fill(report, "query", query)
        report.run("report.search()")
        if isinstance(expected, str):  # one row among many
            assert marked(report)[sources(report).index(expected)] == ["window"], query
        else:
            assert [row for row in marked(report) if row] == expected, query


def test_an_old_link_with_a_pattern_says_so_and_searches_for_the_text(browser: Browser, path: Path) -> None:
    browser.driver.get("about:blank")
    browser.driver.get(f"{path.as_uri()}#search?q=%28unclosed&regex=1")
    browser.until(READY)
    note = "document.getElementById('search-note')"
    assert browser.run(f"return {note}.hidden") is False
    assert "diglot search RUN -E" in browser.run(f"return {note}.textContent")
    found(browser, "0 segments found")
    buttons = "return ['save-tmx', 'save-csv'].map(id => document.getElementById(id).disabled)"
    assert browser.run(buttons) == [True, True]
    assert "regex" not in browser.run("return document.getElementById('search-link').href")
    fill(browser, "query", "window")
    browser.until("!document.getElementById('save-tmx').disabled")
    assert browser.run(f"return {note}.hidden") is True


def test_filters_and_orders(report: Browser) -> None:
    fill(report, "query", "window")
    fill(report, "page", "/en/0")
    found(report, "3 segments found")
    fill(report, "order", "worst")
    assert sources(report) == ["windows and window", "Die Straße, the window", "window"]
    fill(report, "order", "best")
    assert sources(report)[0] == "window"
    fill(report, "order", "src")
    assert sources(report) == ["Die Straße, the window", "window", "windows and window"]
    fill(report, "score-from", "0.6")
    found(report, "2 segments found")
    fill(report, "score-to", "0.8")
    found(report, "1 segment found")
    fill(report, "score-to", "")
    fill(report, "flag", "too_short")
    found(report, "1 segment found")
    fill(report, "flag", "none")
    found(report, "1 segment found")
    for field in ("query", "page", "score-from", "flag"):
        fill(report, field, "")
    fill(report, "which", "all")
    fill(report, "flag", "low score")
    found(report, "1 segment")
    assert sources(report) == ["ODOS"]
    fill(report, "flag", "")
    fill(report, "order", "tgt")
    fill(report, "page", "/en/3")
    found(report, "3 segments")
    assert sources(report) == ["Zebra", "", "kitten"]  # ânesse, seul, 𝒳: accents do not count
    fill(report, "page", "")
    fill(report, "lang-tgt", "ja")
    found(report, "1 segment")


def test_a_link_holds_the_search(report: Browser, path: Path) -> None:
    asked = {"query": "window", "page": "/en/0", "order": "worst", "which": "all", "least": "60"}
    for field, value in asked.items():
        fill(report, field, value)
    fill(report, "exact", True)
    fill(report, "lang-tgt", "fr")
    found(report, "3 segments found")
    link = report.run("return document.getElementById('search-link').href")
    assert link == report.driver.current_url
    first = sources(report)
    report.driver.get("about:blank")
    report.driver.get(link)
    report.until(READY)
    assert sources(report) == first == ["windows and window", "Die Straße, the window", "window"]
    assert report.run("return document.getElementById('least-value').textContent") == "0.60"
    report.run("location.hash = '#search?q=caf%C3%A9&side=tgt&order=none&langs=en-xx'")  # what is no option is none
    found(report, "1 segment found")
    assert report.run("return document.getElementById('order').value") == "page"
    assert report.run("return document.getElementById('exact').checked") is False


def test_both_thresholds_filter_and_tell_their_commands(report: Browser) -> None:
    fill(report, "least", "70")
    fill(report, "least-pair", "95")
    found(report, "3 segments")  # of pages 1 and 3
    text = "return document.getElementById(arguments[0]).textContent"
    assert report.run(text, "threshold-command") == "diglot clean RUN --min-score 0.70"
    assert report.run(text, "pair-command").endswith("--min-prob 0.95")  # of a recipe without an option for it
    assert report.run(text, "pairs-count") == "2 page pairs"
    assert "2" in report.run("return document.querySelector('#pair-figures dd').textContent")
    fill(report, "least-pair", "0")
    fill(report, "pair-order", "low")
    report.until("document.getElementById('pairs-count').textContent === '6 page pairs'")
    order = "return [...document.querySelectorAll('#pair-list .score')].map(s => s.textContent)"
    shown = report.run(order)
    assert len(shown) == 6
    assert shown == sorted(shown)


def test_what_is_shown_is_saved_as_tmx_and_csv(browser: Browser, tmp_path: Path) -> None:
    rows = [segment(text, HOSTILE[-1 - n], position=n, score=0.75) for n, text in enumerate(HOSTILE)]
    rows += [segment("=1+1", "+33 😀 \x00\x0b", page=1), segment("only", " ", page=1, position=1)]
    rows += [segment("un", "一", src_lang="fr", tgt_lang="ja", page=2, src_url="https://example.org/fr/x")]
    write_report(made_run(rows, lang_pairs=(("en", "fr"), ("fr", "ja"))), tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    browser.until(READY)
    browser.save_to(tmp_path)
    fill(browser, "which", "all")
    found(browser, f"{len(rows)} segments")
    browser.run("document.getElementById('save-tmx').click()")
    tmx = saved_file(tmp_path / "segments.tmx")
    told = check_tmx(tmx)
    assert (told.ok, told.units) == (True, len(rows) - 1), told
    assert "1 segment left out" in browser.run("return document.getElementById('saved-text').textContent")
    texts = [[variant.text for variant in unit.variants] for unit in read_tmx(tmx)]
    assert texts[0] == [HOSTILE[0], HOSTILE[-1]]
    assert texts[-2:] == [["=1+1", "+33 😀 "], ["un", "一"]]
    first = next(iter(read_tmx(tmx)))
    assert first.props["x-score"] == "0.750"
    assert first.props["x-src-url"] == "https://example.org/en/0"
    browser.run("document.getElementById('save-csv').click()")
    with saved_file(tmp_path / "segments.csv").open(encoding="utf-8-sig", newline="") as handle:
        lines = list(csv.DictReader(handle))
    assert len(lines) == len(rows)
    assert [line["src"] for line in lines[:3]] == list(HOSTILE[:3])
    assert (lines[-3]["src"], lines[-3]["tgt"][:4], lines[-3]["score"]) == ("'=1+1", "'+33", "0.9")


def test_directions_and_addresses(browser: Browser, tmp_path: Path) -> None:
    url = "https://example.org/a/very/long/way/to/the/page/of/the/window/in/the/wall/index.html?and=more&of=it"
    rows = [segment("(a) 1.", "(b) 2.", tgt_lang=lang, page=n, src_url=f"{url}{n}", tgt_url=f"{url}{lang}")
            for n, lang in enumerate(("ar", "he", "az-Arab", "pa-PK", "ks-Deva", "fr"))]  # fmt: skip
    write_report(made_run(rows, lang_pairs=[("en", row["tgt_lang"]) for row in rows]), tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    browser.until(READY)
    sides = "return [...document.querySelectorAll('#segments .side')].map(s => [s.lang, s.dir])"
    written = {"en": "ltr", "ar": "rtl", "he": "rtl", "az-Arab": "rtl", "pa-PK": "rtl", "ks-Deva": "ltr", "fr": "ltr"}
    assert dict(browser.run(sides)) == written
    browser.driver.set_window_size(*PHONE)
    browser.run("showTab('pairs')")
    ends = browser.run(
        "return [...document.querySelectorAll('#pair-list .address')].map(a => {"
        " const [cut, end] = a.children; return [a.textContent, cut.scrollWidth > cut.clientWidth,"
        " end.getBoundingClientRect().right <= innerWidth]; })"
    )
    browser.driver.set_window_size(*DESK)
    assert len(ends) == 2 * len(rows)
    assert all(is_cut and is_seen for _, is_cut, is_seen in ends)
    assert ends[0][0] == f"{url}0"
    # A folder of files has a host that does not exist.
    tags = "['https://a.example/b.pdf', 'https://a.invalid/b.pdf', 'file:///b.pdf'].map((url) => address(url).tagName)"
    assert browser.run(f"return {tags}") == ["A", "SPAN", "SPAN"]
