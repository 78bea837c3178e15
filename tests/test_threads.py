"""Threads cover a range once."""

import numpy as np
import pytest

from diglot.threads import cores, in_threads, map_in_threads


@pytest.mark.parametrize(("count", "stretch"), [(0, 3), (1, 3), (3, 3), (10, 3), (100, 1)])
def test_threads_cover_a_range_once(count: int, stretch: int) -> None:
    visits = np.zeros(count, np.int64)

    def visit(some: slice) -> None:
        visits[some] += 1

    in_threads(visit, count, stretch)
    assert (visits == 1).all()


def test_what_fails_in_a_thread_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda some: some.start // 0, 10, 2)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("threads", [0, 1, 2, 8])
def test_what_threads_make_stands_in_the_order_of_what_they_were_given(threads: int) -> None:
    assert map_in_threads(str, range(20), threads) == list(map(str, range(20)))


def test_what_fails_in_one_of_several_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        map_in_threads(lambda number: 1 // number, [2, 1, 0], 2)


def test_cores_are_those_of_the_scheduler_if_it_names_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    own = cores()
    assert own >= 1
    for bound, expected in (("1", 1), ("7", 7), ("0", own), ("00", own), ("", own), ("-1", own), ("4,2", own)):
        monkeypatch.setenv("OMP_NUM_THREADS", bound)
        assert cores() == expected
