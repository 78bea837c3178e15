"""Sheets to judge by hand, and error rates from them: counted by hand, wrong files named."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.cli.wording import hand_check_text
from diglot.corpus.verdicts import segment_id
from diglot.errors import UsageError
from diglot.evaluation.calibration import wilson_interval
from diglot.review.sheets import (
    SHEET_COLUMNS,
    VERDICTS,
    VerdictRow,
    draw_of,
    draw_sample,
    read_verdicts,
    write_sheet,
)
from diglot.review.weighing import HandCheck, ScoreBand, check_by_hand
from report.made_run import made_run, segment

SCORES = [0.1, 0.55, 0.85, 0.93, 0.93, 0.97, 1.0, 1.0]
RUN = made_run([segment(f"s{n}", f"t{n}", position=n, score=score) for n, score in enumerate(SCORES)])
IDS = [segment_id(row) for row in RUN.segments.to_pylist()]


def test_a_sample_is_random_whole_and_the_same_again() -> None:
    draws = [draw_sample(RUN.segments, 5, seed=seed)["src"].to_pylist() for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    assert len(set(draws[0])) == 5
    assert sorted(draw_sample(RUN.segments, 99)["src"].to_pylist()) == [f"s{n}" for n in range(8)]
    with pytest.raises(UsageError, match="no segment"):
        draw_sample(RUN.segments.slice(0, 0), 5)
    with pytest.raises(UsageError, match="at least 1"):
        draw_sample(RUN.segments, 0)


@pytest.mark.parametrize("names", ["abc", "cba", "bca"])
def test_a_sheet_is_of_the_smallest_draw_that_holds_its_rows(names: str) -> None:
    drawn = [{"ids": [*"pq"]}, {"ids": [*"srqp"]}, {"ids": [*"tu"]}]
    draws = dict(zip(names, drawn, strict=True))
    asked = [frozenset("pq"), frozenset("q"), frozenset("ps"), frozenset("tu"), frozenset("tp"), frozenset(), None]
    found = [draw_of(draws, listed) for listed in asked]
    assert found == [names[0], names[0], names[1], names[2], "", "", ""]


def test_a_sheet_of_lines_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    write_sheet(RUN.segments, path, title="run")
    lines = path.read_text().splitlines()
    assert lines[0] == "\t".join((*SHEET_COLUMNS, "corrected_src", "corrected_tgt"))
    assert "0.55" not in path.read_text()  # who sees scores judges by them
    path.write_text("\n".join([lines[0], *(line.replace("\t\t", "\tY\t", 1) for line in lines[1:4]), *lines[4:]]))
    judged = read_verdicts(path)
    assert judged.rows == tuple(VerdictRow(name, "right") for name in IDS[:3])
    assert (judged.open, judged.listed) == (5, frozenset(IDS))


def test_errors_by_hand() -> None:
    said = ["wrong", "wrong", "right", "right", "wrong", "unsure", "right", ""]
    check = check_by_hand(RUN.segments, {**dict(zip(IDS, said, strict=True)), "gone": "wrong"})
    assert [(band.judged, band.wrong) for band in check.bands] == [(1, 1), (1, 1), (1, 0), (2, 1), (1, 0)]
    assert check.whole.partly == 0
    assert (check.whole.judged, check.whole.wrong, check.unsure, check.open, check.foreign) == (6, 3, 1, 1, 1)
    assert check.whole.interval == pytest.approx((0.1876, 0.8124), abs=1e-4)  # Wilson, 3 of 6
    text = hand_check_text(check)
    assert "50.0%   18.8% to 81.2%" in text
    assert "1 unsure, 1 not judged yet, 1 on segments left out" in text


def test_verdicts_on_segments_that_are_gone_are_no_verdicts_on_segments_left_out() -> None:
    check = HandCheck((ScoreBand(0.0, 1.0, 6, 0, 3),), unsure=1, open=0, foreign=7, missing=16)
    told = "not counted: 1 unsure, 7 on segments left out, 16 on segments that the run does not hold now"
    assert hand_check_text(check).splitlines()[-1] == told


def test_partly_right_is_half_wrong() -> None:
    said = ["partly", "wrong", "p", "right", "Partly", "right"]
    verdicts = dict(zip(IDS, [VERDICTS[each.casefold()] for each in said], strict=False))
    check = check_by_hand(RUN.segments, verdicts)
    assert [(band.judged, band.partly, band.wrong) for band in check.bands[:3]] == [(1, 1, 0), (1, 0, 1), (1, 1, 0)]
    assert (check.whole.judged, check.whole.partly, check.whole.wrong) == (6, 3, 1)
    assert check.whole.wrong_share == pytest.approx((1 + 1.5) / 6)
    assert check.whole.interval == wilson_interval(2.5, 6)
    assert "   all       6       3      1        41.7%" in hand_check_text(check)
    assert check_by_hand(RUN.segments, {IDS[0]: "partly"}).whole.wrong_share == 0.5


def test_no_verdict_is_no_rate() -> None:
    for verdicts in ({}, {IDS[0]: ""}, {IDS[0]: "unsure"}, {"gone": "right"}):
        with pytest.raises(UsageError, match="no line judges"):
            check_by_hand(RUN.segments, verdicts)
