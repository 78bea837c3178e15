"""What the commands of the command line share: arguments, options, and recipe options as text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from diglot.cli.console import console_for
from diglot.cli.lines import Lines
from diglot.errors import UsageError

pages_option = partial(typer.Option, rich_help_panel="Which pages, and their languages")
pairing_option = partial(typer.Option, rich_help_panel="Pairing")
kept_option = partial(typer.Option, rich_help_panel="What is kept")
crawling_option = partial(typer.Option, rich_help_panel="Crawling")
work_option = partial(typer.Option, rich_help_panel="How it is done")
screen_option = partial(typer.Option, rich_help_panel="What is told")

FILES = "WARC, WACZ or ARC files, CDXJ indexes, folders of HTML, .lett files, @LISTS"
"""What a SOURCE that is no web address can be."""
Languages = Annotated[str, typer.Option("-l", "--langs", help="languages, as BCP 47 tags: en,fr,pt-BR")]
LanguagesOrAll = Annotated[
    str,
    typer.Option("-l", "--langs", help="languages, as BCP 47 tags: en,fr,pt-BR; all that are found: all, or 'en,*'"),
]
OnePair = Annotated[str, typer.Option("-l", "--langs", help="only this pair of languages, as in en,fr")]
PairsOf = Annotated[str, typer.Option("-l", "--langs", help="only pairs of these languages, as in en,fr")]
Out = Annotated[Path, typer.Option("-o", "--out", help="the run folder")]
RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="a run folder")]
RecipeName = Annotated[str, pairing_option("--recipe", help="a recipe; `diglot recipes` lists them")]
RecipeChanges = Annotated[
    list[str], pairing_option("--set", metavar="KEY=VALUE", help="an option of the recipe; may be repeated")
]
Config = Annotated[Path | None, pairing_option("--config", metavar="FILE.toml", help="recipe options from a file")]
RunConfigFile = Annotated[
    Path | None,
    pairing_option("--config", metavar="FILE.toml", help="recipe options from a file; harvest: or a run's diglot.toml"),
]
Jobs = Annotated[int, work_option("--jobs", min=0, help="processes; 0: one a core")]
Engine = Annotated[str, work_option("--engine", metavar="ENGINE", help="who does the work: local or spark")]
Master = Annotated[str, work_option("--master", metavar="URL", help="of a Spark cluster: spark://HOST:7077, yarn")]
Json = Annotated[bool, screen_option("--json", help="machine-readable progress and summary")]
Quiet = Annotated[bool, screen_option("-q", "--quiet", help="print nothing but errors")]
Verbose = Annotated[bool, screen_option("-v", "--verbose", help="tell more: steps, options in force, all sites")]
Pivot = Annotated[str, pairing_option("--pivot", help="only pairs with this language")]
MinProb = Annotated[float, kept_option("--min-prob", min=0.0, max=1.0, help="least probability of a page pair")]
MinScore = Annotated[
    float | None,
    kept_option("--min-score", min=0.0, max=1.0, help="least score of a segment; 0.5 where scores are probabilities"),
]
BaseUrl = Annotated[str, pages_option("--base-url", help="address that a folder of pages stands for")]
WarcPrefix = Annotated[
    str, pages_option("--warc-prefix", metavar="PLACE", help="where files that a list or index names lie; s3://... too")
]
Hosts = Annotated[list[str], pages_option("--host", metavar="HOST", help="of a CDXJ index: only this; may be repeated")]
OneSite = Annotated[bool, pages_option("--one-site", help="pair pages across all hosts, whatever their domain")]
LangFrom = Annotated[
    str, pages_option("--lang-from", metavar="WHAT", help="what tells a page's language: weighed, text, declared, path")
]
LangRules = Annotated[
    list[str], pages_option("--lang", metavar="TEXT=LANG", help="pages with TEXT in their address, as in '/nb/=nb'")
]
Overwrite = Annotated[bool, work_option("--overwrite", help="the folder of -o may hold something else, which is lost")]
MaxPages = Annotated[int, crawling_option("--max-pages", min=0, help="crawl: fetch at most so many pages")]
MaxTime = Annotated[str, crawling_option("--max-time", metavar="TIME", help="crawl: stop after 90s, 30m, 2h, 1d")]
Include = Annotated[list[str], crawling_option("--include", metavar="GLOB", help="crawl: only these, as in '/docs/*'")]
Exclude = Annotated[list[str], crawling_option("--exclude", metavar="GLOB", help="crawl: all but these")]
Delay = Annotated[float, crawling_option("--delay", min=0, help="crawl: seconds between requests to a host")]
Proxy = Annotated[str, crawling_option("--proxy", metavar="URL", help="crawl: fetch through http://HOST:PORT")]
Agent = Annotated[str, crawling_option("--agent", help="crawl: name and contact, asked for above 500 pages")]
AllowHost = Annotated[
    list[str],
    crawling_option("--allow-host", metavar="HOST:PORT", help="crawl: reach this host though it is not public"),
]
BrowserGlobs = Annotated[
    list[str], crawling_option("--browser", metavar="GLOB", help="crawl: run the scripts of these pages in Chromium")
]
Crawl = Mapping[str, object]
"""What the options of a crawl come to, in a command that takes them by :func:`takes_crawl_options`."""
NO_CRAWL: Crawl = MappingProxyType({})
Asked = Mapping[str, Any]
"""What the options of how a run is made come to, in a command that takes them by :func:`takes_run_options`."""
AS_USUAL: Asked = MappingProxyType({})
PLAIN = Lines()
"""The listener of a command whose options were not parsed, see :func:`takes_console_options`."""
Keep = Annotated[
    str | None, kept_option("--keep", metavar="FLAGS", help="flags that shall not leave a segment out: a,b")
]
DropFlags = Annotated[
    str | None, kept_option("--drop", metavar="FLAGS", help="flags that shall leave a segment out: a,b")
]
Pii = Annotated[str | None, kept_option("--pii", metavar="MODE", help="personal data: flag (the usual), mask or off")]
Offensive = Annotated[Path | None, kept_option("--offensive", metavar="FILE", help="words to flag, one a line")]
EvidenceKinds = Annotated[
    list[str],
    typer.Option("--evidence", metavar="KIND", help="embed, dictionary:PATH, translations:PATH, apertium:MODE; repeat"),
]
CrawlLanguages = Annotated[str, typer.Option("-l", "--langs", help="crawl: only these languages; all without it")]
Gold = Annotated[Path, typer.Argument(metavar="GOLD.tsv", help="language, language, address, address between tabs")]
Ignore = Annotated[Path | None, typer.Option("--ignore", help="pairs that are neither right nor wrong")]


def split_languages(langs: str) -> tuple[str, ...]:
    """Languages as they were typed, in standard form; none where nothing was typed."""
    from diglot.languages import parse_languages

    return parse_languages(langs) if langs else ()


def one_pair_or_all(langs: str, known: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pair of languages that was typed, all that are ``known`` where none was."""
    if not langs:
        return list(known)
    pair = split_languages(langs)
    if len(pair) != 2:
        raise UsageError(f"-l {langs}: give two languages, as in -l en,fr")
    return [(pair[0], pair[1])]


