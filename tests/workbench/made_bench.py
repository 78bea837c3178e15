"""A workbench for tests: its application in this process, and a browser that was let in."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from diglot.harvesting import harvest
from diglot.workbench.app import make_app
from diglot.workbench.bench import Bench
from diglot.workbench.concordance import Concordance
from diglot.workbench.guard import Keys
from diglot.workbench.jobs import Jobs
from diglot.workbench.planning import Plans
from diglot.workbench.server import _bind
from diglot.workbench.shelf import Shelf
from diglot.workbench.verdicts import Verdicts
from made_sites import lett_site

HOST = "127.0.0.1:8000"
ORIGIN = {"origin": f"http://{HOST}"}
NEVER_S = 1e6
"""Verdicts are taken only when a download asks for them."""


def made_bench(folder: Path, **changes: Any) -> Bench:
    shelf = Shelf(folder)
    parts: dict[str, Any] = {"jobs": Jobs(shelf), "verdicts": Verdicts(shelf, NEVER_S), "plans": Plans()}
    parts["concordance"] = Concordance(shelf.own("words"))
    return Bench(shelf=shelf, **{**parts, **changes})


@contextmanager
def client_of(bench: Bench, *, enter: bool = True) -> Iterator[TestClient]:
    """A browser; with ``enter`` it has opened the first address."""
    keys = Keys(HOST)
    with TestClient(make_app(bench, keys), base_url=f"http://{HOST}", headers=ORIGIN) as client:
        client.keys = keys  # type: ignore[attr-defined]
        if enter:
            assert client.get(keys.address).status_code == 200
        yield client


@contextmanager
def served_bench(bench: Bench) -> Iterator[str]:
    """The first address of a workbench in this process, for a browser."""
    uvicorn = pytest.importorskip("uvicorn")
    bound = _bind(0)
    keys = Keys(f"127.0.0.1:{bound.getsockname()[1]}")
    server = uvicorn.Server(uvicorn.Config(make_app(bench, keys), log_config=None, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.02)
        yield keys.address
    finally:
        # Also after a failed test: the tests would never end, as Python waits for the thread.
        server.should_exit = True
        thread.join()
        bound.close()


@cache
def finished_run(base: Path) -> Path:
    """A small finished run, made once."""
    (base / "site.lett").write_bytes(lett_site("bench.example", range(4)))
    harvest(base / "site.lett", "en,fr", base / "run", jobs=1)
    return base / "run"


def put_run(base: Path, folder: Path, name: str) -> Path:
    """A copy of the finished run in the folder of a workbench."""
    shutil.copytree(finished_run(base), folder / name)
    return folder / name
