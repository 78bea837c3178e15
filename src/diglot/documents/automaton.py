"""The automaton of the language identifier, which finds features in a text, packed to fit into the cache.

A table of all moves has a column for every byte, 39 MB for the model of py3langid, and a text visits a few places all
over the table. But a state moves by most bytes as a state for a shorter piece of the text does. Only the remaining
moves are kept, 2 MB in all (Aho & Corasick 1975, failure links).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diglot.arrays import Bytes, Indices, Ints, Ints32

BYTES = 256
_STATES_AT_ONCE = 4_096


class Automaton(NamedTuple):
    """Moves of n states by bytes.

    State s moves to ``targets[k]`` by the byte ``values[k]``, for k from ``firsts[s]`` up to ``firsts[s + 1]``, values
    ascending. By all remaining bytes it moves as the state ``defaults[s]`` does. State 0, the first, has all its moves
    in ``root``.
    """

    root: Indices
    """Shape (256,)."""
    firsts: Indices
    """Shape (n + 1,)."""
    values: Bytes
    """Shape (moves,)."""
    targets: Indices
    """Shape (moves,)."""
    defaults: Indices
    """Shape (n,)."""
    outputs: Ints32
    """Feature of every state, -1 for none, shape (n,)."""


def pack(moves: npt.ArrayLike, rows: npt.ArrayLike, outputs: npt.ArrayLike) -> Automaton:
    """The automaton of a table of all moves.

    ``moves``: states, :data:`BYTES` a row; ``rows``: row of every state; ``outputs``: feature of every state.
    """
    table, row_of = np.asarray(moves, np.uint32).reshape(-1, BYTES), np.asarray(rows, np.int64)
    defaults = _defaults(table, row_of)
    counts, values, targets = np.zeros(len(row_of), np.int64), [np.zeros(0, np.uint8)], [np.zeros(0, np.uint32)]
    others = np.flatnonzero(row_of != row_of[defaults])
    for start in range(0, len(others), _STATES_AT_ONCE):
        states = others[start : start + _STATES_AT_ONCE]
        own = table[row_of[states]]
        differs = own != table[row_of[defaults[states]]]
        counts[states] = differs.sum(axis=1)
        values.append(np.nonzero(differs)[1].astype(np.uint8))
        targets.append(own[differs])
    firsts = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)
    return Automaton(
        table[row_of[0]].copy(),
        firsts,
        np.concatenate(values),
        np.concatenate(targets),
        defaults.astype(np.uint32),
        np.asarray(outputs, np.int32),
    )


def _defaults(table: Indices, row_of: Ints) -> Ints:
    """For every state, the state reached by the same bytes without the first."""
    seen = np.zeros(len(row_of), bool)
    seen[0] = True
    defaults = np.zeros(len(row_of), np.int64)
    level = np.zeros(1, np.int64)
    # From the first state on, step by step: the default of a state is always fewer steps away.
    while len(level):
        owners = level[np.unique(row_of[level], return_index=True)[1]]
        reached = table[row_of[owners]].ravel()
        new = np.flatnonzero(~seen[reached])
        found, first = np.unique(reached[new], return_index=True)
        before, value = owners[new[first] // BYTES], new[first] % BYTES
        seen[found] = True
        defaults[found] = np.where(before == 0, 0, table[row_of[defaults[before]], value])
        level = found.astype(np.int64)
    return defaults
