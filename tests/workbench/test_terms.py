"""Terms of a run: found when they are asked for, decided on, and written as they were decided."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from starlette.testclient import TestClient

from diglot.harvesting import harvest
from diglot.report.run_page import TERM_COLUMNS
from diglot.terms.decisions import as_edited, key_of, with_decisions
from diglot.terms.table import TERM_SCHEMA
from diglot.workbench.bench import Bench
from diglot.workbench.run_work import list_terms
from made_website import as_folder, website
from report.chromium import READY, Browser, saved_file
from report.made_terms import term
from workbench.made_bench import served_bench

TERM = {"src": "harbour", "tgt": "port", "src_lang": "en", "tgt_lang": "fr"}
PATH = "/sites/town/terms"


def decision(**changes: str) -> dict[str, str]:
    return {**TERM, "verdict": "accepted", "edited_src": "", "edited_tgt": "", **changes}


def test_terms_are_those_of_the_command(client: TestClient, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = client.get(PATH, params={"langs": "en,fr"}).json()
    list_terms(run, "en,fr")
    assert found == json.loads(capsys.readouterr().out)
    assert set(found) == {*TERM_COLUMNS, "lang_pair", "probability", "examples"}


def test_terms_are_found_once_while_the_outputs_stay(bench: Bench, client: TestClient, run: Path) -> None:
    client.get(PATH, params={"langs": "en,fr"})
    kept = bench.shelf.own("terms", "town", "en-fr.json")
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "terms": {"src": ["kept"]}}))
    assert client.get(PATH, params={"langs": "en,fr"}).json() == {"src": ["kept"]}
    summary = run / "out" / "summary.json"
    summary.write_text(summary.read_text() + " ")
    assert client.get(PATH, params={"langs": "en,fr"}).json() != {"src": ["kept"]}


def test_a_decision_is_stored_at_once_and_can_be_changed(client: TestClient, run: Path) -> None:
    for entry in (decision(), decision(verdict="rejected"), decision(edited_tgt="<b>havre")):
        assert client.post(PATH, json={"entries": [entry]}).json() == {"refused": {}}
        assert client.get("/sites/town/verdicts").json()["terms"] == [entry]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (1, "This is no decision on a term."),
        ({"verdict": "accepted"}, "This is no decision on a term."),
        (decision(verdict="perhaps"), "This is no decision on a term."),
        (decision(src="x" * 1001), "A term has at most 1,000 characters."),
        *(
            (decision(**{f"edited_{side}": " \u00a0"}), "An edited term needs a text in both languages; write one, or")
            for side in ("src", "tgt")
        ),
    ],
)
def test_a_decision_that_is_refused_holds_up_no_other(client: TestClient, run: Path, entry: Any, said: str) -> None:
    good = decision(src="pier")
    (why,) = client.post(PATH, json={"entries": [entry, good]}).json()["refused"].items()
    assert (why[0], why[1].startswith(said)) == ("0", True)
    assert client.get("/sites/town/verdicts").json()["terms"] == [good]
    assert client.post(PATH, json={"entries": None}).status_code == 400


@pytest.mark.parametrize("langs", ["", "en", "en,de", "fr,en", "--least,0", "en,fr,de", "../x"])
def test_other_languages_have_no_terms(client: TestClient, run: Path, langs: str) -> None:
    assert client.get(PATH, params={"langs": langs}).status_code == 400


def test_rejected_terms_are_left_out_and_edited_ones_written_so() -> None:
    terms = pa.Table.from_pylist([term("harbour", "port"), term("pier", "jetée"), term("boat", "bateau")], TERM_SCHEMA)
    entries = [decision(edited_tgt="havre"), decision(src="pier", tgt="jetée", verdict="rejected")]
    decisions = {key_of(entry): entry for entry in entries}
    both = [(row["src"], row["tgt"]) for row in as_edited(with_decisions(terms, decisions)).to_pylist()]
    assert both == [("harbour", "havre"), ("boat", "bateau")]
    assert as_edited(with_decisions(terms, {})).select(TERM_SCHEMA.names).equals(terms)


def test_a_decision_on_any_form_is_one_on_the_term() -> None:
    """The base form was another one before an update; a term of its own has a decision of its own."""
    request = {**term("request", "demande"), "src_forms": ["Requests"], "tgt_forms": ["demandes"]}
    terms = pa.Table.from_pylist([request, term("requests", "requêtes"), term("boat", "bateau")], TERM_SCHEMA)

    def left(*entries: dict[str, str]) -> list[str]:
        decided = with_decisions(terms, {key_of(entry): entry for entry in entries})
        return as_edited(decided)["tgt"].to_pylist()  # type: ignore[no-any-return]

    for src, tgt in (("requests", "demandes"), ("request", "Demandes"), ("Requests", "demande")):
        assert left(decision(src=src, tgt=tgt, verdict="rejected")) == ["requêtes", "bateau"]
    assert left(decision(src="requests", tgt="requêtes", verdict="rejected")) == ["demande", "bateau"]
    assert left(decision(src="requests", tgt="bateau", verdict="rejected")) == ["demande", "requêtes", "bateau"]
    # What is decided on the term itself is stronger.
    both = decision(src="requests", tgt="demandes", verdict="rejected"), decision(src="request", tgt="demande")
    assert left(*both) == ["demande", "requêtes", "bateau"]


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with words enough for terms."""
    folder = tmp_path_factory.mktemp("manual")
    for name, content in website().items():
        (folder / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "pages" / name).write_bytes(content)
    harvest(folder / "pages", "en,fr", folder / "run", base_url="http://docs.example.org/", jobs=1)
    return folder / "run"


