"""Small sites of mutated pages harvested whole: what hostile text does to settling, pairing, aligning and cleaning.

Most pages of a site are spoilt alike in both languages, so that pages are still paired and the spoilt texts come as far
as the outputs.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from attack.mutations import mutated
from attack.real_pages import real_pages
from attack.tally import Tally
from attack.warm import type_line, warm_up, work_in_a_fork
from diglot.errors import NothingFound
from diglot.harvesting import harvest
from diglot.reasons import Reason
from made_sites import lett_line
from made_website import HOST, as_lett, website

ROUNDS, BLOCK = 1_000, 10
MAX_S, HANGS_S, MAX_MIB = 60.0, 600.0, 1024
"""Processor time of a harvest with its workers; seconds after which it hangs; MiB of any of its processes."""
LIMITS = f"{MAX_S:g} s or {MAX_MIB} MiB"
LANGS = "en,fr,de"
NOTHING, DONE = "nothing found", "done"
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
    """Give the function that harvests the sites of rounds, each in a fork of this process and with its own workers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        real_pages(corpus)
        warm_up(lambda: type_line(["harvest", str(as_lett(folder / "site.lett")), "-l", LANGS, "-o", f"{folder}/cold"]))

        def run(rounds: range) -> Tally:
            tally = Tally(rounds=len(rounds))
            for number in rounds:
                content, how = mutated_site(number, seed, corpus)
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    path = Path(place) / "site.lett"
                    path.write_bytes(content)
                    _attack(tally, path, f"{number} {how}")
            return tally

        yield run


def _attack(tally: Tally, path: Path, what: str) -> None:
    run = path.with_name("run")
    ended = work_in_a_fork(partial(_harvest, path, run), HANGS_S)
    tally.cpu_s += ended.cpu_s
    tally.slowest_s = max(tally.slowest_s, ended.cpu_s)
    tally.peak_mib = max(tally.peak_mib, ended.mib)
    if ended.cpu_s > MAX_S or ended.mib > MAX_MIB:
        tally.fail("over", f"{what}: {ended.cpu_s:.0f} s, {ended.mib:.0f} MiB")
    if ended.said == NOTHING:
        tally.counts[NOTHING] += 1
    elif ended.said != DONE or ended.status:
        tally.fail("crashes", f"{what}: {ended.said or 'killed, or no end'} {ended.status}")
    summary = run / "out" / "summary.json"
    if summary.is_file():
        _count(tally, json.loads(summary.read_text(encoding="utf-8")), what)


def _harvest(path: Path, run: Path) -> str:
    """What comes of a harvest, in a word, or its error."""
    try:
        harvest(path, LANGS, run, jobs=1)
    except NothingFound:
        return NOTHING
    except Exception as error:  # noqa: BLE001  a crash is what is looked for
        return repr(error)
    return DONE


def _count(tally: Tally, summary: dict[str, dict[str, int]], what: str) -> None:
    lost = {reason: summary["dropped"][reason] for reason in LOST if summary["dropped"].get(reason)}
    if lost:
        tally.fail("crashes", f"{what}: {lost}")
    tally.counts.update(pairs=sum(summary["pairs"].values()), segments=sum(summary["segments"].values()))
