"""The figures of a report: headline, funnel with examples, thresholds, languages, and how to make the run again."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from typing import Any

import langcodes
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import tomli_w

from diglot.alignment.table import LENGTH_ALIGNERS
from diglot.arrays import Ints
from diglot.corpus.flags import FLAG_TEXT, Flag
from diglot.documents.language import language_of
from diglot.records import REASON_TEXT, Reason
from diglot.report.shown_rows import DRAWING_SEED, Shown
from diglot.report.tables import RunTables
from diglot.words import PRINTED_WORD

EXAMPLES = 10
"""Addresses shown for a reason or a language."""
DECLARED_CHARS = 35
"""The longest language tag that RFC 5646 (4.4.1) asks readers to hold; a longer declaration is cut."""
LANGUAGE_ROWS = 60
THRESHOLDS = 100
"""Steps of the slider."""
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
"""Settings that are an option of that name on the command line, and what they are without it."""


def headline(run: RunTables, shown: Shown) -> dict[str, Any]:
    """Everything of the report but the segments, as plain values."""
    summary = run.summary
    return {
        "lang_pairs": [_lang_pair(run, number, shown) for number in range(len(run.lang_pairs))],
        "records": summary["pages"],
        "used": summary["used"],
        "estimates": summary.get("estimates", {}),
        "candidates": summary["candidates"] or 0,
        "dropped": _dropped(run),
        "flags": _flags(run),
        "below_min_score": summary["below_min_score"],
        "min_score": run.min_score,
        "languages": _languages(run.documents),
        "fetched": _fetched(run.segments),
        "scores_are_probabilities": run.aligner not in LENGTH_ALIGNERS,
        "shown": {
            "segments": len(shown.rows),
            "segments_of": run.segments.num_rows,
            "pairs": len(shown.pairs),
            "pairs_of": run.pairs.num_rows,
        },
        "notes": list(summary.get("notes", ())),
        "run": _reproduction(run),
    }


def _lang_pair(run: RunTables, number: int, shown: Shown) -> dict[str, Any]:
    src, tgt = run.lang_pairs[number]
    name = f"{src}-{tgt}"
    kept = run.kept & (run.lang_pair_of == number)
    table = run.segments.filter(pa.array(kept))
    counts, means = thresholds(run.score[run.unflagged & (run.lang_pair_of == number)])
    return {
        "name": name,
        "src": src,
        "tgt": tgt,
        "src_name": language_name(src),
        "tgt_name": language_name(tgt),
        "pairs": run.summary["pairs"][name],
        "segments": run.summary["segments"][name],
        "kept": run.summary["kept"][name],
        "src_words": count_words(table["src"]),
        "tgt_words": count_words(table["tgt"]),
        "kept_from": counts,
        "mean_from": means,
        "conflicts": shown.conflicts_found[number],
    }


def thresholds(scores: np.ndarray) -> tuple[list[int], list[float]]:
    """For every least score of 0, 0.01 ... 1: how many scores reach it, and their mean (0 where none does)."""
    steps = np.clip(np.floor(scores * THRESHOLDS + 1e-6).astype(int), 0, THRESHOLDS)
    counts = np.bincount(steps, minlength=THRESHOLDS + 1)[::-1].cumsum()[::-1]
    sums = np.bincount(steps, weights=scores, minlength=THRESHOLDS + 1)[::-1].cumsum()[::-1]
    means = np.divide(sums, counts, out=np.zeros(THRESHOLDS + 1), where=counts > 0)
    return counts.tolist(), np.round(means, 4).tolist()


def count_words(texts: pa.ChunkedArray) -> int:
    """Words of all texts; in scripts without blanks every character counts as one."""
    return int(pc.sum(pc.count_substring_regex(texts, PRINTED_WORD)).as_py() or 0)


def language_name(tag: str) -> str:
    """English name of a language, the tag itself where it has none (CLDR, by langcodes)."""
    try:
        return str(langcodes.Language.get(tag).display_name())
    except ValueError:
        return tag


def _dropped(run: RunTables) -> list[dict[str, Any]]:
    """Reasons, the most common first, each with addresses drawn at random."""
    rows = run.ledger.filter(pc.not_equal(run.ledger["reason"], ""))
    reasons = rows["reason"].to_pylist()
    places = _drawn(reasons)
    found = []
    for reason, count in sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0])):
        examples = rows.select(["url", "detail"]).take(pa.array(places[reason])).to_pylist()
        found.append({"reason": reason, "text": REASON_TEXT[Reason(reason)], "count": count, "examples": examples})
    return found


def _drawn(keys: list[Any]) -> dict[Any, list[int]]:
    """Up to ``EXAMPLES`` places of every key."""
    places: dict[Any, list[int]] = defaultdict(list)
    order: Ints = np.random.default_rng(DRAWING_SEED).permutation(len(keys))
    for place in order.tolist():
        if len(places[keys[place]]) < EXAMPLES:
            places[keys[place]].append(place)
    return places


def _flags(run: RunTables) -> list[dict[str, Any]]:
    """Flags, those first that leave most out: how many segments carry each, how many it leaves out, each segment
    counted once, and how many are kept for all that."""
    out, kept = run.summary["left_out"], run.summary["warned"]
    rows = [
        {"flag": flag, "text": FLAG_TEXT[Flag(flag)], "count": n, "out": out.get(flag, 0), "kept": kept.get(flag, 0)}
        for flag, n in run.summary["flags"].items()
    ]
    return sorted(rows, key=lambda row: (-row["out"], -row["kept"], row["flag"]))


def _languages(documents: pa.Table) -> list[dict[str, Any]]:
    """How many readable pages declare which language and are in which, the most common first."""
    pages = documents.filter(pc.not_equal(documents["lang"], ""))
    declared = [tag[:DECLARED_CHARS] for tag in pages["declared_lang"].to_pylist()]
    keys = list(zip(declared, pages["lang"].to_pylist(), strict=True))
    places = _drawn(keys)
    urls = pages["url"]
    common = sorted(Counter(keys).items(), key=lambda item: (-item[1], item[0]))
    return [
        {
            "declared": said,
            "identified": lang,
            "name": language_name(lang),
            "pages": count,
            "differs": bool(said) and language_of(said) != language_of(lang),
            "examples": urls.take(pa.array(places[said, lang])).to_pylist(),
        }
        for (said, lang), count in common[:LANGUAGE_ROWS]
    ]


def _fetched(segments: pa.Table) -> list[str]:
    """First and last day of the pages used, [] where no page says when it was fetched."""
    known = segments["fetched"].filter(pc.not_equal(segments["fetched"], ""))
    return [pc.min(known).as_py()[:10], pc.max(known).as_py()[:10]] if len(known) else []


def _reproduction(run: RunTables) -> dict[str, Any]:
    return {
        "version": run.settings["diglot"],
        "signature": run.settings["signature"],
        "sources": [dict(source) for source in run.settings["sources"]],
        "settings": tomli_w.dumps(dict(run.settings)),
        "command": command(dict(run.settings)),
    }


def command(settings: dict[str, Any]) -> str:
    """The command line that makes such a run."""
    options = settings["settings"]
    words = ["diglot", "harvest", *(source["name"] for source in settings["sources"]), "-l", ",".join(options["langs"])]
    words += ["-o", "RUN", "--recipe", options["recipe"]]
    for key, value in options["options"].items():
        words += ["--set", f"{key}={value}"]
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
    if options.get("one_site"):
        words.append("--one-site")
    return shlex.join(words)
