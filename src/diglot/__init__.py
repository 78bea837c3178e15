"""Diglot: a multilingual website in, parallel text out.

The public names are loaded when they are first used, so that ``import diglot`` costs nothing::

    run = diglot.harvest("site.warc.gz", langs=["en", "fr"], out="run")
    run.segments("en", "fr").write("memory", "tmx")
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from diglot.errors import NotBuilt
from diglot.version import __version__ as __version__

if TYPE_CHECKING:
    from diglot import errors as errors
    from diglot import recipes as recipes
    from diglot.corpus.formats.check import check_tmx as check_tmx
    from diglot.harvesting import harvest as harvest
    from diglot.recipes.recipe import Recipe as Recipe
    from diglot.results.run import Run as Run
    from diglot.results.run import open_run as open_run
    from diglot.texts import align as align

if importlib.util.find_spec("diglot._memoryviews") is None:
    raise NotBuilt(
        "the compiled parts of Diglot are missing: run `make install` or `pip install .` where its source is"
    )

__all__ = ["Recipe", "Run", "align", "check_tmx", "errors", "harvest", "open_run", "recipes"]

_HOMES = {
    "Recipe": "diglot.recipes.recipe",
    "Run": "diglot.results.run",
    "align": "diglot.texts",
    "check_tmx": "diglot.corpus.formats.check",
    "harvest": "diglot.harvesting",
    "open_run": "diglot.results.run",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in ("errors", "recipes"):
        return importlib.import_module(f"diglot.{name}")
    raise AttributeError(f"module 'diglot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
