"""Damaged archives read by the reader in a worker with its memory limit, some of them harvested whole."""

from __future__ import annotations

import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyarrow as pa

from attack.damaged import Archive, damaged_archive
from attack.tally import Tally
from diglot.engines.pool import LocalEngine
from diglot.errors import DiglotError
from diglot.harvesting import harvest
from diglot.pages import open_sources, read
from diglot.reasons import Reason
from diglot.records import Page

ROUNDS, BLOCK = 2_200, 44
ALLOWED_S, ALLOWED_S_A_MIB, MAX_WORKER_MIB = 2.0, 2.0, 1024
LIMITS = f"{ALLOWED_S:g} s + {ALLOWED_S_A_MIB:g} s/MiB or {MAX_WORKER_MIB} MiB"
TIMEOUT_S = 600.0
RESULT = pa.schema(
    [
        ("round", pa.int64()),
        ("failure", pa.string()),
        ("what", pa.string()),
        ("cpu_s", pa.float64()),
        ("mib", pa.float64()),
        ("items", pa.list_(pa.string())),
    ]
)
"""``failure``: how a round failed, "" for not; ``items``: ``page`` or the reason of each drop."""


def read_rounds(rounds: pa.Table, *, seed: int) -> pa.Table:
    """What workers run: the archives of these rounds made and read."""
    return pa.Table.from_pylist([_read_round(number, seed) for number in rounds["round"].to_pylist()], schema=RESULT)


def _read_round(number: int, seed: int) -> dict[str, object]:
    archive, how = damaged_archive(number, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.warc"
        path.write_bytes(archive.content)
        started = time.process_time()
        items, wrong = _read(path, archive)
        spent = time.process_time() - started
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    failure, what = ("wrong", wrong) if wrong else ("", "")
    if spent > ALLOWED_S + ALLOWED_S_A_MIB * len(archive.content) / (1 << 20):
        failure, what = "over", f"{spent:.1f} s for {len(archive.content):,} bytes"
    elif mib > MAX_WORKER_MIB:
        failure, what = "over", f"{mib:.0f} MiB"
    return {"round": number, "failure": failure, "what": f"{how}: {what}", "cpu_s": spent, "mib": mib, "items": items}


def _read(path: Path, archive: Archive) -> tuple[list[str], str]:
    """What the reader gave, and what is wrong with it."""
    try:
        [source] = open_sources([str(path)])
        found = list(read(source))
    except DiglotError:
        return ["refused"], "the file is refused, with records in it" if archive.intact else ""
    bodies = {item.body for item in found if isinstance(item, Page)}
    told = ["page" if isinstance(item, Page) else item.reason.value for item in found]
    if lost := archive.intact - bodies:
        return told, f"{len(lost)} intact pages were not read"
    if archive.proven and not found and archive.content:
        return told, "nothing is told of a file that is damaged"
    return told, ""


def lost_round(rounds: pa.Table, reason: Reason, detail: str) -> pa.Table:
    """The row of a round whose worker died on it."""
    failure = "over" if reason == Reason.PARSER_TIMEOUT else "crashes"
    row = {"round": rounds["round"][0].as_py(), "failure": failure, "what": f"{reason} {detail}"}
    return pa.Table.from_pylist([{**row, "cpu_s": 0.0, "mib": 0.0, "items": []}], schema=RESULT)


@contextmanager
def opened(seed: int, _corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that runs rounds."""
    stage = partial(read_rounds, seed=seed)
    with LocalEngine(jobs=2, preload=("diglot.run.preload",)) as engine:

        def run(rounds: range) -> Tally:
            tally = Tally(rounds=len(rounds))
            tables = (pa.table({"round": [number]}) for number in rounds)
            for result in engine.map(stage, tables, failed=lost_round, timeout_s=TIMEOUT_S):
                for row in result.to_pylist():
                    _count(tally, row)
            _harvest(tally, rounds.start, seed)
            return tally

        yield run


def _count(tally: Tally, row: dict[str, object]) -> None:
    tally.cpu_s += row["cpu_s"]
    tally.slowest_s = max(tally.slowest_s, row["cpu_s"])
    tally.peak_mib = max(tally.peak_mib, row["mib"])
    tally.counts += Counter(row["items"])
    if row["failure"]:
        tally.fail(row["failure"], f"{row['round']} {row['what']}")


def _harvest(tally: Tally, number: int, seed: int) -> None:
    """Harvest the first archive of a block whole, in this process."""
    archive, how = damaged_archive(number, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.warc"
        path.write_bytes(archive.content)
        try:
            harvest(path, "en,de", Path(folder) / "run", jobs=1)
            tally.counts["harvested"] += 1
        except DiglotError:
            tally.counts["harvests that found nothing"] += 1
        except Exception as error:  # noqa: BLE001  a crash is what is looked for
            tally.fail("crashes", f"{number} {how}: harvest: {error!r}")
