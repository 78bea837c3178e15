"""Lazy :mod:`scipy.sparse`: most commands need no matrix, and the import takes a tenth of a second."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from scipy import sparse

    value = globals()[name] = getattr(sparse, name)
    return value
