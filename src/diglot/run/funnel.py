"""The funnel: what became of records, documents, page pairs and segments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import fsum
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot import svg
from diglot.corpus.flags import MEANINGS, clean, count_left_out, in_turn
from diglot.layout import largest_first
from diglot.records import REASON_TEXT, Reason
from diglot.run.by_site import SITES_SHOWN, count_by_site, site_lines
from diglot.run.ledger import USED
from diglot.run.settings import Settings
from diglot.version import __version__

MILLION = 1_000_000


class Mass(NamedTuple):
    """Accepted page pairs of a site and language pair (``en-fr``): number, and sum of probabilities."""

    lang_pair: str
    pairs: int
    probability: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of some sites of a run; they add up.

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
    score: Counter[str] = field(default_factory=Counter)
    """Sums of the scores of kept segments by language pair, in millionths: integers add up to the same sum in any
    order."""
    mass: tuple[Mass, ...] = ()
    """In the order of sites."""
    sites: tuple[dict[str, Any], ...] = ()
    """Rows of :func:`diglot.run.by_site.count_by_site`."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Counts)})


def count_sites_of(settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table) -> Counts:
    """Count whole sites: accepted pairs, segments with all flags, and the fate of records."""
    used = pc.equal(ledger["fate"], USED)
    kept = clean(segments, settings.excluded(), settings.least_score())
    flagged_out, scored_out = count_left_out(segments, settings.excluded(), settings.least_score())
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
        score=_score_sums(kept),
        mass=pair_mass(pairs),
        sites=tuple(count_by_site(ledger, pairs, kept)),
    )


def summarise(settings: Settings, counts: Counts, *, candidates: int) -> dict[str, Any]:
    """The funnel as plain values.

    ``used`` and the counts of ``dropped`` add up to ``pages``. ``kept`` segments, segments ``left_out`` by their first
    excluding flag, and segments only ``below_min_score`` add up to ``segments``. ``kept_right``: estimated precision of
    the kept segments, by language pair and for ``all``; None without kept segments, or where scores are no
    probabilities. ``flags``: number of segments with a flag; ``warned``: of kept ones.
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
        "kept_right": _kept_right(settings, counts, names),
        "flags": dict(sorted(counts.flags.items())),
        "left_out": {flag: n for flag in in_turn(counts.left_out) if (n := counts.left_out[flag])},
        "below_min_score": counts.below_min_score,
        "min_score": settings.least_score(),
        "warned": dict(sorted(counts.warned.items())),
        "recipe": settings.resolved_recipe().signature(__version__),
        "version": __version__,
    }


def pair_mass(pairs: pa.Table) -> tuple[Mass, ...]:
    """Numbers of accepted pairs and sums of their probabilities, by site and language pair."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    columns = (pairs[name].to_pylist() for name in ("site", "src_lang", "tgt_lang", "probability"))
    for site, src, tgt, probability in zip(*columns, strict=True):
        found[site, f"{src}-{tgt}"].append(probability)
    return tuple(Mass(lang_pair, len(told), fsum(told)) for (_, lang_pair), told in found.items())


