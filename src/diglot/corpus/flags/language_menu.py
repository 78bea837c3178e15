"""The flag ``language_menu``: entries of a menu of languages or countries, such as *Italiano (Italian)*.

Each entry has the language's own name, the same on both sides, and its name in the language of the page. Names are
those of CLDR, in all languages, as `language_data` has them.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache, lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from language_data.names import load_trie, normalize_name
from language_data.util import data_filename

from diglot.arrays import Mask
from diglot.corpus.flags.codes import codes_of, combine
from diglot.corpus.flags.context import Context, matches

LEAST_ENTRIES = 3
"""Least entries of a menu on a page pair. In a text a single language may be named in two languages."""
_MAYBE_ENTRY = r"^\s*\pL[^.!?\n]{2,78}$"
_BOUNDS = r"[(（\[/|·–—,:]|\s-\s"
_BOUND = re.compile(_BOUNDS)
_AROUND = " ()（）[]|·-–—,:"


def is_menu_of_languages(context: Context) -> Mask:
    """Mask of the rows that are entries of a menu of languages or countries, shape (rows,)."""
    entries = context.by_texts(_are_entries)
    page = combine(*(codes_of(context.segments[name]) for name in ("src_url", "tgt_url")))
    return np.asarray(entries & (np.bincount(page[entries], minlength=page.max() + 1)[page] >= LEAST_ENTRIES), bool)


def _are_entries(pairs: pa.Table) -> Mask:
    found = np.logical_and.reduce([matches(pairs[side], _MAYBE_ENTRY) for side in ("src", "tgt")])
    found &= pc.match_substring_regex(pairs["src"], _BOUNDS).to_numpy()
    rows = np.flatnonzero(found)
    texts = (pairs[side].take(pa.array(rows)).to_pylist() for side in ("src", "tgt"))
    found[rows] = [is_entry(src, tgt) for src, tgt in zip(*texts, strict=True)]
    return np.asarray(found, bool)


def is_entry(src: str, tgt: str) -> bool:
    """Whether both sides are names of languages or countries alone, and share one of them.

    >>> is_entry("Italiano (Italian)", "Italiano (Itali)"), is_entry("Italian (Italy)", "italien (Italie)")
    (True, False)
    """
    names, others = _names_in(src), _names_in(tgt)
    return len(names) > 1 and len(others) > 1 and not names.isdisjoint(others)


def _names_in(text: str) -> frozenset[str]:
    """The names of which a text consists; none for a text with other words."""
    text = text.strip(_AROUND)
    if _is_name(text):
        return frozenset((normalize_name(text),))
    bound = _BOUND.search(text)
    if not bound:
        return frozenset()
    first, others = text[: bound.start()].strip(_AROUND), _names_in(text[bound.end() :])
    return others | {normalize_name(first)} if others and _is_name(first) else frozenset()


@lru_cache(maxsize=4096)
def _is_name(text: str) -> bool:
    # "Chinese (Simplified)" is listed as "Simplified Chinese".
    orders = (normalize_name(text), " ".join(reversed(normalize_name(text).split())))
    return any(name in names for name in orders for names in _known_names())


@cache
def _known_names() -> tuple[Container[str], Container[str]]:
    """Names of languages and of countries in all languages. ``language_data`` itself looks for prefixes, too."""
    languages, countries = (load_trie(data_filename(f"trie/und/name_to_{kind}.marisa")) for kind in _KINDS)
    return languages, countries


_KINDS = ("language", "territory")
