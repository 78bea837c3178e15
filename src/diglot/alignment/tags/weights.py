"""TagAligner's table of tag categories and edit weights: the published set, or a TOML file of the user's."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, Literal

from diglot.documents.html.tags import CONTENT, FORMAT, IRRELEVANT, STRUCTURAL, TAG_CLASSES
from diglot.errors import RecipeError

TEXT = "text"
"""The class of text chunks; their weights are a unit of length."""

Unit = Literal["characters", "words"]
_SECTIONS = ("categories", "insert", "delete", "substitute")
_CLASS_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class TagWeights:
    """Costs of LibTagAligner's edit distance (Bitextor 2009, section 6.1; 2010, section 5, equations 6-9).

    ``categories``: tag name -> class; a tag not named is "irrelevant": left out, the texts on its two sides
    joined. ``insert``, ``delete``: class -> cost of a tag, and "text" -> cost a unit of length.
    ``substitute``: sorted pair of classes -> cost of different tags (equal ones cost 0), inf where
    forbidden; ("text", "text") -> cost a unit of difference in length. A tag never stands for a text.
    """

    categories: Mapping[str, str]
    insert: Mapping[str, float]
    delete: Mapping[str, float]
    substitute: Mapping[tuple[str, str], float]
    unit: Unit = "characters"

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes of relevant tags, sorted."""
        return tuple(sorted(set(self.categories.values()) - {IRRELEVANT}))


_LEAVE_OUT = {STRUCTURAL: 1.0, FORMAT: 0.75, CONTENT: 1.25, TEXT: 0.01}

PUBLISHED = TagWeights(
    categories=TAG_CLASSES,
    insert=_LEAVE_OUT,
    delete=_LEAVE_OUT,
    substitute={
        (STRUCTURAL, STRUCTURAL): 1.5,
        (FORMAT, STRUCTURAL): 1.75,
        (FORMAT, FORMAT): 0.4,
        (CONTENT, CONTENT): math.inf,
        (CONTENT, FORMAT): math.inf,
        (CONTENT, STRUCTURAL): math.inf,
        (TEXT, TEXT): 0.01,
    },
)
"""The set that Bitextor 2010 (note 9) takes from Sanchez-Villamil et al. 2006, as TagAligner shipped it."""


def load_weights(path: str | Path) -> TagWeights:
    """Weights of a TOML file, every class and every pair of classes being given::

        unit = "characters"                     # or "words"

        [categories]                            # a tag named in none is irrelevant
        structural = ["p", "div", "li", "h1"]
        format = ["b", "i"]

        [insert]
        structural = 1.0
        format = 0.75
        text = 0.01                             # a unit of length

        [delete]
        structural = 1.0
        format = 0.75
        text = 0.01

        [substitute]                            # inf forbids; the order in a pair is free
        structural-structural = 1.5
        structural-format = inf
        format-format = 0.4
        text-text = 0.01                        # a unit of difference in length

    Raises: RecipeError, naming file and entry, where the file cannot be read or is not TOML, an entry is
    unknown, missing or not a number >= 0, a tag stands in two categories, or an insertion or deletion is
    forbidden.
    """
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise RecipeError(f"{path}: cannot be read ({error.strerror}); name a TOML file of tag weights") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: not TOML ({error})") from error
    try:
        return weights_from_table(table)
    except RecipeError as error:
        raise RecipeError(f"{path}: {error}") from error


def weights_from_table(table: Mapping[str, Any]) -> TagWeights:
    """Weights of a table such as :func:`load_weights` reads.

    Raises: RecipeError, naming the entry.
    """
    unknown = set(table) - {*_SECTIONS, "unit"}
    if unknown:
        raise RecipeError(f"unknown entry {min(unknown)!r}; there are unit, {', '.join(_SECTIONS)}")
    for section in _SECTIONS:
        if not isinstance(table.get(section), dict):
            raise RecipeError(f"section [{section}] is missing")
    unit = table.get("unit", "characters")
    if unit not in ("characters", "words"):
        raise RecipeError(f'unit is {unit!r}; write "characters" or "words"')
    categories = _categories(table["categories"])
    classes = sorted({*categories.values(), TEXT} - {IRRELEVANT})
    pairs = [*combinations_with_replacement([name for name in classes if name != TEXT], 2), (TEXT, TEXT)]
    wanted = {"-".join(pair): pair for pair in pairs} | {"-".join(reversed(pair)): pair for pair in pairs}
    given = {wanted.get(name, (name, "")): weight for name, weight in table["substitute"].items()}
    if len(given) < len(table["substitute"]):
        raise RecipeError("[substitute] gives a pair of classes twice; write each pair in one order only")
    by_name = {"-".join(pair).rstrip("-"): weight for pair, weight in given.items()}
    substitute = _weights(by_name, ["-".join(pair) for pair in pairs], "substitute", math.inf)
    return TagWeights(
        categories=categories,
        insert=_weights(table["insert"], classes, "insert", 1e9),
        delete=_weights(table["delete"], classes, "delete", 1e9),
        substitute={pair: substitute["-".join(pair)] for pair in pairs},
        unit=unit,
    )


def _categories(section: Mapping[str, Any]) -> dict[str, str]:
    """Tag name -> class, of the lists of a [categories] section."""
    categories: dict[str, str] = {}
    for name, tags in section.items():
        if not _CLASS_NAME.fullmatch(name) or name == TEXT:
            raise RecipeError(f"[categories] {name!r} cannot name a class; use a-z, 0-9 and _, and not {TEXT!r}")
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise RecipeError(f'[categories] {name}: write a list of tag names such as ["p", "div"]')
        for tag in tags:
            if tag not in TAG_CLASSES:
                raise RecipeError(f"[categories] {name}: {tag!r} is not a tag of HTML")
            if categories.setdefault(tag, name) != name:
                raise RecipeError(f"[categories] {tag!r} stands in {categories[tag]!r} and in {name!r}")
    return categories


def _weights(section: Mapping[str, Any], names: list[str], title: str, most: float) -> dict[str, float]:
    """The weights of a section, one for each of ``names`` and no other, within [0, most]."""
    unknown, missing = set(section) - set(names), set(names) - set(section)
    if unknown:
        raise RecipeError(f"[{title}] {min(unknown)!r} names no class; there are {', '.join(names)}")
    if missing:
        raise RecipeError(f"[{title}] has no weight for {min(missing)!r}")
    for name, weight in section.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= most:
            raise RecipeError(f"[{title}] {name} = {weight!r}; write a number from 0 to {most:g}")
    return {name: float(section[name]) for name in names}
