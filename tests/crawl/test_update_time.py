"""The clock of a run, by hand: what passes between two updates whatever the system clock says."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.crawl import update_time
from diglot.crawl.update_time import MIN_STEP_S, Clocks, Moment, next_moment, read_clocks

DAY_S = 86_400.0
FIRST = Moment(run_s=1000.0, unix=1000.0, boot="a", up_s=50.0)


def test_the_first_update_starts_at_unix_time() -> None:
    assert next_moment(None, Clocks(1000.0, "a", 50.0)) == FIRST


@pytest.mark.parametrize(
    ("now", "passed_s"),
    [
        pytest.param(Clocks(4600.0, "a", 3650.0), 3600.0, id="an hour"),
        pytest.param(Clocks(1000.0 + 30 * DAY_S, "a", 3650.0), 3600.0, id="the clock jumped ahead"),
        pytest.param(Clocks(0.0, "a", 50.0 + DAY_S), DAY_S, id="the clock was set back, a day passed"),
        pytest.param(Clocks(1000.0 + DAY_S, "b", 7.0), DAY_S, id="restarted, a day by the system clock"),
        pytest.param(Clocks(1000.0 + DAY_S, "b", 900_000.0), DAY_S, id="another machine, up for long"),
        pytest.param(Clocks(3.0, "b", 7.0), MIN_STEP_S, id="restarted with the clock at 1970"),
        pytest.param(Clocks(1060.0, "a", 49.0), 60.0, id="a machine put back to an earlier state"),
        pytest.param(Clocks(1060.0, "", 0.0), 60.0, id="no boot clock"),
        pytest.param(Clocks(1000.0, "a", 50.0), MIN_STEP_S, id="at once"),
    ],
)
def test_time_that_passed(now: Clocks, passed_s: float) -> None:
    assert next_moment(FIRST, now).run_s == FIRST.run_s + passed_s


def test_without_a_boot_clock_there_is_no_boot_to_be_the_same() -> None:
    assert next_moment(Moment(9.0, 9.0, "", 0.0), Clocks(20.0, "", 0.0)).run_s == 20.0


def test_a_clock_that_was_behind_gains_no_day_when_it_is_set() -> None:
    behind = next_moment(FIRST, Clocks(3.0, "b", 7.0))
    assert next_moment(behind, Clocks(1100.0, "c", 7.0)).run_s == FIRST.run_s + MIN_STEP_S + 100.0


@given(st.lists(st.builds(Clocks, st.floats(0, 1e12), st.sampled_from(["", "a", "b"]), st.floats(0, 1e9)), min_size=2))
def test_time_never_stands_still_or_goes_back(readings: list[Clocks]) -> None:
    moment = None
    for now in readings:
        later = next_moment(moment, now)
        assert moment is None or later.run_s > moment.run_s
        moment = later


def test_the_clocks_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, second = read_clocks(), read_clocks()
    assert abs(first.unix - time.time()) < 60
    assert (first.boot, first.up_s <= second.up_s) == (second.boot, True)
    monkeypatch.setattr(update_time, "BOOT_ID", tmp_path / "missing")
    assert read_clocks()[1:] == ("", 0.0)
