"""Sources before a run, for Python users: their languages, and the cost of a harvest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

from diglot.arguments import Langs, SourceKeywords, Sources, path_list
from diglot.checked_arguments import check_arguments
from diglot.engines.server import serve_from_here
from diglot.errors import require_options
from diglot.languages import language_pairs, open_languages, parse_languages
from diglot.pages import Source, open_sources
from diglot.pages.opening import report_on_sources, skipped_lines
from diglot.pages.same_paths import same_path_lines
from diglot.progress import Progress
from diglot.run.work import PRELOAD
from diglot.survey.sampling import Survey, survey
from diglot.survey.survey_text import expected_seconds, pages_by_wanted, plan_table, plan_text


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesPlan:
    """Preview of a harvest of files. ``langs``: languages asked for, or found; ``pivot``: "" for all pairs."""

    sources: tuple[Source, ...]
    survey: Survey
    langs: tuple[str, ...]
    pivot: str

    @property
    def pages(self) -> dict[str, int]:
        """Number of pages of the sample in each language."""
        return pages_by_wanted(self.survey, self.langs)

    @property
    def seconds(self) -> float:
        """Estimated seconds of a harvest on this machine, rather too many than too few."""
        return expected_seconds(self.survey, self.langs, self.pivot)

    def plain(self) -> dict[str, Any]:
        """As values that JSON can hold."""
        return plan_table(self.survey, self.sources, self.langs, self.pivot)

    def text(self, following: str) -> str:
        """Lines of text; ``following``: the next command."""
        return plan_text(self.survey, self.sources, self.langs, self.pivot, following=following)


@check_arguments
def find_languages(
    source: Sources, *, jobs: int = 0, progress: Progress | None = None, **options: Unpack[SourceKeywords]
) -> Survey:
    """The languages of the pages of files, by their text and as declared. Writes nothing.

    All records are read, and the pages of at most 3,000 addresses count. ``options``: ``base_url``, ``warc_prefix``,
    ``hosts``, ``skip_unreadable`` and ``split_pages``, as in :class:`diglot.RunKeywords`. Raises: kinds of
    :class:`UsageError` for a missing file.
    """
    return _survey(source, options, jobs, progress)[1]


@check_arguments
def plan_files(
    source: Sources,
    langs: Langs = "",
    *,
    pivot: str = "",
    jobs: int = 0,
    progress: Progress | None = None,
    **options: Unpack[SourceKeywords],
) -> FilesPlan:
    """Preview a harvest of files: records, pages by language, time. Writes nothing.

    ``langs``: "" for all found, ``en,*`` for English and all others; ``pivot``: "" for all language pairs. ``options``:
    ``base_url``, ``warc_prefix``, ``hosts``, ``skip_unreadable`` and ``split_pages``, as in :func:`find_languages`.
    """
    named = open_languages(langs or "all")
    wanted = () if named is not None else parse_languages(langs)
    if wanted:
        language_pairs(wanted, pivot)  # raises for a pivot that is none of them
    opened, seen = _survey(source, options, jobs, progress)
    if named is not None:
        wanted = (*named, *seen.others_than(named))
        pivot = pivot or (named[0] if len(named) == 1 else "")
    return FilesPlan(sources=tuple(opened), survey=seen, langs=wanted, pivot=pivot)


def _survey(
    source: Sources, options: SourceKeywords, jobs: int, progress: Progress | None
) -> tuple[list[Source], Survey]:
    require_options("option", options, SourceKeywords.__annotations__)
    skipped: list[str] = []
    of_sources: dict[str, Any] = {name: value for name, value in options.items() if name != "split_pages"}
    opened = open_sources(path_list(source), **of_sources, skipped=skipped)
    report_on_sources([*skipped_lines(skipped, opened), *same_path_lines(opened)], progress)
    serve_from_here(PRELOAD)
    return opened, survey(opened, jobs=jobs, progress=progress, split_pages=options.get("split_pages", False))
