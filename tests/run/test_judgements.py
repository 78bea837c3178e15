"""Judgements put into a table of segments: by hand, one rule at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from diglot.corpus.flags import EXCLUDED, MIN_SCORE
from diglot.corpus.flags.keeping import clean, count_left_out
from diglot.corpus.flags.personal import mask_personal_data
from diglot.corpus.formats.conflicts import write_conflicts
from diglot.evaluation.recalibration import ScoreMap
from diglot.records import FLAGGED_SCHEMA
from diglot.run.judgements import Judgement, RunJudgements, with_judgements
from report.made_run import HOST, segment

_EMPTY = {"other_src_urls": [], "other_tgt_urls": [], "src_variant": "", "tgt_variant": ""}


def table(*rows: dict[str, Any]) -> pa.Table:
    """A flagged table of rows of :func:`report.made_run.segment`."""
    return pa.Table.from_pylist([{**row, **_EMPTY} for row in rows], schema=FLAGGED_SCHEMA)


def judgement(row: dict[str, Any], verdict: str, **others: str) -> Judgement:
    """On a row."""
    names = ("src", "tgt", "src_lang", "tgt_lang", "src_url", "tgt_url")
    return Judgement(verdict, **{name: row[name] for name in names}, **others)


def after(rows: list[dict[str, Any]], *judgements: Judgement, score_map: ScoreMap | None = None) -> pa.Table:
    return with_judgements(table(*rows), RunJudgements({each.id: each for each in judgements}, score_map))


def kept(segments: pa.Table) -> list[str]:
    return clean(segments, EXCLUDED, MIN_SCORE)["tgt"].to_pylist()  # type: ignore[no-any-return]


def test_what_each_verdict_does() -> None:
    rows = [segment(f"s{n}", f"t{n}", position=n, page=n) for n in range(5)]
    verdicts = ["right", "partly", "wrong", "unsure"]
    found = after(rows, *(judgement(row, verdict) for row, verdict in zip(rows, verdicts, strict=False)))
    assert found["flags"].to_pylist() == [["judged_right"], ["judged_partly"], ["judged_wrong"], [], []]
    assert kept(found) == ["t0", "t1", "t3", "t4"]
    assert found.schema == FLAGGED_SCHEMA


def test_right_is_stronger_than_doubts_and_scores_but_than_nothing_else() -> None:
    flags = [["numbers"], ["conflict", "too_short"], [], ["duplicate"], ["series"], ["personal_data"], ["offensive"]]
    rows = [segment(f"s{n}", f"t{n}", position=n, score=0.1, flags=flag) for n, flag in enumerate(flags)]
    found = after(rows, *(judgement(row, "right") for row in rows))
    assert kept(found) == ["t0", "t1", "t2", "t5"]
    counts, below = count_left_out(found, EXCLUDED, MIN_SCORE)
    assert (counts, below) == ({"duplicate": 1, "offensive": 1, "series": 1}, 0)
    assert clean(found, EXCLUDED | {"personal_data"}, 1)["tgt"].to_pylist() == ["t0", "t1", "t2"]


def test_a_correction_is_the_text_and_old_doubts_are_not_about_it() -> None:
    rows = [
        segment("s0", "t0", flags=["numbers", "too_short"], score=0.2),
        segment("s1", "", flags=["unaligned"], score=0.0),
        segment("s2", "t2", flags=["duplicate", "too_short"]),
    ]
    mended = [judgement(rows[0], "wrong", corrected_tgt="T0"), judgement(rows[1], "wrong", corrected_tgt="T1")]
    found = after(rows, *mended, judgement(rows[2], "partly", corrected_src="S2"))
    assert found["src"].to_pylist() == ["s0", "s1", "S2"]
    assert found["tgt"].to_pylist() == ["T0", "T1", "t2"]
    assert found["flags"].to_pylist() == [["corrected"], ["corrected"], ["corrected", "duplicate"]]
    assert kept(found) == ["T0", "T1"]


def test_copies_follow_unless_they_were_judged_themselves() -> None:
    rows = [segment("s", "t", page=page, flags=["duplicate"] if page else []) for page in range(3)]
    other = segment("s", "t", page=3, src_lang="de")
    found = after([*rows, other], judgement(rows[1], "wrong"), judgement(rows[2], "unsure"))
    assert found["flags"].to_pylist() == [["judged_wrong"], ["duplicate", "judged_wrong"], ["duplicate"], []]


def test_personal_data_that_was_masked_since_does_not_hide_a_segment() -> None:
    row = segment("Write to jo@example.org now.", "Écrivez à jo@example.org.")
    masked = {**row, **{side: mask_personal_data(row[side]) for side in ("src", "tgt")}}
    found = after([masked], judgement(row, "right", corrected_tgt="Écrivez vite à jo@example.org."))
    assert found["tgt"].to_pylist() == ["Écrivez vite à <email>."]


def test_a_corrected_text_with_no_break_blanks_is_masked_too() -> None:
    row = segment("Call +33 1 42 68 53 09 today.", "Appelez le +33 1 42 68 53 09 aujourd’hui.")
    masked = {**row, **{side: mask_personal_data(row[side]) for side in ("src", "tgt")}}
    typed = "Appelez vite le +33\u00a01\u00a042\u00a068\u00a053\u00a009 aujourd’hui\u202f!"
    found = after([masked], judgement(row, "partly", corrected_tgt=typed))
    assert found["tgt"].to_pylist() == ["Appelez vite le <phone> aujourd’hui\u202f!"]


def test_the_best_rival_of_a_wrong_translation_comes_in(tmp_path: Any) -> None:
    rows = [
        segment("One source", "wrong", page=0),
        segment("one source", "rival", page=1, score=0.6, flags=["conflict"]),
        segment("One source", "better rival", page=2, score=0.8, flags=["conflict"]),
        segment("One source", "doubted rival", page=3, score=0.9, flags=["conflict", "numbers"]),
        segment("One source", "elsewhere", page=4, score=0.9, flags=["conflict"], src_url="http://other.example/"),
    ]
    found = after(rows, judgement(rows[0], "wrong"))
    assert kept(found) == ["better rival"]
    with_site = found.append_column("site", pa.array([HOST] * 4 + ["other"]))
    write_conflicts(tmp_path / "c.tsv", with_site, MIN_SCORE)
    listed = [line.split("\t")[1:3] for line in (tmp_path / "c.tsv").read_text().splitlines()[1:]]
    assert [each for each in listed if each[0] != "elsewhere"] == [
        ["better rival", "yes"],
        ["doubted rival", "no"],
        ["rival", "no"],
    ]
    assert kept(after(rows, judgement(rows[0], "wrong"), judgement(rows[1], "right"))) == ["rival"]
    assert kept(after(rows, judgement(rows[0], "wrong", corrected_tgt="mended"))) == ["mended"]
    assert kept(after(rows, judgement(rows[1], "wrong"))) == ["wrong"]


def test_an_alternative_to_a_wrong_translation_is_none_any_more() -> None:
    rows = [
        segment("One source", "first", page=0),
        segment("one source", "second", page=1, score=0.993, flags=["alternative"]),
        segment("One source", "third", page=2, score=0.991, flags=["alternative", "too_short"]),
        segment("One source", "left out", page=3, score=0.98, flags=["conflict"]),
    ]

    def warned(*judged: Any) -> list[str]:
        found = after(rows, *judged)
        return [row["tgt"] for row in found.to_pylist() if "alternative" in row["flags"]]

    assert warned(judgement(rows[0], "wrong")) == ["third"]
    assert kept(after(rows, judgement(rows[0], "wrong"))) == ["second", "third"]
    assert warned(judgement(rows[0], "right")) == ["second", "third"]
    assert warned(judgement(rows[1], "wrong")) == ["second", "third"]
    assert warned(judgement(rows[0], "wrong"), judgement(rows[1], "wrong")) == ["second"]
    assert kept(after(rows, *(judgement(row, "wrong") for row in rows[:3]))) == ["left out"]


def test_new_scores_are_those_of_the_map() -> None:
    rows = [segment(f"s{n}", f"t{n}", position=n, score=score) for n, score in enumerate([0.0, 0.5, 0.9])]
    rows.append(segment("s", "t", position=9, score=0.9, tgt_lang="ja"))
    drawn = replace(judgement(rows[2], "right"), drawn="drawing 1")

    def scores(*judged: Judgement) -> list[float]:
        found = after(rows, *judged, score_map=ScoreMap(0, 2))["score"].to_pylist()
        return [round(score, 4) for score in found]

    assert scores(drawn) == [0, 0.5, 0.9878, 0.9]  # nobody judged the Japanese
    assert scores(replace(drawn, drawn="")) == scores(replace(drawn, verdict="unsure")) == [0, 0.5, 0.9, 0.9]
    assert after(rows)["score"].to_pylist() == table(*rows)["score"].to_pylist()
