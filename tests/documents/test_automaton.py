"""The packed automaton moves as the table of all moves does."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diglot.documents.automaton import BYTES, pack
from diglot.documents.text_kernels import features

STATES = 6


def walk(table: np.ndarray, rows: list[int], outputs: list[int], text: bytes) -> list[int]:
    """Features by the table of all moves."""
    state, found = 0, []
    for value in text:
        state = int(table[rows[state], value])
        if outputs[state] >= 0:
            found.append(outputs[state])
    return found


def automaton_of(words: dict[bytes, int]) -> tuple[np.ndarray, list[int], list[int]]:
    """Table, rows and outputs of the automaton that finds the longest word which ends at each byte."""
    pieces = sorted(
        {word[:end] for word in words for end in range(len(word) + 1)}, key=lambda piece: (len(piece), piece)
    )
    number = {piece: place for place, piece in enumerate(pieces)}
    table = np.zeros((len(pieces), BYTES), np.uint32)
    for piece in pieces:
        for value in range(BYTES):
            after = piece + bytes([value])
            table[number[piece], value] = next(
                number[end] for k in range(len(after) + 1) if (end := after[k:]) in number
            )
    return table, list(range(len(pieces))), [words.get(piece, -1) for piece in pieces]


@given(
    st.lists(st.lists(st.integers(0, STATES - 1), min_size=4, max_size=4), min_size=STATES, max_size=STATES),
    st.lists(st.integers(0, STATES - 1), min_size=STATES, max_size=STATES),
    st.lists(st.integers(-1, 3), min_size=STATES, max_size=STATES),
    st.lists(st.integers(0, 3), max_size=40),
)
def test_any_automaton_moves_as_its_table(
    moves: list[list[int]], rows: list[int], outputs: list[int], text: list[int]
) -> None:
    table = np.zeros((STATES, BYTES), np.uint32)
    table[:, :4] = moves
    packed = pack(table.ravel(), rows, outputs)
    assert features(bytes(text), packed).tolist() == walk(table, rows, outputs, bytes(text))


def test_moves_that_a_shorter_piece_has_too_are_kept_once() -> None:
    """By hand: *ab* and *b* have the states "", a, b and ab; only a moves by b as "" does not."""
    packed = pack(*automaton_of({b"ab": 0, b"b": 1}))
    assert (packed.root[ord("a")], packed.root[ord("b")], packed.root[ord("c")]) == (1, 2, 0)
    assert packed.firsts.tolist() == [0, 0, 1, 1, 1]
    assert (packed.values.tolist(), packed.targets.tolist()) == ([ord("b")], [3])
    assert packed.defaults.tolist() == [0, 0, 0, 2]
    assert features(b"abcbab", packed).tolist() == [0, 1, 0]


def test_a_state_of_many_moves() -> None:
    words = {b"a" + bytes([value]): value for value in range(BYTES)}
    packed = pack(*automaton_of(words))
    assert features(b"a\x00a\xffaab", packed).tolist() == [0, 255, 97, 98]
