"""Words of the command line, read without the parser: an error or interrupt may come before the commands are loaded."""

from __future__ import annotations

from collections.abc import Sequence


def option_words(words: Sequence[str]) -> Sequence[str]:
    """The words that may be options: those before ``--``."""
    return words[: words.index("--")] if "--" in words else words


def asks_for_json(words: Sequence[str]) -> bool:
    """Whether the option ``--json`` is among these words."""
    return "--json" in option_words(words)
