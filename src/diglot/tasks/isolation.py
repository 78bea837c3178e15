"""Sites of a task that ended without a word, tried one by one: one that takes its process along is lost alone."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pyarrow as pa

from diglot.engines.children import cause_of_death, end_child, end_with_program, limit_memory, start_child
from diglot.engines.pool import LocalEngine
from diglot.run.align import patience
from diglot.run.settings import Settings
from diglot.run.shards import site_memory_bytes, site_timeout_s
from diglot.run.work import PRELOAD
from diglot.site import SiteNames, grouped_by_site
from diglot.tasks.sites import Made, lost_sites, together, work_on

TRIES = 2
STAGES = 5
"""Times as long as in one stage that a site may take here: it is settled, paired, learnt from, aligned and flagged."""


def work_site_by_site(
    documents: pa.Table, names: SiteNames, settings: Settings, documents_key: str, scratch: Path
) -> Made:
    """As :func:`diglot.tasks.sites.work_on`, each site in a process of its own; the pages of one that fails twice are
    dropped as ``site_failed``."""
    made = []
    for number, site in enumerate(grouped_by_site(documents)):
        folder = scratch / f"{number:05d}"
        folder.mkdir()
        made.append(_work_apart(site, names, settings, documents_key, folder))
    return together(made)


def _work_apart(site: pa.Table, names: SiteNames, settings: Settings, documents_key: str, folder: Path) -> Made:
    detail, patience_s = "", STAGES * patience(settings.evidence()) * site_timeout_s(site)
    for number in range(TRIES):
        answer = folder / f"made-{number}"
        asked = (site, names, settings, documents_key, folder / f"sites-{number}", answer)
        process, pipe = start_child(PRELOAD, partial(_do, work_and_keep))
        with contextlib.suppress(OSError):  # of one that is dead its end tells
            pipe.send(asked)
        process.join(patience_s)
        if process.exitcode == 0:
            made: Made = pickle.loads(answer.read_bytes())
            return made
        detail = f"not done after {patience_s:g} s" if process.is_alive() else cause_of_death(process)
        end_child(process, pipe)
    return lost_sites(site, detail, names, settings, documents_key, folder / "lost")


def _do(work: Callable[..., None], pipe: Connection) -> None:
    """Body of the process: the work on what it is sent."""
    end_with_program()
    work(*pipe.recv())


def work_and_keep(
    site: pa.Table, names: SiteNames, settings: Settings, documents_key: str, scratch: Path, answer: Path
) -> None:
    """Work on a site in this process, which has so much memory as a site may have, and pickle what is made."""
    limit_memory(site_memory_bytes(site.num_rows))
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        answer.write_bytes(pickle.dumps(work_on(site, names, settings, documents_key, engine, scratch)))
