"""Files and programs that a run needs to be made again, checked before anything is deleted."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from diglot.disk.folder import RunFolder
from diglot.errors import DiglotError, UsageError
from diglot.pages import open_sources
from diglot.recipes import DEFAULT_RECIPE
from diglot.run.clean import cleaning_options
from diglot.run.crawl import other_sources
from diglot.run.settings import Settings
from diglot.run.striking import is_merge


def require_needed(folder: RunFolder, settings: Settings, *, is_crawled: bool, is_begun: bool) -> None:
    """Raise :class:`UsageError` where something is missing that the options or sources of a run name.

    A merge is made again from its own stages and needs nothing. ``is_crawled``: whether the run is read again from
    its archive and its other sources; ``is_begun``: whether the outputs may be gone already.
    """
    if is_merge(folder):
        return
    for check, command in _checks(folder, settings, is_crawled=is_crawled):
        try:
            check()
        except DiglotError as error:
            # Once it is begun, the run is closed to the command that changes the option.
            way_out = f", or first run `{shlex.join(command)}`" if command and not is_begun else ""
            state = "the same command goes on then" if is_begun else "nothing is deleted yet"
            raise UsageError(
                f"{error}. The run cannot be made again without it: put it back{way_out}; {state}"
            ) from error


def _checks(
    folder: RunFolder, settings: Settings, *, is_crawled: bool
) -> Iterator[tuple[Callable[[], object], list[str]]]:
    """Checks of the named files and programs, each with the command that makes the run do without them, or []."""
    run = str(folder.path)
    yield lambda: cleaning_options(settings), ["diglot", "clean", run, "--offensive", ""]
    yield settings.evidence, ["diglot", "align", run, "--evidence", ""]
    yield settings.check_recipe, ["diglot", "pair", run, "--recipe", DEFAULT_RECIPE]
    # Pages of files alone are in the documents of the run.
    if is_crawled and (others := other_sources(folder)):
        yield lambda: open_sources(others, **settings.opening_options()), []
