"""Functions compiled to machine code, cached on disk where that can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile at the first call, without the interpreter's lock; a type checker still sees the function."""
    try:
        return cast(_Function, numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # no folder to cache in can be written
        return cast(_Function, numba.njit(nogil=True)(function))
