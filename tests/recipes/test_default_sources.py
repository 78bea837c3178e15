"""The source of a default is that of its value in this recipe, not of another recipe with the same options."""

import dataclasses

import pytest

from diglot.cli import main
from diglot.recipes import RECIPES


@pytest.mark.parametrize("name", RECIPES)
def test_every_default_that_a_variant_changes_has_a_source_of_its_own(name: str) -> None:
    recipe = RECIPES[name]
    options = dataclasses.fields(recipe.options)
    changed = {option.name for option in options if getattr(recipe.options, option.name) != option.default}
    assert set(recipe.changed_sources) == changed
    for option in options:
        given = recipe.changed_sources if option.name in changed else {option.name: option.metadata["source"]}
        assert recipe.default_source(option) == given[option.name]


@pytest.mark.parametrize("name", ["bitextor2009-relative", "bitextor2010-relative"])
def test_the_relative_recipes_say_that_their_limits_are_ours(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes", name]) == 0
    told = capsys.readouterr().out
    for option in ("max_edits=inf", "block_threshold=0.3", "max_text_difference=0.35"):
        assert "[ours" in told.partition(f"  {option}\n")[2].splitlines()[0]
    assert "limits of ours: edits only by their share (20%), blocks 30%, text lengths 35%" in told
