"""A finished run in bundles of whole sites: input of the outputs, the summary and the report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import offsets_of, rows_by_number
from diglot.corpus.flags.keeping import clean
from diglot.disk.folder import RunFolder
from diglot.disk.spool import Spool
from diglot.errors import RunFolderError
from diglot.languages import LangPair
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA, numbers_of, of_languages, rows_where
from diglot.run.across_sites import segment_shards
from diglot.run.judgements import judged_shards
from diglot.run.ledger import causes_left_out, make_ledger
from diglot.run.settings import Settings
from diglot.run.stored_pages import RESOLVED_SCHEMA, with_shown_titles
from diglot.run.stored_pairs import FAILED, accepted_pairs
from diglot.run.work import FLAGGED, PAIRS, RESOLVED, release_memory, run_signature
from diglot.site import take_in_order

_ROWS_AT_ONCE = 1 << 16
"""Number of segments whose addresses are joined, or which are split by language, at a time, to bound memory."""


@dataclass(frozen=True)
class Bundle:
    """Some whole sites of a run, in order.

    ``resolved``: all records, with the resolved columns and the titles to show; ``pairs``: accepted page pairs;
    ``segments``: segments of these pairs with all flags; ``failed``: sites lost while pairing, and why.
    """

    settings: Settings
    resolved: pa.Table
    pairs: pa.Table
    segments: pa.Table
    failed: Mapping[str, str]

    @cached_property
    def kept_segments(self) -> pa.Table:
        """Segments for a translation memory."""
        return clean(self.segments, self.settings.excluding_flags(), self.settings.least_score())

    @cached_property
    def ledger(self) -> pa.Table:
        """Fate of every record (:func:`diglot.run.ledger.make_ledger`)."""
        limits = self.settings.excluding_flags(), self.settings.least_score()
        causes = causes_left_out(self.segments, *limits)
        return make_ledger(self.resolved, self.pairs, self.kept_segments, self.failed, causes)


class PairPart(NamedTuple):
    """Segments of one language pair in a bundle, and all records of the bundle."""

    segments: pa.Table
    resolved: pa.Table


class Bundles:
    """The bundles of a run, one in memory at a time, to be iterated as often as needed.

    A bundle is a shard of every stage; the shards must hold the same sites. Stages cut in different ways make a single
    bundle. ``judged``: segments are read as changed by judgements. ``signature``: see
    :func:`diglot.run.work.run_signature`.
    """

    def __init__(
        self, folder: RunFolder, settings: Settings, pairs_key: str, segments_key: str, *, judged: bool = True
    ) -> None:
        self._folder, self._settings = folder, settings
        self.signature = run_signature(folder, settings)
        self._pairs_key, self._segments_key = pairs_key, segments_key
        self._shards = judged_shards if judged else segment_shards
        self._resolved_key = folder.recall("run", RESOLVED) or ""
        flagged = folder.recall(FLAGGED, segments_key) or ""
        stages = ((RESOLVED, self._resolved_key), (PAIRS, pairs_key), (FLAGGED, flagged))
        counts = {_count(folder, *stage) for stage in stages}
        # Shards hold the same sites only where all stages have as many; stages cut in different ways are one bundle.
        self._are_alike, self._is_one = len(counts) == 1, len(counts) > 1 or counts == {1}
        self._failed = folder.recall(FAILED, pairs_key) or {}
        self._lang_pairs = settings.language_pairs()
        self._asked = 0

    def of_languages(self, lang_pair: LangPair) -> Iterator[PairPart]:
        """The segments of a language pair, a part for each bundle.

        A run of one bundle has them in memory. Other runs are read whole at the first call. At the second call all
        segments are sorted by pair on disk, so that many pairs need no more than two readings. A run of one language
        pair, or in a folder that cannot be written to, is read whole at every call.
        """
        self._asked += 1
        if self._is_one:
            yield PairPart(self._pairs_of_only[self._lang_pairs.index(lang_pair)], self._only[0].resolved)
        elif self._asked > 1 and len(self._lang_pairs) > 1 and os.access(self._folder.path, os.W_OK):
            yield from self._pair_spool.of_languages(lang_pair)
        else:
            for bundle in self:
                yield PairPart(of_languages(bundle.segments, *lang_pair), bundle.resolved)

    @cached_property
    def _pairs_of_only(self) -> list[pa.Table]:
        return _split_by_pair(self._only[0].segments, self._lang_pairs)

    @cached_property
    def _pair_spool(self) -> _PairSpool:
        spool = _PairSpool(self._folder, self._lang_pairs)
        for bundle in self:
            spool.add(bundle)
        return spool

    def __iter__(self) -> Iterator[Bundle]:
        return iter(self._only) if self._is_one else self._read_bundles()

    @cached_property
    def _only(self) -> list[Bundle]:
        """The bundle of a run with only one, kept in memory."""
        return list(self._read_bundles())

    def _read_bundles(self) -> Iterator[Bundle]:
        shards: list[Iterator[pa.Table]] = [
            self._folder.each_shard(RESOLVED, self._resolved_key, RESOLVED_SCHEMA),
            self._folder.each_shard(PAIRS, self._pairs_key, PAIR_SCHEMA),
            self._shards(self._folder, self._segments_key),
        ]
        if not self._are_alike:
            schemas = (RESOLVED_SCHEMA, PAIR_SCHEMA, FLAGGED_SCHEMA)
            both = zip(schemas, shards, strict=True)
            shards = [iter([pa.concat_tables([schema.empty_table(), *each])]) for schema, each in both]
        for resolved, pairs, segments in zip(*shards, strict=True):
            accepted = accepted_pairs(pairs, self._settings.min_prob)
            shown = with_shown_titles(resolved, self._settings)
            yield Bundle(self._settings, shown, accepted, _of_pairs(segments, accepted), self._failed)
            release_memory()


class _PairSpool:
    """Segments of a run by language pair, and its records, as they wait on disk."""

    def __init__(self, folder: RunFolder, lang_pairs: Sequence[LangPair]) -> None:
        self._lang_pairs = lang_pairs
        self._segments, self._records = Spool(folder.path, FLAGGED_SCHEMA), Spool(folder.path, RESOLVED_SCHEMA)
        self._places: list[tuple[list[range], range]] = []

    def add(self, bundle: Bundle) -> None:
        """Write a bundle to disk, sorted by language pair."""
        places = list(map(self._segments.write, _split_by_pair(bundle.segments, self._lang_pairs)))
        self._places.append((places, self._records.write(bundle.resolved)))

    def of_languages(self, lang_pair: LangPair) -> Iterator[PairPart]:
        """Parts of a language pair, one for each bundle."""
        number = self._lang_pairs.index(lang_pair)
        for places, records in self._places:
            yield PairPart(self._segments.read(places[number]), self._records.read(records))


def _split_by_pair(segments: pa.Table, lang_pairs: Sequence[LangPair]) -> list[pa.Table]:
    """The segments of every language pair, in order."""
    found = [[segments.slice(0, 0)] for _ in lang_pairs]
    # Arrow takes no rows of more than 2 GB of texts, and copies the texts of all pairs for the rows of one.
    for part in (segments.slice(start, _ROWS_AT_ONCE) for start in range(0, segments.num_rows, _ROWS_AT_ONCE)):
        numbers = numbers_of(part, lang_pairs, "src_lang", "tgt_lang").to_numpy()
        rows = rows_by_number(numbers, len(lang_pairs))
        together = take_in_order(part, pa.array(np.concatenate(rows)))
        starts = offsets_of(np.array([len(each) for each in rows])).tolist()
        for mine, (start, end) in zip(found, pairwise(starts), strict=True):
            if start < end:
                mine.append(together.slice(start, end - start))
    return list(map(pa.concat_tables, found))


def _count(folder: RunFolder, stage: str, key: str) -> int:
    """Number of shards of a stage; 0 for a stage never run."""
    shards = folder.shards(stage, key) if key else []
    if shards is None:
        raise RunFolderError(f"{folder.path}: files of the stage {stage} are missing; run `diglot harvest` again")
    return len(shards)


def _of_pairs(segments: pa.Table, pairs: pa.Table) -> pa.Table:
    """Segments of the page pairs in ``pairs``, in order."""
    known = _both_addresses(pairs)
    parts = (segments.slice(start, _ROWS_AT_ONCE) for start in range(0, segments.num_rows, _ROWS_AT_ONCE))
    are_known = [pc.is_in(_both_addresses(part), value_set=known) for part in parts]
    return rows_where(segments, pa.chunked_array([chunk for each in are_known for chunk in each.chunks], pa.bool_()))


def _both_addresses(pairs: pa.Table) -> pa.ChunkedArray:
    # The separator occurs in no address.
    return pc.binary_join_element_wise(pairs["src_url"], pairs["tgt_url"], "\x1f")


def with_site(segments: pa.Table, resolved: pa.Table) -> pa.Table:
    """The segments with a column ``site``."""
    sites = resolved["site"].take(pc.index_in(segments["src_url"], value_set=resolved["url"].combine_chunks()))
    return segments.append_column("site", sites)
