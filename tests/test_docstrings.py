"""Examples in docstrings print what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import diglot

PACKAGE = Path(diglot.__file__).parent
WITH_EXAMPLES = [
    ".".join(("diglot", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_a_module(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0, "an example stands where doctest does not look"
    assert result.failed == 0


def test_there_are_examples() -> None:
    assert {"diglot.language_names", "diglot.lexicons"} <= set(WITH_EXAMPLES)
