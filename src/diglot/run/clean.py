"""The cleaning of a run: its segments flagged once and kept so, by options that a person may change afterwards."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags.flagging import Cleaning, PageFacts, flag_segments
from diglot.corpus.flags.personal import as_mode
from diglot.disk.folder import RunFolder, content_key
from diglot.errors import UsageError
from diglot.records import FLAGGED_SCHEMA, SEGMENT_SCHEMA
from diglot.run.settings import Settings
from diglot.version import __version__

FLAGGED = "flagged"


def flag_run(folder: RunFolder, settings: Settings, documents: pa.Table, segments_key: str) -> pa.Table:
    """Segments of a run with their flags, :data:`FLAGGED_SCHEMA`; done once for the same segments and options."""
    options = cleaning_options(settings)
    chosen = options.personal_data, sorted(options.offensive), options.min_score
    key = content_key(FLAGGED, __version__, segments_key, *chosen)
    if folder.shards(FLAGGED, key) is None:
        segments = folder.read("segments", segments_key, SEGMENT_SCHEMA)
        if segments is None:
            segments = SEGMENT_SCHEMA.empty_table()
        flagged = flag_segments(segments, options, page_facts(documents))
        folder.write_shard(FLAGGED, key, 0, flagged.combine_chunks())
        folder.finish(FLAGGED, key, 1)
    folder.discard_others(FLAGGED, {key})
    folder.remember(FLAGGED, segments_key, key)
    return load_segments(folder, segments_key)


def load_segments(folder: RunFolder, segments_key: str) -> pa.Table:
    """Segments of a run with the flags that :func:`flag_run` found; none where it never ran."""
    flagged = folder.read(FLAGGED, folder.recall(FLAGGED, segments_key) or "", FLAGGED_SCHEMA)
    return FLAGGED_SCHEMA.empty_table() if flagged is None else flagged


def cleaning_options(settings: Settings) -> Cleaning:
    """What the settings of a run say of cleaning; :class:`UsageError` for a word list that cannot be read."""
    words = read_word_list(Path(settings.offensive)) if settings.offensive else frozenset[str]()
    return Cleaning(personal_data=as_mode(settings.pii), offensive=words, min_score=settings.least_score())


def read_word_list(path: Path) -> frozenset[str]:
    """The words of a UTF-8 file, one a line, in small letters; ``#`` begins a comment."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--offensive {path}: cannot be read as UTF-8 text ({error})") from error
    return frozenset(word for line in lines if (word := line.partition("#")[0].strip().casefold()))


def page_facts(documents: pa.Table) -> PageFacts:
    """What the pages of a run say of themselves, from a table of :data:`diglot.records.DOCUMENT_SCHEMA`."""
    readable = documents.filter(pc.equal(documents["reason"], ""))
    machine = readable.filter(pc.not_equal(readable["machine_mark"], ""))
    declared = readable.filter(pc.not_equal(readable["declared_lang"], ""))
    return PageFacts(
        machine_translated=frozenset(machine["url"].to_pylist()),
        declared_lang=dict(zip(declared["url"].to_pylist(), declared["declared_lang"].to_pylist(), strict=True)),
    )
