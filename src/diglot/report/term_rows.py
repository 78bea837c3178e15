"""The terms that a report shows, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

TERMS_SHOWN = 5_000
"""Of a run at most, the most telling first; `diglot terms` writes all."""
_DECIMALS = 3


def term_columns(terms: pa.Table, lang_pairs: Sequence[tuple[str, str]]) -> dict[str, list[Any]]:
    """Columns for the page of terms (:data:`diglot.terms.table.TERM_SCHEMA`) of these language pairs.

    ``lang_pair``: number of the pair; ``rivals``: other translations; ``examples``: a segment each, or two empty texts.
    """
    shown = terms.slice(0, TERMS_SHOWN)
    numbers = {pair: number for number, pair in enumerate(lang_pairs)}
    langs = zip(shown["src_lang"].to_pylist(), shown["tgt_lang"].to_pylist(), strict=True)
    examples = zip(shown["example_srcs"].to_pylist(), shown["example_tgts"].to_pylist(), strict=True)
    return {
        **{name: shown[name].to_pylist() for name in ("src", "tgt", "linked", "pages", "rivals")},
        "lang_pair": [numbers[pair] for pair in langs],
        "probability": [round(share, _DECIMALS) for share in shown["probability"].to_pylist()],
        "examples": [[*srcs[:1], *tgts[:1]] or ["", ""] for srcs, tgts in examples],
    }
