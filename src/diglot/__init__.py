"""Diglot: a multilingual website in, parallel text out.

The public names are loaded when they are first used, so that ``import diglot`` costs nothing::

    run = diglot.harvest("site.warc.gz", langs=["en", "fr"], out="run")
    run.segments("en", "fr").to_tmx("site.tmx")
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diglot import errors as errors
    from diglot import recipes as recipes
    from diglot.corpus.check import check_tmx as check_tmx
    from diglot.harvest import harvest as harvest
    from diglot.recipes.recipe import Recipe as Recipe
    from diglot.results import Run as Run
    from diglot.results import open_run as open_run
    from diglot.texts import align as align

__version__ = "0.1.0"
__all__ = ["Recipe", "Run", "align", "check_tmx", "errors", "harvest", "open_run", "recipes"]

_HOMES = {
    "Recipe": "diglot.recipes.recipe",
    "Run": "diglot.results",
    "align": "diglot.texts",
    "check_tmx": "diglot.corpus.check",
    "open_run": "diglot.results",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in ("errors", "recipes"):
        return importlib.import_module(f"diglot.{name}")
    raise AttributeError(f"module 'diglot' has no attribute {name!r}")


class _Package(ModuleType):
    """The package, in which ``harvest`` is the function, although the module that holds it has the same name."""

    @property
    def harvest(self) -> Any:
        return importlib.import_module("diglot.harvest").harvest

    @harvest.setter
    def harvest(self, module: ModuleType) -> None:
        """Importing the module sets it here; the function stays."""


sys.modules[__name__].__class__ = _Package
