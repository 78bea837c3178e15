"""Retry in isolation: a process for each site of a failed task, so that a deadly site is lost alone."""

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
from diglot.tasks.sites import SiteResults, merge_results, results_of_lost_sites, work_on_sites

TRIES = 2
STAGES = 5
"""Time limit of a site, as a multiple of the limit in one stage: resolving, pairing, learning, aligning, flagging."""


def work_in_isolation(
    documents: pa.Table, names: SiteNames, settings: Settings, documents_key: str, scratch: Path
) -> SiteResults:
    """As :func:`diglot.tasks.sites.work_on_sites`, with a process for each site.

    Pages of a site that fails :data:`TRIES` times are dropped as ``site_failed``.
    """
    results = []
    for number, site in enumerate(grouped_by_site(documents)):
        folder = scratch / f"{number:05d}"
        folder.mkdir()
        results.append(_work_on_site(site, names, settings, documents_key, folder))
    return merge_results(results)


def _work_on_site(
    site: pa.Table, names: SiteNames, settings: Settings, documents_key: str, folder: Path
) -> SiteResults:
    detail, patience_s = "", STAGES * patience(settings.evidence()) * site_timeout_s(site)
    for number in range(TRIES):
        # Tries share no files: a killed process may have left incomplete ones.
        answer = folder / f"results-{number}"
        arguments = (site, names, settings, documents_key, folder / f"sites-{number}", answer)
        process, pipe = start_child(PRELOAD, partial(_run_body, work_and_pickle))
        with contextlib.suppress(OSError):  # the exit code of a dead process says more
            pipe.send(arguments)
        # The answer is a file: a pipe would have to be read while the process runs, or a large answer would block it.
        process.join(patience_s)
        if process.exitcode == 0:
            results: SiteResults = pickle.loads(answer.read_bytes())
            return results
        detail = f"not done after {patience_s:g} s" if process.is_alive() else cause_of_death(process)
        end_child(process, pipe)
    return results_of_lost_sites(site, detail, names, settings, documents_key, folder / "lost")


def _run_body(work: Callable[..., None], pipe: Connection) -> None:
    """Body of the process: receive the arguments, then work."""
    end_with_program()
    work(*pipe.recv())


def work_and_pickle(
    site: pa.Table, names: SiteNames, settings: Settings, documents_key: str, scratch: Path, answer: Path
) -> None:
    """Work on a site in this process, within the memory limit of the site, and pickle the results to ``answer``."""
    limit_memory(site_memory_bytes(site.num_rows))
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        answer.write_bytes(pickle.dumps(work_on_sites(site, names, settings, documents_key, engine, scratch)))
