"""What is new in a run since an update began: the segments whose texts were not kept then."""

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
    """By language pair (``SRC-TGT``), hashes of the texts of the segments that a run keeps, packed for the journal."""
    return {
        f"{src}-{tgt}": _packed(_marks(run.segments(src, tgt).kept())) for src, tgt in run.settings.language_pairs()
    }


def write_deltas(run: Run, before: Mapping[str, str]) -> list[Path]:
    """Write as TMX the segments of each language pair that are not among ``before``, of :func:`kept_marks`."""
    written: list[Path] = []
    for src, tgt in run.settings.language_pairs():
        segments = run.segments(src, tgt).clean()
        known = _unpacked(before.get(segments.name, ""))
        new = ~np.isin(_marks(segments.table), known)
        written += replace(segments, table=segments.table.filter(pa.array(new))).write(run.path / OUT / DELTA, "tmx")
    return written


def _marks(segments: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    texts = zip(segments["src"].to_pylist(), segments["tgt"].to_pylist(), strict=True)
    return np.array([xxhash.xxh3_64_intdigest("\x1f".join(both).encode()) for both in texts], np.uint64)


def _packed(marks: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> str:
    return base64.b64encode(zlib.compress(np.unique(marks).tobytes())).decode()


def _unpacked(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)) if text else b"", np.uint64)
