"""The command line: one function a command; each parses, calls and prints."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from diglot.cli.program import entry

if TYPE_CHECKING:
    from diglot.cli.commands import app as app
    from diglot.cli.commands import main as main

__all__ = ["app", "entry", "main"]


def __getattr__(name: str) -> Any:
    """Load the commands on first use: they take long to import, and interrupts must work before."""
    if name in ("app", "main"):
        return getattr(importlib.import_module("diglot.cli.commands"), name)
    raise AttributeError(f"module 'diglot.cli' has no attribute {name!r}")
