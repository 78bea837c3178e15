"""Tables of a report: of a whole run, or of some sites of a large run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import sampling_step
from diglot.corpus.flags.keeping import kept_mask
from diglot.disk.exchange import key_buckets
from diglot.pairing.cascade import JudgedStep
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA, rows_where
from diglot.report.figures import Figures, figures_of
from diglot.report.shown_rows import DRAWING_SEED, SEGMENTS_SHOWN
from diglot.report.tables import RunTables, score_of
from diglot.run.bundles import Bundle, with_site
from diglot.run.ledger import LEDGER_SCHEMA
from diglot.run.settings import Settings
from diglot.run.stored_pages import RESOLVED_SCHEMA

SEGMENTS_HELD = 2 * SEGMENTS_SHOWN
"""Most segments of a run shown in full."""
SEGMENTS_SAMPLED = SEGMENTS_SHOWN
"""Most segments shown of a larger run, whole sites of it."""
LARGEST_SITES = 10
"""Number of largest sites that are tried first, before sites are drawn at random."""
LEAST_OPTION = "min_probability"
"""Name of the recipe option for the least probability of a page pair."""
RECORDS_HELD = 50_000
"""Records to draw examples from, about; in a larger run they are chosen by a hash of the address."""


def _without_paths(written: Mapping[str, Any], settings: Settings) -> Mapping[str, Any]:
    """Content of ``diglot.toml`` without paths on this machine: reports are passed on."""
    sources = [{name: value for name, value in source.items() if name != "path"} for source in written["sources"]]
    return {**written, "settings": settings.without_folders().to_table(), "sources": sources}


def report_tables(
    written: Mapping[str, Any], settings: Settings, summary: Mapping[str, Any], bundles: Iterable[Bundle]
) -> RunTables:
    """Tables of a report: of a whole run of at most :data:`SEGMENTS_HELD` segments, else of sites with at most
    :data:`SEGMENTS_SAMPLED` segments together.

    ``written``: content of ``diglot.toml``.
    """
    figures = reduce(add, map(_figures, bundles), Figures())
    sites, room = _shown_sites(summary, figures), SEGMENTS_SAMPLED
    step = sampling_step(summary["pages"], RECORDS_HELD)
    resolved, pairs, segments, ledger = [RESOLVED_SCHEMA.empty_table()], [PAIR_SCHEMA.empty_table()], [], []
    for bundle in bundles:
        mine, theirs = bundle.pairs, bundle.segments
        if sites is not None:
            mine = mine.filter(pc.is_in(mine["site"], sites))
            # The largest site, chosen alone, may have more segments than are shown.
            theirs = _of_sites(bundle, sites).slice(0, room)
            room -= theirs.num_rows
        resolved.append(_every(bundle.resolved, step))
        ledger.append(_every(bundle.ledger, step))
        pairs.append(mine)
        segments.append(theirs)
    together = pa.concat_tables([FLAGGED_SCHEMA.empty_table(), *segments])
    return RunTables(
        settings=_without_paths(written, settings),
        summary=summary,
        documents=pa.concat_tables(resolved),
        pairs=pa.concat_tables(pairs),
        segments=together,
        not_excluded=kept_mask(together, settings.excluding_flags()),
        ledger=pa.concat_tables([LEDGER_SCHEMA.empty_table(), *ledger]),
        aligner=settings.resolved_recipe().aligner,
        figures=figures,
        sites_shown=None if sites is None else len(sites),
        evidence_groups=_evidence_groups(settings),
        least_option=LEAST_OPTION if hasattr(settings.resolved_recipe().options, LEAST_OPTION) else "",
    )


def _evidence_groups(settings: Settings) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """Groups of evidence of every method that has them, by the name of the method."""
    recipe = settings.resolved_recipe()
    found: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for lang_pair in settings.language_pairs():
        if not recipe.lack(*lang_pair):
            steps = recipe.make_steps(*lang_pair)
            found |= {s.method: s.evidence_groups for s in steps if isinstance(s, JudgedStep) and s.evidence_groups}
    return found


def _figures(bundle: Bundle) -> Figures:
    excluded, least = bundle.settings.excluding_flags(), bundle.settings.least_score()
    masks = kept_mask(bundle.segments, excluded, least), kept_mask(bundle.segments, excluded)
    segments = with_site(bundle.segments, bundle.resolved)
    return figures_of(bundle.resolved, segments, *masks, score_of(segments))


def _shown_sites(summary: Mapping[str, Any], figures: Figures) -> pa.Array | None:
    """Sites of a report; None for all sites, in a run of at most :data:`SEGMENTS_HELD` segments."""
    if sum(summary["segments"].values()) <= SEGMENTS_HELD:
        return None
    listed = [row["site"] for row in summary.get("sites", ({"site": "all"},))]
    return _chosen(listed, figures.segments, SEGMENTS_SAMPLED)


def _chosen(largest_first: Sequence[str], segments: Mapping[str, int], sampled: int) -> pa.Array:
    """Sites with at most ``sampled`` segments together: the largest first, then sites in random order; the largest site
    alone where no site fits."""
    # Sorted before the draw: the same run always gives the same report.
    drawn = np.random.default_rng(DRAWING_SEED).permutation(sorted(largest_first[LARGEST_SITES:])).tolist()
    chosen, room = [], sampled
    for site in (*largest_first[:LARGEST_SITES], *drawn):
        if segments.get(site, 0) <= room:
            chosen.append(site)
            room -= segments.get(site, 0)
    return pa.array(sorted(chosen) if room < sampled else list(largest_first[:1]), pa.string())


def _of_sites(bundle: Bundle, sites: pa.Array) -> pa.Table:
    """Segments of these sites."""
    return rows_where(bundle.segments, pc.is_in(with_site(bundle.segments, bundle.resolved)["site"], sites))


def _every(records: pa.Table, step: int) -> pa.Table:
    """One record in ``step``, chosen by a hash of the address: the same record in any bundle."""
    return records if step == 1 else records.filter(pa.array(key_buckets(records["url"], step) == 0))
