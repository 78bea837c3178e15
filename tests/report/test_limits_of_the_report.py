"""Both sides of each limit of the report and of sheets, worked by hand."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from diglot.corpus.verdicts import segment_id
from diglot.errors import SourceError
from diglot.report.figures import declared_and_found
from diglot.report.headline import headline
from diglot.report.run_page import report_text, segment_data, term_columns
from diglot.report.shown_rows import choose_rows
from diglot.review.sheets import read_verdicts
from diglot.review.weighing import check_by_hand
from diglot.terms.table import TERM_SCHEMA
from report.made_run import HOST, made_run, segment, thresholds
from report.made_terms import term


@pytest.mark.parametrize(
    ("score", "band"),
    [(0.0, 0), (0.4999, 0), (0.5, 1), (0.7999, 1), (0.8, 2), (0.8999, 2), (0.9, 3), (0.9499, 3), (0.95, 4), (1.0, 4)],
)
def test_a_band_holds_its_lower_limit_and_the_last_one_1(score: float, band: int) -> None:
    rows = [{"src_url": "a", "tgt_url": "b", "src": "c", "tgt": "d", "score": score}]
    check = check_by_hand(pa.Table.from_pylist(rows), {segment_id(rows[0]): "wrong"})
    assert [number for number, each in enumerate(check.bands) if each.wrong] == [band]


def test_a_step_of_the_slider_holds_its_lower_limit() -> None:
    counts, _ = thresholds([0.7, 0.6999])
    assert (counts[69], counts[70], counts[71]) == (2, 1, 0)


def test_a_declared_tag_is_cut_behind_35_signs() -> None:
    declared = ["x" * 35, "y" * 36]
    pages = pa.table({"declared_lang": declared, "lang": ["en", "en"]})
    assert [tag for tag, _ in declared_and_found(pages)] == ["x" * 35, "y" * 35]


def test_samples_have_20_rows_and_fewer_from_21_language_pairs_on() -> None:
    """400 rows over the language pairs: 20 of 20 pairs, 19 of 21, and 5 of 80 as of 100."""
    rows = [segment(f"a {n}", f"b {n}", position=n) for n in range(30)]
    langs = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    for pairs, each in ((1, 20), (20, 20), (21, 19), (80, 5), (100, 5)):
        others = [("en", lang) for lang in langs[: pairs - 1]]
        run = made_run(rows, lang_pairs=(("en", "fr"), *others))
        assert len(choose_rows(run).samples[0]["random"]) == each


def test_8_translations_of_a_conflict_are_shown() -> None:
    for count, shown in ((8, 8), (9, 8)):
        rows = [segment("Home", f"Maison {n}", position=n, score=0.9 - n / 100) for n in range(count)]
        (((rows_shown, of_all),),) = choose_rows(made_run(rows)).conflicts
        assert (len(rows_shown), of_all) == (shown, count)


def test_the_most_borderline_score_is_one_half() -> None:
    scores = [0.5, 0.51, 0.53, 1.0]
    run = made_run([segment(f"a {n}", f"b {n}", position=n, score=score) for n, score in enumerate(scores)])
    assert run.score[choose_rows(run).samples[0]["borderline"]].tolist() == pytest.approx(scores)


def test_all_page_pairs_are_shown_up_to_the_limit_of_segments_and_of_text() -> None:
    rows = [segment("1234", "5678", page=n) for n in range(10)]  # 80 bytes of text
    run = made_run(rows)
    for options, pairs in (
        ({"segments": 10}, 10),
        ({"segments": 9}, 9),
        ({"text_bytes": 80}, 10),
        ({"text_bytes": 79}, 9),
    ):
        assert choose_rows(run, **options).whole.sum() == pairs


def test_20_000_page_pairs_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from diglot.report import shown_rows

    assert shown_rows.PAIRS_SHOWN == 20_000
    run = made_run([segment("a", "b", page=n) for n in range(31)])
    for limit, shown in ((31, 31), (30, 30)):
        monkeypatch.setattr(shown_rows, "PAIRS_SHOWN", limit)
        assert choose_rows(run).whole.sum() == shown


def test_10_addresses_of_a_reason_are_shown() -> None:
    for count, shown in ((10, 10), (11, 10)):
        run = made_run([segment("a", "b")], dropped=[(f"{HOST}/gone/{n}", "404") for n in range(count)])
        (dropped,) = headline(run, choose_rows(run))["dropped"]
        assert (dropped["count"], len(dropped["examples"])) == (count, shown)


def test_3_language_pairs_are_named_in_the_title() -> None:
    langs = (("en", "fr"), ("en", "de"), ("en", "ja"), ("en", "it"))
    three, four = (report_text(made_run([segment("a", "b")], lang_pairs=langs[:count])) for count in (3, 4))
    assert "(en\u2013fr, en\u2013de, en\u2013ja): Diglot report</title>" in three
    assert "(en\u2013fr, en\u2013de, en\u2013ja, \u2026): Diglot report</title>" in four


def test_scores_are_written_in_thousandths() -> None:
    # Rounded down, as the search compares them with the least score; 0.7 and 0.29 reach a step as float32 as well.
    scores = [0.1234, 0.1239, 0.29, 0.7, 1.0]
    run = made_run([segment(f"a {n}", "b", position=n, score=score) for n, score in enumerate(scores)])
    assert segment_data(run, choose_rows(run))["rows"]["score"] == [123, 123, 290, 700, 1000]


def test_terms_beyond_the_limit_are_left_out_of_each_language_pair_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    from diglot.report import run_page

    assert run_page.TERMS_SHOWN == 5_000
    terms = pa.Table.from_pylist(
        [term(f"a{n}", f"b{n}", tgt_lang=lang) for n in range(2) for lang in ("fr", "de")], TERM_SCHEMA
    )
    for limit, shown in (
        (4, ["a0", "a0", "a1", "a1"]),
        (3, ["a0", "a0", "a1"]),
        (2, ["a0", "a0"]),
    ):
        monkeypatch.setattr(run_page, "TERMS_SHOWN", limit)
        assert sorted(term_columns(terms, [("en", "fr"), ("en", "de")])["src"]) == shown


@pytest.mark.parametrize(("above", "read"), [(0, True), (9, True), (10, False)])
def test_the_names_of_columns_stand_in_one_of_the_first_10_rows(tmp_path: Path, above: int, read: bool) -> None:
    path = tmp_path / "v.tsv"
    path.write_text("A title\n" * above + "id\tverdict\na\ty\n")
    if read:
        assert [row.id for row in read_verdicts(path).rows] == ["a"]
    else:
        with pytest.raises(SourceError, match="names no column verdict"):
            read_verdicts(path)


WORDS = {"right": "right y 1 accept Accepted RIGHT", "partly": "partly P", "wrong": "wrong n 0 reject rejected"}
WORDS["unsure"] = "unsure u ?"


@pytest.mark.parametrize(("word", "verdict"), [(word, name) for name, words in WORDS.items() for word in words.split()])
def test_every_word_for_a_verdict(tmp_path: Path, word: str, verdict: str) -> None:
    path = tmp_path / "v.tsv"
    path.write_text(f"id\tverdict\na\t{word}\n")
    assert [row.verdict for row in read_verdicts(path).rows] == [verdict]
