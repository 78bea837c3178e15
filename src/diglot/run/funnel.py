"""The funnel: how many records, documents, pairs and segments a run had, and where the rest went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags import FLAG_TEXT, Flag, clean, left_out
from diglot.records import REASON_TEXT, Reason
from diglot.run.by_site import site_lines
from diglot.run.ledger import USED
from diglot.run.settings import Settings
from diglot.version import __version__


def summarise(
    settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table, *, candidates: int
) -> dict[str, Any]:
    """The funnel as plain values.

    ``used`` and the counts of ``dropped`` add up to ``pages``; the segments ``kept``, those ``left_out`` by the first
    flag that excludes, and those ``below_min_score`` alone, to ``segments``. ``flags``: how many segments carry each;
    ``warned``: how many of those kept.
    """
    fates, reasons = ledger["fate"].to_pylist(), ledger["reason"].to_pylist()
    dropped = Counter(reason for fate, reason in zip(fates, reasons, strict=True) if fate != USED)
    documents = ledger.filter(pc.not_equal(ledger["lang"], ""))
    kept = clean(segments, settings.excluded(), settings.least_score())
    flagged_out, scored_out = left_out(segments, settings.excluded(), settings.least_score())
    lang_pairs = settings.language_pairs()
    return {
        "pages": ledger.num_rows,
        "used": fates.count(USED),
        "dropped": dict(sorted(dropped.items())),
        "documents": documents.num_rows,
        "documents_by_language": dict(sorted(Counter(documents["lang"].to_pylist()).items())),
        "candidates": candidates,
        "pairs": _by_pair(pairs, lang_pairs),
        "segments": _by_pair(segments, lang_pairs),
        "kept": _by_pair(kept, lang_pairs),
        "flags": _flags(segments),
        "left_out": flagged_out,
        "below_min_score": scored_out,
        "min_score": settings.least_score(),
        "warned": _flags(kept),
        "recipe": settings.resolved_recipe().signature(__version__),
        "version": __version__,
    }


def estimates(pairs: pa.Table, expected: Mapping[str, float | None]) -> dict[str, dict[str, float | None]]:
    """Estimated precision and recall of accepted pairs by language pair and of ``all``, from their probabilities.

    ``expected``: by language pair, how many pages in competition are truly pairs, None where the recipe gives
    scores and no probabilities. Precision: the mean probability of the accepted pairs. Recall: the sum of
    their probabilities over ``expected``; of the pages that were compared at all. None without an estimate.
    """
    langs = zip(pairs["src_lang"].to_pylist(), pairs["tgt_lang"].to_pylist(), strict=True)
    counts, mass = Counter[str](), defaultdict[str, float](float)
    for (src, tgt), probability in zip(langs, pairs["probability"].to_pylist(), strict=True):
        counts[f"{src}-{tgt}"] += 1
        mass[f"{src}-{tgt}"] += probability
    found = {pair: _estimate(counts[pair], mass[pair], total) for pair, total in expected.items()}
    known = [total for total in expected.values() if total is not None]
    whole = sum(known) if known and len(known) == len(expected) else None
    return {**found, "all": _estimate(counts.total(), sum(mass.values()), whole)}


def _estimate(count: int, mass: float, expected: float | None) -> dict[str, float | None]:
    if expected is None:
        return {"precision": None, "recall": None}
    precision = round(mass / count, 4) if count else None
    return {"precision": precision, "recall": round(min(1.0, mass / expected), 4) if expected > 0 else None}


def estimate_text(estimate: Mapping[str, float | None]) -> str:
    """``: about 98.9% right, 97.0% of all found``; nothing where there is no estimate."""
    parts = (("precision", "right"), ("recall", "of all found"))
    said = [f"{share:.1%} {text}" for name, text in parts if (share := estimate[name]) is not None]
    return f": by its own estimate {', '.join(said)}" if said else ""


def _flags(segments: pa.Table) -> dict[str, int]:
    return dict(sorted(Counter(segments["flags"].combine_chunks().flatten().to_pylist()).items()))


def _by_pair(table: pa.Table, lang_pairs: list[tuple[str, str]]) -> dict[str, int]:
    found = Counter(zip(table["src_lang"].to_pylist(), table["tgt_lang"].to_pylist(), strict=True))
    return {f"{src}-{tgt}": found[src, tgt] for src, tgt in lang_pairs}


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
