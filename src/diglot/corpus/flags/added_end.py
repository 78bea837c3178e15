"""The flag ``added_end``: one side ends with words that a site adds in one language alone.

The template of one language version sets a note, a hint for screen readers or the name of the site behind many texts,
and that of the other version does not: *perdi – hilang,kata akar* ("root word") beside *perdi – perder*. Each such text
has words without a translation. No word of a language stands by itself behind a mark at the end of one text in twenty.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask
from diglot.corpus.flags.codes import codes_of, combine, rows_by_code
from diglot.corpus.flags.context import Context
from diglot.words import LETTER_RUNS

LEAST_TEXTS, LEAST_SHARE = 10, 1 / 20
"""Least number of texts with the same end, and their least share of the texts of a site and language pair."""
MOST_ANSWERED = 1 / 4
"""Largest share of these texts whose other side has as many marks, or the first or the last word that is most frequent
there: a translation of the end."""
_ENDS = {
    "[,，、،;；]": r"[,，、،;；]\s*(?P<end>\pL[^,，、،;；]{1,40}?)\PL*$",
    r"[(（\[［]": r"[(（\[［]\s*(?P<end>\pL[^()（）\[\]［］]{1,40}?)\PL*$",
    r"(?:\s[|｜·•–—-]|[»›]|::)\s": r"(?:\s[|｜·•–—-]|[»›]|::)\s+(?P<end>\pL[^|｜·•»›]{1,40}?)\PL*$",
}
"""Patterns of marks, and of an end behind the last one (RE2)."""


def has_added_end(context: Context) -> Mask:
    """Mask of rows with an end that one language alone adds, shape (rows,)."""
    found = np.zeros(context.segments.num_rows, bool)
    for side in (0, 1):
        for mark, end in _ENDS.items():
            found |= _has_end(context, side, mark, end)
    return found


def _has_end(context: Context, side: int, mark: str, end: str) -> Mask:
    sides = [context.segments[name] for name in ("src", "tgt")]
    mine, other = sides[side], sides[1 - side]
    ends = pc.struct_field(pc.extract_regex(pc.utf8_lower(mine), end), "end")
    rows = np.flatnonzero(context.usable & ends.is_valid().to_numpy())
    found = np.zeros(len(context.usable), bool)
    if len(rows) < LEAST_TEXTS:
        return found
    texts = context.texts.sides[side]
    totals = _distinct(context.peers, texts, np.flatnonzero(context.usable))
    groups = combine(context.peers[rows], codes_of(ends.take(pa.array(rows))))
    many = _distinct(groups, texts[rows], np.arange(len(rows)))[groups]
    taken = rows[(many >= LEAST_TEXTS) & (many >= LEAST_SHARE * totals[context.peers[rows]])]
    for places in (
        rows_by_code(combine(context.peers[taken], codes_of(ends.take(pa.array(taken))))) if len(taken) else ()
    ):
        group = taken[places]
        pairs = [column.take(pa.array(group)) for column in (mine, other)]
        marks = [pc.count_substring_regex(texts, mark).to_numpy() for texts in pairs]
        answered = (marks[1] >= marks[0]).mean()
        found[group] = max(answered, _share_of_edge(pairs[1].to_pylist())) <= MOST_ANSWERED
    return found


def _distinct(groups: Ints, texts: Ints, rows: Ints) -> Ints:
    """The number of distinct texts of each group among some rows, shape (groups,)."""
    pairs = np.unique(np.stack([groups[rows], texts[rows]]), axis=1)
    return np.bincount(pairs[0], minlength=int(groups.max()) + 1)


def _share_of_edge(texts: list[str]) -> float:
    """The largest share of texts with the same first word, or with the same last one."""
    words = [found for text in texts if (found := LETTER_RUNS.findall(text.casefold()))]
    edges = (Counter(found[place] for found in words) for place in (0, -1))
    return max((edge.most_common(1)[0][1] for edge in edges if edge), default=0) / len(texts)