DELAY_S = 1.0
"""As :data:`diglot.crawl.options.DELAY_S`, which takes long to load."""
_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def crawl_options(
    *,
    max_pages: MaxPages = 0,
    max_time: MaxTime = "",
    include: Include = [],  # noqa: B006  typer reads the default, nobody changes it
    exclude: Exclude = [],  # noqa: B006
    delay: Delay = DELAY_S,
    proxy: Proxy = "",
    agent: Agent = "",
    allow_host: AllowHost = [],  # noqa: B006
    browser: BrowserGlobs = [],  # noqa: B006
) -> dict[str, object]:
    """Fields of :class:`diglot.crawl.options.CrawlOptions` from what was typed; what is as without it is not there."""
    typed = {
        "max_pages": max_pages,
        "max_time_s": _seconds(max_time),
        "include": include,
        "exclude": exclude,
        "proxy": proxy,
        "agent": agent,
        "allow_hosts": allow_host,
        "browser": browser,
    }
    chosen = {name: value for name, value in typed.items() if value}
    return chosen if delay == DELAY_S else {**chosen, "delay_s": delay}


def run_options(
    *,
    recipe: RecipeName = "",
    changes: RecipeChanges = [],  # noqa: B006
    config: RunConfigFile = None,
    pivot: Pivot = "",
    min_prob: MinProb = 0.0,
    min_score: MinScore = None,
    keep: Keep = None,
    drop: DropFlags = None,
    pii: Pii = None,
    offensive: Offensive = None,
    base_url: BaseUrl = "",
    warc_prefix: WarcPrefix = "",
    hosts: Hosts = [],  # noqa: B006
    one_site: OneSite = False,
    lang_from: LangFrom = "weighed",
    lang_rules: LangRules = [],  # noqa: B006
) -> dict[str, object]:
    """Arguments of :func:`diglot.harvesting.harvest` from what was typed, and ``config``, the file of a run."""
    from diglot.run.run_config import is_run_config

    of_run = config is not None and is_run_config(config)
    return {
        **({"recipe": recipe} if recipe else {}),
        **({"config": config} if of_run else {}),
        "options": recipe_options(changes, None if of_run else config),
        "pivot": pivot,
        "min_prob": min_prob,
        **cleaning_options(min_score, keep, drop, pii, offensive),
        "base_url": base_url,
        "warc_prefix": warc_prefix,
        "hosts": tuple(hosts),
        "one_site": one_site,
        "lang_from": lang_from,
        "lang_rules": tuple(lang_rules),
    }


