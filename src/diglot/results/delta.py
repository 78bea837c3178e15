"""New segments of a run since the last update, as ``out/delta/*.tmx``."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import xxhash

from diglot.outputs.corpus_files import OUT
from diglot.results.run import Run

DELTA = "delta"


def kept_marks(run: Run) -> dict[str, str]:
    """Hashes of the texts of all segments kept, by language pair (``SRC-TGT``), packed for the journal."""
    return {
        f"{src}-{tgt}": _pack(_marks(run.segments(src, tgt).kept_rows())) for src, tgt in run.settings.language_pairs()
    }


def write_deltas(run: Run, before: Mapping[str, str]) -> list[Path]:
    """Write segments as TMX that are not in ``before``, a result of :func:`kept_marks`."""
    written: list[Path] = []
    for src, tgt in run.settings.language_pairs():
        segments = run.segments(src, tgt).clean()
        known = _unpack(before.get(segments.name, ""))
        new = ~np.isin(_marks(segments.table), known)
        written += replace(segments, table=segments.table.filter(pa.array(new))).write(run.path / OUT / DELTA, "tmx")
    return written


def _marks(segments: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    texts = zip(segments["src"].to_pylist(), segments["tgt"].to_pylist(), strict=True)
    return np.array([xxhash.xxh3_64_intdigest("\x1f".join(both).encode()) for both in texts], np.uint64)


def _pack(marks: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> str:
    return base64.b64encode(zlib.compress(np.unique(marks).tobytes())).decode()


def _unpack(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)) if text else b"", np.uint64)
