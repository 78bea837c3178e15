"""The systems of the literature and our own, as frozen data over shared features, loaded on demand."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

from diglot.errors import DiglotError, RecipeError, describe_failure, no_such
from diglot.recipes.recipe import Recipe

HOMES = {
    "url_baseline": ("url_baseline", "RECIPE"),
    "bitextor2009": ("bitextor2009", "RECIPE"),
    "bitextor2009-relative": ("bitextor2009", "RELATIVE"),
    "bitextor2010": ("bitextor2010", "RECIPE"),
    "bitextor2010-relative": ("bitextor2010", "RELATIVE"),
    "ilsp": ("ilsp", "RECIPE"),
    "pwcc": ("pwcc", "RECIPE"),
    "pwcc-stems": ("pwcc", "STEMS"),
    "strand_em": ("strand_em", "RECIPE"),
    "fused": ("fused", "RECIPE"),
}
"""Module and name of each recipe in this package."""
DEFAULT_RECIPE = "fused"


class _Recipes(MutableMapping[str, Recipe]):
    """Recipes by name, in the order of :data:`HOMES`."""

    def __init__(self) -> None:
        self._known: dict[str, Recipe | None] = dict.fromkeys(HOMES)

    def __getitem__(self, name: str) -> Recipe:
        recipe = self._known[name]
        # Imported on demand: a command that names one recipe need not load the features of all.
        if recipe is None:
            recipe = self._known[name] = _load_recipe(name, *HOMES[name])
        return recipe

    def __setitem__(self, name: str, recipe: Recipe) -> None:
        self._known[name] = recipe

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in self._known


def _load_recipe(name: str, module: str, attribute: str) -> Recipe:
    """The recipe of an entry in :data:`HOMES`; :class:`RecipeError` if its module fails or the names differ."""
    try:
        found = getattr(import_module(f"diglot.recipes.{module}"), attribute)
    except RecipeError as error:
        begun = f"recipe {name}: "
        raise RecipeError(begun + str(error).removeprefix(begun)) from error
    except DiglotError:
        raise
    except (Exception, SystemExit) as error:
        raise RecipeError(f"recipe {name}: its module {module} cannot be loaded: {describe_failure(error)}") from error
    if not isinstance(found, Recipe) or found.name != name:
        what = f"a recipe named {found.name!r}" if isinstance(found, Recipe) else f"a {type(found).__name__}"
        raise RecipeError(f"recipe {name}: {attribute} in its module {module} is {what}; the names must be the same")
    return found


RECIPES: MutableMapping[str, Recipe] = _Recipes()


def get_recipe(name: str) -> Recipe:
    """A recipe by name; :class:`RecipeError` lists the known names."""
    if not isinstance(name, str) or name not in RECIPES:
        raise RecipeError(no_such("recipe", str(name), RECIPES))
    return RECIPES[name]
