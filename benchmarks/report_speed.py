"""How large the report of a large run is, and how fast it opens and answers in Chromium.

    python benchmarks/report_speed.py RUN [SEGMENTS]

The run is grown to SEGMENTS (100,000 without it): copies of its segments with words changed at random, so that texts
stay as distinct as they are. Needs chromium and chromedriver on the PATH. Times are by the clock, and in brackets of
the page's main thread, which other work on the machine does not change.
"""

from __future__ import annotations

import dataclasses
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from selenium import webdriver

from diglot.report.run_page import write_report
from diglot.report.tables import RunTables
from diglot.results.run import Run
from diglot.results.run_report import run_tables

FLAGS = "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync"
CHANGED_WORDS = 0.12
QUERIES = {
    "e": (),
    "the": ("whole",),
    "zzzz": (),
    "mode": (),
    "été": (),
    "Mode": ("exact",),
}
"""What is looked for, and the boxes that are ticked."""
ORDERS = ("worst", "src")
"""Orders in which the second query is asked for again; the first time an order is made of all texts."""
TIMES = 3


def grown(run: RunTables, count: int) -> RunTables:
    """The run with ``count`` segments."""
    draw = random.Random(0)
    words = sorted({word for text in run.segments["src"].to_pylist() for word in text.split()})
    segments, pairs, not_excluded = [run.segments], [run.pairs], [run.not_excluded]
    while sum(table.num_rows for table in segments) < count:
        mark = f"?copy={len(segments)}"
        segments.append(_changed(run.segments, mark, lambda text: _varied(text, words, draw)))
        pairs.append(_changed(run.pairs, mark))
        not_excluded.append(run.not_excluded)
    table = pa.concat_tables(segments).slice(0, count).combine_chunks()
    mask = np.concatenate(not_excluded)[:count]
    summary = {**run.summary, **{key: _counts(run, table, only) for key, only in (("segments", None), ("kept", mask))}}
    tables = (pa.concat_tables(pairs).combine_chunks(), table, mask)
    return dataclasses.replace(run, summary=summary, pairs=tables[0], segments=tables[1], not_excluded=tables[2])


def _changed(table: pa.Table, mark: str, vary: Any = None) -> pa.Table:
    columns = table.to_pydict()
    for side in ("src", "tgt"):
        columns[f"{side}_url"] = [url + mark for url in columns[f"{side}_url"]]
        if vary:
            columns[side] = [vary(text) for text in columns[side]]
    return pa.table(columns, schema=table.schema)


def _varied(text: str, words: list[str], draw: random.Random) -> str:
    return " ".join(draw.choice(words) if draw.random() < CHANGED_WORDS else word for word in text.split())


def _counts(run: RunTables, table: pa.Table, mask: Any) -> dict[str, int]:
    rows = table if mask is None else table.filter(pa.array(mask))
    found = list(zip(rows["src_lang"].to_pylist(), rows["tgt_lang"].to_pylist(), strict=True))
    return {f"{src}-{tgt}": found.count((src, tgt)) for src, tgt in run.lang_pairs}


def measure(path: Path) -> None:
    """Print seconds until the figures are painted and until all can be used, and milliseconds of searches."""
    for _ in range(TIMES):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        with tempfile.TemporaryDirectory() as profile:
            for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
                options.add_argument(flag)
            driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
            driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            started = time.monotonic()
            driver.get(path.as_uri())
            painted = driver.execute_script("return performance.getEntriesByType('paint')[0]?.startTime / 1000")
            while not driver.execute_script("return document.documentElement.dataset.ready"):
                time.sleep(0.01)
            ready, ready_thread = time.monotonic() - started, _thread_seconds(driver)
            time.sleep(1)
            told = []
            asked = [(query, boxes, "page") for query, boxes in QUERIES.items()]
            asked += [("the", ("whole",), order) for order in ORDERS for _ in range(2)]
            for query, boxes, order in asked:
                before = _thread_seconds(driver)
                milliseconds, hits = driver.execute_script(_SEARCH, query, boxes, order)
                thread = 1000 * (_thread_seconds(driver) - before)
                named = " ".join([repr(query), *boxes, *([order] if order != "page" else [])])
                told.append(f"{named}: {hits:,} in {milliseconds:.0f} ({thread:.0f}) ms")
            driver.quit()
        print(f"painted after {painted:.2f} s, ready after {ready:.2f} ({ready_thread:.2f}) s\n  " + "\n  ".join(told))


def _thread_seconds(driver: webdriver.Chrome) -> float:
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")


_SEARCH = """
const [query, boxes, order] = arguments;
document.getElementById('which').value = 'all';
document.getElementById('query').value = query;
document.getElementById('order').value = order;
for (const box of ['whole', 'exact']) document.getElementById(box).checked = boxes.includes(box);
const started = performance.now();
report.search();
document.body.offsetHeight;
return [performance.now() - started, report.finds.rows.length];
"""


def main() -> None:
    """Grow, write, open."""
    run = run_tables(Run(sys.argv[1]))
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        large = grown(run, count)
        started = time.monotonic()
        write_report(large, path)
        seconds = time.monotonic() - started
        print(f"{count:,} segments: {path.stat().st_size / 1e6:.1f} MB, written in {seconds:.1f} s")
        measure(path)


if __name__ == "__main__":
    main()
