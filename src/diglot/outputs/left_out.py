"""Options of an earlier run that the repeated command leaves out, so that they no longer hold: those of pairing, of
cleaning, and of how pages are told apart, but for ``--lang``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diglot.recipes import DEFAULT_RECIPE
from diglot.run.settings import Settings

_OF_CLEAN = ("min_score", "keep", "drop", "pii", "offensive")
_WORDS = {
    name: f"--{name.replace('_', '-')}"
    for name in ("pivot", "min_prob", *_OF_CLEAN, "one_site", "split_pages", "lang_from")
}
"""Options with one value, as they are typed."""


def left_out_note(before: Mapping[str, Any], settings: Settings, run: Path) -> str:
    """A note on options of the earlier run that now have their defaults; "" without any.

    ``before``: options as ``diglot.toml`` stated them. An option with another value was typed, and needs no note.
    """
    now, default = settings.to_table(), Settings(langs=settings.langs).to_table()
    names = [name for name in _WORDS if _is_left_out(name, before, now, default)]
    # The languages typed as 'en,*' set a pivot that nobody typed.
    if before.get("langs") != now["langs"]:
        names = [name for name in names if name != "pivot"]
    words = [word for name in names for word in _option_words(_WORDS[name], before[name])]
    of_recipe = _recipe_words(before, settings)
    if not words and not of_recipe:
        return ""
    lost = shlex.join([*of_recipe, *words])
    is_one = len(names) + sum(word in ("--recipe", "--set") for word in of_recipe) == 1
    told = f"{lost} of the earlier run no longer hold{'s' * is_one}"
    if not of_recipe and set(names) <= set(_OF_CLEAN):
        return f"{told}; `diglot clean {shlex.quote(str(run))} {lost}` sets {'it' if is_one else 'them'} again"
    return f"{told}; add {'it' if is_one else 'them'} to this command to set {'it' if is_one else 'them'} again"


def _is_left_out(name: str, before: Mapping[str, Any], *values: Mapping[str, Any]) -> bool:
    now, default = (each.get(name) for each in values)
    return name in before and now == default != before[name]


def _option_words(word: str, value: Any) -> list[str]:
    if value is True:
        return [word]
    return [word, ",".join(value) if isinstance(value, list) else str(value)]


def _recipe_words(before: Mapping[str, Any], settings: Settings) -> list[str]:
    """The recipe of the earlier run and its changes, as typed; none where another recipe or other changes are typed."""
    recipe, changes = str(before.get("recipe", DEFAULT_RECIPE)), dict(before.get("options", {}))
    if settings.options or settings.recipe not in (recipe, DEFAULT_RECIPE):
        return []
    words = [] if recipe == settings.recipe else ["--recipe", recipe]
    return [*words, *(word for name, value in changes.items() for word in ("--set", f"{name}={value}"))]
