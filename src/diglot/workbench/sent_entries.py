"""Decisions sent by a page. Each decision is stored or refused; a refused decision holds up no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diglot.errors import UsageError


def check_entries(
    values: Any, entry_of: Callable[[Any], dict[str, str]]
) -> tuple[list[dict[str, str]], dict[int, str]]:
    """Entries of the valid values, and why each other value is refused, by place in ``values``.

    ``entry_of``: makes an entry of a value, or raises UsageError. Raises: UsageError for an empty list, and for values
    without a list.
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
