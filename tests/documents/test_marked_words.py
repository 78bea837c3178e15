"""WordSearch found in markup in one pass, against looking for each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diglot.documents.machine_translated import WordSearch

WORDS = [b"ab", b"abc", b"abab", b"b-a", b"aa", b"c="]
SEARCH = WordSearch(WORDS)


@given(st.lists(st.sampled_from([b"a", b"B", b"b", b"C", b"-", b"=", b"\x00", b"\xe9"]), max_size=30).map(b"".join))
def test_the_words_that_occur_in_any_case(markup: bytes) -> None:
    assert SEARCH.occurrences(markup).tolist() == [word in markup.lower() for word in WORDS]
