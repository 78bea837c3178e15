"""Finished runs made by hand, and strings that want to be markup or script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import pyarrow as pa

from diglot.corpus.flags import EXCLUDED, MIN_SCORE
from diglot.corpus.flags.keeping import count_left_out, kept_mask
from diglot.records import DOCUMENT_SCHEMA, PAIR_SCHEMA, SEGMENT_SCHEMA
from diglot.report.figures import figures_of
from diglot.report.tables import RunTables, score_of
from diglot.run.ledger import LEDGER_SCHEMA

HOST = "https://example.org"
_OUTSIDE = "http://127.0.0.1:9/"
_STARTS = ("", "</script>", "--><!--<script>", "\"'>", "]]>", "\u2028*/`${", "&lt;b>")
_PAYLOADS = (
    "<script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    f"<img src={_OUTSIDE}i.png>",
    f"<link rel=stylesheet href={_OUTSIDE}s.css>",
    f"<iframe src={_OUTSIDE}f></iframe>",
    "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
    "<svg onload=window.hit=1><g/></svg>",
    "<svg><script>window.hit=1</script></svg>",
    "<svg><a xlink:href=javascript:window.hit=1>x</a></svg>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=window.hit=1></style></math>",
    f"<style>@import '{_OUTSIDE}i.css'</style>",
    f"<style>body{{background:url({_OUTSIDE}b)}}</style>",
    "<a href=javascript:window.hit=1>x</a>",
    f"<form action={_OUTSIDE}><button>x</button></form>",
    f"<meta http-equiv=refresh content='0;url={_OUTSIDE}'>",
    f"<base href={_OUTSIDE}>",
    f"<object data={_OUTSIDE}o></object>",
    f"<embed src={_OUTSIDE}e>",
    f"<video poster={_OUTSIDE}p><source src=x onerror=window.hit=1></video>",
    "<details open ontoggle=window.hit=1><summary>x</summary></details>",
    "<input autofocus onfocus=window.hit=1>",
    "<body onload=window.hit=1>",
    "<marquee onstart=window.hit=1>x</marquee>",
    "<template><script>window.hit=1</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=window.hit=1>"></noscript>',
    "<textarea></textarea><script>window.hit=1</script>",
    "<select><option></select><img src=x onerror=window.hit=1>",
    "<isindex type=image src=1 onerror=window.hit=1>",
    "<x onpointerover=window.hit=1>x</x>",
    "<button popovertarget=x onclick=window.hit=1>x</button>",
    "javascript:window.hit=1",
    "JaVaScRiPt:window.hit=1//",
    " javascript:window.hit=1",
    "data:text/html,<script>window.hit=1</script>",
    "vbscript:window.hit=1",
    '";window.hit=1;//',
    "';window.hit=1;//",
    "\\u003cscript>window.hit=1\\u003c/script>",
    "<script\x00>window.hit=1</script>",
    "<script\u00a0>window.hit=1</script\n>",
    "<!--><script>window.hit=1</script>-->",
    "<![CDATA[<script>window.hit=1</script>]]>",
    "<?xml version='1.0'?><?php window.hit=1 ?>",
    "__proto__",
    "constructor",
)
HOSTILE = tuple(start + payload for start, payload in product(_STARTS, _PAYLOADS))
"""More than 300 of them."""


def segment(src: str, tgt: str, *, page: int = 0, position: int = 0, **others: Any) -> dict[str, Any]:
    """A row of segments of the page pair ``page``."""
    row = {
        "src": src,
        "tgt": tgt,
        "src_lang": "en",
        "tgt_lang": "fr",
        "score": 0.9,
        "bead": "1-1",
        "kind": 0,
        "flags": [],
        "src_url": f"{HOST}/en/{page}",
        "tgt_url": f"{HOST}/fr/{page}",
        "position": position,
        "fetched": "2026-11-12T00:00:00Z",
    }
    return {**row, **others}


def made_run(
    rows: Sequence[dict[str, Any]],
    *,
    lang_pairs: Sequence[tuple[str, str]] = (("en", "fr"),),
    method: str = "fused",
    dropped: Sequence[tuple[str, str]] = ((f"{HOST}/gone", "404"),),
    declared: str = "en-GB",
    source: str = "site.warc.gz",
    aligner: str = "lexical",
) -> RunTables:
    """A run with these segments; its page pairs are theirs, with the probability of their first segment."""
    segments = pa.Table.from_pylist(list(rows), schema=SEGMENT_SCHEMA)
    sides = ("src_url", "tgt_url", "src_lang", "tgt_lang")
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        pairs.setdefault((row["src_url"], row["tgt_url"]), row)
    evidence = [("order", 1.5), ("length", -0.25)]
    told = {"accepted": True, "method": method, "refused_by": "", "evidence": evidence}
    pair_rows = [{**{name: row[name] for name in sides}, "probability": row["score"], **told} for row in pairs.values()]
    not_excluded = kept_mask(segments, EXCLUDED)
    kept = kept_mask(segments, EXCLUDED, MIN_SCORE)
    flagged_out, scored_out = count_left_out(segments, EXCLUDED, MIN_SCORE)
    langs = list(dict.fromkeys(lang for pair in lang_pairs for lang in pair))
    ledger = [["", url, "", "dropped", "http_status", detail, source, "", "", ""] for url, detail in dropped]
    summary = {
        "pages": len(ledger) + 2,
        "used": 2,
        "dropped": dict(Counter(row[4] for row in ledger)),
        "candidates": 7,
        "pairs": _by_pair(lang_pairs, pair_rows),
        "segments": _by_pair(lang_pairs, rows),
        "kept": _by_pair(lang_pairs, [row for row, keep in zip(rows, kept, strict=True) if keep]),
        "flags": _flags(rows),
        "left_out": flagged_out,
        "below_min_score": scored_out,
        "min_score": MIN_SCORE,
        "warned": _flags([row for row, keep in zip(rows, kept, strict=True) if keep]),
        "estimates": {"all": {"precision": 0.987, "recall": None}},
        "notes": [],
        "seconds": {"read": 1.23},
    }
    settings = {
        "diglot": "0",
        "signature": "fused|diglot:0",
        "sources": [{"name": source, "kind": "warc", "hash": "abc"}],
        "settings": {"langs": langs, "recipe": "fused", "options": {"seed": "1"}, "min_prob": 0.5},
    }
    documents = _documents(pairs, declared)
    with_site = segments.append_column("site", pa.array([HOST] * segments.num_rows, pa.string()))
    return RunTables(
        settings,
        summary,
        documents,
        pa.Table.from_pylist(pair_rows, schema=PAIR_SCHEMA),
        segments,
        not_excluded,
        pa.table(
            [list(column) for column in zip(*ledger, strict=True)] or [[]] * len(LEDGER_SCHEMA), schema=LEDGER_SCHEMA
        ),
        aligner,
        figures_of(documents, with_site, kept, not_excluded, score_of(segments)),
    )


def thresholds(scores: Sequence[float]) -> tuple[list[int], list[float]]:
    """Numbers and means of the scores from each step on, as the report has them."""
    rows = [segment("a", "b", position=place, score=score) for place, score in enumerate(scores)]
    return made_run(rows).figures.thresholds("en-fr")


def _flags(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    return dict(Counter(flag for row in rows for flag in row["flags"]))


def _by_pair(lang_pairs: Sequence[tuple[str, str]], rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    found = Counter((row["src_lang"], row["tgt_lang"]) for row in rows)
    return {f"{src}-{tgt}": found[src, tgt] for src, tgt in lang_pairs}


def _documents(pairs: dict[tuple[str, str], dict[str, Any]], declared: str) -> pa.Table:
    # The title of a page is its first text, so hostile texts stand in titles, too.
    pages = {row[f"{side}_url"]: (row[f"{side}_lang"], row[side]) for row in pairs.values() for side in ("src", "tgt")}
    langs, titles = [lang for lang, _ in pages.values()], [title for _, title in pages.values()]
    schema = pa.schema([DOCUMENT_SCHEMA.field(name) for name in ("url", "lang", "declared_lang", "media", "title")])
    count = len(pages)
    return pa.table([list(pages), langs, [declared] * count, ["html"] * count, titles], schema=schema)
