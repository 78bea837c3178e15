"""The funnel: how many records, documents, pairs and segments a run had, and where the rest went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import fsum
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot import pictures
from diglot.corpus.flags import FLAG_TEXT, Flag, clean, in_turn, left_out
from diglot.records import REASON_TEXT, Reason
from diglot.run.by_site import count_by_site, site_lines
from diglot.run.ledger import USED
from diglot.run.settings import Settings
from diglot.version import __version__


class Mass(NamedTuple):
    """Accepted page pairs of a site and language pair (``en-fr``): how many, and the sum of their probabilities."""

    lang_pair: str
    pairs: int
    probability: float


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted of a run, or of some of its sites. Those of two groups of sites add up to those of both.

    By language pair (``en-fr``): ``pairs``, ``segments``, ``kept``. By flag: ``flags``, ``warned``, ``left_out``.
    """

    pages: int = 0
    used: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    segments: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    warned: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    below_min_score: int = 0
    mass: tuple[Mass, ...] = ()
    """In the order of sites."""
    sites: tuple[dict[str, Any], ...] = ()
    """Rows of :func:`diglot.run.by_site.count_by_site`."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Counts)})


def count_sites_of(settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table) -> Counts:
    """Count whole sites: their accepted pairs, their segments with all flags, and the fate of their records."""
    used = pc.equal(ledger["fate"], USED)
    kept = clean(segments, settings.excluded(), settings.least_score())
    flagged_out, scored_out = left_out(segments, settings.excluded(), settings.least_score())
    return Counts(
        pages=ledger.num_rows,
        used=pc.sum(used).as_py() or 0,
        dropped=_counted(ledger.filter(pc.invert(used))["reason"]),
        languages=_counted(ledger.filter(pc.not_equal(ledger["lang"], ""))["lang"]),
        pairs=_by_pair(pairs),
        segments=_by_pair(segments),
        kept=_by_pair(kept),
        flags=_flags(segments),
        warned=_flags(kept),
        left_out=Counter(flagged_out),
        below_min_score=scored_out,
        mass=pair_mass(pairs),
        sites=tuple(count_by_site(ledger, pairs, kept)),
    )


def summarise(settings: Settings, counts: Counts, *, candidates: int) -> dict[str, Any]:
    """The funnel as plain values.

    ``used`` and the counts of ``dropped`` add up to ``pages``; the segments ``kept``, those ``left_out`` by the first
    flag that excludes, and those ``below_min_score`` alone, to ``segments``. ``flags``: how many segments carry each;
    ``warned``: how many of those kept.
    """
    names = [f"{src}-{tgt}" for src, tgt in settings.language_pairs()]
    return {
        "pages": counts.pages,
        "used": counts.used,
        "dropped": dict(sorted(counts.dropped.items())),
        "documents": counts.languages.total(),
        "documents_by_language": dict(sorted(counts.languages.items())),
        "candidates": candidates,
        "pairs": {name: counts.pairs[name] for name in names},
        "segments": {name: counts.segments[name] for name in names},
        "kept": {name: counts.kept[name] for name in names},
        "flags": dict(sorted(counts.flags.items())),
        "left_out": {str(flag): n for flag in in_turn(counts.left_out) if (n := counts.left_out[flag])},
        "below_min_score": counts.below_min_score,
        "min_score": settings.least_score(),
        "warned": dict(sorted(counts.warned.items())),
        "recipe": settings.resolved_recipe().signature(__version__),
        "version": __version__,
    }


def pair_mass(pairs: pa.Table) -> tuple[Mass, ...]:
    """Counts and sums of accepted pairs, by site and language pair."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    columns = (pairs[name].to_pylist() for name in ("site", "src_lang", "tgt_lang", "probability"))
    for site, src, tgt, probability in zip(*columns, strict=True):
        found[site, f"{src}-{tgt}"].append(probability)
    return tuple(Mass(lang_pair, len(told), fsum(told)) for (_, lang_pair), told in found.items())


def estimates(mass: Sequence[Mass], expected: Mapping[str, float | None]) -> dict[str, dict[str, float | None]]:
    """Estimated precision and recall of accepted pairs by language pair and of ``all``, from their probabilities.

    ``expected``: by language pair, how many pages in competition are truly pairs, None where the recipe gives
    scores and no probabilities. Precision: the mean probability of the accepted pairs. Recall: the sum of
    their probabilities over ``expected``; of the pages that were compared at all. None without an estimate.
    """
    of_pair = {pair: [each for each in mass if each.lang_pair == pair] for pair in expected}
    found = {pair: _estimate(of_pair[pair], total) for pair, total in expected.items()}
    known = [total for total in expected.values() if total is not None]
    return {**found, "all": _estimate(mass, fsum(known) if known and len(known) == len(expected) else None)}


