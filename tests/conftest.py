"""Settings of all tests; being here, it also puts this folder on the import path: any may import ``made_documents``."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Set before numpy is loaded, as the next import does. Threads of OpenBLAS wait by spinning: beside other processes of
# the tests on the same cores, a fit of two numbers costs three times the processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from made_object_store import BUCKET, CREDENTIALS, object_store

# A busy machine is no failure: neither an example nor its making has a time limit. CI tries the same examples each
# time, so that it fails for a change of the code alone.
settings.register_profile(
    "diglot", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("diglot")

HERE = Path(__file__).parent
SLOW_FILES = (
    "attacks/test_attacks.py",
    "attacks/test_update_attack.py",
    "crawl/test_browser.py",
    "crawl/test_crawl_counting.py",
    "crawl/test_crawl_runs.py",
    "crawl/test_forgetting.py",
    "crawl/test_forgetting_variants.py",
    "crawl/test_hostile_loopback.py",
    "crawl/test_other_languages.py",
    "crawl/test_scripted_crawl.py",
    "crawl/test_updating.py",
    "engines/test_bare_system.py",
    "engines/test_processes.py",
    "engines/test_spark_is_missing.py",
    "forgetting/test_archives_and_merges.py",
    "outputs/test_outputs_of_the_sample.py",
    "pages/test_warc_damage.py",
    "pairing/fused/test_new_column.py",
    "report/test_judging_in_report.py",
    "survey/test_survey.py",
    "tasks/test_tasks.py",
    "test_docs.py",
    "test_interrupts.py",
    "test_light_starts.py",
    "test_merging.py",
    "test_notebook.py",
    "trust/test_no_sockets.py",
    "trust/test_odd_command_lines.py",
    "trust/test_odd_files.py",
    "trust/test_streams.py",
    "workbench/test_first_way.py",
    "workbench/test_jobs.py",
    "workbench/test_work.py",
)
"""Files that take long, or that wait more than they work."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """No garbage is looked for while tests are collected, nor later among what was collected: a quarter of the time of
    the collection, in every process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow files come first: one of them at the end would run alone, while the other processes have nothing to do."""
    slow = {HERE / name for name in SLOW_FILES}
    assert all(path.is_file() for path in slow), "a file in SLOW_FILES is gone"
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def shared_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder for runs that are made once: that of the session, above those of its processes."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-runs"
    shared.mkdir(exist_ok=True)
    os.environ["DIGLOT_SHARED_RUNS"] = str(shared)  # read by made_sample, which is too slow to import for every test


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Programs started by the test obey an interrupt also where pytest was told to ignore it, as a shell tells what it
    runs in the background: what is ignored stays so in a program that is started, what is handled does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """What stands behind the names of the buckets of an S3 on loopback; skipped where none is installed."""
    with object_store() as server:
        yield server


@pytest.fixture
def s3_shelf(s3_server: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty place in that S3, with credentials in the environment."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{tmp_path_factory.mktemp('shelf').name}{s3_server}"
