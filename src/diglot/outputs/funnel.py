"""Counts of what became of the records, documents, page pairs and segments of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags.keeping import clean, count_left_out, in_turn
from diglot.document_kinds import UNREAD_DETAILS
from diglot.languages import declared_variant
from diglot.pages.folder import NOT_LISTED
from diglot.reasons import Reason
from diglot.records import zip_columns
from diglot.run.ledger import USED
from diglot.run.settings import Settings
from diglot.run.stored_pairs import Mass, pair_mass
from diglot.version import __version__

MILLION = 1_000_000
SITE_COUNTS = ("documents", "used", "pairs", "kept")
"""Readable pages, used pages, page pairs, kept segments; over all sites they add up to the numbers of the run."""


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
    """Accepted pairs and their probabilities, in the order of sites (:func:`diglot.run.stored_pairs.pair_mass`)."""
    sites: tuple[dict[str, Any], ...] = ()
    """Rows of :func:`count_by_site`."""
    broken: Counter[str] = field(default_factory=Counter)
    """Records without an end, by source: the file may be cut."""
    lost: Counter[str] = field(default_factory=Counter)
    """Pages of sites where work failed, by cause."""
    variants: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    """Pages compared, by wanted language, the variant that they declare (``zh-Hant``), and whether they are paired."""
    crashed: Counter[str] = field(default_factory=Counter)
    """Pages on which the parser died or failed, by cause."""
    closed: Counter[str] = field(default_factory=Counter)
    """Folders that may not be listed, by source."""
    unread: Counter[str] = field(default_factory=Counter)
    """Office files that Diglot does not read, by extension."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Counts)})


def count_sites_of(settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table) -> Counts:
    """Count whole sites: accepted pairs, segments with all flags, and the fate of records."""
    used = pc.equal(ledger["fate"], USED)
    kept = clean(segments, settings.excluding_flags(), settings.least_score())
    flagged_out, scored_out = count_left_out(segments, settings.excluding_flags(), settings.least_score())
    return Counts(
        pages=ledger.num_rows,
        used=pc.sum(used).as_py() or 0,
        dropped=_value_counts(ledger.filter(pc.invert(used))["reason"]),
        languages=_value_counts(_documents(ledger)["lang"]),
        pairs=_pair_counts(pairs),
        segments=_pair_counts(segments),
        kept=_pair_counts(kept),
        flags=_flag_counts(segments),
        warned=_flag_counts(kept),
        left_out=Counter(flagged_out),
        below_min_score=scored_out,
        score=_score_sums(kept),
        mass=pair_mass(pairs),
        sites=tuple(count_by_site(ledger, pairs, kept)),
        broken=_value_counts(_dropped_for(ledger, Reason.CUT_RECORD)["source"]),
        lost=_value_counts(_dropped_for(ledger, Reason.SITE_FAILED)["detail"]),
        crashed=_value_counts(_dropped_for(ledger, Reason.PARSER_CRASH)["detail"]),
        closed=_value_counts(ledger.filter(pc.equal(ledger["detail"], NOT_LISTED))["source"]),
        unread=_count_unread(_dropped_for(ledger, Reason.NOT_HTML)["detail"]),
    )


def _count_unread(details: pa.ChunkedArray) -> Counter[str]:
    counts = _value_counts(details)
    return Counter({extension: n for detail, extension in UNREAD_DETAILS.items() if (n := counts[detail])})


def _dropped_for(ledger: pa.Table, reason: Reason) -> pa.Table:
    return ledger.filter(pc.equal(ledger["reason"], reason.value))


