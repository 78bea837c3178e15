"""Terms of made sites: which are found, how they are counted, and what makes one inconsistent."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from made_mill import TERM, mill_rows, nouns, row, table

from diglot.records import BlockKind
from diglot.terms import find_terms
from diglot.terms.table import TERM_SCHEMA


@pytest.fixture(scope="module")
def found() -> pa.Table:
    return find_terms(table(mill_rows()), "en", "fr")


def rows_of(terms: pa.Table, src: str) -> list[dict[str, object]]:
    return [term for term in terms.to_pylist() if term["src"] == src]


def test_the_term_is_found_whole_with_its_counts_and_pages(found: pa.Table) -> None:
    (term,) = rows_of(found, TERM[0])
    assert term["tgt"] == TERM[1]
    assert (term["linked"], term["src_count"], term["tgt_count"], term["both_count"]) == (80, 80, 80, 80)
    assert term["pages"] == 5
    assert term["probability"] > 0.9
    assert not term["inconsistent"]
    assert len(term["example_srcs"]) == len(set(term["example_src_urls"])) == 3
    assert all(TERM[0] in text for text in term["example_srcs"])
    assert all(TERM[1] in text for text in term["example_tgts"])


def test_parts_of_the_term_are_no_terms(found: pa.Table) -> None:
    parts = {"water", "wheel", "roue", "aubes"}
    assert not parts & {text for name in ("src", "tgt") for text in found[name].to_pylist()}


def test_nearly_all_nouns_are_found_and_none_with_another_translation(found: pa.Table) -> None:
    known = dict(nouns())
    pairs = [(term["src"], term["tgt"]) for term in found.to_pylist() if term["src"] in known]
    assert all(known[src] == tgt for src, tgt in pairs)
    assert len(pairs) > 140


def test_what_stands_on_few_pages_is_more_of_a_term(found: pa.Table) -> None:
    (term,) = rows_of(found, TERM[0])
    usual = [each["termhood"] for each in found.to_pylist() if each["src"] in dict(nouns())]
    assert term["termhood"] > np.quantile(usual, 0.95)
    assert 0 <= min(found["termhood"].to_pylist()) <= max(found["termhood"].to_pylist()) < 1


def test_articles_and_prepositions_are_no_terms(found: pa.Table) -> None:
    texts = {text.casefold() for name in ("src", "tgt") for text in found[name].to_pylist()}
    assert not texts & {"the", "a", "an", "le", "un", "of", "de", "ce", "this"}


def test_the_same_segments_give_the_same_terms_in_however_many_pieces_they_come(found: pa.Table) -> None:
    rows = table(mill_rows())
    again = find_terms(pa.concat_tables([rows.slice(0, 300), rows.slice(300, 0), rows.slice(300)]), "en", "fr")
    assert again.equals(found)
    assert found.schema.equals(TERM_SCHEMA)


def test_two_translations_are_inconsistent_and_tell_of_each_other() -> None:
    terms = find_terms(table(mill_rows(wheels=(TERM[1], "grande machine"))), "en", "fr")
    both = rows_of(terms, TERM[0])
    assert {(each["tgt"], tuple(each["rivals"])) for each in both} == {
        (TERM[1], ("grande machine",)),
        ("grande machine", (TERM[1],)),
    }
    assert all(each["inconsistent"] for each in both)
    assert len({each["source"] for each in both}) == 1
    assert [each["linked"] for each in both] == [40, 40]


def test_a_second_translation_on_one_page_alone_is_no_inconsistency() -> None:
    rows = mill_rows(wheels=(TERM[1],))
    for number, place in enumerate(place for place, each in enumerate(rows) if TERM[0] in str(each["src"])):
        if rows[place]["src_url"].endswith("/0") and number < 50:
            rows[place]["tgt"] = str(rows[place]["tgt"]).replace(TERM[1], "grande machine")
    terms = find_terms(table(rows), "en", "fr")
    assert rows_of(terms, TERM[0])
    assert not any(each["inconsistent"] for each in rows_of(terms, TERM[0]))


def test_forms_of_a_term_are_one_and_no_rivals() -> None:
    rows = mill_rows(wheels=(TERM[1], "roues à aubes"))
    (term,) = rows_of(find_terms(table(rows), "en", "fr"), TERM[0])
    assert {term["tgt"], *term["tgt_forms"]} == {TERM[1], "roues à aubes"}
    assert term["linked"] == 80
    assert not term["rivals"]


def test_shuffled_translations_give_far_less(found: pa.Table) -> None:
    rows = mill_rows()
    targets = [each["tgt"] for each in rows]
    random.Random(3).shuffle(targets)
    shuffled = find_terms(table([{**each, "tgt": tgt} for each, tgt in zip(rows, targets, strict=True)]), "en", "fr")
    likely = [sum(chance >= 0.8 for chance in each["probability"].to_pylist()) for each in (shuffled, found)]
    assert likely[0] < likely[1] / 4


def test_a_menu_entry_counts_as_a_unit_and_code_is_left_out() -> None:
    entry = row("Water wheel", "Roue à aubes", 3, BlockKind.CONTROL)
    code = [row("water wheel", "wheel water", 9, BlockKind.PREFORMATTED)] * 3
    (term,) = rows_of(find_terms(table([*mill_rows(), entry, *code]), "en", "fr"), TERM[0])
    assert (term["units"], term["linked"], term["src_count"]) == (1, 81, 81)


def test_copies_on_other_pages_count_as_pages() -> None:
    rows = mill_rows()
    at = next(place for place, each in enumerate(rows) if TERM[0] in str(each["src"]))
    rows[at]["other_src_urls"] = [f"https://mill.example/en/copy{number}" for number in range(4)]
    (term,) = rows_of(find_terms(table(rows), "en", "fr"), TERM[0])
    assert term["pages"] == 5 + 4


@pytest.mark.parametrize(
    "rows",
    [[], [row("", "")], [row("...", "!!!")], [row("One word", "Un mot")], [row("a", "b"), row("a", "b", 1)]],
    ids=["none", "empty", "marks", "one", "letters"],
)
def test_too_little_gives_a_table_all_the_same(rows: list[dict[str, object]]) -> None:
    terms = find_terms(table(rows), "en", "fr", min_probability=0.9)
    assert terms.schema.equals(TERM_SCHEMA)
    assert terms.num_rows == 0


@pytest.mark.parametrize(("beginnings", "usual"), [(20, "water wheel"), (21, "Water wheel")])
def test_a_spelling_at_the_beginning_of_a_segment_counts_half(beginnings: int, usual: str) -> None:
    inside = mill_rows(100)
    assert sum(TERM[0] in str(each["src"]) for each in inside) == 10
    entries = [row("Water wheel", "Roue à aubes", number, BlockKind.CONTROL) for number in range(beginnings)]
    terms = find_terms(table([*inside, *entries]), "en", "fr")
    assert [term["src"] for term in terms.to_pylist() if str(term["src"]).lower() == TERM[0]] == [usual]
