"""Terms made by hand."""

import pyarrow as pa

from diglot.terms.table import TERM_SCHEMA


def term(src: str, tgt: str, *rivals: str, tgt_lang: str = "fr") -> dict[str, object]:
    lists = {name: [] for name in ("src_forms", "tgt_forms", "example_src_urls", "example_tgt_urls")}
    numbers = dict.fromkeys(("source", "src_count", "tgt_count", "both_count", "units"), 1)
    return {
        **lists, **numbers, "src": src, "tgt": tgt, "src_lang": "en", "tgt_lang": tgt_lang, "probability": 0.98765,
        "termhood": 0.5, "linked": 3, "pages": 1, "association": 1.0,
        "inconsistent": bool(rivals), "rivals": list(rivals),
        "example_srcs": ["The harbour is closed."], "example_tgts": ["Le port est fermé."],
    }  # fmt: skip


TERMS = pa.Table.from_pylist([term("harbour", "port", "havre"), term("<b>pier</b>", "jetée")], TERM_SCHEMA)
