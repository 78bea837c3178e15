"""Small sites of mutated pages harvested whole: what hostile text does to settling, pairing, aligning and cleaning.

Most pages of a site are spoilt alike in both languages, so that pages are still paired and the spoilt texts come as far
as the outputs.
"""

from __future__ import annotations

import json
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from attack.mutations import mutated
from attack.real_pages import real_pages
from attack.tally import Tally
from diglot.errors import DiglotError, NothingFound
from diglot.harvesting import harvest
from diglot.records import Reason
from made_sites import lett_line
from made_website import HOST, website

ROUNDS, BLOCK = 1_000, 10
MAX_S, MAX_MIB = 120.0, 1024
LIMITS = f"{MAX_S:g} s of wall or {MAX_MIB} MiB of the parent"
FLOODS = (200, 2_000, 2_000, 20_000, 100_000)
"""Bytes that a flood adds to a page."""
LOST = (Reason.PARSER_CRASH, Reason.PARSER_MEMORY, Reason.PARSER_TIMEOUT, Reason.SITE_FAILED)


@cache
def clean_site() -> tuple[tuple[str, bytes], ...]:
    """Pages of the site by path."""
    return tuple(website().items())


def mutated_site(number: int, seed: int, corpus: Path | None) -> tuple[bytes, str]:
    """The site of a round as lines of .lett, and what was done to its pages."""
    flood = random.Random(f"{seed} {number}").choice(FLOODS)
    others = [page.body for page in real_pages(corpus)]
    lines, done = [], []
    for path, body in clean_site():
        lang, _, name = path.partition("/")
        draw = random.Random(f"{seed} {number} {name}")  # the same for all languages of a page
        if draw.random() < 0.6:
            body, how = mutated(draw, body, [draw.choice(others)], flood)
            done.append(how)
        lines.append(lett_line(lang, f"{HOST}/{path}", body))
    return b"".join(lines), f"{flood} bytes, " + " ".join(sorted(set(done)))


@contextmanager
def opened(seed: int, corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that harvests the sites of rounds."""

    def run(rounds: range) -> Tally:
        tally = Tally(rounds=len(rounds))
        began = _cpu_s()
        for number in rounds:
            content, how = mutated_site(number, seed, corpus)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "site.lett"
                path.write_bytes(content)
                _harvest(tally, path, f"{number} {how}")
        tally.cpu_s = _cpu_s() - began
        tally.peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        if tally.peak_mib > MAX_MIB:
            tally.fail("over", f"{rounds.start} to {rounds.stop - 1}: {tally.peak_mib:.0f} MiB")
        return tally

    yield run


def _harvest(tally: Tally, path: Path, what: str) -> None:
    run, started = path.with_name("run"), time.monotonic()
    try:
        harvest(path, "en,fr,de", run, jobs=1)
    except NothingFound:
        tally.counts["nothing found"] += 1
    except DiglotError as error:
        tally.fail("crashes", f"{what}: {error}")
    except Exception as error:  # noqa: BLE001  a crash is what is looked for
        tally.fail("crashes", f"{what}: {error!r}")
        return
    spent = time.monotonic() - started
    tally.slowest_s = max(tally.slowest_s, spent)
    if spent > MAX_S:
        tally.fail("over", f"{what}: {spent:.0f} s")
    summary = run / "out" / "summary.json"
    if summary.is_file():
        _count(tally, json.loads(summary.read_text(encoding="utf-8")), what)


def _count(tally: Tally, summary: dict[str, dict[str, int]], what: str) -> None:
    lost = {reason: summary["dropped"][reason] for reason in LOST if summary["dropped"].get(reason)}
    if lost:
        tally.fail("crashes", f"{what}: {lost}")
    tally.counts.update(pairs=sum(summary["pairs"].values()), segments=sum(summary["segments"].values()))


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
