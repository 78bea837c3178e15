"""Decisions of a page, each stored or refused on its own: a refused decision holds up no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diglot.errors import UsageError


def sort_entries(values: Any, entry_of: Callable[[Any], dict[str, str]]) -> tuple[list[dict[str, str]], dict[int, str]]:
    """Entries that can be stored, and a sentence for each of the others by its place in ``values``.

    ``entry_of``: makes an entry of a value, or raises UsageError. Raises: UsageError for values that are no list, and
    for an empty one.
    """
    if not isinstance(values, list) or not values:
        raise UsageError("There is nothing to save.")
    entries, refused = [], {}
    for place, value in enumerate(values):
        try:
            entries.append(entry_of(value))
        except UsageError as error:
            refused[place] = str(error)
    return entries, refused
