"""Parameters of a test of which ``make test`` takes some, and ``make test-slow`` the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def slow_but(quick: Iterable[Any], cases: Iterable[Any]) -> list[ParameterSet]:
    """The cases in their order, marked slow where they are not among ``quick``, each of which must be a case."""
    cases, quick = list(cases), list(quick)
    missing = [case for case in quick if case not in cases]
    assert not missing, f"no cases: {missing}"
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=[] if case in quick else pytest.mark.slow)
        for case in cases
    ]