def summarise(settings: Settings, counts: Counts, *, candidates: int, signature: str) -> dict[str, Any]:
    """Summary of a run as plain values: what became of its pages, page pairs and segments.

    ``used`` and the counts of ``dropped`` add up to ``pages``. ``kept`` segments, segments ``left_out`` by their first
    excluding flag, and segments only ``below_min_score`` add up to ``segments``. ``kept_right``: estimated share of the
    kept segments that are right in every word, by language pair and for ``all``; None without kept segments, or where
    scores are no probabilities. ``flags``: number of segments by flag; ``warned``: number of kept
    segments by flag. ``signature``: signature of the recipe, see :func:`diglot.run.work.run_signature`.
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
        "kept_right": _kept_precision(settings, counts, names),
        "flags": dict(sorted(counts.flags.items())),
        "left_out": {flag: n for flag in in_turn(counts.left_out) if (n := counts.left_out[flag])},
        "below_min_score": counts.below_min_score,
        "min_score": settings.least_score(),
        "warned": dict(sorted(counts.warned.items())),
        "recipe": signature,
        "version": __version__,
    }


def count_by_site(ledger: pa.Table, pairs: pa.Table, kept: pa.Table) -> list[dict[str, Any]]:
    """A row a site, ``site`` and :data:`SITE_COUNTS`, sorted by :func:`most_first`. Sites without readable pages are
    left out."""
    read = _documents(ledger)
    site_of = dict(zip_columns(read, "url", "site"))
    pages = (read["site"], read.filter(pc.equal(read["fate"], USED))["site"])
    counts = [Counter(column.to_pylist()) for column in pages]
    for table in (pairs, kept):
        urls = pc.value_counts(table["src_url"])
        found = Counter[str]()
        for url, count in zip(urls.field("values").to_pylist(), urls.field("counts").to_pylist(), strict=True):
            found[site_of[url]] += count
        counts.append(found)
    return most_first(
        {"site": site, **{name: n[site] for name, n in zip(SITE_COUNTS, counts, strict=True)}} for site in counts[0]
    )


def count_variants(declared: pa.ChunkedArray, ledger: pa.Table) -> Counter[tuple[str, str, bool]]:
    """Pages that were compared and declare a variant of their wanted language, as in :class:`Counts`; ``declared``:
    language declared by each record of the ledger."""
    alone = pc.equal(ledger["reason"], Reason.NO_PARTNER.value)
    paired = pc.or_(pc.equal(ledger["fate"], USED), pc.equal(ledger["reason"], Reason.NO_SEGMENTS.value))
    pages = pa.table({"lang": ledger["lang"], "declared": declared, "paired": paired}).filter(pc.or_(alone, paired))
    groups = pages.group_by(pages.column_names).aggregate([([], "count_all")])
    found = Counter[tuple[str, str, bool]]()
    for lang, says, is_paired, count in zip_columns(groups, *groups.column_names):
        if variant := declared_variant(lang, says):
            found[lang, variant, is_paired] += count
    return found


def _documents(ledger: pa.Table) -> pa.Table:
    """Rows of the readable pages, one for each address; further records of an address count only as dropped."""
    repeated = pc.equal(ledger["reason"], Reason.REPEATED_ADDRESS.value)
    return ledger.filter(pc.and_(pc.not_equal(ledger["lang"], ""), pc.invert(repeated)))


def most_first(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of sites, most kept segments first."""
    return sorted(rows, key=lambda row: (-row["kept"], -row["pairs"], -row["documents"], row["site"]))


def _score_sums(kept: pa.Table) -> Counter[str]:
    millionths = pc.cast(pc.round(pc.multiply(pc.cast(kept["score"], pa.float64()), MILLION)), pa.int64())
    names = pc.binary_join_element_wise(kept["src_lang"], kept["tgt_lang"], "-")
    # Integers add up to the same sum whatever the order of bundles.
    sums = pa.table({"pair": names, "score": millionths}).group_by("pair").aggregate([("score", "sum")])
    return Counter(dict(zip_columns(sums, "pair", "score_sum")))


def _kept_precision(settings: Settings, counts: Counts, names: Sequence[str]) -> dict[str, float | None]:
    if not settings.scores_are_probabilities():
        return dict.fromkeys([*names, "all"])
    sums = {name: (counts.score[name], counts.kept[name]) for name in names}
    sums["all"] = counts.score.total(), counts.kept.total()
    return {name: round(score / MILLION / kept, 4) if kept else None for name, (score, kept) in sums.items()}


def _flag_counts(segments: pa.Table) -> Counter[str]:
    return _value_counts(pc.list_flatten(segments["flags"]))


def _pair_counts(table: pa.Table) -> Counter[str]:
    return _value_counts(pc.binary_join_element_wise(table["src_lang"], table["tgt_lang"], "-"))


def _value_counts(column: pa.ChunkedArray) -> Counter[str]:
    found = pc.value_counts(column)
    return Counter(dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)))
