"""Calibration worked by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.evaluation.calibration import calibration_error, reliability_bins, wilson_interval


def test_by_hand() -> None:
    bins = reliability_bins([0.95, 1.0, 0.9, 0.05, 0.1], [True, True, False, False, True])
    assert [each.predictions for each in bins] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 3]
    top = bins[-1]
    assert (top.low, top.high, top.right) == (0.9, 1.0, 2)
    assert top.mean_probability == pytest.approx(0.95)
    # |2/3 - 0.95| of 3, |0 - 0.05| of 1, |1 - 0.1| of 1.
    assert calibration_error(bins) == pytest.approx((3 * (0.95 - 2 / 3) + 0.05 + 0.9) / 5)


def test_nothing_predicted_has_no_error() -> None:
    assert math.isnan(calibration_error(reliability_bins([], [])))


def test_wilson_by_hand() -> None:
    # 8 of 10: Newcombe 1998 gives 0.4901 to 0.9433.
    assert wilson_interval(8, 10) == pytest.approx((0.4901, 0.9433), abs=1e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans())))
def test_bins_hold_every_prediction_in_its_place(predictions: list[tuple[float, bool]]) -> None:
    bins = reliability_bins([each for each, _ in predictions], [right for _, right in predictions])
    assert sum(each.predictions for each in bins) == len(predictions)
    assert sum(each.right for each in bins) == sum(right for _, right in predictions)
    for each in bins:
        assert each.interval[0] <= each.share_right <= each.interval[1]
        assert not each.predictions or each.low - 1e-9 <= each.mean_probability <= each.high + 1e-9
    assert not predictions or 0 <= calibration_error(bins) <= 1
