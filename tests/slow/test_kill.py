"""Harvests killed in every stage and repeated give the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def killed(*words: str, state: Path) -> str:
    command = [sys.executable, "-m", "attack", "kills", "--rounds", "28", "--state", str(state), *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(BENCHMARKS), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_killed_harvests_of_a_made_site(tmp_path: Path) -> None:
    assert "28 rounds, 0 crashes, 0 wrong" in killed(state=tmp_path)


@pytest.mark.slow
@pytest.mark.skipif("DIGLOT_DATA" not in os.environ, reason="DIGLOT_DATA names no folder of evaluation sites")
def test_killed_harvests_of_a_real_site(tmp_path: Path) -> None:
    source = Path(os.environ["DIGLOT_DATA"], "real", "tuxpaint", "pages.warc.gz")
    assert "28 rounds, 0 crashes, 0 wrong" in killed("--corpus", str(source), state=tmp_path)
