"""Steps and gates on four pages, with features made up so that every outcome can be told by hand."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from diglot.arrays import Column, Pairs, Rows
from diglot.pairing.assignment import mutual_best
from diglot.pairing.cascade import COMPETITION, Gate, GatedStep, Step, run_cascade
from diglot.pairing.table import pair_table
from diglot.site import Site
from made_documents import made_page, made_site

A, B, C, X, Y = "http://h/en/a", "http://h/en/b", "http://h/en/c", "http://h/fr/x", "http://h/fr/y"


@pytest.fixture
def site() -> Site:
    return made_site(*(made_page(url, "en") for url in (A, B, C)), *(made_page(url, "fr") for url in (X, Y)))


def every_pair(_site: Site, src: Rows, tgt: Rows) -> Iterator[Pairs]:
    yield np.array([(i, j) for i in src for j in tgt], np.int32).reshape(-1, 2)


def known(values: dict[tuple[str, str], float], *, asked: list[tuple[str, str]] | None = None) -> Any:
    """A feature with these values and 9 for all other pairs; ``asked`` notes what it was computed for."""

    def feature(site: Site, pairs: Pairs) -> Column:
        urls = [(site.urls[i], site.urls[j]) for i, j in pairs.tolist()]
        if asked is not None:
            asked.extend(urls)
        return np.array([values.get(pair, 9) for pair in urls], np.float32)

    return feature


def one(_site: Site, pairs: Pairs) -> Column:
    return np.ones(len(pairs), np.float32)


def paired(site: Site, *steps: Step) -> dict[tuple[str, str], dict[str, Any]]:
    scored = run_cascade(site, site.rows_of("en"), site.rows_of("fr"), steps)
    table = pair_table(site, scored, steps, "en", "fr").to_pylist()
    return {(row["src_url"], row["tgt_url"]): row | {"evidence": dict(row["evidence"])} for row in table}


def step(method: str, gate: dict[tuple[str, str], float], rank: Any) -> Step:
    return GatedStep(
        method=method,
        candidates=(every_pair,),
        gates=(Gate(name="edits", feature=known(gate), at_most=5, missing="passes"),),
        rank=(rank,),
        assign=mutual_best,
        score=one,
    )


def test_gates_then_rank_then_competition(site: Site) -> None:
    """A-X ranks before B-X; C and Y pass no gate and keep the candidate nearest to it."""
    ranking = known({(A, X): 1, (B, X): 2})
    found = paired(site, step("m", {(A, X): 0, (B, X): 5, (C, X): 8, (C, Y): 6, (A, Y): 7}, ranking))
    assert [pair for pair, row in found.items() if row["accepted"]] == [(A, X)]
    assert {pair: row["refused_by"] for pair, row in found.items()} == {
        (A, X): "",
        (B, X): COMPETITION,
        (C, Y): "edits",
    }


def test_what_only_ranks_is_not_computed_for_pairs_that_a_gate_refused(site: Site) -> None:
    asked: list[tuple[str, str]] = []
    found = paired(site, step("m", {(A, X): 0, (B, X): 5, (C, Y): 6}, known({(A, X): 1}, asked=asked)))
    assert set(asked) == {(A, X), (B, X)}
    assert found[B, X]["evidence"] == {"edits": 5, "feature": 9}
    assert found[C, Y]["evidence"] == {"edits": 6}


def test_a_page_paired_by_one_step_is_withdrawn_from_the_next(site: Site) -> None:
    first = step("first", {(A, X): 0}, known({}))
    second = step("second", {(A, Y): 0, (B, X): 0, (B, Y): 0}, known({(A, Y): 0, (B, Y): 1}))
    accepted = {pair: row["method"] for pair, row in paired(site, first, second).items() if row["accepted"]}
    assert accepted == {(A, X): "first", (B, Y): "second"}


def test_no_evidence_passes_a_gate(site: Site) -> None:
    nothing = GatedStep(
        method="m",
        candidates=(every_pair,),
        gates=(Gate(name="edits", feature=known({(A, X): np.nan}), at_most=5, missing="passes"),),
        assign=mutual_best,
        score=one,
    )
    assert {pair for pair, row in paired(site, nothing).items() if row["accepted"]} == {(A, X)}


def test_a_step_has_a_score_or_a_decision() -> None:
    with pytest.raises(TypeError, match="step m: needs either"):
        GatedStep(method="m", candidates=(every_pair,), assign=mutual_best)
