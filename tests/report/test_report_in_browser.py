"""The report in Chromium, opened from disk: what can be asked of it, and that no crawled text does anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diglot.corpus.verdicts import segment_id
from diglot.evaluation.comparison import Comparison, Contender
from diglot.evaluation.gold import ProposedPair
from diglot.pairing.cascade import Contribution, Contributions
from diglot.report.comparison_page import write_page
from diglot.report.run_page import write_report
from diglot.review.sheets import read_verdicts, write_sheet
from report.made_run import HOSTILE, made_run, segment

pytest.importorskip("selenium.webdriver")
from report.chromium import HARMLESS, READY, Browser, fill, found, saved_file

ROWS = [
    segment("The first sentence. And a second one.", "Une seule phrase.", bead="2-1", score=0.42),
    segment("Chapter 2", "Chapitre 2", position=1, score=0.97),
    segment("Menu", "Menu", position=2, flags=["identical"], score=1.0),
    segment("", "Nulle part.", position=3, bead="0-1", flags=["unaligned"], score=0.0),
    segment("Greetings to ÉMILE", "مرحبا", page=1, tgt_lang="ar", tgt_url="https://example.org/ar/1", score=0.8),
]
MANY = [segment(f"number {n} here", f"nombre {n} ici", page=n // 50 + 2, position=n % 50) for n in range(3_000)]


@pytest.fixture(scope="module")
def report(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(made_run([*ROWS, *MANY], lang_pairs=(("en", "fr"), ("en", "ar"))), path)
    browser.open(path)
    browser.until(READY)
    return browser


def test_search(report: Browser) -> None:
    assert report.run("return document.getElementById('least-value').textContent") == "0.50"
    fill(report, "query", "émile")
    found(report, "1 segment found")
    (row,) = report.run(
        "return [...document.querySelectorAll('#segments .segment')].map(r => [...r.querySelectorAll('.side')]"
        ".map(s => [s.textContent, s.lang, s.dir, getComputedStyle(s).direction]))"
    )
    assert row == [["Greetings to ÉMILE", "en", "ltr", "ltr"], ["مرحبا", "ar", "rtl", "rtl"]]
    fill(report, "query", "number 7 ")
    found(report, "111 segments found")  # 7, 70 to 79, 700 to 799: blanks at the ends do not count
    fill(report, "query", "menu")
    found(report, "0 segments found")
    fill(report, "which", "all")
    found(report, "1 segment found")
    fill(report, "query", "here\nnumber")
    found(report, "0 segments found")  # nothing across two texts
    fill(report, "query", "nombre")
    fill(report, "side", "src")
    found(report, "0 segments found")
    fill(report, "side", "both")
    fill(report, "query", "")
    found(report, "3,005 segments")


def test_a_list_holds_a_page_of_rows_at_a_time(report: Browser) -> None:
    pager = "[...document.querySelectorAll('#segments .pager button')]"
    assert report.run("return document.querySelectorAll('#segments .segment').length") == 30
    report.run(f"{pager}.at(-1).click()")
    shown = report.run("return document.querySelector('#segments').innerText")
    assert "number 2999" in shown
    assert "3,001 to 3,005 of 3,005" in shown
    assert report.run(f"return {pager}.map(b => b.disabled)") == [False, False, True, True]
    report.run(f"{pager}[1].click()")
    assert "2,971 to 3,000 of 3,005" in report.run("return document.querySelector('#segments').innerText")
    report.run(f"{pager}[0].click()")


def test_figures(report: Browser) -> None:
    figures = report.run("return [...document.querySelectorAll('#figures > div')].map(f => f.innerText.split('\\n'))")
    assert figures[0] == ["Segments kept", "3,002", "of 3,005 aligned"]
    assert figures[2] == ["Page pairs", "62", "estimated precision 98.7%"]
    assert figures[3][0] == "Estimated right in every word"
    said = report.run("return [0.9996, 0.98994, 0.57, 1, 0].map((share) => percent(share))")
    assert said == ["99.9%", "98.9%", "57.0%", "100.0%", "0.0%"]


def test_slider(report: Browser) -> None:
    kept = "document.querySelector('#threshold-figures dd').textContent"
    mean = "document.querySelectorAll('#threshold-figures dd:not(.note)')[1].textContent"
    assert report.run(f"return [{kept}, {mean}]")[0] == "3,002"
    fill(report, "which", "kept")
    found(report, "3,002 segments")
    fill(report, "least", "0")
    assert report.run(f"return [{kept}, {mean}]")[0] == "3,003"
    found(report, "3,003 segments")  # what counts as kept moves with the slider
    command = "return document.getElementById('threshold-command').textContent"
    assert report.run(command) == "diglot clean RUN --min-score 0.00"
    fill(report, "least", "95")
    assert report.run(f"return [{kept}, {mean}]") == ["1", "97%"]
    fill(report, "lang-tgt", "ar")
    assert report.run(f"return [{kept}, {mean}]") == ["0", "–"]
    fill(report, "least", "80")
    assert report.run(f"return [{kept}, {mean}]") == ["1", "80%"]
    fill(report, "least", "50")
    fill(report, "lang-tgt", "")
    fill(report, "which", "all")


def test_a_pair_opened(report: Browser) -> None:
    fill(report, "address", "en/0")
    report.until("document.getElementById('pairs-count').textContent === '1 page pair'")
    cells = "[...document.querySelector('#pair-list .pair-facts').children].map((each) => each.textContent)"
    facts = report.run(f"return {cells}")
    assert facts == ["en – fr", "0.42", "", "1 segment"]  # the kind of document and the number on lines of their own
    report.run("document.querySelector('#pair-list button').click()")
    report.until("document.getElementById('pair-view').open")
    beads = report.run(
        "return [...document.querySelectorAll('.alignment')].map(a => [a.querySelectorAll('.sentences:first-child p')"
        ".length, a.querySelectorAll('.link line').length, a.querySelector('.bead')?.textContent ?? '',"
        " a.classList.contains('left-out')])"
    )
    assert beads == [[2, 3, "2-1", True], [1, 2, "", False], [1, 2, "", True], [0, 1, "0-1", True]]
    bars = report.run("return [...document.querySelectorAll('.evidence tr')].map(r => r.innerText.split(/\\s+/))")
    assert [bar[:2] for bar in bars] == [["order", "1.50"], ["length", "-0.25"]]
    links = report.run("return [...document.querySelectorAll('dialog a')].map(a => [a.href, a.rel, a.target])")
    assert links[0] == ["https://example.org/en/0", "noreferrer noopener", "_blank"]
    report.run("document.querySelector('dialog .close').click()")
    fill(report, "address", "")


def test_why_as_a_waterfall(browser: Browser, tmp_path: Path) -> None:
    run = made_run([segment("a", "b", score=0.8), segment("c", "d", page=1)])
    groups = {"fused": {"words": ("order",), "form": ("length", "structure")}}
    pair = ("https://example.org/en/0", "https://example.org/fr/0")
    word, block = Contribution("chat", "cat", 5.25), Contribution("One <b>.", "Un.", 9.0)
    grounds = {pair: (Contributions((word,), (), (block,), 7, False, 3.5), "https://example.org/rival")}
    write_report(replace(run, evidence_groups=groups), tmp_path / "report.html", grounds)
    browser.open(tmp_path / "report.html")
    browser.until(READY)
    browser.run("report.openPair(0)")
    rows = "return [...document.querySelectorAll('.waterfall tr')]"
    assert browser.run(f"{rows}.map(r => [...r.cells].slice(0, 2).map(c => c.textContent))") == [
        ["before any evidence", "+0.8"],  # log2(0.8 / 0.2) = 2 = 0.75 + 1.5 - 0.25
        ["words", "+1.5"],
        ["form", "−0.3"],
        ["together: probability 0.800", "+2.0"],
    ]
    places = "[b.style.insetInlineStart, b.style.width].map(parseFloat).map(Math.round)"
    bars = browser.run(f"{rows}.map(r => r.querySelector('.bar-fill')).map(b => {places})")
    assert bars == [[0, 33], [33, 67], [89, 11], [0, 89]]  # of 2.25 bits in all
    told = browser.run("return document.querySelector('.why').textContent")
    for said in ("chat / cat +5.3", "One <b>.", "https://example.org/rival for the French page, 3.5 bits behind"):
        assert said in told
    browser.run("document.querySelector('dialog').close(); report.openPair(1)")
    told = browser.run("return document.querySelector('.why').innerText")
    assert "diglot why RUN https://example.org/en/1 https://example.org/fr/1" in told
    assert browser.complaints() == []


def test_sites_of_a_run_of_many(browser: Browser, tmp_path: Path) -> None:
    rows = [segment("a", "b", src_url="https://one.example/en/0"), segment("c", "d", page=1)]
    sites = [
        {"site": name, "documents": 2, "used": 2, "pairs": 1, "kept": 1} for name in ("one.example", "example.org")
    ]
    run = made_run(rows)
    write_report(replace(run, summary={**run.summary, "sites": sites}), tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    browser.until(READY)
    browser.run("showTab('sites')")
    assert browser.run("return document.querySelector('#site-table').innerText.split(/\\s+/).slice(-10)") == [
        *("one.example", "2", "2", "1", "1"),
        *("example.org", "2", "2", "1", "1"),
    ]
    browser.run("document.querySelector('#site-table button').click()")
    found(browser, "1 segment")
    assert browser.run("return document.getElementById('pairs-count').textContent") == "1 page pair"


def test_nothing_is_fetched_and_nothing_refused(report: Browser) -> None:
    asked = report.requests()
    assert [url.rpartition("/")[2] for url in asked if not url.startswith("blob:")] in ([], ["report.html"])
    assert report.complaints() == []


def test_hostile_strings_stay_text(browser: Browser, tmp_path: Path) -> None:
    assert len(HOSTILE) >= 300
    rows = [
        segment(text, HOSTILE[-1 - n], page=n // 100, position=n, src_url=HOSTILE[n // 100], bead="1-1")
        for n, text in enumerate(HOSTILE)
    ]
    told = {"declared": HOSTILE[3], "source": HOSTILE[4], "method": HOSTILE[5]}
    write_report(made_run(rows, dropped=[(url, url) for url in HOSTILE[:40]], **told), tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    browser.until(READY)
    drawn: set[str] = set()
    for pair in range(browser.run("return report.segments.pairs.ends.length")):
        browser.run("report.openPair(arguments[0])", pair)
        texts = "return [...document.querySelectorAll('dialog .sentences:first-child p')].map(p => p.textContent)"
        drawn |= set(browser.run(texts))
        assert browser.run(HARMLESS) == []
    assert drawn == set(HOSTILE)
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true })")
    for text in HOSTILE[::9]:
        fill(browser, "query", text)
        browser.run("report.search()")
        shown = "return document.querySelector('#segments .side')?.textContent.length"
        assert browser.run(shown), text
    assert browser.run(HARMLESS) == []
    assert browser.requests() == [(tmp_path / "report.html").as_uri()]
    assert browser.complaints() == []


def test_a_sheet_judged_by_keys(browser: Browser, tmp_path: Path) -> None:
    run = made_run([segment(text, f"t\t{n}\u2028", position=n) for n, text in enumerate(HOSTILE[:20])])
    write_sheet(run.segments, tmp_path / "sheet.html", title=HOSTILE[1])
    browser.open(tmp_path / "sheet.html")
    assert browser.run("return document.querySelector('.judged').textContent") == HOSTILE[0]
    for key in ("y", "p", "u", "ArrowRight", "y", "ArrowLeft", "n"):
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0] }))", key)
    assert browser.run("return document.getElementById('place').textContent") == "6 of 20; 4 judged"
    assert browser.run(HARMLESS) == []
    browser.save_to(tmp_path)
    browser.run("document.getElementById('save').click()")
    saved = read_verdicts(saved_file(tmp_path / "verdicts.tsv"))
    names = [segment_id(row) for row in run.segments.to_pylist()]
    assert saved.listed == set(names)
    given = zip((names[n] for n in (0, 1, 2, 4)), ("right", "partly", "unsure", "wrong"), strict=True)
    assert {row.id: row.verdict for row in saved.rows} == dict(given)
    assert browser.complaints() == []


def test_a_sheet_shows_each_language_in_its_direction(browser: Browser, tmp_path: Path) -> None:
    run = made_run([segment("(a) 1.", "(b) 2.", tgt_lang="ar")], lang_pairs=[("en", "ar")])
    write_sheet(run.segments, tmp_path / "sheet.html", title="run")
    browser.open(tmp_path / "sheet.html")
    sides = "return [...document.querySelectorAll('.judged')].map(side => [side.lang, side.dir])"
    assert browser.run(sides) == [["en", "ltr"], ["ar", "rtl"]]


def test_the_page_of_a_comparison(browser: Browser, tmp_path: Path) -> None:
    hostile = Contender(
        HOSTILE[0],
        HOSTILE[1],
        pairs=tuple(ProposedPair(url, url) for url in HOSTILE[:60]),
        notes=HOSTILE[:60],
        seconds=1.0,
    )
    other = Contender("b", "b", pairs=(ProposedPair("e", "f"),))
    write_page(Comparison(HOSTILE[:3], ("en", "fr"), {"en": 1}, (hostile, other), HOSTILE[4]), tmp_path / "c.html")
    browser.open(tmp_path / "c.html")
    assert browser.run(HARMLESS) == []
    colours = "return [...document.querySelectorAll('.heat')].map(c => getComputedStyle(c).backgroundColor)"
    assert len(set(browser.run(colours))) == 2  # 0 and 1: the shades work without a style on any element
    assert browser.requests() == [(tmp_path / "c.html").as_uri()]
    assert browser.complaints() == []


@pytest.mark.parametrize(
    ("pairs", "said"), [(10, "English–French, English–Arabic, English–"), (11, "11 language pairs. ")]
)
def test_many_language_pairs_are_counted_and_not_named(pairs: int, said: str, browser: Browser, tmp_path: Path) -> None:
    langs = ("fr", "ar", "de", "es", "it", "nl", "pl", "pt", "ru", "ja", "zh")[:pairs]
    write_report(made_run(ROWS, lang_pairs=tuple(("en", lang) for lang in langs)), tmp_path / "report.html")
    browser.open(tmp_path / "report.html")
    browser.until(READY)
    assert browser.run("return document.getElementById('subtitle').textContent").startswith(said)
