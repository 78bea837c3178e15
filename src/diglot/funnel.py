"""The funnel: how many records, documents, pairs and segments a run had, and where the rest went."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot import __version__
from diglot.corpus.flags import FLAG_TEXT, Flag, clean
from diglot.ledger import USED
from diglot.records import REASON_TEXT, Reason
from diglot.settings import Settings


def summarise(
    settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table, *, candidates: int
) -> dict[str, Any]:
    """The funnel as plain values. ``used`` and the counts of ``dropped`` add up to ``pages``."""
    fates, reasons = ledger["fate"].to_pylist(), ledger["reason"].to_pylist()
    dropped = Counter(reason for fate, reason in zip(fates, reasons, strict=True) if fate != USED)
    documents = ledger.filter(pc.not_equal(ledger["lang"], ""))
    kept = clean(segments)
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
        f"segments  {sum(summary['segments'].values()):,} aligned, {sum(summary['kept'].values()):,} kept"
        f" ({_per_pair(summary['kept'])})",
        *(f"            {n:>8,}  {flag}: {FLAG_TEXT[Flag(flag)]}" for flag, n in _largest(summary["flags"])),
    ]
    lines += [f"note      {note}" for note in summary.get("notes", ())]
    return "\n".join(lines)


def _largest(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _per_pair(counts: dict[str, int]) -> str:
    return ", ".join(f"{pair} {n:,}" for pair, n in counts.items())
