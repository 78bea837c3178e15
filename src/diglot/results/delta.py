"""Updates of a run: the baseline in its journal, and the new segments as ``out/delta/*.tmx``."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import xxhash

from diglot.corpus.formats import Segments, write_parts
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.errors import NothingFound, SitesFailed
from diglot.outputs.corpus_files import OUT
from diglot.records import zip_columns
from diglot.results.run import Run

DELTA = "delta"
COUNTS = "counts.tsv"
"""File with numbers of segments by language pair, beside the files of new segments."""
UPDATE, OPEN, LAST, MOMENT = "update", "open", "last", "moment"
"""Kind of the notes in the journal; keys of the unfinished update, the last finished one, and the clock of the run."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """State of a run before an update. ``pages``: digest of every archived page, by address; ``texts``: hashes of kept
    texts by language pair (:func:`kept_marks`); ``asked``: whether all pages have been queued again; ``began``:
    seconds, on the clock of the run (:mod:`diglot.crawl.update_time`)."""

    pages: dict[str, str]
    texts: dict[str, str]
    asked: bool = False
    began: float = 0.0


def open_update(folder: RunFolder) -> Baseline | None:
    """Baseline of an unfinished update; None without one."""
    found = folder.recall(UPDATE, OPEN)
    return None if found is None else Baseline(**found)


def set_open(folder: RunFolder, baseline: Baseline) -> Baseline:
    """Begin an update, or note progress; returns the baseline."""
    folder.remember(UPDATE, OPEN, asdict(baseline))
    return baseline


def end_update(folder: RunFolder, baseline: Baseline) -> None:
    """Note the end of an update. Only the hashes stay, to write ``out/delta`` again."""
    folder.remember(UPDATE, LAST, baseline.texts)
    folder.forget_note(UPDATE, OPEN)


def last_texts(folder: RunFolder) -> dict[str, str] | None:
    """``texts`` of the last finished update; None without one."""
    found: dict[str, str] | None = folder.recall(UPDATE, LAST)
    return found


def forget_pages(folder: RunFolder, gone: Callable[[str], bool]) -> None:
    """Remove addresses from the baseline of an unfinished update."""
    baseline = open_update(folder)
    if baseline is not None:
        set_open(folder, replace(baseline, pages={url: d for url, d in baseline.pages.items() if not gone(url)}))


def kept_marks(run: Run) -> dict[str, str]:
    """Hashes of the texts of all segments kept, by language pair (``SRC-TGT``), packed for the journal."""
    return {
        f"{src}-{tgt}": _pack(_marks(run.segments(src, tgt).kept_rows())) for src, tgt in run.settings.language_pairs()
    }


class Delta(NamedTuple):
    """New segments of a language pair: their number and files; number of segments kept, and of texts kept no longer."""

    new: int
    files: list[Path]
    kept: int
    gone: int


def write_deltas(run: Run, before: Mapping[str, str]) -> dict[str, Delta]:
    """Write the kept segments whose texts are not in ``before`` as TMX; ``before``: a result of :func:`kept_marks`.

    Returns the result by language pair (``en-fr``), and writes the numbers of all pairs to ``counts.tsv``. A language
    pair without new segments has an empty file, which replaces the file of the previous update.
    """
    written: dict[str, Delta] = {}
    for src, tgt in run.settings.language_pairs():
        segments = run.segments(src, tgt).clean()
        known = _unpack(before.get(segments.name, ""))
        marks = _marks(segments.table)
        new = ~np.isin(marks, known)
        delta = replace(segments, table=segments.table.filter(pa.array(new)))
        files = write_parts(run.path / OUT / DELTA, partial(_single_part, delta), "tmx")
        gone = int((~np.isin(known, marks)).sum())
        written[segments.name] = Delta(delta.table.num_rows, files, len(marks), gone)
    with replacing(run.path / OUT / DELTA / COUNTS) as handle:
        handle.write(b"languages\tnew\tgone\tkept\n")
        for name, each in written.items():
            handle.write(f"{name}\t{each.new}\t{each.gone}\t{each.kept}\n".encode())
    return written


@contextmanager
def refreshing_deltas(folder: RunFolder) -> Iterator[None]:
    """Write the new segments of the last update again after the ``with`` block, which wrote the outputs of the run."""
    try:
        yield
    except (NothingFound, SitesFailed):  # raised after all outputs are written
        write_last_deltas(folder)
        raise
    write_last_deltas(folder)


def write_last_deltas(folder: RunFolder) -> None:
    """:func:`write_deltas` of the last finished update, if there was one."""
    before = last_texts(folder)
    if before is not None:
        write_deltas(Run(folder), before)


def _single_part(segments: Segments) -> Iterator[Segments]:
    yield segments


def _marks(segments: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    texts = zip_columns(segments, "src", "tgt")
    return np.array([xxhash.xxh3_64_intdigest("\x1f".join(both).encode()) for both in texts], np.uint64)


def _pack(marks: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> str:
    # The journal holds JSON, hence base 64.
    return base64.b64encode(zlib.compress(np.unique(marks).tobytes())).decode()


def _unpack(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)) if text else b"", np.uint64)
