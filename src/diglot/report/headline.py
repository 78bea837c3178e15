"""Figures of a report: sites, pages and segments by reason, thresholds, languages, and the command of the run."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import tomli_w

from diglot.alignment.beads import LENGTH_ALIGNERS
from diglot.arrays import Ints
from diglot.corpus.flags import EXCLUDED, VOUCHED, excluded_flags, flag_meaning
from diglot.disk.stated_paths import is_of_crawl
from diglot.documents.language_tags import language_of
from diglot.language_names import language_name
from diglot.layout import largest_first
from diglot.reasons import REASON_TEXT, Reason
from diglot.report.figures import declared_and_found
from diglot.report.one_file import DATA_VERSION
from diglot.report.shown_rows import DRAWING_SEED, Shown
from diglot.report.tables import RunTables
from diglot.scripts import is_right_to_left

EXAMPLES = 10
"""Most addresses shown for a reason or a language."""
LANGUAGE_ROWS = 60
SITE_ROWS = 500
"""Most sites in the table; those with most segments."""
SITES_NAMED = 2
"""Sites named in a title; others are counted."""
_SITE_COLUMNS = ("site", "documents", "used", "pairs", "kept")
PLAIN_OPTIONS = {
    "pivot": "",
    "base_url": "",
    "warc_prefix": "",
    "lang_from": "weighed",
    "min_prob": 0.0,
    "min_score": None,
    "pii": "flag",
    "offensive": "",
}
"""Settings with a command-line option of the same name, and their defaults."""
CRAWL_OPTIONS = {
    "max_pages": "--max-pages",
    "max_documents": "--max-documents",
    "no_documents": "--no-documents",
    "max_time_s": "--max-time",
    "include": "--include",
    "exclude": "--exclude",
    "delay_s": "--delay",
    "agent": "--agent",
    "allow_hosts": "--allow-host",
    "browser": "--browser",
}
"""Options of a crawl as they are typed; a proxy, whose address may hold a password, stays out of the report."""
AGAIN = "diglot harvest --config RUN/diglot.toml -o NEW  # the same, from the stated places, with every option"
"""The report names files without their folders, so only the file of the run says where its sources lie."""


def headline(run: RunTables, shown: Shown) -> dict[str, Any]:
    """The report without segments, as plain values."""
    summary = run.summary
    sites = list(summary.get("sites", ()))
    return {
        "data_version": DATA_VERSION,
        "title": site_title(run),
        "sites": [{name: row[name] for name in _SITE_COLUMNS} for row in sites[:SITE_ROWS]],
        "sites_of": len(sites),
        "evidence_groups": {method: dict(groups) for method, groups in run.evidence_groups.items()},
        "pair_command": pair_command(run),
        "vouched": list(VOUCHED),
        "right_to_left": [lang for lang in run.settings["settings"]["langs"] if is_right_to_left(lang)],
        "lang_pairs": [_lang_pair(run, number, shown) for number in range(len(run.lang_pairs))],
        "records": summary["pages"],
        "used": summary["used"],
        "estimates": summary.get("estimates", {}),
        "candidates": summary["candidates"] or 0,
        "dropped": _dropped_rows(run),
        "flags": _flags(run),
        # Options of the cleaning, for a page that changes them.
        **{name: list(run.settings["settings"].get(name, ())) for name in ("keep", "drop")},
        "below_min_score": summary["below_min_score"],
        "min_score": run.min_score,
        "languages": _languages(run),
        "fetched": _fetch_days(run),
        "origins": _origins(run),
        "scores_are_probabilities": run.aligner not in LENGTH_ALIGNERS,
        "shown": _shown_counts(run, shown),
        "notes": list(summary.get("notes", ())),
        "run": _reproduction(run),
    }


def _shown_counts(run: RunTables, shown: Shown) -> dict[str, int]:
    """Numbers of segments, page pairs and sites in the report, and of the whole run; no sites where all are shown."""
    counts = {
        "segments": len(shown.rows),
        "segments_of": run.segments_of_run,
        "pairs": len(shown.pairs),
        "pairs_of": run.pairs_of_run,
    }
    if run.sites_shown is None:
        return counts
    # A run over all hosts as one site (--one-site) has no list of sites.
    sites = len(run.summary["sites"]) if "sites" in run.summary else 1
    return {**counts, "sites": run.sites_shown, "sites_of": sites}


def site_title(run: RunTables) -> str:
    """Names of the sites, largest first; of the sources, without a readable page."""
    named = [row["site"] for row in run.summary.get("sites", ())] or _hosts(run)
    if not named:
        return ", ".join(source["name"] for source in run.settings["sources"]) or "A run"
    more = len(named) - SITES_NAMED
    # A single further site is named: its name says more than a count of 1.
    first = ", ".join(named[: SITES_NAMED if more != 1 else SITES_NAMED + 1])
    return f"{first} and {more:,} more sites" if more > 1 else first


def _hosts(run: RunTables) -> list[str]:
    """Hosts of readable pages, most pages first."""
    urls = run.documents.filter(pc.not_equal(run.documents["lang"], ""))["url"].to_pylist()
    hosts = Counter(host for url in urls if (host := urlsplit(url).hostname))
    return [host for host, _ in largest_first(hosts)]


def _lang_pair(run: RunTables, number: int, shown: Shown) -> dict[str, Any]:
    src, tgt = run.lang_pairs[number]
    name = f"{src}-{tgt}"
    counts, means = run.figures.thresholds(name)
    return {
        "name": name,
        "src": src,
        "tgt": tgt,
        "src_name": language_name(src),
        "tgt_name": language_name(tgt),
        "pairs": run.summary["pairs"][name],
        "segments": run.summary["segments"][name],
        "kept": run.summary["kept"][name],
        "src_words": run.figures.src_words[name],
        "tgt_words": run.figures.tgt_words[name],
        "kept_from": counts,
        "mean_from": means,
        "conflicts": shown.conflicts_found[number],
    }


def _dropped_rows(run: RunTables) -> list[dict[str, Any]]:
    """Reasons of dropped pages, most common first, with random addresses as examples."""
    rows = run.ledger.filter(pc.not_equal(run.ledger["reason"], "")).select(["url", "detail", "reason"])
    places = _draw_examples(rows["reason"].to_pylist())
    found = []
    for reason, count in largest_first(run.summary["dropped"]):
        examples = rows.select(["url", "detail"]).take(pa.array(places[reason], pa.int64())).to_pylist()
        found.append({"reason": reason, "text": REASON_TEXT[Reason(reason)], "count": count, "examples": examples})
    return found


def _draw_examples(keys: Sequence[Any]) -> dict[Any, list[int]]:
    """Up to ``EXAMPLES`` random places of each key."""
    places: dict[Any, list[int]] = defaultdict(list)
    order: Ints = np.random.default_rng(DRAWING_SEED).permutation(len(keys))
    for place in order.tolist():
        if len(places[keys[place]]) < EXAMPLES:
            places[keys[place]].append(place)
    return places


def _flags(run: RunTables) -> list[dict[str, Any]]:
    """A row for each flag, most segments left out first.

    ``count``: segments with the flag; ``out``: segments left out by it, each counted for one flag; ``kept``: kept all
    the same. ``excludes``: whether the flag leaves segments out in this run; ``usually``: whether it does by default.
    """
    out, kept = run.summary["left_out"], run.summary["warned"]
    excluding = excluded_flags(*(run.settings["settings"].get(name, ()) for name in ("keep", "drop")))
    rows = [
        {
            "flag": flag,
            "text": flag_meaning(flag),
            "count": n,
            "out": out.get(flag, 0),
            "kept": kept.get(flag, 0),
            "excludes": flag in excluding,
            "usually": flag in EXCLUDED,
        }
        for flag, n in run.summary["flags"].items()
    ]
    return sorted(rows, key=lambda row: (-row["out"], -row["kept"], row["flag"]))


def _languages(run: RunTables) -> list[dict[str, Any]]:
    """Readable pages by declared language and language of the text, most common first."""
    pages = run.documents.filter(pc.not_equal(run.documents["lang"], ""))
    places = _draw_examples(declared_and_found(pages))
    urls = pages["url"]
    common = largest_first(run.figures.languages)
    return [
        {
            "declared": said,
            "identified": lang,
            "name": language_name(lang),
            "pages": count,
            "differs": bool(said) and language_of(said) != language_of(lang),
            "examples": urls.take(pa.array(places[said, lang], pa.int64())).to_pylist(),
        }
        for (said, lang), count in common[:LANGUAGE_ROWS]
    ]


def _origins(run: RunTables) -> list[str]:
    """Where the pages come from: the addresses that a crawl began at, and the names of other sources."""
    starts, others = _starts_and_others(run.settings)
    return [*starts, *(each["name"] for each in others)]


def _starts_and_others(settings: Mapping[str, Any]) -> tuple[list[str], list[Mapping[str, Any]]]:
    """Start addresses of the crawl, and all other sources."""
    starts = list(settings.get("crawl", {}).get("starts", ()))
    return starts, [each for each in settings["sources"] if not (starts and is_of_crawl(each["name"]))]


def _identity(run: RunTables) -> list[str]:
    """Identity of a run, under which the browser keeps verdicts: starts of its crawl, hashes of its other sources.

    The hash of a crawl's archive is left out, since every update changes the archive.
    """
    starts, others = _starts_and_others(run.settings)
    return [*starts, *(each.get("hash", "") for each in others)]


def _fetch_days(run: RunTables) -> list[str]:
    """First and last day of fetching; [] if unknown."""
    days = sorted(run.figures.days)
    return [days[0], days[-1]] if days else []


def _reproduction(run: RunTables) -> dict[str, Any]:
    return {
        "version": run.settings["diglot"],
        "signature": run.settings["signature"],
        "identity": _identity(run),
        "sources": [dict(source) for source in run.settings["sources"]],
        "settings": tomli_w.dumps(dict(run.settings)),
        "command": "\n".join([command(dict(run.settings)), *([] if run.settings.get("merged") else [AGAIN])]),
    }


def pair_command(run: RunTables) -> str:
    """The command line for page pairs of a least probability; ``{}`` stands for the probability."""
    # A merge pairs nothing itself, and has no file to harvest by.
    if run.settings.get("merged"):
        return "diglot export RUN --min-prob {} -o FOLDER"
    if not run.least_option:
        return "diglot harvest --config RUN/diglot.toml -o RUN --min-prob {}"
    options = run.settings["settings"]["options"]
    kept = [f"{key}={value}" for key, value in options.items() if key != run.least_option]
    words = ["diglot", "pair", "RUN", *(word for each in kept for word in ("--set", each))]
    return f"{shlex.join(words)} --set {run.least_option}={{}} && diglot align RUN"


def command(settings: dict[str, Any]) -> str:
    """The command line that makes the run, with the names of its files, and with the addresses where a crawl began."""
    options = settings["settings"]
    if merged := settings.get("merged"):
        return shlex.join(["diglot", "merge", *merged, "-o", "RUN"])
    starts, others = _starts_and_others(settings)
    sources = [*starts, *(source["name"] for source in others)]
    words = ["diglot", "harvest", *sources, "-l", ",".join(options["langs"])]
    words += ["-o", "RUN", "--recipe", options["recipe"]]
    for key, value in options["options"].items():
        words += ["--set", f"{key}={value}"]
    # People read the command line: options at their default stay out.
    for name, default in PLAIN_OPTIONS.items():
        if options.get(name, default) != default:
            words += [f"--{name.replace('_', '-')}", str(options[name])]
    for name in ("keep", "drop"):
        if options.get(name):
            words += [f"--{name}", ",".join(options[name])]
    for rule in options.get("lang_rules", ()):
        words += ["--lang", rule]
    for host in options.get("hosts", ()):
        words += ["--host", host]
    words += [f"--{name.replace('_', '-')}" for name in ("one_site", "split_pages") if options.get(name)]
    return shlex.join([*words, *_crawl_words(settings.get("crawl", {}))])


def _crawl_words(crawl: Mapping[str, Any]) -> Iterator[str]:
    """Options of a crawl as they are typed."""
    for name, option in CRAWL_OPTIONS.items():
        value = crawl.get(name)
        for each in value if isinstance(value, list | tuple) else [] if value is None else [value]:
            if each is True:
                yield option
            elif each is not False:
                yield from (option, f"{str(each).removesuffix('.0')}s" if name == "max_time_s" else str(each))
