"""Judging in the report, in Chromium: buttons, keys, corrections, what the browser keeps, what is saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diglot.corpus.formats.tmx import read_tmx
from diglot.evaluation.calibration import wilson_interval
from diglot.harvesting import harvest
from diglot.report import REPORT
from diglot.report.run_page import write_report
from diglot.results.take_verdicts import take_verdicts
from made_website import HOST, as_folder
from report.made_run import HOSTILE, made_run, segment

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from report.chromium import HARMLESS, READY, Browser, fill, found, saved_file

HEAD = "id\tverdict\tsrc\ttgt\tcorrected_src\tcorrected_tgt\tsrc_lang\ttgt_lang\tsrc_url\ttgt_url"
ROWS = [segment(f"source {n}", f"cible {n}", page=n // 10, position=n % 10, score=0.55 + n / 100) for n in range(40)]
ROW = "document.querySelectorAll('#segments .segment')[arguments[0]]"
STORAGE_REFUSED = """
Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });
"""


@pytest.fixture
def path(tmp_path: Path, browser: Browser) -> Path:
    """A report of its own for each test, and a browser that has kept nothing."""
    write_report(made_run(ROWS), tmp_path / "report.html")
    browser.forget()
    return tmp_path / "report.html"


@pytest.fixture
def report(browser: Browser, path: Path) -> Browser:
    return opened(browser, path)


def opened(browser: Browser, path: Path) -> Browser:
    browser.open(path)
    browser.until(READY)
    return browser


def press(report: Browser, row: int, button: str) -> None:
    report.run(f"{ROW}.querySelector(arguments[1]).click()", row, f".verdict.{button}")


def correct(report: Browser, row: int, *texts: str | None) -> None:
    """Open the editor of a row and put other texts into it, None for one that stays."""
    press(report, row, "edit")
    typed = "arguments[1].forEach((text, n) => { if (text !== null) areas[n].value = text })"
    report.run(f"const areas = {ROW}.querySelectorAll('textarea'); {typed}", row, texts)
    report.run(f"{ROW}.querySelector('.keep').click()", row)


def verdicts(report: Browser) -> list[str]:
    return report.run("return [...document.querySelectorAll('#segments .segment')].map(r => r.dataset.verdict)")


def test_twenty_verdicts_and_three_corrections_are_kept_and_saved(report: Browser, path: Path) -> None:
    given = (["right"] * 5 + ["partly", "wrong", "unsure"] + ["right"] * 2) * 2
    for row, verdict in enumerate(given):
        press(report, row, verdict)
    correct(report, 2, None, "cible\tdeux\N{LINE SEPARATOR}corrigée")
    correct(report, 6, "source six", "cible six")
    correct(report, 30 - 5, "source 25, better", None)  # not judged before
    press(report, 25, "partly")  # the same verdict again takes it back, and the correction with it
    correct(report, 19, None, "cible dix-neuf")
    opened(report, path)
    expected = given.copy()
    expected[2] = expected[19] = "partly"  # what needs a correction is not wholly right
    assert verdicts(report)[:20] == expected
    assert set(verdicts(report)[20:]) == {""}
    foot = "return [document.getElementById('judge-foot').hidden, document.getElementById('unsaved-count').textContent]"
    assert report.run(foot) == [False, "20 verdicts, not all saved to a file"]
    corrected = "return [...document.querySelectorAll('#segments .corrected')].map(c => c.innerText.trim())"
    assert report.run(corrected)[1].split() == ["source", "six", "cible", "six"]
    report.save_to(path.parent)
    report.run("document.getElementById('save-verdicts-now').click()")
    head, *lines = saved_file(path.parent / "verdicts.tsv").read_text(encoding="utf-8").split("\n")
    assert head == HEAD
    assert lines.pop() == ""
    changed = {2: ("", "cible deux corrigée"), 6: ("source six", "cible six"), 19: ("", "cible dix-neuf")}
    assert [line.split("\t") for line in lines] == [
        ["", expected[n], f"source {n}", f"cible {n}", *changed.get(n, ("", "")), "en", "fr"]
        + [f"https://example.org/{lang}/{n // 10}" for lang in ("en", "fr")]
        for n in range(20)
    ]
    assert report.run(foot)[0] is True
    assert "diglot judge RUN verdicts.tsv" in report.run("return document.getElementById('after-saving').innerText")
    told = "20 judged: 12 right, 4 partly, 2 wrong, 2 unsure; 3 corrected."
    report.until("document.getElementById('judged-count').textContent === arguments[0]", told)


def test_what_is_judged_here_is_what_the_run_then_holds(browser: Browser, tmp_path: Path) -> None:
    harvest(as_folder(tmp_path / "site"), "en,fr", tmp_path / "run", base_url=HOST, jobs=1)
    browser.forget()
    opened(browser, tmp_path / "run" / REPORT)
    sides = "['src', 'tgt'].map(side => report.segments.text(row, side))"
    shown = browser.run(f"return report.finds.rows.slice(0, 20).map(row => {sides})")
    assert len(shown) == 20
    for row in range(20):
        press(browser, row, "wrong" if row in (3, 11) else "right")
    for row in (0, 5, 9):
        correct(browser, row, None, f"Corrigé numéro {row} <&>")
    browser.save_to(tmp_path)
    browser.run("document.getElementById('save-verdicts').click()")
    found_out = take_verdicts(tmp_path / "run", [saved_file(tmp_path / "verdicts.tsv")], as_random=True)
    assert (found_out.taken, found_out.foreign, found_out.open) == (20, 0, 0)
    assert found_out.weighing is not None
    assert found_out.weighing.verdicts == {"right": 15, "partly": 3, "wrong": 2}
    assert found_out.weighing.corrected == 3
    assert found_out.weighing.right is not None
    assert found_out.weighing.right.low < 1 - (2 + 3 / 2) / 20 < found_out.weighing.right.high
    assert found_out.weighing.recalibration is not None
    memory = {tuple(variant.text for variant in unit.variants) for unit in read_tmx(tmp_path / "run/out/en-fr.tmx")}
    for row, (src, tgt) in enumerate(shown):
        if row in (0, 5, 9):
            assert (src, f"Corrigé numéro {row} <&>") in memory
            assert (src, tgt) not in memory
        else:
            assert ((src, tgt) in memory) is (row not in (3, 11))
    opened(browser, tmp_path / "run" / REPORT)  # written anew
    fill(browser, "which", "all")
    flagged = "[...new Set(report.finds.rows.map(r => report.segments.text(r, 'src')))].length"
    fill(browser, "flag", "corrected")  # copies of their texts carry the flag too
    assert browser.run(f"return {flagged}") == 3
    fill(browser, "flag", "judged_wrong")
    assert browser.run(f"return {flagged}") == 2
    fill(browser, "flag", "")
    fill(browser, "which", "kept")
    fill(browser, "least", "100")
    browser.until("report.segments.least === 1")
    vouched = "report.finds.rows.filter(r => report.segments.vouched[report.segments.rows.flags[r]]).length"
    assert browser.run(f"return {vouched}") == 3 + 15  # what somebody answers for stays, whatever its score


@pytest.mark.slow
def test_verdicts_stay_when_the_site_of_a_run_is_updated_and_belong_to_no_other_source(
    browser: Browser, path: Path
) -> None:
    def written(starts: list[str], source: str, digest: str) -> Browser:
        settings = {**made_run(ROWS).settings, "sources": [{"name": source, "kind": "warc", "hash": digest}]}
        write_report(replace(made_run(ROWS), settings={**settings, "crawl": {"starts": starts}}), path)
        return opened(browser, path)

    start = ["https://example.org/"]
    press(written(start, "crawl-00000.warc.gz", "a"), 0, "wrong")
    assert verdicts(written(start, "pages.cdxj", "b"))[0] == "wrong"
    assert verdicts(written(["https://example.net/"], "crawl-00000.warc.gz", "a"))[0] == ""
    press(written([], "site.warc.gz", "a"), 0, "right")
    assert verdicts(written([], "site.warc.gz", "a"))[0] == "right"
    assert verdicts(written([], "site.warc.gz", "b"))[0] == ""


def test_keys(report: Browser) -> None:
    report.run(f"{ROW}.focus()", 0)
    for key in ("y", "n", "j", "u", "k", "k", "p"):
        report.driver.switch_to.active_element.send_keys(key)
    assert verdicts(report)[:5] == ["right", "wrong", "partly", "unsure", ""]  # a verdict goes on; k and k lead back
    report.driver.switch_to.active_element.send_keys("e")
    area = report.driver.switch_to.active_element
    assert area.tag_name == "textarea"
    area.send_keys("yn")  # letters, no verdicts
    area.send_keys(Keys.CONTROL, Keys.ENTER)
    corrected = "return document.activeElement.querySelector('.corrected p:last-child').textContent"
    assert report.run(corrected).endswith("yn")
    report.driver.switch_to.active_element.send_keys("e")
    report.driver.switch_to.active_element.send_keys("gone", Keys.ESCAPE)
    assert "gone" not in report.run("return document.querySelector('#segments').innerText")
    fill(report, "query", "source")  # typing in a field is no verdict
    before = report.run("return report.judging.judgements.counts()")
    report.run("document.getElementById('query').focus()")
    report.driver.switch_to.active_element.send_keys("y")
    assert report.run("return [document.getElementById('query').value, report.judging.judgements.counts()]") == [
        "sourcey",
        before,
    ]


def test_a_page_with_unsaved_verdicts_asks_before_it_closes(report: Browser) -> None:
    asks = "const e = new Event('beforeunload', { cancelable: true }); dispatchEvent(e); return e.defaultPrevented"
    assert report.run(asks) is False
    press(report, 0, "right")
    assert report.run(asks) is True
    report.run("document.getElementById('save-verdicts').click()")
    assert report.run(asks) is False


def test_a_browser_that_keeps_nothing_is_told_of(browser: Browser, path: Path) -> None:
    added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": STORAGE_REFUSED})
    try:
        opened(browser, path)
        said = "document.getElementById('judge-keeps')"
        assert "keeps nothing" in browser.run(f"return {said}.textContent")
        assert browser.run(f"return {said}.classList.contains('warning')")
        press(browser, 0, "wrong")
        browser.save_to(path.parent)
        browser.run("document.getElementById('save-verdicts').click()")
        assert saved_file(path.parent / "verdicts.tsv").read_text().count("\n") == 2
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


JUNK = ("{", "null", '{"entries":7}', '{"entries":[null,7,{"verdict":"right"},{"verdict":"<b>"}]}')


@pytest.mark.parametrize("junk", JUNK)
def test_what_something_else_left_in_the_storage_does_no_harm(report: Browser, path: Path, junk: str) -> None:
    report.run("localStorage.setItem(report.judging.judgements.keeper.name, arguments[0])", junk)
    opened(report, path)
    assert set(verdicts(report)) == {""}
    press(report, 0, "right")
    assert verdicts(report)[0] == "right"


def test_rows_of_a_pair_and_of_samples_are_judged_alike(report: Browser) -> None:
    report.run("report.openPair(1)")
    report.run("document.querySelector('dialog .alignment:nth-of-type(3) .wrong').click()")
    report.run("document.querySelector('dialog .close').click()")
    fill(report, "verdict", "wrong")
    found(report, "1 segment")
    assert report.run("return document.querySelector('#segments .side').textContent") == "source 12"
    fill(report, "sample-kind", "random")
    report.run("document.querySelector('#sample-list .right').click()")
    fill(report, "verdict", "judged")
    found(report, "2 segments")
    fill(report, "verdict", "open")
    found(report, "38 segments")


def test_saved_texts_are_the_corrected_ones(report: Browser, path: Path) -> None:
    fill(report, "page", "en/0")
    found(report, "10 segments")
    press(report, 0, "wrong")
    correct(report, 1, None, "mieux")
    report.save_to(path.parent)
    report.run("document.getElementById('save-tmx').click()")
    text = saved_file(path.parent / "segments.tmx").read_text()
    assert "<seg>cible 0</seg>" not in text
    assert "<seg>mieux</seg>" in text
    assert "<seg>cible 1</seg>" not in text
    assert text.count("<tu>") == 9


def test_calibration_by_hand(report: Browser) -> None:
    given = {0: "right", 1: "right", 2: "partly", 3: "wrong", 4: "unsure", 29: "right"}  # scores .55 to .59, .84
    for row, verdict in given.items():
        press(report, row, verdict)
    rows = "[...document.querySelectorAll('#calibration-table tbody tr')]"
    table = f"{rows}.map(r => [...r.cells].map(c => c.textContent))"
    report.until(f"{table}.length === 2")
    low, high = (tuple(f"{100 * share:.1f}%" for share in wilson_interval(*counts)) for counts in ((2.5, 4), (1, 1)))
    assert report.run(f"return {table}") == [
        ["0.5 to 0.8", "4", "56.5%", "62.5%", " to ".join(low)],
        ["0.8 to 0.9", "1", "84.0%", "100.0%", " to ".join(high)],
    ]
    assert report.run("return document.querySelectorAll('#calibration .measured').length") == 2


def test_calibration_is_of_the_languages_looked_at(browser: Browser, tmp_path: Path) -> None:
    rows = [segment("one", "un", score=0.6), segment("two", "二", page=1, tgt_lang="ja", score=0.7)]
    write_report(made_run(rows, lang_pairs=(("en", "fr"), ("en", "ja"))), tmp_path / "report.html")
    opened(browser, tmp_path / "report.html")
    for row, verdict in enumerate(("right", "wrong")):
        press(browser, row, verdict)
    cells = "[...document.querySelectorAll('#calibration-table td')].slice(1, 4).map(cell => cell.textContent)"
    assert browser.run(f"return {cells}") == ["2", "65.0%", "50.0%"]
    fill(browser, "lang-tgt", "ja")
    assert browser.run(f"return {cells}") == ["1", "70.0%", "0.0%"]


def test_corrections_of_hostile_texts_stay_text(browser: Browser, tmp_path: Path) -> None:
    rows = [segment(text, text, position=n) for n, text in enumerate(HOSTILE[:25])]
    write_report(made_run(rows), tmp_path / "report.html")
    opened(browser, tmp_path / "report.html")
    fill(browser, "which", "all")
    found(browser, "25 segments")
    for row in range(0, 25, 6):
        correct(browser, row, None, HOSTILE[-1 - row].replace("\u2028", " ").replace("\x00", ""))
    assert browser.run("return document.querySelectorAll('#segments .corrected').length") == 5
    assert browser.run(HARMLESS) == []
    assert browser.complaints() == []


def test_one_verdict_on_several_segments_and_one_undo(browser: Browser, tmp_path: Path) -> None:
    write_report(made_run([segment(f"{n} window", "fenêtre", position=n) for n in range(40)]), tmp_path / "report.html")
    browser.forget()
    opened(browser, tmp_path / "report.html")
    browser.run("document.getElementById('pick').click()")
    box = "document.querySelectorAll('#segments .pick')"
    browser.run(f"{box}[1].click()")
    browser.run(
        f"{box}[4].dispatchEvent(new MouseEvent('click', {{ shiftKey: true, cancelable: true, bubbles: true }}))"
    )
    said = "document.querySelector('#picked span').textContent"
    assert browser.run(f"return {said}") == "4 segments chosen"
    browser.run("[...document.querySelectorAll('#picked button')].find(each => each.textContent === 'wrong').click()")
    judged = "return [...document.querySelectorAll('#segments [data-verdict=wrong]')].map(each => each.dataset.row)"
    assert browser.run(judged) == ["1", "2", "3", "4"]
    assert browser.run("return document.getElementById('judged-count').textContent").startswith("4 judged: 4 wrong")
    browser.run("document.getElementById('undo').click()")
    assert browser.run(judged) == []
    assert browser.run("return document.getElementById('judged-count').textContent") == "Nothing is judged yet."


def test_all_segments_found_are_chosen_at_once(browser: Browser, tmp_path: Path) -> None:
    write_report(made_run([segment(f"{n} window", "fenêtre", position=n) for n in range(40)]), tmp_path / "report.html")
    browser.forget()
    opened(browser, tmp_path / "report.html")
    fill(browser, "query", "3")
    found(browser, "13 segments found")
    browser.run("document.querySelector('#segments [data-row]').focus()")
    browser.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true }))")
    assert browser.run("return document.querySelector('#picked span').textContent") == "1 segment chosen"
    focus = "[...document.querySelectorAll('#picked button')].find(each => each.textContent === arguments[0]).focus()"
    for button, then in (("All 13", "right"), ("right", "Choose several")):
        browser.run(focus, button)
        browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        assert browser.run("return document.activeElement.textContent") == then  # and not nowhere
    assert browser.run("return document.getElementById('judged-count').textContent").startswith("13 judged: 13 right")


def test_a_double_click_is_one_verdict(report: Browser) -> None:
    button = report.run(f"return {ROW}.querySelector('.verdict.wrong')", 0)
    ActionChains(report.driver).double_click(button).perform()
    assert report.run(f"return {ROW}.dataset.verdict", 0) == "wrong"
    press(report, 0, "wrong")  # a click of its own takes it back
    assert report.run(f"return {ROW}.dataset.verdict", 0) == ""


UNLOADS = "const e = new Event('beforeunload', { cancelable: true }); dispatchEvent(e); return e.defaultPrevented"


def search(report: Browser, words: str) -> None:
    report.run("document.getElementById('query').value = arguments[0]; report.search()", words)


def test_a_text_that_was_typed_and_not_kept_comes_back_with_its_segment(report: Browser) -> None:
    press(report, 0, "edit")
    report.driver.switch_to.active_element.send_keys(" typed")
    assert report.run(UNLOADS) is True
    search(report, "source 39")
    report.until("!document.querySelector('#segments .editor')")
    assert report.run(UNLOADS) is True
    search(report, "")
    report.until(f"{ROW}?.querySelectorAll('.editor textarea').length === 2", 0)
    texts = f"return [...{ROW}.querySelectorAll('.editor textarea')].map((area) => area.value)"
    assert report.run(texts, 0) == ["source 0", "cible 0 typed"]
    assert report.run(f"return {ROW}.lastElementChild.className", 0) == "editor"
    report.run(f"[...{ROW}.querySelectorAll('.editor button')].at(-1).click()", 0)
    assert report.run(UNLOADS) is False
    press(report, 0, "edit")
    assert report.run(texts, 0) == ["source 0", "cible 0"]
    assert report.run(UNLOADS) is False


@pytest.mark.parametrize(
    ("key", "code", "given"),
    [("ט", "KeyY", "right"), ("т", "KeyN", "wrong"), ("n", "KeyB", "wrong"), ("é", "KeyY", ""), (".", "KeyY", "")],
)
def test_keys_of_a_keyboard_of_another_script_give_verdicts_by_their_place(
    report: Browser, key: str, code: str, given: str
) -> None:
    """Hebrew and Russian letters; the letters of a Latin keyboard count wherever they are."""
    event = "new KeyboardEvent('keydown', { key: arguments[1], code: arguments[2], bubbles: true })"
    report.run(f"{ROW}.dispatchEvent({event})", 0, key, code)
    assert verdicts(report)[0] == given
