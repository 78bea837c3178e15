"""The funnel: how many records, documents, pairs and segments a run had, and where the rest went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags import FLAG_TEXT, Flag, clean
from diglot.records import REASON_TEXT, Reason
from diglot.run.ledger import USED
from diglot.run.settings import Settings
from diglot.version import __version__


def summarise(
    settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table, *, candidates: int
) -> dict[str, Any]:
    """The funnel as plain values. ``used`` and the counts of ``dropped`` add up to ``pages``."""
    fates, reasons = ledger["fate"].to_pylist(), ledger["reason"].to_pylist()
    dropped = Counter(reason for fate, reason in zip(fates, reasons, strict=True) if fate != USED)
    documents = ledger.filter(pc.not_equal(ledger["lang"], ""))
    kept = clean(segments, settings.excluded())
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
        "flags": dict(sorted(Counter(segments["flags"].combine_chunks().flatten().to_pylist()).items())),
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


def _by_pair(table: pa.Table, lang_pairs: list[tuple[str, str]]) -> dict[str, int]:
    found = Counter(zip(table["src_lang"].to_pylist(), table["tgt_lang"].to_pylist(), strict=True))
    return {f"{src}-{tgt}": found[src, tgt] for src, tgt in lang_pairs}


def funnel_text(summary: dict[str, Any]) -> str:
    """The funnel in lines for a person."""
    languages = ", ".join(f"{lang} {n}" for lang, n in _largest(summary["documents_by_language"]))
    dropped = sum(summary["dropped"].values())
    lines = [
        f"pages     {summary['pages']:,} records: {summary['used']:,} used, {dropped:,} dropped",
        *(f"            {n:>8,}  {REASON_TEXT[Reason(reason)]}" for reason, n in _largest(summary["dropped"])),
        f"languages {languages or 'none'}",
        f"pairs     {_per_pair(summary['pairs'])}, out of {summary['candidates'] or 0:,} candidates",
        *_estimate_lines(summary.get("estimates", {})),
        f"segments  {sum(summary['segments'].values()):,} aligned, {sum(summary['kept'].values()):,} kept"
        f" ({_per_pair(summary['kept'])})",
        *(f"            {n:>8,}  {flag}: {FLAG_TEXT[Flag(flag)]}" for flag, n in _largest(summary["flags"])),
    ]
    lines += [f"note      {note}" for note in summary.get("notes", ())]
    return "\n".join(lines)


def _estimate_lines(found: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Precision and recall of the pairs as the recipe's probabilities have them, a line a language pair."""
    known = {pair: each for pair, each in found.items() if any(share is not None for share in each.values())}
    if len(found) == 2:  # of one language pair, and of all
        known.pop("all", None)
    return [f"            {pair:>8}{estimate_text(each)}" for pair, each in known.items()]


def _largest(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _per_pair(counts: dict[str, int]) -> str:
    return ", ".join(f"{pair} {n:,}" for pair, n in counts.items())
