"""Tables of a finished run: page pairs, segments of a language pair part by part, and pages with their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pyarrow as pa

from diglot.corpus.flags.keeping import reaches
from diglot.corpus.formats import Segments
from diglot.disk.folder import RunFolder
from diglot.outputs.corpus_files import require_finished, segment_parts
from diglot.run.bundles import Bundles
from diglot.run.settings import Settings
from diglot.run.stored_pages import parsed_mask, with_shown_titles
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import DOCUMENTS, PAIRS, require_pages, result_keys, stage_key


def open_bundles(folder: RunFolder, settings: Settings, min_prob: float) -> Bundles:
    """The sites of a run, with segments of page pairs of at least the run's least probability and ``min_prob``."""
    settings = replace(settings, min_prob=max(min_prob, settings.min_prob))
    keys = result_keys(folder)
    # While a run is written, the segments of some sites are there, or none.
    require_finished(folder)
    return Bundles(folder, settings, *keys)


def read_parts(
    settings: Settings, lang_pair: tuple[str, str], bundles: Bundles, min_score: float | None
) -> Iterator[Segments]:
    """Segments of a language pair some sites at a time, after an empty part.

    ``min_score``: least score of a segment; None for all segments, with the run's least score for
    :meth:`Segments.clean`.
    """
    least = settings.least_score() if min_score is None else min_score
    read = partial(bundles.of_languages, lang_pair)
    for part in segment_parts(settings, lang_pair, read, signature=bundles.signature):
        table = part.table if min_score is None else part.table.filter(pa.array(reaches(part.table, least)))
        yield replace(part, table=table, min_score=least)


def load_pair_table(folder: RunFolder, settings: Settings, min_prob: float) -> pa.Table:
    """Accepted page pairs of at least the run's least probability and ``min_prob``."""
    key = stage_key(folder, PAIRS, "diglot pair {run}")
    return load_pairs(folder, key, min_prob=max(min_prob, settings.min_prob))


def load_readable_pages(folder: RunFolder, settings: Settings) -> pa.Table:
    """All pages of a run with their text and the titles to show, duplicates too."""
    # Loaded here: few commands need the text of pages.
    from diglot.run.resolve import load_documents

    require_pages(folder)
    documents = load_documents(folder, settings, stage_key(folder, DOCUMENTS, "diglot read"))
    return with_shown_titles(documents.filter(parsed_mask(documents)), settings)
