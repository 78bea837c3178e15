"""Everything Diglot raises on purpose.

::

    DiglotError                 one root: catch this and nothing of ours escapes
     ├── UsageError             what was asked for cannot be meant        (exit code 2)
     │    ├── SourceError       a source is missing, empty or not what it should be
     │    ├── LanguageError     a language code nobody knows
     │    ├── RecipeError       no such recipe, or an option it does not have
     │    └── RunFolderError    a run folder that cannot be written, read or is in use
     ├── NothingFound           the work was done and found nothing        (exit code 3)
     ├── Stopped                interrupted; the same command goes on      (exit code 130)
     ├── SitesFailed            all is done but for sites that were lost   (exit code 5)
     └── NotBuilt               what the installation compiles is not there  (an ImportError, too)

A message names the file, address or option and says what to try. Pages that cannot be read raise
nothing: they become a :class:`diglot.records.Drop` with a reason and are counted.
"""

from __future__ import annotations

from collections.abc import Iterable


class DiglotError(Exception):
    """Root of the tree; ``exit_code`` is what the command line returns for it."""

    exit_code = 1


class UsageError(DiglotError):
    """What was asked for cannot be meant."""

    exit_code = 2


class SourceError(UsageError):
    """A source is missing, empty, or not what its name promises."""


class LanguageError(UsageError):
    """A language code that is not in BCP 47, or fewer than two languages."""


class RecipeError(UsageError):
    """No such recipe, or an option the recipe does not have or cannot take."""


class RunFolderError(UsageError):
    """A run folder that cannot be written or read, or that another run holds."""


class NothingFound(DiglotError):
    """The work was done and nothing was found; the funnel says where everything went."""

    exit_code = 3


class SitesFailed(DiglotError):
    """The work was done, but for sites that killed the process at work on them or took too much of it."""

    exit_code = 5


class Stopped(DiglotError):
    """Interrupted; what was finished is kept and the same command goes on."""

    exit_code = 130


class NotBuilt(DiglotError, ImportError):
    """What the installation compiles is not there."""


def require_options(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise :class:`UsageError` for an option that is none of those known."""
    names = list(known)
    for name in given:
        if name not in names:
            raise UsageError(no_such(kind, name, names))


def no_such(kind: str, name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of those known: the nearest of them, where one is near, and all."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name.casefold(), names, n=1)
    meant = f"did you mean {near[0]}? There" if near else "there"
    return f"no {kind} {name!r}; {meant} are: {', '.join(names)}"
