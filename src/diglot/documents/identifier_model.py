"""The language model of py3langid, cached as Arrow beside our compiled modules: read in .07 s CPU, unpacked in .6 s."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import py3langid.langid as langid
import pyarrow as pa
from py3langid.modelio import load_model

from diglot.disk.atomic import replacing
from diglot.errors import UsageError

SOURCE = langid.MODEL_DIR / langid.MODEL_FILE
KEPT = Path(cache_from_source(__file__)).with_suffix(".arrow")
_SOURCE = b"source"
_ONE_THREAD = pa.ipc.IpcReadOptions(use_threads=False)
"""The process may fork: no threads before."""


class Model(NamedTuple):
    """Weights (features, languages), priors and names of languages, and the automaton that finds features in text.

    The automaton: moves by state and byte, row of moves of each state, and feature of each state, -1 for none.
    """

    weights: Any
    prior: Any
    languages: list[str]
    moves: Any
    rows: Any
    outputs: list[int]


def read_model(source: Path = SOURCE, kept: Path = KEPT) -> Model:
    """The model in a file of py3langid, through the cache.

    The cache is written where Python would write compiled modules, unless bytecode is disabled, and valid while size
    and time of the source are the same.
    """
    about = os.stat(source)
    stamp = f"{about.st_size} {about.st_mtime_ns}".encode()
    with suppress(OSError, pa.ArrowException):
        if (model := _read_cache(kept, stamp)) is not None:
            return model
    model = Model(*load_model(source))
    if not sys.dont_write_bytecode:
        with suppress(UsageError):
            _keep(model, kept, stamp)
    return model


def _read_cache(path: Path, stamp: bytes) -> Model | None:
    """The cached model; None if it was made from a different source."""
    with pa.memory_map(str(path)) as file:
        table = pa.ipc.open_stream(file, options=_ONE_THREAD).read_all()
    if (table.schema.metadata or {}).get(_SOURCE) != stamp:
        return None
    column = {name: table[name].chunk(0).flatten() for name in Model._fields}
    languages, outputs = (column[name].to_pylist() for name in ("languages", "outputs"))
    weights, prior, moves, rows = (column[name].to_numpy() for name in ("weights", "prior", "moves", "rows"))
    # Compiled functions refuse read-only arrays.
    return Model(weights.reshape(-1, len(languages)), prior, languages, moves.copy(), rows.tolist(), outputs)


def _keep(model: Model, path: Path, stamp: bytes) -> None:
    lists = {name: pa.array(np.asarray(values).ravel()) for name, values in model._asdict().items()}
    rows = [pa.ListArray.from_arrays(pa.array([0, len(each)], pa.int32()), each) for each in lists.values()]
    table = pa.table(rows, names=list(lists)).replace_schema_metadata({_SOURCE: stamp})
    packed = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", 3), use_threads=False)
    with replacing(path) as handle, pa.ipc.new_stream(handle, table.schema, options=packed) as writer:
        writer.write_table(table)
