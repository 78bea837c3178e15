"""The terms in the report, in Chromium: listed, found, looked for in the segments; none, and there is no such part."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from diglot.report.run_page import term_columns, write_report
from diglot.terms.table import TERM_SCHEMA
from report.made_run import made_run, segment
from report.made_terms import TERMS, term

pytest.importorskip("selenium.webdriver")
from report.chromium import READY, Browser, fill, found, saved_file

ROWS = [
    segment("The harbour is closed.", "Le port est fermé.", score=0.9),
    segment("Harbours and piers", "Ports et jetées", position=1, score=0.9),
    segment("A <b>pier</b>", "Une jetée", position=2, score=0.9),
]
LISTED = """
    const text = (row, name) => row.querySelector(name).textContent;
    const rows = [...document.querySelectorAll('#term-list [data-term]')];
    const cells = ['th button', 'td span', 'td:nth-child(4)'];
    return rows.map(row => cells.map(name => text(row, name).split('example')[0]));
"""


def opened(browser: Browser, path: Path, terms: pa.Table | None) -> Browser:
    write_report(made_run(ROWS), path, terms=terms)
    browser.open(path)
    browser.until(READY)
    return browser


def test_terms_are_listed_found_and_looked_for(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path / "report.html", TERMS)
    assert page.run(LISTED) == [
        ["harbour", "port", "3 segments, 1 page"],
        ["<b>pier</b>", "jetée", "3 segments, 1 page"],
    ]
    assert page.run("return document.querySelectorAll('#term-list b').length") == 0
    fill(page, "term", "JETEE")
    page.until("document.getElementById('terms-count').textContent == '1 term'")
    assert [src for src, _, _ in page.run(LISTED)] == ["<b>pier</b>"]
    fill(page, "term", "")
    page.until("document.getElementById('terms-count').textContent == '2 terms'")
    fill(page, "term-which", "several")
    page.until("document.getElementById('terms-count').textContent == '1 term'")
    assert page.run("return document.querySelector('#term-list p').textContent") == "also havre"
    page.run("document.querySelector('#term-list button').click()")
    found(page, "1 segment found")  # a whole word: not "Harbours"
    marked = page.run("return [...document.querySelectorAll('#segments mark')].map(hit => hit.textContent)")
    assert marked == ["harbour"]


def test_terms_are_accepted_rejected_edited_and_saved(browser: Browser, tmp_path: Path) -> None:
    browser.save_to(tmp_path)
    page = opened(browser, tmp_path / "report.html", TERMS)
    press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0], bubbles: true }))"
    page.run("location.hash = 'terms'")
    page.until("document.body.dataset.shown === 'terms'")
    page.run("document.querySelector('[data-term]').focus()")
    page.run(press, "r")
    assert page.run("return document.activeElement.dataset.term") == "1"
    page.run(press, "e")
    for nothing in ("", " "):
        page.run(
            "document.activeElement.value = arguments[0]; document.querySelector('.term-editor button').click()",
            nothing,
        )
        assert page.run("return document.querySelector('.term-editor :invalid').value") == nothing
    page.run("document.activeElement.value = 'la <b>jetée'; document.querySelector('.term-editor button').click()")
    assert page.run("return document.querySelectorAll('#term-list b').length") == 0
    shown = "return [...document.querySelectorAll('[data-term]')].map(each => each.dataset.verdict)"
    assert page.run(shown) == ["rejected", "accepted"]
    page.run("document.getElementById('save-terms').click()")
    saved = saved_file(tmp_path / "terms.csv").read_text(encoding="utf-8").splitlines()
    assert saved[1:] == ["<b>pier</b>,la <b>jetée,en,fr,0.988,accepted"]
    page.driver.refresh()
    page.until(READY)
    assert page.run(shown) == ["rejected", "accepted"]
    page.run("document.querySelector('[data-term] .verdict:nth-child(2)').click()")
    assert page.run(shown) == ["", "accepted"]
    fill(page, "term-which", "open")
    page.until("document.getElementById('terms-count').textContent == '1 term'")


def test_a_decision_on_another_form_is_shown_with_the_term(browser: Browser, tmp_path: Path) -> None:
    forms = {**term("pier", "jetée"), "src_forms": ["Piers"], "tgt_forms": ["jetées"]}
    path = tmp_path / "report.html"
    page = opened(browser, path, pa.Table.from_pylist([term("piers", "quais"), term("key", "clé")], TERM_SCHEMA))
    decide = "report.terms.decide(0, 'rejected'); report.terms.decisions.decide(arguments[0], { verdict: 'accepted' })"
    langs = {"src_lang": "en", "tgt_lang": "fr"}
    page.run(decide, {"src": "piers", "tgt": "jetées", **langs})
    page = opened(browser, path, pa.Table.from_pylist([forms, term("piers", "quais"), term("key", "clé")], TERM_SCHEMA))
    shown = "return [...document.querySelectorAll('[data-term]')].map(each => each.dataset.verdict)"
    assert page.run(shown) == ["accepted", "rejected", ""]
    listed = "return document.querySelector('[data-term] details p:last-child').textContent"
    assert page.run(listed) == "other forms: Piers, jetées"


def test_without_terms_there_is_no_such_part(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path / "report.html", None)
    assert page.run("return ['terms', 'terms-link'].map(id => document.getElementById(id).hidden)") == [True, True]


def test_columns_of_terms() -> None:
    table = pa.Table.from_pylist([term("a", "b"), term("c", "d", tgt_lang="de")], TERM_SCHEMA)
    columns = term_columns(table, [("en", "fr"), ("en", "de")])
    assert (columns["src"], columns["lang_pair"], columns["probability"]) == (["a", "c"], [0, 1], [0.988, 0.988])
    assert columns["examples"] == [["The harbour is closed.", "Le port est fermé."]] * 2


def test_each_language_pair_has_its_part_of_the_terms_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.report.run_page.TERMS_SHOWN", 5)
    rows = [term(f"a{n}", "b") for n in range(9)] + [term("c", "d", tgt_lang="de")]
    rows += [term(f"e{n}", "f", tgt_lang="ja") for n in range(4)]
    columns = term_columns(pa.Table.from_pylist(rows, TERM_SCHEMA), [("en", "fr"), ("en", "de"), ("en", "ja")])
    assert columns["src"] == ["a0", "a1", "c", "e0", "e1"]
    assert columns["lang_pair"] == [0, 0, 1, 2, 2]
    assert term_columns(TERM_SCHEMA.empty_table(), [("en", "fr")])["src"] == []
