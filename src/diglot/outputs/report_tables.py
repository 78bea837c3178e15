"""What the report of a run is made of: all of it or, of a large run, some of its sites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags import kept_mask
from diglot.disk.exchange import key_buckets
from diglot.pairing.cascade import JudgedStep
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA, rows_where
from diglot.report.figures import Figures, figures_of
from diglot.report.shown_rows import DRAWING_SEED, SEGMENTS_SHOWN
from diglot.report.tables import RunTables, score_of
from diglot.run.bundles import Bundle, with_site
from diglot.run.ledger import LEDGER_SCHEMA
from diglot.run.resolve import SETTLED_SCHEMA
from diglot.run.settings import Settings

SEGMENTS_HELD = 2 * SEGMENTS_SHOWN
"""Segments of a run that a report is chosen from, all of them."""
SEGMENTS_SAMPLED = SEGMENTS_SHOWN
"""Of a larger run those of some sites, as many as have no more together."""
LARGEST_SITES = 10
"""Sites that are among these before others are drawn at random."""
LEAST_OPTION = "min_probability"
"""Name of the option of recipes for the least probability of a page pair."""
RECORDS_HELD = 50_000
"""Records that examples are drawn from; of a larger run as many as that, chosen by their addresses."""


def _without_paths(written: Mapping[str, Any]) -> Mapping[str, Any]:
    """A ``diglot.toml`` that says nothing of where files lie on this machine: a report is shown to others."""
    sources = [{name: value for name, value in source.items() if name != "path"} for source in written["sources"]]
    return {**written, "sources": sources}


def report_tables(
    written: Mapping[str, Any],
    settings: Settings,
    summary: Mapping[str, Any],
    bundles: Iterable[Bundle],
    *,
    held: int = SEGMENTS_HELD,
    sampled: int = SEGMENTS_SAMPLED,
) -> RunTables:
    """What the report of a run is made of: all of a run of up to ``held`` segments, else sites of ``sampled`` ones.

    ``written``: its ``diglot.toml``.
    """
    figures = reduce(add, map(_figures, bundles), Figures())
    sites, room = None, sampled
    if sum(summary["segments"].values()) > held:
        sites = _chosen([row["site"] for row in summary.get("sites", ({"site": "all"},))], figures.segments, sampled)
    step = -(-summary["pages"] // RECORDS_HELD) or 1
    settled, pairs, segments, ledger = [SETTLED_SCHEMA.empty_table()], [PAIR_SCHEMA.empty_table()], [], []
    for bundle in bundles:
        mine, theirs = bundle.pairs, bundle.segments
        if sites is not None:
            mine = mine.filter(pc.is_in(mine["site"], sites))
            theirs = _of_sites(bundle, sites).slice(0, room)
            room -= theirs.num_rows
        settled.append(_every(bundle.settled, step))
        ledger.append(_every(bundle.ledger, step))
        pairs.append(mine)
        segments.append(theirs)
    together = pa.concat_tables([FLAGGED_SCHEMA.empty_table(), *segments])
    return RunTables(
        settings=_without_paths(written),
        summary=summary,
        documents=pa.concat_tables(settled),
        pairs=pa.concat_tables(pairs),
        segments=together,
        unflagged=kept_mask(together, settings.excluded()),
        ledger=pa.concat_tables([LEDGER_SCHEMA.empty_table(), *ledger]),
        aligner=settings.resolved_recipe().aligner,
        figures=figures,
        sites_shown=None if sites is None else len(sites),
        evidence_groups=_evidence_groups(settings),
        least_option=LEAST_OPTION if hasattr(settings.resolved_recipe().options, LEAST_OPTION) else "",
    )


def _evidence_groups(settings: Settings) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """Of every method of the recipe that judges in bits, what its evidence is told under."""
    recipe = settings.resolved_recipe()
    found: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for lang_pair in settings.language_pairs():
        if not recipe.requires(recipe.options, *lang_pair):
            steps = recipe.steps(recipe.options, *lang_pair)
            found |= {s.method: s.evidence_groups for s in steps if isinstance(s, JudgedStep) and s.evidence_groups}
    return found


def _figures(bundle: Bundle) -> Figures:
    excluded, least = bundle.settings.excluded(), bundle.settings.least_score()
    masks = kept_mask(bundle.segments, excluded, least), kept_mask(bundle.segments, excluded)
    segments = with_site(bundle.segments, bundle.settled)
    return figures_of(bundle.settled, segments, *masks, score_of(segments))


def _chosen(largest_first: Sequence[str], segments: Mapping[str, int], sampled: int) -> pa.Array:
    """Sites that have no more segments together than ``sampled``: the largest, then others in a random order; the
    largest of all where none has so few."""
    drawn = np.random.default_rng(DRAWING_SEED).permutation(sorted(largest_first[LARGEST_SITES:])).tolist()
    chosen, room = [], sampled
    for site in (*largest_first[:LARGEST_SITES], *drawn):
        if segments.get(site, 0) <= room:
            chosen.append(site)
            room -= segments.get(site, 0)
    return pa.array(sorted(chosen) if room < sampled else list(largest_first[:1]), pa.string())


def _of_sites(bundle: Bundle, sites: pa.Array) -> pa.Table:
    """The segments of these sites."""
    return rows_where(bundle.segments, pc.is_in(with_site(bundle.segments, bundle.settled)["site"], sites))


def _every(records: pa.Table, step: int) -> pa.Table:
    """One of ``step`` records, the same ones in whatever bundle they are."""
    return records if step == 1 else records.filter(pa.array(key_buckets(records["url"], step) == 0))
