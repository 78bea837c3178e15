"""The systems of the literature and our own, as frozen data over shared features."""

from __future__ import annotations

from diglot.errors import RecipeError, no_such
from diglot.recipes import bitextor2009, bitextor2010, fused, ilsp, pwcc, strand_em, url_baseline
from diglot.recipes.recipe import Recipe

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        url_baseline.RECIPE,
        bitextor2009.RECIPE,
        bitextor2009.RELATIVE,
        bitextor2010.RECIPE,
        bitextor2010.RELATIVE,
        ilsp.RECIPE,
        pwcc.RECIPE,
        pwcc.STEMS,
        strand_em.RECIPE,
        fused.RECIPE,
    )
}
DEFAULT_RECIPE = "fused"


def get_recipe(name: str) -> Recipe:
    """A recipe by its name; :class:`RecipeError` names those there are."""
    if name not in RECIPES:
        raise RecipeError(no_such("recipe", name, RECIPES))
    return RECIPES[name]
