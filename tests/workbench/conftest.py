"""A workbench with a finished run, and a browser for its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette.testclient")
from starlette.testclient import TestClient

from diglot.errors import UsageError
from diglot.workbench import processes, search_page
from diglot.workbench.bench import Bench
from report.conftest import browser as browser
from workbench.made_bench import client_of, made_bench, put_run


@pytest.fixture(scope="session", autouse=True)
def without_indexes() -> Iterator[None]:
    """No indexes for the search over all sites: each is made by a program of its own, a second for every workbench."""

    async def fail(*_: object) -> str:
        raise UsageError("Not here.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_page, "work_on_run", fail)
        yield


@pytest.fixture
def with_indexes(without_indexes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes as they are made for people."""
    monkeypatch.setattr(search_page, "work_on_run", processes.work_on_run)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the run lies that tests copy."""
    return tmp_path_factory.mktemp("finished")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return made_bench(tmp_path / "home")


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    with client_of(bench) as client:
        yield client


@pytest.fixture
def run(base: Path, bench: Bench) -> Path:
    """A finished run, named ``town``."""
    return put_run(base, bench.shelf.path, "town")
