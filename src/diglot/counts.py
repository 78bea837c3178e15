"""Counts, in the order in which a person is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison

_Name = TypeVar("_Name", bound="SupportsRichComparison")


def largest_first(counts: Mapping[_Name, int]) -> list[tuple[_Name, int]]:
    """Names and their counts, the largest count first, names of equal counts in their own order.

    >>> largest_first({"fr": 2, "de": 2, "en": 7})
    [('en', 7), ('de', 2), ('fr', 2)]
    """
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
