"""A recipe of one's own that cannot be loaded, or is no recipe, is told by name and takes no other recipe away."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pytest

from diglot import recipes
from diglot.cli import main
from diglot.errors import RecipeError
from diglot.recipes import RECIPES, get_recipe


def planted(monkeypatch: pytest.MonkeyPatch, place: tuple[str, str]) -> None:
    monkeypatch.setitem(recipes.HOMES, "example", place)
    monkeypatch.setitem(RECIPES._known, "example", None)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("exampel", "RECIPE"), r"its module exampel cannot be loaded: ModuleNotFoundError: .*exampel"),
        (("fused", "RECIPEE"), r"its module fused cannot be loaded: AttributeError: .*RECIPEE"),
        (("fused", "Options"), r"Options in its module fused is a type; the names"),
        (("fused", "RECIPE"), r"RECIPE in its module fused is a recipe named 'fused'; the names must be the same"),
    ],
)
def test_an_entry_that_gives_no_recipe(
    place: tuple[str, str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(monkeypatch, place)
    with pytest.raises(RecipeError, match=f"^recipe example: {said}"):
        get_recipe("example")
    assert main(["recipes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(RECIPES)
    (own,) = [line for line in lines if line.startswith("example")]
    assert "cannot be used: recipe example: " in own


def test_an_error_in_a_module_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, ("example", "RECIPE"))

    def fails(_name: str) -> Any:
        raise KeyError("levels")

    module = ModuleType("diglot.recipes.example")
    module.__getattr__ = fails  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "diglot.recipes.example", module)
    with pytest.raises(RecipeError, match=r"KeyError: 'levels' \(test_own_modules\.py, line \d+\)$"):
        get_recipe("example")


@dataclass(frozen=True)
class Bare:
    """An option without source and meaning."""

    least: float = 0.1


@pytest.mark.parametrize(
    ("options", "said"),
    [({"least": 1}, "options are a dict, no frozen dataclass"), (Bare(), "option least has no source .* use setting")],
)
def test_options_of_another_kind_are_refused(options: Any, said: str) -> None:
    with pytest.raises(RecipeError, match=f"^recipe fused: {said}"):
        replace(get_recipe("fused"), options=options)


def test_an_unknown_aligner_is_refused_where_it_is_named() -> None:
    named: Any = "foo"
    said = r"^recipe fused: no aligner 'foo'; there are: tags, gale_church, lexical$"
    with pytest.raises(RecipeError, match=said):
        replace(get_recipe("fused"), aligner=named)
    with pytest.raises(RecipeError, match=said):
        get_recipe("fused").with_options({"aligner": named})


@pytest.mark.parametrize("changes", [None, "a=1", [("a", 1)], {1: 2}])
def test_changes_that_are_no_names_with_values_are_refused(changes: Any) -> None:
    with pytest.raises(RecipeError, match=r"^recipe fused: options are given by name"):
        get_recipe("fused").with_options(changes)


def test_no_name_of_a_recipe() -> None:
    with pytest.raises(RecipeError, match="no recipe 'None'"):
        get_recipe(None)  # type: ignore[arg-type]