def typed_options(context: typer.Context) -> list[str]:
    """Which of the options that :func:`run_options` gives were typed, by their names there."""
    names = {"changes": "options", "config": ""}
    typed = [
        name
        for name in context.params
        if (told := context.get_parameter_source(name)) is not None and told.name == "COMMANDLINE"
    ]
    return [names.get(name, name) for name in typed]


def cleaning_options(
    min_score: float | None, keep: str | None, drop: str | None, pii: str | None, offensive: Path | None
) -> dict[str, object]:
    """Options of the cleaning, those alone that were typed: what was not typed stays as it was, or as is usual."""
    typed: dict[str, object] = {
        "min_score": min_score,
        "keep": None if keep is None else flag_names(keep),
        "drop": None if drop is None else flag_names(drop),
        "pii": pii,
        "offensive": None if offensive is None else str(offensive),
    }
    return {name: value for name, value in typed.items() if value is not None}


def console_options(*, quiet: Quiet = False, verbose: Verbose = False) -> Lines:
    """Who tells the person at the terminal what a command does."""
    return _console(quiet=quiet, verbose=verbose)


def json_console_options(*, as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False) -> Lines:
    """The same, also for a program that reads it."""
    return _console(as_json=as_json, quiet=quiet, verbose=verbose)


def _console(*, quiet: bool, verbose: bool, as_json: bool = False) -> Lines:
    if quiet and verbose:
        raise UsageError("--quiet and --verbose: one says less, the other more; leave one out")
    return console_for(as_json=as_json, quiet=quiet, verbose=verbose)


Command = Callable[..., None]


def takes_crawl_options(*names: str) -> Callable[[Command], Command]:
    """Give a command the options of :func:`crawl_options`, all or those of ``names``, where its ``crawl`` stands.

    They stand in the signature that typer reads; the command gets what they come to as ``crawl``.
    """
    return partial(_with_group, "crawl", crawl_options, names)


def takes_run_options(command: Command) -> Command:
    """Give a command the options of :func:`run_options` where its ``asked`` stands, and what they come to."""
    return _with_group("asked", run_options, (), command)


def takes_console_options(command: Command) -> Command:
    """Give a command the options of :func:`console_options` where its ``console`` stands, and what they come to."""
    return _with_group("console", console_options, (), command)


def takes_json_options(command: Command) -> Command:
    """Likewise those of :func:`json_console_options`."""
    return _with_group("console", json_console_options, (), command)


def _with_group(place: str, group: Callable[..., object], names: Sequence[str], command: Command) -> Command:
    offered = inspect.signature(group, eval_str=True).parameters
    shared = [offered[name].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names or offered]
    own = inspect.signature(command, eval_str=True)
    parameters = [
        each for parameter in own.parameters.values() for each in (shared if parameter.name == place else [parameter])
    ]

    @wraps(command)
    def with_options(**values: Any) -> None:
        found = group(**{option.name: values.pop(option.name) for option in shared})
        command(**values, **{place: found})

    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return with_options


def _seconds(text: str) -> float:
    number = text.strip().rstrip("smhd")
    unit = text.strip()[len(number) :]
    try:
        return float(number) * _UNITS_S[unit] if number or unit else 0.0
    except (KeyError, ValueError) as error:
        raise UsageError(f"--max-time {text}: write a number and s, m, h or d, as in 30m") from error


def recipe_options(changes: list[str], config: Path | None) -> dict[str, str]:
    """Recipe options from a TOML file and from ``KEY=VALUE`` words, the words winning."""
    from diglot.run.settings import read_options

    options = read_options(config) if config else {}
    for change in changes:
        key, separator, value = change.partition("=")
        if not separator:
            raise UsageError(f"--set {change}: write KEY=VALUE, as in --set max_edits=10")
        options[key.strip()] = value.strip()
    return options


def flag_names(text: str) -> tuple[str, ...]:
    """Flags from ``a,b``; what is no flag is refused where it is used."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
