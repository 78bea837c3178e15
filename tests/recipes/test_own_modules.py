"""A recipe of one's own that cannot be loaded, or is no recipe, is told by name and takes no other recipe away."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from diglot import recipes
from diglot.cli import main
from diglot.errors import RecipeError
from diglot.recipes import RECIPES, get_recipe
from made_sites import lett_site


def planted(monkeypatch: pytest.MonkeyPatch, place: tuple[str, str]) -> None:
    monkeypatch.setitem(recipes.HOMES, "example", place)
    monkeypatch.setitem(RECIPES._known, "example", None)  # type: ignore[attr-defined]


def plant_failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """A module of the recipe ``example`` in which every name raises ``error``."""

    def fails(_name: str) -> Any:
        raise error

    planted(monkeypatch, ("example", "RECIPE"))
    module = ModuleType("diglot.recipes.example")
    module.__getattr__ = fails  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "diglot.recipes.example", module)


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
    plant_failing(monkeypatch, KeyError("levels"))
    with pytest.raises(RecipeError, match=r"KeyError: 'levels' \(test_own_modules\.py, line \d+\)$"):
        get_recipe("example")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; sys.exit(3)", r"SystemExit: 3 \(broken_recipe\.py, line 1\)$"),
        ("def (", r"SyntaxError: invalid syntax \(broken_recipe\.py, line 1\)$"),
    ],
)
def test_a_module_that_ends_python_or_is_none_is_told_with_its_own_line(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, ("broken_recipe", "RECIPE"))
    (tmp_path / "broken_recipe.py").write_text(text)
    monkeypatch.setattr(recipes, "__path__", [*recipes.__path__, str(tmp_path)])
    with pytest.raises(RecipeError, match=f"^recipe example: its module broken_recipe cannot be loaded: {said}"):
        get_recipe("example")


def test_the_name_of_a_recipe_stands_once_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_failing(monkeypatch, RecipeError("recipe example: options are a dict"))
    with pytest.raises(RecipeError, match=r"^recipe example: options are a dict$"):
        get_recipe("example")


@pytest.mark.parametrize("given", [None, True, 7])
def test_a_reason_that_is_no_text_is_refused(given: Any) -> None:
    recipe = replace(get_recipe("fused"), requires=lambda *_: given)
    with pytest.raises(RecipeError, match=r"^recipe fused: its requires for en-fr gives a \w+; give the reason"):
        recipe.lack("en", "fr")


@pytest.mark.parametrize("given", [None, "one line", (1,)])
def test_remarks_that_are_no_tuple_of_texts_are_refused(given: Any) -> None:
    recipe = replace(get_recipe("fused"), remarks=lambda *_: given)
    with pytest.raises(RecipeError, match=r"^recipe fused: its remarks for en-fr are no tuple of texts"):
        recipe.remark_lines("en", "fr")


@pytest.mark.parametrize("function", ["requires", "remarks"])
def test_a_function_of_a_recipe_that_fails_is_told_before_a_page_is_read(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: Any) -> Any:
        raise KeyError("levels")

    changes: dict[str, Any] = {"name": "own", function: fails}
    monkeypatch.setitem(RECIPES, "own", replace(get_recipe("fused"), **changes))
    (tmp_path / "page.html").write_text("<p>One.</p>")
    words = ["harvest", str(tmp_path), "--base-url", "https://example.org/", "-l", "en,fr", "--recipe", "own"]
    assert main([*words, "-o", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert f"diglot: recipe own: its {function} for en-fr: KeyError: 'levels' (test_own_modules.py, line" in said


def test_a_step_that_is_none_is_refused() -> None:
    steps: Any = lambda *_: (1,)  # noqa: E731
    with pytest.raises(RecipeError, match=r"^recipe fused: its steps for en-fr: one is of type int; give a GatedStep"):
        replace(get_recipe("fused"), steps=steps).make_steps("en", "fr")


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


def test_a_comparison_of_all_recipes_goes_on_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "site.lett").write_bytes(lett_site("site.example", range(3)))
    others = {name: RECIPES[name] for name in ("url_baseline", "fused")}
    monkeypatch.setattr(RECIPES, "_known", {"example": None, **others})
    monkeypatch.setitem(recipes.HOMES, "example", ("exampel", "RECIPE"))
    site = str(tmp_path / "site.lett")
    assert main(["compare", site, "-l", "en,fr", "--recipes", "all", "--json", "-q", "--jobs", "1"]) == 0
    baseline, _, broken = json.loads(capsys.readouterr().out)["recipes"]
    assert (baseline["recipe"], baseline["pairs"]) == ("url_baseline", 3)
    assert broken["abstained"].startswith("recipe example: its module exampel cannot be loaded: ModuleNotFoundError")
    assert main(["compare", site, "-l", "en,fr", "--recipes", "example"]) == 2
    assert "its module exampel cannot be loaded" in capsys.readouterr().err
