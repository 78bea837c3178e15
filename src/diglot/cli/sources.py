"""``diglot languages`` and ``diglot plan``: sources before a run; both commands write nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diglot.cli.console import waiting
from diglot.cli.lines import Lines
from diglot.cli.options import (
    FILES,
    NO_CRAWL,
    PLAIN,
    BaseUrl,
    Crawl,
    Hosts,
    Jobs,
    Pivot,
    WarcPrefix,
    takes_crawl_options,
    takes_json_options,
)
from diglot.errors import UsageError

if TYPE_CHECKING:
    from diglot.pages import Source
    from diglot.survey.sampling import Survey

PlanLanguages = Annotated[str, typer.Option("-l", "--langs", help="languages: en,fr; all or 'en,*'; default: all")]


@takes_json_options
def languages_command(
    source: Annotated[list[str], typer.Argument(help=FILES)],
    base_url: BaseUrl = "",
    warc_prefix: WarcPrefix = "",
    hosts: Hosts = [],  # noqa: B006
    jobs: Jobs = 0,
    console: Lines = PLAIN,
) -> None:
    """Print the languages of the pages of sources, by their text and as declared. Writes nothing."""
    from diglot.survey.survey_text import languages_text, survey_table

    options = _source_options(base_url, warc_prefix, hosts)
    _, seen = _survey(source, options, jobs, console)
    console.result(survey_table(seen), languages_text(seen, [*source, *_option_words(options)]))


@takes_crawl_options("delay", "proxy", "agent", "allow_host", "browser")
@takes_json_options
def plan_command(
    source: Annotated[list[str], typer.Argument(help=f"an address to crawl from, or {FILES}")],
    langs: PlanLanguages = "",
    pivot: Pivot = "",
    base_url: BaseUrl = "",
    warc_prefix: WarcPrefix = "",
    hosts: Hosts = [],  # noqa: B006
    crawl: Crawl = NO_CRAWL,
    jobs: Jobs = 0,
    console: Lines = PLAIN,
) -> None:
    """Preview a run. Files: records, languages, size, time. A web address: the same from at most 20 pages, robots.txt
    and the sitemap. Writes nothing."""
    from diglot.pages import looks_like_address

    of_files = _source_options(base_url, warc_prefix, hosts)
    if any(map(looks_like_address, source)):
        given = [name for name, value in {**of_files, "pivot": pivot}.items() if value]
        if given:
            raise UsageError(f"--{given[0].replace('_', '-')} is for files; leave it out for a web address")
        _plan_crawl(source, langs, crawl, console)
    else:
        if set(crawl) - {"delay_s"}:
            raise UsageError(f"{', '.join(crawl)}: only for a web address, and no source is one; leave it out")
        _plan_files(source, langs, pivot, of_files, jobs, console)


def _plan_crawl(source: list[str], langs: str, crawl: Crawl, console: Lines) -> None:
    from diglot.cli.options import split_languages
    from diglot.languages import open_languages
    from diglot.survey.crawl_preview import plan_crawl, plan_text

    if len(source) > 1:
        raise UsageError("diglot plan takes one web address, or files; name one address alone")
    named = open_languages(langs)
    with waiting("plan", "fetching a few pages"):
        planned = plan_crawl(source[0], split_languages(langs) if named is None else (), crawl)
    console.result(dataclasses.asdict(planned), plan_text(planned))


def _plan_files(
    source: list[str], langs: str, pivot: str, options: Mapping[str, Any], jobs: int, console: Lines
) -> None:
    from diglot.languages import language_pairs, open_languages, parse_languages
    from diglot.survey.survey_text import next_command, plan_table, plan_text

    asked_pivot = pivot
    named = open_languages(langs or "all")
    wanted = () if named is not None else parse_languages(langs)
    if wanted:
        language_pairs(wanted, pivot)  # raises for a pivot that is none of them
    opened, seen = _survey(source, options, jobs, console)
    if named is not None:
        wanted = (*named, *seen.others_than(named))
        pivot = pivot or (named[0] if len(named) == 1 else "")
    chosen_pivot = ["--pivot", asked_pivot] if asked_pivot else []
    following = next_command(seen, [*source, *_option_words(options), *chosen_pivot], langs)
    console.result(plan_table(seen, opened, wanted, pivot), plan_text(seen, opened, wanted, pivot, following=following))


def _source_options(base_url: str, warc_prefix: str, hosts: list[str]) -> dict[str, Any]:
    return {"base_url": base_url, "warc_prefix": warc_prefix, "hosts": tuple(hosts)}


def _option_words(options: Mapping[str, Any]) -> list[str]:
    """Words of the command line for options of sources."""
    typed = [(name, options[field]) for name, field in (("base-url", "base_url"), ("warc-prefix", "warc_prefix"))]
    typed += [("host", host) for host in options["hosts"]]
    return [word for name, value in typed if value for word in (f"--{name}", value)]


def _survey(specs: list[str], options: Mapping[str, Any], jobs: int, console: Lines) -> tuple[list[Source], Survey]:
    from diglot.engines.server import serve_from_here
    from diglot.pages import open_sources
    from diglot.run.work import PRELOAD
    from diglot.survey.sampling import survey

    opened = open_sources(specs, **options)
    serve_from_here(PRELOAD)
    return opened, survey(opened, jobs=jobs, progress=console)
