"""Arguments and options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated, Any, cast
from urllib.parse import urlsplit

import typer

from diglot.arguments import DELAY_S, CrawlKeywords, ReadKeywords, SourceKeywords
from diglot.cli.console import console_for
from diglot.cli.lines import Lines
from diglot.cli.option_groups import takes
from diglot.errors import UsageError

CRAWL_PANEL = "Crawling"
"""Heading of the crawl options in the help of a command."""
pages_option = partial(typer.Option, rich_help_panel="Which pages, and their languages")
pairing_option = partial(typer.Option, rich_help_panel="Pairing")
kept_option = partial(typer.Option, rich_help_panel="What is kept")
crawling_option = partial(typer.Option, rich_help_panel=CRAWL_PANEL)
work_option = partial(typer.Option, rich_help_panel="How it is done")
screen_option = partial(typer.Option, rich_help_panel="What is printed")

# Before three digits, and not behind a lone 0, a comma may divide thousands.
_DECIMAL_COMMA = re.compile(r"0?,\d+|\d+,(?!\d{3}$)\d+")
FILES = "WARC, WACZ or ARC files, CDXJ indexes, folders of HTML, .lett files, @LISTS"
"""Kinds of SOURCE other than a web address."""
Languages = Annotated[str, typer.Option("-l", "--langs", help="languages, the source language first: en,fr,pt-BR")]
LanguagesOrAll = Annotated[
    str,
    typer.Option(
        "-l",
        "--langs",
        help="languages, the source language first: en,fr,pt-BR; all, or 'en,*' for English and those found",
    ),
]
OnePair = Annotated[str, typer.Option("-l", "--langs", help="only this pair of languages, as in en,fr")]
PairsOf = Annotated[str, typer.Option("-l", "--langs", help="only pairs of these languages, as in en,fr")]
Out = Annotated[Path, typer.Option("-o", "--out", help="the run folder")]
OutOrHost = Annotated[
    Path | None, typer.Option("-o", "--out", help="the run folder; default for an address: the name of its host")
]
RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="a run folder")]
RecipeName = Annotated[str, pairing_option("--recipe", help="a recipe; `diglot recipes` lists them")]
RecipeChanges = Annotated[
    list[str], pairing_option("--set", metavar="KEY=VALUE", help="an option of the recipe; may be repeated")
]
Config = Annotated[Path | None, pairing_option("--config", metavar="FILE.toml", help="file of recipe options")]
RunConfigFile = Annotated[
    Path | None,
    pairing_option(
        "--config", metavar="FILE.toml", help="options of a recipe; or the diglot.toml of a run, to make it again"
    ),
]
Jobs = Annotated[int, work_option("--jobs", min=0, help="number of processes; 0: one per core")]
Engine = Annotated[str, work_option("--engine", metavar="ENGINE", help="local (processes here) or spark (a cluster)")]
Master = Annotated[str, work_option("--master", metavar="URL", help="Spark cluster: spark://HOST:7077, yarn")]
Json = Annotated[bool, screen_option("--json", help="machine-readable progress and summary")]
Quiet = Annotated[bool, screen_option("-q", "--quiet", help="print no progress, and no summary of a run")]
Verbose = Annotated[bool, screen_option("-v", "--verbose", help="print steps, all options and all sites, too")]
Pivot = Annotated[str, pairing_option("--pivot", help="only language pairs with this language")]
MinProb = Annotated[
    float,
    kept_option(
        "--min-prob", min=0.0, max=1.0, help="leave out page pairs below this probability; no page gets another partner"
    ),
]
MinScore = Annotated[
    float | None,
    kept_option(
        "--min-score",
        min=0.0,
        max=1.0,
        help="keep segments of at least this score, 0 to 1; default: 0.5, or none if scores are no probabilities",
    ),
]
NewMinScore = Annotated[
    str,
    kept_option(
        "--min-score",
        metavar="SCORE",
        help="keep segments of at least this score, 0 to 1; `default`: 0.5, or none if scores are no probabilities",
    ),
]
"""For a command on a run that has a least score already."""
BaseUrl = Annotated[str, pages_option("--base-url", help="web address of a folder of HTML files")]
WarcPrefix = Annotated[
    str,
    pages_option(
        "--warc-prefix", metavar="PLACE", help="where the files named in a list or index are: a folder or s3://..."
    ),
]
Hosts = Annotated[
    list[str], pages_option("--host", metavar="HOST", help="CDXJ index: only pages of this host; may be repeated")
]
SkipUnreadable = Annotated[
    bool, pages_option("--skip-unreadable", help="leave out files that cannot be read, and name them")
]
OneSite = Annotated[
    bool,
    pages_option(
        "--one-site", help="pair pages of all hosts, as of example.fr and example.de that do not link to each other"
    ),
]
SplitPages = Annotated[
    bool, pages_option("--split-pages", help="a page that holds a text in several languages is a page for each")
]
Folders = Annotated[bool, work_option("--folders", help="a folder for each kind of file, for runs in many languages")]
LangFrom = Annotated[
    str, pages_option("--lang-from", metavar="WHAT", help="source of a page's language: weighed, text, declared, path")
]
LangRules = Annotated[
    list[str],
    pages_option("--lang", metavar="TEXT=LANG", help="language of pages with TEXT in their address, as in '/nb/=nb'"),
]
Overwrite = Annotated[
    bool, work_option("--overwrite", help="replace another run in the folder of -o; other files stay")
]
MaxPages = Annotated[
    int | None,
    crawling_option(
        "--max-pages",
        min=1,
        help="most pages to fetch; default: no limit, 500 without --agent",
    ),
]
MaxDocuments = Annotated[
    int | None,
    crawling_option("--max-documents", min=1, help="most documents to fetch; default: as many as pages"),
]
NoDocuments = Annotated[bool, crawling_option("--no-documents", help="leave out documents such as PDF")]
MaxTime = Annotated[str, crawling_option("--max-time", metavar="TIME", help="stop after 90s, 30m, 2h, 1d")]
Include = Annotated[
    list[str],
    crawling_option(
        "--include", metavar="GLOB", help="only addresses whose path fits, as in '/docs/*'; may be repeated"
    ),
]
Exclude = Annotated[
    list[str], crawling_option("--exclude", metavar="GLOB", help="leave out addresses whose path fits; may be repeated")
]
Delay = Annotated[float, crawling_option("--delay", min=0, help="seconds between requests to a host")]
Proxy = Annotated[str, crawling_option("--proxy", metavar="URL", help="fetch through http://HOST:PORT")]
Agent = Annotated[
    str,
    crawling_option(
        "--agent", help="your name and your web or mail address, sent with each request; needed above 500 pages"
    ),
]
AllowHost = Annotated[
    list[str],
    crawling_option("--allow-host", metavar="HOST:PORT", help="allow this host although it is not public"),
]
BrowserGlobs = Annotated[
    list[str], crawling_option("--browser", metavar="GLOB", help="run the scripts of these pages in Chromium")
]
Asked = Mapping[str, Any]
"""Result of a group of options."""
Keep = Annotated[
    str | None,
    kept_option(
        "--keep", metavar="FLAGS", help="keep segments in spite of these flags, as in numbers,excerpt; '': none"
    ),
]
DropFlags = Annotated[
    str | None,
    kept_option(
        "--drop", metavar="FLAGS", help="leave out segments with these flags, too, as in too_short,units; '': none"
    ),
]
Pii = Annotated[str | None, kept_option("--pii", metavar="MODE", help="personal data: flag (default), mask or off")]
Offensive = Annotated[
    str | None, kept_option("--offensive", metavar="FILE", help="words to flag, one a line; '': none")
]
"""A text: no path is empty."""
EvidenceKinds = Annotated[
    list[str],
    typer.Option(
        "--evidence",
        metavar="KIND",
        help="embed, dictionary:PATH, translations:PATH, apertium:MODE; may be repeated",
    ),
]
CrawlLanguages = Annotated[str, typer.Option("-l", "--langs", help="only these languages; default: all")]
Gold = Annotated[Path, typer.Argument(metavar="GOLD.tsv", help="language, language, address, address between tabs")]
Ignore = Annotated[Path | None, typer.Option("--ignore", help="file of pairs that are neither right nor wrong")]


def out_or_host(out: Path | None, sources: Sequence[str]) -> Path:
    """The run folder as typed, or for addresses a folder named as the host of the first one."""
    from diglot.pages import looks_like_address

    if out is not None:
        return out
    hosts = [urlsplit(source).hostname for source in sources if looks_like_address(source)]
    if not hosts or not hosts[0]:
        # The folder of the run is often typed last, as for `cp`.
        example = sources[-1] if len(sources) > 1 and not Path(sources[-1]).exists() else "run"
        raise UsageError(f"Missing option '-o' / '--out': name the run folder, as in -o {example}")
    return Path(hosts[0])


_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def crawl_options(
    *,
    max_pages: MaxPages = None,
    max_documents: MaxDocuments = None,
    no_documents: NoDocuments = False,
    max_time: MaxTime = "",
    include: Include = [],  # noqa: B006  typer reads the default, nobody changes it
    exclude: Exclude = [],  # noqa: B006
    delay: Delay = DELAY_S,
    proxy: Proxy = "",
    agent: Agent = "",
    allow_host: AllowHost = [],  # noqa: B006
    browser: BrowserGlobs = [],  # noqa: B006
) -> CrawlKeywords:
    """Typed options as keywords; options at their default are left out."""
    typed: CrawlKeywords = {
        "max_pages": max_pages or 0,
        "max_documents": max_documents or 0,
        "no_documents": no_documents,
        "max_time_s": _seconds(max_time),
        "include": include,
        "exclude": exclude,
        "proxy": proxy,
        "agent": agent,
        "allow_hosts": allow_host,
        "browser": browser,
    }
    if delay != DELAY_S:
        typed["delay_s"] = delay
    # Without defaults, callers can tell whether any option was typed.
    chosen: Any = {name: value for name, value in typed.items() if value or name == "delay_s"}
    return cast(CrawlKeywords, chosen)


def source_options(
    *,
    base_url: BaseUrl = "",
    warc_prefix: WarcPrefix = "",
    hosts: Hosts = [],  # noqa: B006
    skip_unreadable: SkipUnreadable = False,
    split_pages: SplitPages = False,
) -> SourceKeywords:
    """Typed options on sources that are files, as keywords."""
    of_index: SourceKeywords = {"warc_prefix": warc_prefix, "hosts": tuple(hosts)}
    return {"base_url": base_url, **of_index, "skip_unreadable": skip_unreadable, "split_pages": split_pages}


@takes(of_files=source_options)
def read_options(
    *,
    of_files: SourceKeywords,
    lang_from: LangFrom = "weighed",
    lang_rules: LangRules = [],  # noqa: B006
) -> ReadKeywords:
    """Typed options on how sources are read, as keywords."""
    return cast(ReadKeywords, {**of_files, "lang_from": lang_from, "lang_rules": tuple(lang_rules)})


def recipe_options(
    *,
    recipe: RecipeName = "",
    changes: RecipeChanges = [],  # noqa: B006
    config: Config = None,
) -> dict[str, Any]:
    """Typed recipe and its options, as arguments of :func:`diglot.harvesting.pair_run`."""
    return {"recipe": recipe, "options": changed_options(changes, config)}


def pairing_options(
    *,
    recipe: RecipeName = "",
    changes: RecipeChanges = [],  # noqa: B006
    config: RunConfigFile = None,
    pivot: Pivot = "",
    min_prob: MinProb = 0.0,
) -> dict[str, object]:
    """Typed options of the pairing as keywords; ``config`` only if it is the file of a run."""
    from diglot.run.run_config import is_run_config

    # --config takes two kinds of files: settings of a whole run, or options of a recipe alone.
    of_run = config is not None and is_run_config(config)
    return {
        **({"recipe": recipe} if recipe else {}),
        **({"config": config} if of_run else {}),
        "options": changed_options(changes, None if of_run else config),
        "pivot": pivot,
        "min_prob": min_prob,
    }


def cleaning_options(
    *, keep: Keep = None, drop: DropFlags = None, pii: Pii = None, offensive: Offensive = None
) -> dict[str, Any]:
    """Typed options of the cleaning; options not typed are left out and keep their values in the run."""
    typed: dict[str, object] = {
        "keep": None if keep is None else split_names(keep),
        "drop": None if drop is None else split_names(drop),
        "pii": pii,
        "offensive": offensive,
    }
    return {name: value for name, value in typed.items() if value is not None}


@takes(pairing=pairing_options, cleaning=cleaning_options, reading=read_options)
def run_options(
    *,
    pairing: Mapping[str, object],
    min_score: MinScore = None,
    cleaning: Mapping[str, object],
    reading: ReadKeywords,
    one_site: OneSite = False,
    folders: Folders = False,
) -> dict[str, object]:
    """Typed options as arguments of :func:`diglot.harvesting.harvest`."""
    score = {} if min_score is None else {"min_score": min_score}
    return {**pairing, **score, **cleaning, **reading, "one_site": one_site, "folders": folders}


def typed_options(context: typer.Context) -> list[str]:
    """Names, as in the result of :func:`run_options`, of the options on the command line."""
    names = {"changes": "options", "config": ""}
    typed = [
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    ]
    return [names.get(name, name) for name in typed]


def decimal_advice(text: str) -> str:
    """What to write for a number with a decimal comma, to end a message with; else "".

    >>> decimal_advice("0,8"), decimal_advice("0,125"), decimal_advice("1,000")
    ('; write 0.8', '; write 0.125', '')
    """
    return f"; write {text.replace(',', '.')}" if _DECIMAL_COMMA.fullmatch(text) else ""


def least_score(text: str) -> float | None:
    """A typed least score; None for ``default``."""
    if text == "default":
        return None
    with suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise UsageError(f"--min-score {text}: give a score between 0 and 1, or default{decimal_advice(text)}")


def work_options(
    *, jobs: Jobs = 0, engine: Engine = "local", master: Master = "", overwrite: Overwrite = False
) -> dict[str, Any]:
    """Typed options on how a harvest is done, as arguments of :func:`diglot.harvesting.harvest`."""
    return {"jobs": jobs, "engine": engine, "master": master, "overwrite": overwrite}


def console_options(*, quiet: Quiet = False, verbose: Verbose = False) -> Lines:
    """Listener for the progress of a command."""
    return _console(quiet=quiet, verbose=verbose)


def json_console_options(*, as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False) -> Lines:
    """Listener for progress: lines for people, JSON for programs."""
    return _console(as_json=as_json, quiet=quiet, verbose=verbose)


def _console(*, quiet: bool, verbose: bool, as_json: bool = False) -> Lines:
    if quiet and verbose:
        raise UsageError("--quiet and --verbose contradict each other; leave one out")
    return console_for(as_json=as_json, quiet=quiet, verbose=verbose)


def _seconds(text: str) -> float:
    number = text.strip().rstrip("smhd")
    unit = text.strip()[len(number) :]
    try:
        seconds = float(number) * _UNITS_S[unit] if number or unit else 0.0
    except (KeyError, ValueError) as error:
        raise UsageError(f"--max-time {text}: write a number and s, m, h or d, as in 30m") from error
    if text.strip() and not 0 < seconds < inf:
        raise UsageError(f"--max-time {text}: give more than 0; without the option a crawl takes as long as it needs")
    return seconds


def changed_options(changes: list[str], config: Path | None) -> dict[str, str]:
    """Recipe options from a TOML file and from ``KEY=VALUE`` words; a word overrides the file."""
    from diglot.run.settings import read_options

    options = read_options(config) if config else {}
    for change in changes:
        key, separator, value = change.partition("=")
        if not separator:
            raise UsageError(f"--set {change}: write KEY=VALUE, as in --set max_edits=10")
        options[key.strip()] = value.strip()
    return options


def split_names(text: str) -> tuple[str, ...]:
    """Names of flags or formats in ``a,b``; unknown names are refused where they are used."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
