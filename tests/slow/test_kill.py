"""A harvest killed at twenty random moments and repeated gives the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from made_website import as_lett

KILL = Path(__file__).parents[2] / "benchmarks" / "kill.py"


def repeated(*words: str) -> str:
    done = subprocess.run([sys.executable, str(KILL), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_killed_harvests_of_a_made_site(tmp_path: Path) -> None:
    source = as_lett(tmp_path / "site.lett")
    assert repeated(str(source), "-l", "en,fr,de") == "20 of 20 repeated runs are the same to the byte"


@pytest.mark.slow
@pytest.mark.skipif("DIGLOT_DATA" not in os.environ, reason="DIGLOT_DATA names no folder of evaluation sites")
def test_killed_harvests_of_a_real_site() -> None:
    source = Path(os.environ["DIGLOT_DATA"]) / "lilypond" / "pages.warc.gz"
    assert repeated(str(source), "-l", "en,fr,de") == "20 of 20 repeated runs are the same to the byte"
