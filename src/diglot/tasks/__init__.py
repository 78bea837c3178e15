"""Tasks over files: a run of many sites, cut so that any number of machines can do the parts in any order."""

from enum import StrEnum


class Stage(StrEnum):
    """Kind of a task."""

    READ = "read"
    """Parse the pages of a source and partition the documents by domain."""
    SITE = "site"
    """Resolve languages of some sites, then pair, align and flag."""
