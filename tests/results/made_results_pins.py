"""Figures of a finished run of the sample: verdicts weighed, hits, numbers, two recipes compared, the report.

The figures are plain values that JSON can hold.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

from diglot.cli import main
from diglot.evaluation.gold import read_gold_set
from diglot.experiments.comparing import compare_recipes, contenders
from diglot.report import REPORT
from diglot.results.run import Run
from diglot.results.search import search
from diglot.results.stats import stats
from diglot.results.take_verdicts import take_verdicts
from diglot.results.user_choices import asked_pairs, left_unjoined
from diglot.run.settings import make_settings
from made_sample import LANGS, SAMPLE

PINS = Path(__file__).with_name("results_pins.json")
QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("the", {}),
    ("the", {"word": True}),
    ("THE", {"word": True, "langs": "en,fr"}),
    ("für", {}),
    ("fur", {"langs": "de,en"}),
    ("が", {}),
    ("か", {}),
    (r"\b\d{4}\b", {"regex": True}),
    (r"\d", {"regex": True, "everything": True}),
)
DRAWN = 90
STEPS = (0, 1, 50, 80, 90, 95, 99, 100)


def verdict_of(name: str) -> str:
    """A verdict that follows from the id of a segment: a sixteenth wrong, unsure and partly right each."""
    return {0: "wrong", 1: "unsure", 2: "partly"}.get(int(name[:4], 16) % 16, "right")


def figures_of_run(run: Path) -> dict[str, Any]:
    """Figures of a run that nobody has judged; the run is not changed."""
    opened = Run(run)
    return {
        "stats": {name: value for name, value in stats(opened).items() if name != "run"},
        "hits": [_hits(opened, text, options) for text, options in QUERIES],
        "language pairs": {
            langs: [f"{src}-{tgt}" for src, tgt in asked_pairs(opened.settings, langs)]
            for langs in ("", "en,fr", "FR,en", "ja,de,fr")
        },
        "not joined": {
            f"{langs} {pivot}": list(left_unjoined(opened.settings, langs, pivot))
            for langs, pivot in (("", ""), ("", "FR"), ("de,fr,ja", ""))
        },
        "report": _report(run),
    }


def _hits(run: Run, text: str, options: dict[str, Any]) -> list[Any]:
    hits = list(search(run, text, **options))
    spans = sum(len(hit.src_spans) + len(hit.tgt_spans) for hit in hits)
    first = hits[0].plain() if hits else {}
    return [
        text,
        len(hits),
        spans,
        {name: first[name] for name in ("src", "tgt", "src_spans", "tgt_spans")} if hits else {},
    ]


def _report(run: Path) -> dict[str, Any]:
    page = (run / REPORT).read_text(encoding="utf-8")
    head = json.loads(_block(page, "headline-data"))
    data = json.loads(zlib.decompress(base64.b64decode(_block(page, "segments-data"))))
    return {
        "shown": head["shown"],
        "language pairs": [
            {
                **{name: value for name, value in each.items() if not name.endswith("_from")},
                "kept_from": [each["kept_from"][step] for step in STEPS],
                "mean_from": [each["mean_from"][step] for step in STEPS],
            }
            for each in head["lang_pairs"]
        ],
        "flags": [[each["flag"], each["count"], each["out"], each["kept"]] for each in head["flags"]],
        "dropped": [[each["reason"], each["count"], len(each["examples"])] for each in head["dropped"]],
        "languages": [[each["declared"], each["identified"], each["pages"]] for each in head["languages"]],
        "samples": [{kind: rows[:6] for kind, rows in kinds.items()} for kinds in data["samples"]],
        "conflicts": [groups[:3] for groups in data["conflicts"]],
        "page pairs": [
            [data["pairs"][name][place] for name in ("src_url", "tgt_url", "probability", "kept", "ends")]
            for place in range(0, len(data["pairs"]["ends"]), 20)
        ],
        "texts": {lang: len(texts) for lang, texts in data["texts"].items()},
    }


def _block(page: str, name: str) -> str:
    found = re.search(rf'<script type="[^"]*" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return found[1]


def figures_of_verdicts(run: Path, folder: Path) -> list[dict[str, Any]]:
    """What verdicts on a drawn sample come to, then what chosen ones do; changes the run."""
    sheet = folder / "sheet.tsv"
    assert main(["sample", str(run), "-n", str(DRAWN), "-o", str(sheet)]) == 0
    head, *lines = [line.split("\t") for line in sheet.read_text(encoding="utf-8").splitlines()]
    judged = [[name, verdict_of(name), *cells] for name, _, *cells in lines]
    sheet.write_text("\n".join("\t".join(line) for line in [head, *judged]) + "\n", encoding="utf-8")
    drawn = take_verdicts(run, [sheet]).plain()
    chosen = folder / "chosen.tsv"
    rows = Run(run).segments("en", "fr").kept_rows().slice(0, DRAWN).to_pylist()
    names = ("src_url", "tgt_url", "src", "tgt")
    lines_of = [["wrong" if len(row["tgt"]) % 9 == 0 else "right", *(row[name] for name in names)] for row in rows]
    chosen.write_text("\n".join("\t".join(line) for line in [["verdict", *names], *lines_of]) + "\n", encoding="utf-8")
    return [drawn, take_verdicts(run, [chosen], as_random=True, clear=True).plain()]


def figures_of_comparison() -> dict[str, Any]:
    """Two recipes on the sample against its gold, their time aside."""
    settings = contenders(make_settings(LANGS), "url_baseline,bitextor2010-relative", {})
    gold = read_gold_set(SAMPLE.with_name("gold.tsv"))
    found = compare_recipes([str(SAMPLE)], settings, gold=gold, jobs=1).as_dict()
    for row in found["recipes"]:
        del row["seconds"], row["signature"]
    return {name: found[name] for name in ("documents", "distinct_pairs", "recipes")}