def test_a_glossary_holds_what_was_decided(bench: Bench, client: TestClient, manual: Path) -> None:
    shutil.copytree(manual, bench.shelf.run("town"))
    path = "/sites/town/download/en,fr/omegat"
    before = [line.split("\t")[:2] for line in client.get(path).text.splitlines()]
    assert len(before) > 3
    src, tgt = before[0]
    client.post(PATH, json={"entries": [decision(src=src, tgt=tgt, edited_tgt="=corrigé")]})
    after = [line.split("\t")[:2] for line in client.get(path).text.splitlines()]
    assert after == [[src, "=corrigé"], *before[1:]]
    accepted = client.get(path, params={"accepted": "1"}).text
    assert [line.split("\t")[:2] for line in accepted.splitlines()] == [[src, "=corrigé"]]


@pytest.mark.slow
def test_terms_in_all_languages_are_downloaded_together(browser: Browser, bench: Bench, tmp_path: Path) -> None:
    pages = as_folder(tmp_path / "pages")
    harvest(pages, "en,fr,de", bench.shelf.run("town"), base_url="http://docs.example.org/", jobs=1)
    browser.save_to(tmp_path)
    with served_bench(bench) as address:
        browser.driver.get(address)
        site = f"{address.partition('/enter')[0]}/sites/town"
        browser.driver.get(f"{site}#search?from=fr&to=de")
        browser.until(READY)
        assert browser.run("return [byId('get-src').value, byId('get-tgt').value]") == ["fr", "de"]
        browser.driver.get("about:blank")
        browser.driver.get(f"{site}#terms")
        browser.until(READY)
        browser.until("/^[1-9]/.test(byId('terms-count').textContent) && !byId('terms-said').textContent")
        browser.run("document.querySelector('#get-terms [data-kind=terms-tsv]').click()")
        packed = saved_file(tmp_path / "town.terms-tsv.zip")
        browser.driver.get("about:blank")
    with zipfile.ZipFile(packed) as archive:
        counts = {name: archive.read(name).count(b"\n") - 1 for name in archive.namelist()}
    assert sorted(counts) == ["terms.en-de.tsv", "terms.en-fr.tsv", "terms.fr-de.tsv"]
    assert counts["terms.en-fr.tsv"] > 3


def test_a_deleted_run_takes_its_decisions_and_no_others(bench: Bench, client: TestClient, run: Path) -> None:
    run.with_name("town.uk").mkdir()
    (run.with_name("town.uk") / "journal.db").touch()
    for name in ("town", "town.uk"):
        bench.verdicts.shelf.own("verdicts").mkdir(exist_ok=True)
        bench.verdicts.shelf.own("verdicts", f"{name}.waiting.json").write_text("{}")
        bench.terms.store(name, [decision()])
    client.post("/sites/town/delete", json={})
    left = [path.name for kind in ("verdicts", "terms") for path in sorted(bench.shelf.own(kind).iterdir())]
    assert left == ["town.uk.waiting.json", "town.uk"]


def test_the_server_and_the_terms_know_the_same_decisions() -> None:
    from diglot.terms import decisions
    from diglot.workbench import term_decisions

    for name in ("KEY", "FIELDS", "ACCEPTED", "REJECTED"):
        assert getattr(decisions, name) == getattr(term_decisions, name)
    assert decisions.key_of(decision()) == term_decisions._key_of(decision())
