"""Mutated pages through the workers that read pages: the function they run, their memory limit, their time limit."""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from attack.mutations import content_type, mutated
from attack.real_pages import real_pages
from attack.tally import Tally
from diglot.documents.parse import pages_table, parse_table
from diglot.engines.pool import LocalEngine, Stage
from diglot.pages import MAX_PAGE_BYTES
from diglot.reasons import Reason
from diglot.records import Page

ROUNDS, BLOCK = 1_000_000, 4_000
MAX_PAGE_S, MAX_WORKER_MIB = 5.0, 1024
LIMITS = f"{MAX_PAGE_S:g} s or {MAX_WORKER_MIB} MiB"


class Limits(NamedTuple):
    """What a page may take: CPU seconds, and MiB of its worker."""

    seconds: float
    mib: float


JOBS, TABLE_PAGES = 2, 32
HANGS_S = 600.0
"""Seconds after which a page hangs. A harvest waits for 20; an attack at the lowest priority is judged by its processor
time."""

LARGE_BYTES = 64 << 10
"""Larger pages are parsed alone, so that each has a time of its own; none of the others takes more than all of them."""

SIZES = ((0.90, 2 << 10, 4 << 10), (0.992, 20 << 10, 64 << 10), (0.9996, 500 << 10, 64 << 10), (1.0, 8 << 20, 64 << 10))
"""Up to this share of pages: bytes that a flood adds, and bytes of the real page that are taken."""

RESULT = pa.schema(
    [
        ("round", pa.int64()),
        ("outcome", pa.string()),
        ("parse_s", pa.float64()),
        ("cpu_s", pa.float64()),
        ("mib", pa.float64()),
    ]
)
"""``parse_s``: CPU seconds of parsing; ``cpu_s``: of all that the worker did; ``mib``: its peak so far."""
LOST = {Reason.PARSER_CRASH, Reason.PARSER_TIMEOUT, Reason.PARSER_MEMORY}


def mutated_page(number: int, seed: int, corpus: Path | None) -> tuple[Page, str]:
    """The page of a round, and what was done to it."""
    draw = random.Random(f"{seed} {number}")
    pages = real_pages(corpus)
    others = [draw.choice(pages).body for _ in range(2)]
    point = draw.random()
    _, flood, taken = next(size for size in SIZES if point <= size[0])
    body = draw.choice(pages).body
    start = draw.randrange(max(1, len(body) - taken)) if draw.random() < 0.5 else 0
    body, how = mutated(draw, body[start : start + taken], others, flood)
    page = Page(f"http://a.example/{number}.html", body[:MAX_PAGE_BYTES], content_type(draw), "attack", number)
    return page, how


def parse_rounds(rounds: pa.Table, *, seed: int, corpus: Path | None) -> pa.Table:
    """What workers run: the pages of these rounds made and parsed; outcome, seconds and the worker's peak."""
    numbers = rounds["round"].to_pylist()
    began = time.process_time()
    pages = [mutated_page(number, seed, corpus)[0] for number in numbers]
    outcomes, each_s = [""] * len(pages), [0.0] * len(pages)
    small = [place for place, page in enumerate(pages) if len(page.body) <= LARGE_BYTES]
    large = ([place] for place, page in enumerate(pages) if len(page.body) > LARGE_BYTES)
    for places in filter(None, (small, *large)):
        started = time.process_time()
        reasons = parse_table(pages_table([pages[place] for place in places]))["reason"].to_pylist()
        for place, reason in zip(places, reasons, strict=True):
            outcomes[place], each_s[place] = reason or "document", time.process_time() - started
    cpu_s = (time.process_time() - began) / len(pages)
    return pa.table([numbers, outcomes, each_s, [cpu_s] * len(pages), [peak_mib()] * len(pages)], schema=RESULT)


def peak_mib() -> float:
    """Most resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def lost_round(rounds: pa.Table, reason: Reason, detail: str) -> pa.Table:
    """The row of a round whose worker died on it."""
    return pa.table([rounds["round"].to_pylist(), [f"{reason}|{detail}"], [0.0], [0.0], [0.0]], schema=RESULT)


def opened(seed: int, corpus: Path | None) -> AbstractContextManager[Callable[[range], Tally]]:
    """Give the function that runs rounds."""
    stage = partial(parse_rounds, seed=seed, corpus=corpus)
    return reading(stage, lambda number: mutated_page(number, seed, corpus)[1], Limits(MAX_PAGE_S, MAX_WORKER_MIB))


@contextmanager
def reading(stage: Stage, how: Callable[[int], str], limits: Limits) -> Iterator[Callable[[range], Tally]]:
    """Give the function that runs rounds in the workers of a harvest; ``how``: what was done to the page of a round."""
    with LocalEngine(jobs=JOBS, preload=("diglot.run.preload",)) as engine:

        def run(rounds: range) -> Tally:
            starts = range(rounds.start, rounds.stop, TABLE_PAGES)
            tables = (pa.table({"round": rounds[at - rounds.start :][:TABLE_PAGES]}) for at in starts)
            tally = Tally(rounds=len(rounds))
            for result in engine.map(stage, tables, failed=lost_round, timeout_s=HANGS_S):
                _count(tally, result, how, limits)
            return tally

        yield run


def _count(tally: Tally, result: pa.Table, how: Callable[[int], str], limits: Limits) -> None:
    for number, told, parse_s, cpu_s, mib in zip(*(column.to_pylist() for column in result.columns), strict=True):
        outcome, _, detail = told.partition("|")
        tally.counts[outcome] += 1
        tally.cpu_s += cpu_s
        tally.slowest_s = max(tally.slowest_s, parse_s)
        if outcome in LOST:
            tally.fail("over" if outcome == Reason.PARSER_TIMEOUT else "crashes", f"{number} {how(number)}: {detail}")
        elif parse_s > limits.seconds:
            tally.fail("over", f"{number} {how(number)}: {parse_s:.1f} s")
        elif mib > limits.mib >= tally.peak_mib:
            tally.fail("over", f"{number} or before, {how(number)}: {mib:.0f} MiB")
        tally.peak_mib = max(tally.peak_mib, mib)
