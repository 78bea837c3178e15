"""The stages of a run that is cut into tasks."""

from enum import StrEnum


class Stage(StrEnum):
    """What a task does."""

    READ = "read"
    """One source: its pages parsed, and dealt out by domain."""
    SITE = "site"
    """Some sites: settled, paired, aligned and flagged."""
