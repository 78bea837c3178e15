"""The rule that records are frozen and have slots, asked of all modules of a package."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def records_that_may_change(package: str) -> set[str]:
    """Names of the dataclasses of a package whose values can be replaced, or that take attributes of any name."""
    return {
        name
        for module in _modules(package)
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and dataclasses.is_dataclass(value)
        if not (value.__dataclass_params__.frozen and "__slots__" in vars(value))  # type: ignore[attr-defined]
    }


def _modules(package: str) -> Iterator[ModuleType]:
    top = importlib.import_module(package)
    yield top
    for found in pkgutil.walk_packages(getattr(top, "__path__", []), f"{package}."):
        if not found.name.endswith("_kernels"):
            yield importlib.import_module(found.name)
