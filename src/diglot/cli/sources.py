"""``diglot languages`` and ``diglot plan``: sources before a run; both commands write nothing."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from diglot.arguments import CrawlKeywords, SourceKeywords, path_list
from diglot.cli.console import waiting
from diglot.cli.lines import Lines
from diglot.cli.option_groups import part_of, takes
from diglot.cli.options import FILES, Jobs, Pivot, crawl_options, json_console_options, source_options
from diglot.errors import UsageError, without_user
from diglot.layout import table_lines

if TYPE_CHECKING:
    from diglot.survey.crawl_preview import Plan

look_options = part_of(crawl_options, "delay", "proxy", "agent", "allow_host", "browser")
"""Crawl options of commands that fetch a few pages."""

PlanLanguages = Annotated[str, typer.Option("-l", "--langs", help="languages: en,fr; all or 'en,*'; default: all")]


@takes(of_files=source_options, crawl=look_options, console=json_console_options)
def languages_command(
    source: Annotated[list[str], typer.Argument(help=f"an address to look at, or {FILES}")],
    *,
    of_files: SourceKeywords,
    crawl: CrawlKeywords,
    jobs: Jobs = 0,
    console: Lines,
) -> None:
    """Print the languages of pages, by their text and as declared; of a web address, from at most 20 pages. Writes
    nothing."""
    from diglot.survey.before_run import find_languages
    from diglot.survey.survey_text import languages_text, survey_table

    source = path_list(source)
    if _is_of_address(source, {**of_files}, crawl):
        planned = _look(source, "", of_files, crawl)
        console.answer(planned.languages, _found_text(planned, [*_option_words(of_files), *_crawl_words(crawl)]))
        return
    seen = find_languages(source, jobs=jobs, progress=console, **of_files)
    console.answer(survey_table(seen), languages_text(seen, [*source, *_option_words(of_files)]))


def _found_text(planned: Plan, options: Sequence[str]) -> str:
    """Languages of the pages looked at, and the next command with the same options."""
    rows = [("language", "pages"), *((lang, f"{count:,}") for lang, count in planned.languages.items())]
    seen = f"looked at {planned.pages:,} of {planned.addresses:,} known addresses"
    return "\n".join([*table_lines(rows), "", seen, _next_line(planned, options)])


def _next_line(planned: Plan, options: Sequence[str], langs: str = "") -> str:
    """The harvest of the address with the same options, in the languages asked for or found."""
    chosen = langs or ",".join(lang for lang in planned.languages if lang != "und") or "LANG,LANG"
    return f"next      {shlex.join(['diglot', 'harvest', planned.start, '-l', chosen, *options])}"


@takes(of_files=source_options, crawl=look_options, console=json_console_options)
def plan_command(
    source: Annotated[list[str], typer.Argument(help=f"an address to crawl from, or {FILES}")],
    langs: PlanLanguages = "",
    pivot: Pivot = "",
    *,
    of_files: SourceKeywords,
    crawl: CrawlKeywords,
    jobs: Jobs = 0,
    console: Lines,
) -> None:
    """Preview a run. Files: records, languages, size, time. A web address: the same from at most 20 pages, robots.txt
    and the sitemap. Writes nothing."""
    from diglot.survey.crawl_preview import plan_text

    source = path_list(source)
    if _is_of_address(source, {**of_files, "pivot": pivot}, crawl):
        planned = _look(source, langs, of_files, crawl)
        following = _next_line(planned, [*_option_words(of_files), *_crawl_words(crawl)], langs)
        console.answer(dataclasses.asdict(planned), f"{plan_text(planned)}\n{following}")
    else:
        _plan_files(source, langs, pivot, of_files, jobs, console)


def _is_of_address(source: Sequence[str], of_files: Mapping[str, object], crawl: CrawlKeywords) -> bool:
    """Whether a source is a web address. Raises: UsageError for an option that only the other kind of source has."""
    from diglot.pages import looks_like_address

    is_address = any(map(looks_like_address, source))
    given = [name for name, value in of_files.items() if value and name != "split_pages"]
    if is_address and given:
        raise UsageError(f"--{given[0].replace('_', '-')} is for files; leave it out for a web address")
    asked = [f"{name}=" for name in crawl if name != "delay_s"]
    if not is_address and asked:
        raise UsageError(f"{', '.join(asked)}: only for a web address, and no source is one; leave it out")
    return is_address


def _look(source: Sequence[str], langs: str, of_files: SourceKeywords, crawl: CrawlKeywords) -> Plan:
    from diglot.survey.crawl_preview import plan_crawl

    if len(source) > 1:
        raise UsageError("this command takes one web address, or files; name one address alone")
    with waiting("plan", "fetching a few pages"):
        return plan_crawl(source[0], langs, split_pages=of_files.get("split_pages", False), crawl=crawl)


def _plan_files(source: list[str], langs: str, pivot: str, options: SourceKeywords, jobs: int, console: Lines) -> None:
    from diglot.survey.before_run import plan_files
    from diglot.survey.survey_text import next_command

    planned = plan_files(source, langs, pivot=pivot, jobs=jobs, progress=console, **options)
    chosen_pivot = ["--pivot", pivot] if pivot else []
    following = next_command(planned.survey, [*source, *_option_words(options), *chosen_pivot], langs)
    console.answer(planned.plain(), planned.text(following))


def _crawl_words(crawl: CrawlKeywords) -> list[str]:
    """Words of the command line for the crawl options of a look, without a password of the proxy."""
    delay = f"{crawl['delay_s']:g}" if "delay_s" in crawl else ""
    typed = [("delay", delay), ("proxy", without_user(crawl.get("proxy", ""))), ("agent", crawl.get("agent", ""))]
    typed += [("allow-host", host) for host in crawl.get("allow_hosts", ())]
    typed += [("browser", glob) for glob in crawl.get("browser", ())]
    return [word for name, value in typed if value for word in (f"--{name}", value)]


def _option_words(options: SourceKeywords) -> list[str]:
    """Words of the command line for options of sources."""
    typed = [("base-url", options["base_url"]), ("warc-prefix", options["warc_prefix"])]
    typed += [("host", host) for host in options["hosts"]]
    words = [word for name, value in typed if value for word in (f"--{name}", value)]
    switches = {"--skip-unreadable": options["skip_unreadable"], "--split-pages": options["split_pages"]}
    return [*words, *(name for name, is_on in switches.items() if is_on)]
