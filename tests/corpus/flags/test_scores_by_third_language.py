"""Scores that two pairs with a third language give."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from diglot.corpus.flags.third_language import scores_by_third_language
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment

Row = tuple[str, str, float]


def raised(*rows: Row) -> list[float]:
    """Scores of segments; a text is ``LANG:TEXT`` and stands on the page of its language."""
    made = []
    for src, tgt, score in rows:
        (src_lang, _, src_text), (tgt_lang, _, tgt_text) = src.partition(":"), tgt.partition(":")
        made.append(made_segment(src_text, tgt_text, langs=f"{src_lang}-{tgt_lang}", score=score))
    found = scores_by_third_language(pa.Table.from_pylist(made, schema=SEGMENT_SCHEMA))
    return [round(float(each), 4) for each in found]


def test_two_pairs_with_a_third_language_answer_for_a_doubtful_pair() -> None:
    sure: list[Row] = [("en:dog", "fr:chien", 0.9), ("de:Hund", "fr:chien", 0.8)]
    assert raised(*sure, ("en:dog", "de:Hund", 0.3)) == [0.9, 0.8, 0.72]
    # A score that is higher than the product stays.
    assert raised(*sure, ("en:dog", "de:Hund", 0.75)) == [0.9, 0.8, 0.75]
    # One pair, and a pair of another text, answer for nothing.
    assert raised(sure[0], ("en:dog", "de:Hund", 0.3)) == [0.9, 0.3]
    assert raised(*sure, ("en:dog", "de:Katze", 0.3)) == [0.9, 0.8, 0.3]


def test_a_site_where_no_text_has_a_translation_keeps_its_scores() -> None:
    assert raised(("en:dog", "fr:", 0.9), ("en:cat", "de:", 0.8)) == [0.9, 0.8]


def test_each_text_counts_with_its_best_translation_in_a_language() -> None:
    # The French text stands beside two English ones: the less likely one is joined to no German text.
    rows: list[Row] = [("en:dog", "fr:chien", 0.9), ("en:cat", "fr:chien", 0.6), ("de:Hund", "fr:chien", 0.8)]
    assert raised(*rows, ("en:dog", "de:Hund", 0.3), ("en:cat", "de:Hund", 0.3)) == [0.9, 0.6, 0.8, 0.72, 0.3]


def test_the_best_of_several_languages_answers() -> None:
    rows: list[Row] = [("en:dog", "fr:chien", 0.9), ("de:Hund", "fr:chien", 0.8)]
    more: list[Row] = [("en:dog", "it:cane", 0.9), ("it:cane", "de:Hund", 0.95)]
    assert raised(*rows, *more, ("en:dog", "de:Hund", 0.3)) == [0.9, 0.8, 0.9, 0.95, 0.855]


def test_texts_without_a_counterpart_join_nothing() -> None:
    rows: list[Row] = [("en:dog", "fr:", 0.9), ("de:Hund", "fr:", 0.8)]
    assert raised(*rows, ("en:dog", "de:Hund", 0.3)) == [0.9, 0.8, 0.3]
    assert raised() == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["en:a", "en:b", "fr:a"]), st.sampled_from(["de:a", "it:a", "it:b"]), st.floats(0, 1))
    )
)
def test_no_score_falls_and_two_languages_change_nothing(rows: list[Row]) -> None:
    before = [round(float(pa.scalar(score, pa.float32()).as_py()), 4) for _, _, score in rows]
    assert all(new >= old for new, old in zip(raised(*rows), before, strict=True))
    two = [row for row in rows if row[0][:2] == "en" and row[1][:2] == "de"]
    assert raised(*two) == [round(float(pa.scalar(score, pa.float32()).as_py()), 4) for _, _, score in two]
