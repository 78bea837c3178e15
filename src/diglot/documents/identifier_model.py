"""The model of py3langid, cached as Arrow beside our modules, with a compiled scan of texts."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import py3langid.langid as langid
import pyarrow as pa
from py3langid.modelio import load_model

from diglot.arrays import Singles
from diglot.disk.atomic import replacing
from diglot.documents.automaton import Automaton, pack
from diglot.documents.language_tags import language_of
from diglot.documents.text_kernels import features, sums
from diglot.errors import UsageError

SOURCE = langid.MODEL_DIR / langid.MODEL_FILE
KEPT = Path(cache_from_source(__file__)).with_suffix(".arrow")
_SOURCE = b"source"
_ONE_THREAD = pa.ipc.IpcReadOptions(use_threads=False)
"""Arrow without threads: the process may fork later."""
SPOKEN = {"wuu": "zh"}
"""Languages of the identifier whose speakers write another one. It takes names of products and companies in Chinese for
Wu."""


class Model(NamedTuple):
    """Weights (features, languages), priors and names of languages, and the automaton that finds features in text."""

    weights: Any
    prior: Any
    languages: list[str]
    automaton: Automaton


_COLUMNS = (*Model._fields[:3], *Automaton._fields)
"""Columns of the cached model."""


def read_model(source: Path = SOURCE, kept: Path = KEPT) -> Model:
    """The model in a file of py3langid, through the cache.

    The cache is written where Python would write compiled modules, unless bytecode is disabled, and valid while size
    and time of the source are the same.
    """
    about = os.stat(source)
    stamp = f"{about.st_size} {about.st_mtime_ns} {_COLUMNS}".encode()
    with suppress(OSError, pa.ArrowException):
        if (model := _read_cache(kept, stamp)) is not None:
            return model
    weights, prior, languages, moves, rows, outputs = load_model(source)
    model = Model(weights, prior, languages, pack(moves, rows, outputs))
    if not sys.dont_write_bytecode:
        # An installation may be read-only: the cache only saves time.
        with suppress(UsageError):
            _keep(model, kept, stamp)
    return model


def _read_cache(path: Path, stamp: bytes) -> Model | None:
    """The cached model; None if it was made from a different source."""
    with pa.memory_map(str(path)) as file:
        table = pa.ipc.open_stream(file, options=_ONE_THREAD).read_all()
    if (table.schema.metadata or {}).get(_SOURCE) != stamp:
        return None
    columns = [table[name].chunk(0).flatten() for name in _COLUMNS]
    languages = columns[2].to_pylist()
    weights, prior, *automaton = (values.to_numpy() for values in (*columns[:2], *columns[3:]))
    return Model(weights.reshape(-1, len(languages)), prior, languages, Automaton(*automaton))


def _keep(model: Model, path: Path, stamp: bytes) -> None:
    lists = [pa.array(np.asarray(values).ravel()) for values in (*model[:3], *model.automaton)]
    rows = [pa.ListArray.from_arrays(pa.array([0, len(each)], pa.int32()), each) for each in lists]
    table = pa.table(rows, names=_COLUMNS).replace_schema_metadata({_SOURCE: stamp})
    # zstd takes three times as long to unpack, in every run, and spares 5 MB.
    packed = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with (
        replacing(path, for_programs=True) as handle,
        pa.ipc.new_stream(handle, table.schema, options=packed) as writer,
    ):
        writer.write_table(table)


@cache
def identifier() -> CompiledIdentifier:
    """The model that ships with py3langid, loaded once per process."""
    return CompiledIdentifier(read_model())


class CompiledIdentifier(langid.LanguageIdentifier):  # type: ignore[misc]
    """py3langid's identifier with a compiled scan: the same answers in a tenth of the time (confidence to four digits).

    Overrides the method that takes the time; the automaton for it is :mod:`diglot.documents.automaton`'s.
    """

    def __init__(self, model: Model) -> None:
        # The automaton of py3langid would only serve the scan of py3langid.
        # The model calls Filipino and Kikuyu ``tl`` and ``kik``.
        langs = list(map(language_of, model.languages))
        super().__init__(model.weights, model.prior, langs, (), (), norm_probs=True, tk_row=())
        # The model has floats of 16 bits, which C lacks: a table gives the float of any 16 bits. Converting all 14
        # million weights would take as long as 300 pages.
        self._weights = np.asarray(self.nb_ptc, np.float16).view(np.uint16)
        self._singles = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
        self._automaton = model.automaton
        self._spoken = [(langs.index(spoken), langs.index(written)) for spoken, written in SPOKEN.items()]

    def _decide(self, text: str | bytes) -> Singles:
        scores: Singles = super()._decide(text)
        # The larger score, not the sum: a text surely in the written language is no surer for its spoken one.
        for spoken, written in self._spoken:
            scores[written], scores[spoken] = max(scores[written], scores[spoken]), 0.0
        return scores

    def _raw_score(self, text: bytes) -> Singles:
        found = np.sort(features(text, self._automaton))
        if not len(found):
            return np.zeros(len(self.nb_pc), np.float32)
        scores: Singles = sums(found, self._weights, self._singles) + self.nb_pc
        return scores
