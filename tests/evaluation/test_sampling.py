"""Cochran's sample sizes: those of the paper's table 1."""

import pytest

from diglot.evaluation.sampling import cochran_sample_size


@pytest.mark.parametrize(("pairs", "sample"), [(4135, 352), (1641, 312), (960, 275), (1397, 302)])
def test_samples_of_the_paper(pairs: int, sample: int) -> None:
    assert cochran_sample_size(pairs) == sample


def test_limits() -> None:
    assert cochran_sample_size(0) == 0
    assert cochran_sample_size(1) == 1
    assert cochran_sample_size(10**9) == 385
    assert cochran_sample_size(10**9, margin=0.10) == 97
    with pytest.raises(ValueError, match="margin 5"):
        cochran_sample_size(100, margin=5)