def _estimate(mass: Sequence[Mass], expected: float | None) -> dict[str, float | None]:
    if expected is None:
        return {"precision": None, "recall": None}
    count, right = sum(each.pairs for each in mass), fsum(each.probability for each in mass)
    precision = round(right / count, 4) if count else None
    return {"precision": precision, "recall": round(min(1.0, right / expected), 4) if expected > 0 else None}


def estimate_text(estimate: Mapping[str, float | None]) -> str:
    """``: about 98.9% right, 97.0% of all found``; nothing where there is no estimate."""
    parts = (("precision", "right"), ("recall", "of all found"))
    said = [f"{share:.1%} {text}" for name, text in parts if (share := estimate[name]) is not None]
    return f": by its own estimate {', '.join(said)}" if said else ""


def _flags(segments: pa.Table) -> Counter[str]:
    return _counted(pc.list_flatten(segments["flags"]))


def _by_pair(table: pa.Table) -> Counter[str]:
    return _counted(pc.binary_join_element_wise(table["src_lang"], table["tgt_lang"], "-"))


def _counted(column: pa.ChunkedArray) -> Counter[str]:
    found = pc.value_counts(column)
    return Counter(dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)))


def funnel_text(summary: dict[str, Any]) -> str:
    """The funnel in lines for a person."""
    languages = ", ".join(f"{lang} {n}" for lang, n in _largest(summary["documents_by_language"]))
    dropped = sum(summary["dropped"].values())
    found = [pair for pair, n in summary["pairs"].items() if n]
    nothing = [pair for pair in summary["pairs"] if pair not in found]
    lines = [
        f"pages     {summary['pages']:,} records: {summary['used']:,} used, {dropped:,} dropped",
        *(f"            {n:>8,}  {REASON_TEXT[Reason(reason)]}" for reason, n in _largest(summary["dropped"])),
        f"languages {languages or 'none'}",
        f"pairs     {_per_pair(summary['pairs'], found)}, out of {summary['candidates'] or 0:,} candidates",
        *_estimate_lines(summary.get("estimates", {}), nothing),
        *([f"            nothing found for: {', '.join(nothing)}"] if found and nothing else []),
        *_segment_lines(summary, found),
        *site_lines(summary.get("sites", ())),
    ]
    lines += [f"note      {note}" for note in summary.get("notes", ())]
    return "\n".join(lines)


def funnel_picture(summary: dict[str, Any], title: str) -> str:
    """The funnel as HTML, a bar for every step from records to segments kept."""
    steps = [
        ("records read", summary["pages"], ""),
        ("pages used", summary["used"], ""),
        ("page pairs", sum(summary["pairs"].values()), _per_pair(summary["pairs"], summary["pairs"])),
    ]
    segments = [
        ("segments aligned", sum(summary["segments"].values()), ""),
        ("segments kept", sum(summary["kept"].values()), _per_pair(summary["kept"], summary["kept"])),
    ]
    told = [[(name, n, f"{n:,}{f' ({of})' if of else ''}") for name, n, of in part] for part in (steps, segments)]
    return pictures.bars(told[0], title=title) + pictures.bars(told[1])


def _segment_lines(summary: Mapping[str, Any], found: Sequence[str]) -> list[str]:
    """How many segments were aligned and kept; what leaves out the others, each counted once; what only warns."""
    aligned, kept = (sum(summary[name].values()) for name in ("segments", "kept"))
    lines = [f"segments  {aligned:,} aligned, {kept:,} kept ({_per_pair(summary['kept'], found)})"]
    if aligned > kept:
        lines.append(f"          {aligned - kept:,} left out, each counted under one flag")
    lines += [f"            {n:>8,}  {flag}: {FLAG_TEXT[Flag(flag)]}" for flag, n in _largest(summary["left_out"])]
    if below := summary["below_min_score"]:
        lines.append(
            f"            {below:>8,}  no flag that excludes, but a score below {summary['min_score']:g} (--min-score)"
        )
    if summary["warned"]:
        lines.append("          kept, with a flag that only warns")
    lines += [f"            {n:>8,}  {flag}: {FLAG_TEXT[Flag(flag)]}" for flag, n in _largest(summary["warned"])]
    return lines


def _estimate_lines(found: Mapping[str, Mapping[str, float | None]], nothing: Sequence[str]) -> list[str]:
    """Precision and recall as the recipe's probabilities have them, a line a language pair but for ``nothing``."""
    known = {pair: each for pair, each in found.items() if any(share is not None for share in each.values())}
    known = {pair: each for pair, each in known.items() if pair not in nothing}
    if len(known) == 2 and len({tuple(each.values()) for each in known.values()}) == 1:
        known.pop("all", None)
    return [f"            {pair:>8}{estimate_text(each)}" for pair, each in known.items()]


def _largest(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _per_pair(counts: Mapping[str, int], pairs: Sequence[str]) -> str:
    return ", ".join(f"{pair} {counts[pair]:,}" for pair in pairs) or "none"
