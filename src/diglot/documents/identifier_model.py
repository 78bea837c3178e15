"""The model of languages that ships with py3langid, kept beside our compiled modules in a form that is read at once: to
unpack its own file takes longer than all else that a run has to load."""

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
"""The process may be one that is to be forked."""


class Model(NamedTuple):
    """Weights of features by language, those of the languages, which these are, moves of the automaton, the row of
    moves of each state, and the feature that ends there, -1 for none."""

    weights: Any
    prior: Any
    languages: list[str]
    moves: Any
    rows: Any
    outputs: list[int]


def read_model(source: Path = SOURCE, kept: Path = KEPT) -> Model:
    """The model in a file of py3langid.

    It is kept under another name as Python keeps compiled modules: where that can be written and is not forbidden, and
    for as long as size and date of the file are the same.
    """
    about = os.stat(source)
    stamp = f"{about.st_size} {about.st_mtime_ns}".encode()
    with suppress(OSError, pa.ArrowException):
        if (model := _read(kept, stamp)) is not None:
            return model
    model = Model(*load_model(source))
    if not sys.dont_write_bytecode:
        with suppress(UsageError):
            _keep(model, kept, stamp)
    return model


def _read(path: Path, stamp: bytes) -> Model | None:
    """The model that is kept; None where it is of another file."""
    with pa.memory_map(str(path)) as file:
        table = pa.ipc.open_stream(file, options=_ONE_THREAD).read_all()
    if (table.schema.metadata or {}).get(_SOURCE) != stamp:
        return None
    column = {name: table[name].chunk(0).flatten() for name in Model._fields}
    languages, outputs = (column[name].to_pylist() for name in ("languages", "outputs"))
    weights, prior, moves, rows = (column[name].to_numpy() for name in ("weights", "prior", "moves", "rows"))
    # Compiled functions take no moves that may not be written.
    return Model(weights.reshape(-1, len(languages)), prior, languages, moves.copy(), rows.tolist(), outputs)


def _keep(model: Model, path: Path, stamp: bytes) -> None:
    lists = {name: pa.array(np.asarray(values).ravel()) for name, values in model._asdict().items()}
    rows = [pa.ListArray.from_arrays(pa.array([0, len(each)], pa.int32()), each) for each in lists.values()]
    table = pa.table(rows, names=list(lists)).replace_schema_metadata({_SOURCE: stamp})
    packed = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", 3), use_threads=False)
    with replacing(path) as handle, pa.ipc.new_stream(handle, table.schema, options=packed) as writer:
        writer.write_table(table)
