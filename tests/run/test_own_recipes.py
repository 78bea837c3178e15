"""A mistake in one's own recipe is told with its cause: by harvest, in the summary, in the log, and by compare."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import failing_recipes
import failing_sites
import pytest

from diglot.errors import RecipeError, SitesFailed
from diglot.experiments.comparing import compare
from diglot.harvesting import harvest
from diglot.recipes import RECIPES
from two_sites import HOSTS, lines_of, write_mixed

SITES = (failing_sites.POISON, HOSTS[0])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (path,) = write_mixed(tmp_path / "mixed", {name: lines_of(name) for name in SITES})
    return path


def planted(monkeypatch: pytest.MonkeyPatch, steps: Any) -> None:
    monkeypatch.setitem(RECIPES, "own", failing_recipes.recipe_of(steps))


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (failing_recipes.rank_without_comma, r"^recipe own: step 'structure': rank: .*is no tuple"),
        (
            failing_recipes.steps_without_languages,
            r"^recipe own: its steps for en-fr: TypeError: .* takes 1 .* 3 were given \(\w+\.py, line \d+\)$",
        ),
    ],
)
def test_steps_that_cannot_be_made_are_refused_before_a_page_is_read(
    steps: Any, said: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, steps)
    with pytest.raises(RecipeError, match=said):
        harvest(source, "en,fr", source.parent / "run", recipe="own", jobs=1)
    assert not (source.parent / "run" / "documents").exists()
    (own,) = compare(source, "en,fr", recipes="own", jobs=1).contenders
    assert own.abstained.startswith("recipe own: ")


@pytest.mark.parametrize(
    ("steps", "cause"),
    [
        (
            partial(failing_recipes.rank_by, failing_recipes.without_argument),
            "pairing: TypeError: without_argument() takes 1 positional argument but 2 were given",
        ),
        (
            partial(failing_recipes.score_by, failing_recipes.seven),
            "pairing: recipe own: step 'structure': the score of ",
        ),
    ],
)
def test_a_recipe_that_fails_on_all_sites_is_told(
    steps: Any, cause: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, steps)
    run = source.parent / "run"
    with pytest.raises(SitesFailed, match=r"pages lost with their sites: pairing: ") as told:
        harvest(source, "en,fr", run, recipe="own", jobs=1)
    assert cause in str(told.value)
    summary = json.loads((run / "out" / "summary.json").read_text())
    assert any(cause in note for note in summary["notes"])
    assert cause in (run / "diglot.log").read_text()
    (own,) = compare(source, "en,fr", recipes="own", jobs=1).contenders
    assert own.abstained.startswith("failed on all sites: ")
    assert cause in own.abstained


def test_a_recipe_that_fails_on_a_site_is_compared_with_a_note(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, partial(failing_recipes.score_by, failing_recipes.fails_on_poison))
    (own,) = compare(source, "en,fr", recipes="own", jobs=1).contenders
    assert not own.abstained
    assert own.pairs
    (note,) = [note for note in own.notes if "failed on" in note]
    assert note.startswith("failed on 1 of 2 sites: pairing: recipe own: step 'structure': score: gives a NoneType")
