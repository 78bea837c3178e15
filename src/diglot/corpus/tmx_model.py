"""The structure of TMX 1.4b as data: what each element may hold, in what order, with which attributes.

Written from the TMX 1.4b specification (LISA OSCAR, 2005), sections on elements and attributes; it says the
same as the DTD of that specification.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

ANY_NUMBER = 1 << 62


class Group(NamedTuple):
    """Children that follow one another in any order: one step of an element's content."""

    names: frozenset[str]
    least: int = 0
    most: int = ANY_NUMBER


@dataclass(frozen=True)
class Element:
    """What one element may hold."""

    groups: tuple[Group, ...] = ()
    """In this order; no name stands in two groups of one element."""
    text: bool = False
    required: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    """Attributes that may be left out."""
    choices: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Attributes that take only these values."""

    @cached_property
    def place_of(self) -> dict[str, int]:
        """The number of the group that each possible child belongs to."""
        return {name: number for number, group in enumerate(self.groups) for name in group.names}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _inline(required: str = "", allowed: str = "", **choices: str) -> Element:
    """An inline code: text of the other format, and translatable text inside it."""
    return Element(
        (Group(_words("sub")),),
        text=True,
        required=_words(required),
        allowed=_words(allowed),
        choices={name: _words(values) for name, values in choices.items()},
    )


_NOTES = Group(_words("note prop"))
_MARKUP = Group(_words("bpt ept ph it hi ut"))
_SEGTYPE = {"segtype": _words("block paragraph sentence phrase")}
_HISTORY = "creationdate creationid changedate changeid"
_UNIT = f"{_HISTORY} o-encoding datatype usagecount lastusagedate creationtool creationtoolversion o-tmf"

ROOT = "tmx"
ELEMENTS: dict[str, Element] = {
    "tmx": Element(
        (Group(_words("header"), 1, 1), Group(_words("body"), 1, 1)),
        # The DTD fixes the value and so lets it be left out; the specification asks for it.
        required=_words("version"),
        choices={"version": _words("1.4")},
    ),
    "header": Element(
        (Group(_words("note prop ude")),),
        required=_words("creationtool creationtoolversion segtype o-tmf adminlang srclang datatype"),
        allowed=_words(f"o-encoding {_HISTORY}"),
        choices=_SEGTYPE,
    ),
    "body": Element((Group(_words("tu")),)),
    "note": Element(text=True, allowed=_words("o-encoding xml:lang lang")),
    "prop": Element(text=True, required=_words("type"), allowed=_words("o-encoding xml:lang lang")),
    "ude": Element((Group(_words("map"), 1),), required=_words("name"), allowed=_words("base")),
    "map": Element(required=_words("unicode"), allowed=_words("code ent subst")),
    "tu": Element((_NOTES, Group(_words("tuv"), 1)), allowed=_words(f"{_UNIT} tuid segtype srclang"), choices=_SEGTYPE),
    "tuv": Element((_NOTES, Group(_words("seg"), 1, 1)), required=_words("xml:lang"), allowed=_words(f"{_UNIT} lang")),
    "seg": Element((_MARKUP,), text=True),
    "hi": Element((_MARKUP,), text=True, allowed=_words("x type")),
    "sub": Element((_MARKUP,), text=True, allowed=_words("datatype type")),
    "bpt": _inline("i", "x type"),
    "ept": _inline("i"),
    "it": _inline("pos", "x type", pos="begin end"),
    "ph": _inline("", "x assoc type"),
    "ut": _inline("", "x"),
}
