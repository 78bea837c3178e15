"""The pinned figures of a finished run of the sample: results, review by hand, the report, a comparison of recipes.

A change of theirs is to be understood before ``make pins`` writes them anew.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from made_results_pins import PINS, figures_of_comparison, figures_of_run, figures_of_verdicts

from made_sample import sample_run

PINNED: dict[str, Any] = json.loads(PINS.read_text(encoding="utf-8"))
OF_A_RUN = ("stats", "hits", "language pairs", "not joined", "report")


@pytest.fixture(scope="module")
def run() -> Path:
    """A run of the sample that no test changes."""
    return sample_run()


@pytest.fixture(scope="module")
def now(run: Path) -> dict[str, Any]:
    return as_read(figures_of_run(run))


def as_read(figures: Any) -> Any:
    """Figures as they come back from JSON."""
    return json.loads(json.dumps(figures))


def assert_same(found: Any, pinned: Any, where: str = "") -> None:
    """Equal values, numbers up to what another processor may round otherwise."""
    assert type(found) is type(pinned), where
    if isinstance(found, dict):
        assert list(found) == list(pinned), where
        for name in found:
            assert_same(found[name], pinned[name], f"{where}/{name}")
    elif isinstance(found, list):
        assert len(found) == len(pinned), where
        for place, (one, other) in enumerate(zip(found, pinned, strict=True)):
            assert_same(one, other, f"{where}/{place}")
    elif isinstance(found, float):
        assert found == pytest.approx(pinned, abs=2e-3), where
    else:
        assert found == pinned, where


@pytest.mark.parametrize("part", OF_A_RUN)
def test_a_run_is_told_as_it_was(now: dict[str, Any], part: str) -> None:
    assert_same(now[part], PINNED[part])


def test_verdicts_come_to_what_they_did(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    assert_same(as_read(figures_of_verdicts(copy, tmp_path)), PINNED["verdicts"])


def test_recipes_compare_as_they_did() -> None:
    assert_same(as_read(figures_of_comparison()), PINNED["comparison"])


def test_pins_are_of_everything() -> None:
    """Errors of all kinds, flags that leave out and that warn, pairs that one recipe alone proposes."""
    drawn, chosen = PINNED["verdicts"]
    assert set(drawn["verdicts"]) == {"right", "partly", "wrong", "unsure"}
    assert (drawn["drawn"], chosen["drawn"]) == (True, False)
    assert sum(band["judged"] > 0 for band in drawn["bands"]) >= 3
    assert any(each["alone"] for each in PINNED["comparison"]["recipes"])
    assert any(flag[2] for flag in PINNED["report"]["flags"])
    assert any(flag[3] for flag in PINNED["report"]["flags"])
    assert any(PINNED["report"]["conflicts"])