def estimates(mass: Sequence[Mass], expected: Mapping[str, float | None]) -> dict[str, dict[str, float | None]]:
    """Estimated precision and recall of accepted pairs by language pair and for ``all``.

    ``expected``: expected number of true pairs among the compared pages, by language pair; None for recipes with scores
    but no probabilities. Precision: mean probability of the accepted pairs. Recall: sum of their probabilities over
    ``expected``. None without an estimate.
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


def estimate_text(estimate: Mapping[str, float | None], *, by: str = "by its own estimate ") -> str:
    """``: by its own estimate 98.9% right, 97.0% of all found``; nothing where there is no estimate."""
    parts = (("precision", "right"), ("recall", "of all found"))
    said = [f"{share:.1%} {text}" for name, text in parts if (share := estimate.get(name)) is not None]
    return f": {by}{', '.join(said)}" if said else ""


def _score_sums(kept: pa.Table) -> Counter[str]:
    millionths = pc.cast(pc.round(pc.multiply(pc.cast(kept["score"], pa.float64()), MILLION)), pa.int64())
    names = pc.binary_join_element_wise(kept["src_lang"], kept["tgt_lang"], "-")
    sums = pa.table({"pair": names, "score": millionths}).group_by("pair").aggregate([("score", "sum")])
    return Counter(dict(zip(sums["pair"].to_pylist(), sums["score_sum"].to_pylist(), strict=True)))


def _kept_right(settings: Settings, counts: Counts, names: Sequence[str]) -> dict[str, float | None]:
    if not settings.scores_are_probabilities():
        return dict.fromkeys([*names, "all"])
    sums = {name: (counts.score[name], counts.kept[name]) for name in names}
    sums["all"] = counts.score.total(), counts.kept.total()
    return {name: round(score / MILLION / kept, 4) if kept else None for name, (score, kept) in sums.items()}


def _flags(segments: pa.Table) -> Counter[str]:
    return _counted(pc.list_flatten(segments["flags"]))


def _by_pair(table: pa.Table) -> Counter[str]:
    return _counted(pc.binary_join_element_wise(table["src_lang"], table["tgt_lang"], "-"))


def _counted(column: pa.ChunkedArray) -> Counter[str]:
    found = pc.value_counts(column)
    return Counter(dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)))


def funnel_text(summary: dict[str, Any], *, sites_shown: int | None = SITES_SHOWN, columns: int | None = None) -> str:
    """The funnel in lines of text. ``sites_shown``: at most so many sites, None for all; ``columns``: width of the
    screen."""
    languages = ", ".join(f"{lang} {n:,}" for lang, n in largest_first(summary["documents_by_language"]))
    dropped = sum(summary["dropped"].values())
    found = [pair for pair, n in summary["pairs"].items() if n]
    lines = [
        f"pages     {summary['pages']:,} records: {summary['used']:,} used, {dropped:,} dropped",
        *_counted_lines((n, REASON_TEXT[Reason(reason)]) for reason, n in largest_first(summary["dropped"])),
        f"languages {languages or 'none'}",
        *_pair_lines(summary, found),
        *_segment_lines(summary, found),
        *site_lines(summary.get("sites", ()), sites_shown, columns),
    ]
    lines += [f"note      {note}" for note in summary.get("notes", ())]
    return "\n".join(lines)


def funnel_picture(summary: Mapping[str, Any], title: str) -> str:
    """The funnel as HTML: a bar for every step from records to kept segments."""
    pages = [_bar("records read", {"": summary["pages"]}), _bar("pages used", {"": summary["used"]})]
    segments = [_bar("segments aligned", summary["segments"]), _bar("segments kept", summary["kept"])]
    return svg.bars([*pages, _bar("page pairs", summary["pairs"])], title=title) + svg.bars(segments)


def _bar(name: str, counts: Mapping[str, int]) -> tuple[str, int, str]:
    """Name, length and label of a bar for a sum of counts."""
    of_pairs = [f"{pair} {n:,}" for pair, n in counts.items() if pair]
    return name, sum(counts.values()), ", ".join([f"{sum(counts.values()):,}", *of_pairs])


def _segment_lines(summary: Mapping[str, Any], found: Sequence[str]) -> list[str]:
    """Aligned segments; kept and left-out ones, counted once; then warnings on kept ones."""
    aligned, kept = (sum(summary[name].values()) for name in ("segments", "kept"))
    right = summary.get("kept_right", {})
    lines = [f"segments  {aligned:,} aligned: {kept:,} kept, {aligned - kept:,} left out"]
    if kept:
        whole = "" if right.get("all") is None else ": by their own scores"
        lines.append(f"          kept{whole}{_right_text(right.get('all'))}")
        colon = ":" if whole else ""
        lines += _counted_lines(
            (summary["kept"][pair], f"{pair}{colon}{_right_text(right.get(pair))}") for pair in found
        )
    if aligned > kept:
        lines.append("          left out, each counted once, under the first flag that excludes it")
        lines += _flag_lines(summary["left_out"])
    if below := summary["below_min_score"]:
        lines += _counted_lines(
            [(below, f"no flag that excludes, but a score below {summary['min_score']:g} (--min-score)")]
        )
    if summary["warned"]:
        lines.append("          kept, but with a flag that warns; a segment may have several")
        lines += _flag_lines(summary["warned"])
    return lines


def _flag_lines(flags: dict[str, int]) -> list[str]:
    return _counted_lines((n, f"{flag}: {MEANINGS[flag]}") for flag, n in largest_first(flags))


def _counted_lines(rows: Iterable[tuple[int, str]]) -> list[str]:
    return [f"            {n:>8,}  {text}" for n, text in rows]


def _right_text(share: float | None) -> str:
    """Rounded down: 99.96% must not read as 100%."""
    return "" if share is None else f" {round(share * 10_000) // 10 / 10:.1f}% right"


def _pair_lines(summary: Mapping[str, Any], found: Sequence[str]) -> list[str]:
    """Page pairs and candidates, in all and by language pair, with estimated precision and recall."""
    estimate_of, pairs = summary.get("estimates", {}), summary["pairs"]
    whole = estimate_of.get("all", {})
    told = f"{sum(pairs.values()):,} page pairs out of {summary['candidates'] or 0:,} candidates"
    lines = [f"pairs     {told}{estimate_text(whole)}"]
    own = {pair: estimate_of.get(pair, {}) for pair in found}
    by = "" if estimate_text(whole) else "by its own estimate "
    lines += _counted_lines(
        (pairs[pair], f"{pair}{estimate_text(each if each != whole else {}, by=by)}") for pair, each in own.items()
    )
    nothing = [pair for pair in pairs if pair not in found]
    return [*lines, f"            nothing found for: {', '.join(nothing)}"] if found and nothing else lines
