"""`diglot harvest --engine spark` writes what a harvest on this machine does, and goes on where it was."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from clusters import LOCAL_CLUSTER, SETTINGS

from diglot.engines.spark import Spark
from diglot.errors import UsageError
from diglot.harvesting import harvest
from diglot.tasks.work import lost_outcome
from two_sites import outputs, sites, write_mixed


@pytest.mark.slow
def test_a_harvest_has_the_same_bytes_on_spark_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.harvesting.spark_executor", lambda master: Spark(master, lost_outcome, SETTINGS))
    monkeypatch.setattr("diglot.tasks.in_run.BUNDLE_PAGES", 10)
    archives = write_mixed(tmp_path / "mixed", sites(), files=3)
    here = harvest(archives, "en,fr", tmp_path / "here", jobs=1)
    there = harvest(archives, "en,fr", tmp_path / "there", engine="spark", master=LOCAL_CLUSTER)
    assert outputs(there.path) == outputs(here.path)
    made = {path.name: path.stat().st_mtime_ns for path in (there.path / "flagged").iterdir()}
    assert len(made) == 2
    harvest(archives, "en,fr", tmp_path / "there", engine="spark", master=LOCAL_CLUSTER)
    assert {path.name: path.stat().st_mtime_ns for path in (there.path / "flagged").iterdir()} == made


def test_spark_without_a_master_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="engine spark needs a master"):
        harvest(sys.executable, "en,fr", tmp_path / "run", engine="spark")
    assert not (tmp_path / "run").exists()
