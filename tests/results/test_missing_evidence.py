"""What `why` says of a gate whose evidence a pair lacks: it passes or fails as the recipe decides, and says so."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from diglot.arrays import Column, Pairs
from diglot.errors import NothingFound
from diglot.harvesting import harvest
from diglot.pairing.assignment import mutual_best
from diglot.pairing.candidates import same_stripped_url
from diglot.pairing.cascade import Gate, GatedStep
from diglot.recipes import RECIPES
from diglot.recipes.recipe import Recipe
from diglot.results.run import open_run
from diglot.site import Site
from made_website import COUNT, HOST, as_lett


@dataclass(frozen=True, kw_only=True)
class Options:
    """No options."""


def unknown(_site: Site, pairs: Pairs) -> Column:
    return np.full(len(pairs), np.nan, np.float32)


def sure(_site: Site, pairs: Pairs) -> Column:
    return np.ones(len(pairs), np.float32)


def demanding(missing: Literal["passes", "fails"]) -> Recipe:
    """Pairs of like addresses must have pictures in common, of which nothing is known."""
    like = partial(same_stripped_url, src_langs=frozenset({"en"}), tgt_langs=frozenset({"fr"}), query_keys=False)
    step = GatedStep(
        method="addresses",
        candidates=(like,),
        gates=(Gate(name="pictures", feature=unknown, at_least=0.5, missing=missing),),
        assign=mutual_best,
        score=sure,
    )
    return Recipe(
        name=f"none {missing}",
        source="made",
        summary="made",
        options=Options(),
        steps=lambda options, src, tgt: (step,),
    )


@pytest.mark.parametrize(
    ("missing", "pairs", "verdict"), [("passes", COUNT, "ok"), ("fails", 0, "REFUSED")], ids=["passes", "fails"]
)
def test_missing_evidence_passes_or_fails_and_why_says_so(
    missing: Literal["passes", "fails"], pairs: int, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = demanding(missing)
    monkeypatch.setitem(RECIPES, recipe.name, recipe)
    with suppress(NothingFound):
        harvest(as_lett(tmp_path / "site.lett"), "en,fr", tmp_path / "run", recipe=recipe.name, jobs=1)
    run = open_run(tmp_path / "run")
    assert len(run.pairs()) == pairs
    said = run.why(f"{HOST}/en/chapter1.html", f"{HOST}/fr/chapter1.html")
    (reading,) = said.evidence
    assert (reading.feature, reading.asked, reading.passes) == ("pictures", f">= 0.5, none {missing}", pairs > 0)
    assert str(said).endswith(verdict)
    assert ("refused by pictures" in run.why(f"{HOST}/en/chapter1.html").line) == (pairs == 0)
