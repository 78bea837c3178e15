"""The command line: one function a command; each parses, calls and prints."""

from diglot.cli.commands import app, entry, main

__all__ = ["app", "entry", "main"]
