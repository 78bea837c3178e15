"""Terms of a report, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.arrays import Ints

TERMS_SHOWN = 5_000
"""Most terms in a report, taken from each language pair in turn; `diglot terms` writes all."""
_DECIMALS = 3


def term_columns(terms: pa.Table, lang_pairs: Sequence[tuple[str, str]]) -> dict[str, list[Any]]:
    """Columns of terms (:data:`diglot.terms.table.TERM_SCHEMA`) of these language pairs.

    ``lang_pair``: number of the language pair; ``rivals``: other translations; ``examples``: source and target of one
    segment, or two empty texts.
    """
    numbers = {pair: number for number, pair in enumerate(lang_pairs)}
    langs = zip(terms["src_lang"].to_pylist(), terms["tgt_lang"].to_pylist(), strict=True)
    of_pair = np.array([numbers[pair] for pair in langs], np.int64)
    chosen = _first_of_each(of_pair)
    shown = terms.take(pa.array(chosen))
    examples = zip(shown["example_srcs"].to_pylist(), shown["example_tgts"].to_pylist(), strict=True)
    return {
        **{name: shown[name].to_pylist() for name in ("src", "tgt", "linked", "pages", "rivals")},
        "lang_pair": of_pair[chosen].tolist(),
        "probability": [round(share, _DECIMALS) for share in shown["probability"].to_pylist()],
        "examples": [[*srcs[:1], *tgts[:1]] or ["", ""] for srcs, tgts in examples],
    }


def _first_of_each(of_pair: Ints) -> Ints:
    """Rows shown, rising: the first term of each language pair, the second of each, up to the limit."""
    order = np.argsort(of_pair, kind="stable")
    by_pair = of_pair[order]
    place = np.zeros(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(by_pair, by_pair)
    return np.sort(np.argsort(place, kind="stable")[:TERMS_SHOWN])
