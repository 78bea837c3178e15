"""The names of :mod:`scipy.sparse`, which is loaded when the first is asked for: most commands make no matrix."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from scipy import sparse

    value = globals()[name] = getattr(sparse, name)
    return value
