"""What a person decides on the page of a run is saved, or the page says what is not; in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diglot.workbench import verdicts
from diglot.workbench.bench import Bench
from report.chromium import READY, Browser, fill
from report.test_judging_in_report import correct, press
from workbench.made_bench import served_bench

ROW = "document.querySelectorAll('#segments .segment')[arguments[0]]"
FAIL_ONCE = (
    "const { fetch } = window; window.fetch = () => { window.fetch = fetch; return Promise.reject(new Error()); }"
)
TERM = {"src": "harbour", "tgt": "port", "src_lang": "en", "tgt_lang": "fr"}


@pytest.fixture
def site(browser: Browser, bench: Bench, run: Path) -> Iterator[Browser]:
    """The page of a finished run."""
    with served_bench(bench) as address:
        browser.driver.get(address)
        browser.until("document.getElementById('address')")
        browser.driver.get(f"{address.partition('/enter')[0]}/sites/town")
        browser.until(READY)
        yield browser
        browser.run("report.judging.judgements.refused.clear(); report.judging.judgements.drafts.clear()")
        browser.driver.get("about:blank")


def test_a_verdict_that_is_refused_is_told_at_its_segment_and_holds_up_no_other(
    site: Browser, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "MAX_TEXT_CHARS", 200)
    correct(site, 0, None, "x" * 201)
    press(site, 1, "wrong")
    site.until("kept && !kept.isWaiting")
    said = f"return {ROW}.querySelector('.refused')?.textContent"
    assert site.run(said, 0) == "Not saved: A text of more than 200 characters cannot be saved."
    assert site.run(said, 1) is None
    assert [entry["verdict"] for entry in bench.verdicts.entries("town")] == ["wrong"]
    correct(site, 0, None, "shorter")
    site.until("kept && !kept.isWaiting")
    assert site.run(said, 0) is None
    assert bench.verdicts.entries("town")[-1]["corrected_tgt"] == "shorter"


@pytest.mark.slow
def test_verdicts_are_sent_in_messages_that_the_server_reads(site: Browser, bench: Bench) -> None:
    """Forty verdicts of 270 kB, and one of 6 MB, for which no message has room."""
    made = "const { entry } = report.judging.judgements.made(0, 'right'), text = 'あ'.repeat(arguments[0]); "
    site.run(
        f"{made} kept.outbox.add([...Array(40)].map((_, at) => ({{ ...entry, src: `${{at}}`, tgt: text }})))", 90_000
    )
    site.run(f"{made} kept.outbox.add([{{ ...entry, tgt: text }}])", 2_000_000)
    press(site, 1, "wrong")
    site.until("!kept.isWaiting")
    assert len(bench.verdicts.entries("town")) == 41
    assert site.run("return [...report.judging.judgements.refused.values()]") == ["The text is too long."]


@pytest.mark.slow
def test_decisions_that_could_not_be_saved_are_sent_again(site: Browser, bench: Bench) -> None:
    site.run(FAIL_ONCE)
    site.run("kept.terms.keep([], { ...arguments[0], verdict: 'accepted', edited_src: '', edited_tgt: '' })", TERM)
    site.until("byId('terms-said').textContent === '1 decision not saved yet: ' + GONE")
    site.until("byId('terms-said').textContent === 'Saved.'")
    (entry,) = bench.terms.entries("town")
    assert entry["verdict"] == "accepted"


def test_a_text_that_is_no_correction_is_told_and_stays(site: Browser) -> None:
    fault = f"return {ROW}.querySelector('.editor [role=alert]')?.textContent"
    for text, said in (
        ("", "A correction needs a text in both languages."),
        ("x" * 100_001, "A correction has at most 100,000 characters, and this one 100,001."),
    ):
        correct(site, 0, None, text)
        assert site.run(fault, 0).startswith(said)
        assert site.run("return report.judging.judgements.entries.size") == 0
    correct(site, 0, None, "mieux")
    assert site.run(fault, 0) is None
    assert site.run("return [...report.judging.judgements.entries.values()].map((e) => e.corrected_tgt)") == ["mieux"]
    site.until("!kept.isWaiting")


def test_no_two_buttons_of_the_segments_have_the_same_name(site: Browser) -> None:
    site.run("document.getElementById('pick').click()")
    names = "[...each.querySelectorAll('button, input')].map(({ ariaLabel }) => ariaLabel)"
    row = f"[each.querySelector('.side').textContent, {names}]"
    rows = site.run(f"return [...document.querySelectorAll('#segments .segment')].map((each) => {row})")
    assert len(rows) > 5
    for src, found in rows:
        whats = ("Choose", "show both pages", "right", "partly", "wrong", "unsure", "edit")
        assert found == [f"{what}: {src[:60].strip()}" for what in whats]


def test_a_second_tab_knows_what_was_decided_in_the_first(site: Browser, bench: Bench) -> None:
    first, address = site.driver.current_window_handle, site.driver.current_url
    site.driver.switch_to.new_window("tab")
    try:
        site.driver.get(address)
        site.until(READY)
        correct(site, 0, None, "mieux")
        site.run("kept.terms.keep([], { ...arguments[0], verdict: 'accepted', edited_src: '', edited_tgt: '' })", TERM)
        site.until("!kept.isWaiting")
    finally:
        site.driver.close()
        site.driver.switch_to.window(first)
    site.until("report.terms.decisions.of(arguments[0])?.verdict === 'accepted'", TERM)
    assert site.run(f"return {ROW}.querySelector('.corrected').textContent", 0) == "mieux"
    press(site, 0, "right")  # and not a verdict on the text before
    site.until("!kept.isWaiting")
    (entry,) = bench.verdicts.entries("town")
    assert (entry["verdict"], entry["corrected_tgt"]) == ("right", "mieux")


def test_verdicts_of_a_sheet_are_shown(site: Browser, bench: Bench, run: Path, tmp_path: Path) -> None:
    heads, first, *_ = (run / "out" / "segments.en-fr.tsv").read_text().split("\n")
    row = dict(zip(heads.split("\t"), first.split("\t"), strict=True)) | {"src_lang": "en", "tgt_lang": "fr"}
    heads = ("verdict", "src", "tgt", "corrected_src", "corrected_tgt", "src_lang", "tgt_lang", "src_url", "tgt_url")
    row |= {"verdict": "partly", "corrected_src": "", "corrected_tgt": "Mieux."}
    sheet = tmp_path / "sheet.tsv"
    sheet.write_text("".join("\t".join(line) + "\n" for line in (heads, [row[head] for head in heads])))
    site.run("window.before = true")
    site.driver.find_element("id", "sheet").send_keys(str(sheet))
    site.until(f"!window.before && {READY}")
    assert site.run("return byId('get-said').textContent") == "1 verdict taken."
    fill(site, "verdict", "corrected")
    assert site.run(f"return {ROW}.querySelectorAll('.side')[1].textContent", 0) == "Mieux."
    assert site.run(f"return {ROW}.dataset.verdict", 0) == "partly"
