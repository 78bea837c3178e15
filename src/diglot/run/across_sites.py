"""Verdicts of the program on segments shared by several sites or merged runs: which copies are kept.

Verdicts are found bucket by bucket, stored, and applied when segments are read. Judgements by people are applied
afterwards (:mod:`diglot.run.judgements`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints
from diglot.corpus.flags.across import CANDIDATE_SCHEMA, VERDICT_SCHEMA, candidates, verdicts, with_verdicts
from diglot.disk.exchange import key_buckets, read_bucket, write_buckets
from diglot.disk.folder import RunFolder, content_key
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA
from diglot.run.striking import is_merge
from diglot.run.work import FLAGGED, PAIRS, VERDICTS

BUCKET_SEGMENTS = 100_000
"""Number of segments decided at a time, roughly; half a kilobyte a segment with all addresses."""


def across_sites_stage(folder: RunFolder, pairs_key: str, segments_key: str) -> None:
    """Decide which of the segments shared by several sites or merged runs are kept; once for the same flagged segments.

    A run with pairs on a single site has nothing to decide, unless it is a merge: copies of one site in two runs were
    never compared.
    """
    flagged = folder.recall(FLAGGED, segments_key) or ""
    key = _key(flagged)
    if folder.shards(VERDICTS, key) is None:
        parts = len(folder.shards(FLAGGED, flagged) or ()) if is_merge(folder) or _has_sites(folder, pairs_key) else 0
        if parts:
            decide_verdicts(folder, flagged, key, parts)
        folder.finish(VERDICTS, key, parts)
    folder.discard_others(VERDICTS, {key})


def segment_shards(folder: RunFolder, segments_key: str) -> Iterator[pa.Table]:
    """Segments of a run with all flags, :data:`FLAGGED_SCHEMA`, a shard in memory at a time; nothing for segments never
    flagged."""
    flagged = folder.recall(FLAGGED, segments_key) or ""
    found = folder.each_shard(VERDICTS, _key(flagged), VERDICT_SCHEMA)
    for shard in folder.each_shard(FLAGGED, flagged, FLAGGED_SCHEMA):
        # A run on a single site has no verdicts.
        yield with_verdicts(shard, next(found, VERDICT_SCHEMA.empty_table()))


def decide_verdicts(folder: RunFolder, flagged: str, key: str, parts: int) -> None:
    """Write a shard of verdicts (:data:`VERDICT_SCHEMA`) for every flagged shard.

    Candidates are partitioned by near-equality and decided bucket by bucket; then verdicts are partitioned by shard.
    """
    rows = folder.rows(FLAGGED, flagged)
    buckets = 1 + rows // BUCKET_SEGMENTS
    exchanged, decided = (folder.path / VERDICTS / f"{key}-{name}.parquet" for name in ("candidates", "decided"))

    def near(table: pa.Table) -> Ints:
        return key_buckets(table["near"], buckets)

    def part(table: pa.Table) -> Ints:
        return np.asarray(table["part"].to_numpy(), np.int64)

    try:
        shards = enumerate(folder.each_shard(FLAGGED, flagged, FLAGGED_SCHEMA))
        found = (candidates(shard, number) for number, shard in shards)
        write_buckets(exchanged, found, near, buckets, schema=CANDIDATE_SCHEMA)
        write_buckets(decided, _verdicts(exchanged, range(buckets)), part, parts, schema=VERDICT_SCHEMA)
        for number in range(parts):
            folder.write_shard(VERDICTS, key, number, read_bucket(decided, number).sort_by("row"))
    finally:
        for path in (exchanged, decided):
            path.unlink(missing_ok=True)


def _verdicts(exchanged: Path, buckets: Iterable[int]) -> Iterator[pa.Table]:
    return (verdicts(read_bucket(exchanged, bucket)) for bucket in buckets)


def _has_sites(folder: RunFolder, pairs_key: str) -> bool:
    """Whether pairs exist on several sites."""
    schema = pa.schema([PAIR_SCHEMA.field("site"), PAIR_SCHEMA.field("accepted")])
    sites: set[str] = set()
    for pairs in folder.each_shard(PAIRS, pairs_key, schema):
        sites.update(pc.unique(pairs.filter(pairs["accepted"])["site"]).to_pylist())
        if len(sites) > 1:
            return True
    return False


def _key(flagged: str) -> str:
    return content_key(VERDICTS, flagged)
