"""The flag ``added_end``: one side ends with words added by the site in a single language.

The template of a language version sets a note, a hint for screen readers or the name of the site behind many texts, and
the template of the second language does not: *perdi – hilang,kata akar* ("root word") beside *perdi – perder*. Such
texts have words without a translation. No word of a language stands by itself behind a mark at the end of a twentieth
of all texts.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask, distinct_counts
from diglot.corpus.flags.codes import codes_of, combine, rows_by_code
from diglot.corpus.flags.context import Context
from diglot.words import LETTER_RUNS

LEAST_TEXTS, LEAST_SHARE = 10, 1 / 20
"""Least number of texts with the same end, and their least share of the texts of a site and language pair."""
MOST_ANSWERED = 1 / 4
"""Largest share of these texts whose other side has as many marks, or the first or the last word that is most frequent
there: a translation of the end."""
LONGEST = 48
"""Characters at the end of a text in which an end is looked for."""
_ENDS = {
    "[,，、،;；]": r"[,，、،;；]\s*(?P<end>\pL[^,，、،;；]+)$",
    r"[(（\[［]": r"[(（\[［]\s*(?P<end>\pL[^()（）\[\]［］]+)$",
    r"(?:\s[|｜·•–—-]|[»›]|::)\s": r"(?:\s[|｜·•–—-]|[»›]|::)\s+(?P<end>\pL[^|｜·•»›]+)$",
}
"""Patterns of marks, and of an end behind the last one, up to its last letter (RE2)."""


def has_added_end(context: Context) -> Mask:
    """Mask of rows with an end added in a single language, shape (rows,)."""
    found = np.zeros(context.segments.num_rows, bool)
    # Both sides at once: Arrow compiles a pattern at every call.
    texts, places = np.unique(context.texts.sides[:, context.usable], return_inverse=True)
    last = _last_characters(context.texts.values.take(pa.array(texts)))
    for mark, pattern in _ENDS.items():
        ends = pc.struct_field(pc.extract_regex(last, pattern), "end")
        for side, place in enumerate(places.reshape(2, -1)):
            found |= _are_added(context, side, ends.take(pa.array(place)), mark)
    return found


def _are_added(context: Context, side: int, ends: pa.Array, mark: str) -> Mask:
    """Mask of rows whose end behind a mark is added; ``ends``: of the usable rows, null for none."""
    mine, other = (context.texts.sides[place] for place in (side, 1 - side))
    found = np.zeros(len(mine), bool)
    usable = np.flatnonzero(context.usable)
    rows = usable[ends.is_valid().to_numpy(zero_copy_only=False)]
    if len(rows) < LEAST_TEXTS:
        return found
    groups = combine(context.peers[rows], codes_of(pa.chunked_array([ends.drop_null()])))
    many = distinct_counts(groups, mine[rows])[groups]
    totals = distinct_counts(context.peers[usable], mine[usable])[context.peers[rows]]
    frequent = np.flatnonzero((many >= LEAST_TEXTS) & (many >= LEAST_SHARE * totals))
    for places in rows_by_code(groups[frequent]):
        group = rows[frequent[places]]
        added, answers = (context.texts.values.take(pa.array(of_side[group])) for of_side in (mine, other))
        marks, others = (pc.count_substring_regex(texts, mark).to_numpy() for texts in (added, answers))
        found[group] = max((others >= marks).mean(), _share_of_edge(answers.to_pylist())) <= MOST_ANSWERED
    return found


def _last_characters(texts: pa.Array) -> pa.Array:
    """The last characters of every text up to a letter, in lower case."""
    return pc.utf8_lower(pc.replace_substring_regex(pc.utf8_slice_codeunits(texts, -LONGEST), r"\PL+$", ""))


def _share_of_edge(texts: list[str]) -> float:
    """The largest share of texts with the same first word, or with the same last one."""
    words = [found for text in texts if (found := LETTER_RUNS.findall(text.casefold()))]
    edges = (Counter(found[place] for found in words) for place in (0, -1))
    return max((edge.most_common(1)[0][1] for edge in edges if edge), default=0) / len(texts)
