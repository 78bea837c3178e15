"""How many parts of two addresses differ: directories, file name, variables (Bitextor 2010, 3.3 and 4.1)."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from rapidfuzz.distance import Levenshtein

from diglot.site import Column, Pairs, Site


class UrlParts(NamedTuple):
    """An address cut in three, each part compared apart; the host counts as the first directory."""

    directories: tuple[str, ...]
    filename: str
    variables: tuple[str, ...]


@lru_cache(maxsize=200_000)
def url_parts(url: str) -> UrlParts:
    """Cut an address; a variable is a whole ``key=value``."""
    parts = urlsplit(url)
    *directories, filename = parts.path.split("/")
    units = (parts.netloc.lower(), *(unit for unit in directories if unit))
    variables = tuple(sorted(filter(None, parts.query.replace(";", "&").split("&"))))
    return UrlParts(units, filename, variables)


def url_differences(site: Site, pairs: Pairs) -> Column:
    """Number of parts in which the two addresses differ.

    Edits between the directory sequences, plus 1 for another file name, plus edits between the
    variables as sets. ``/va/`` for ``/en/``, a directory more, a variable more or with another value
    are one each.
    """
    parts = [url_parts(url) for url in site.urls]
    return np.array([count_differences(parts[i], parts[j]) for i, j in pairs.tolist()], dtype=np.float32)


def count_differences(first: UrlParts, second: UrlParts) -> int:
    """Differences of two cut addresses."""
    directories: int = Levenshtein.distance(first.directories, second.directories)
    ours, theirs = Counter(first.variables), Counter(second.variables)
    variables = max((ours - theirs).total(), (theirs - ours).total())
    return directories + (first.filename != second.filename) + variables
