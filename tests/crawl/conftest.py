"""What several tests of crawls begin with."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import made_run, made_site


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the made site with everything that can be exported; not to be changed."""
    out = tmp_path_factory.mktemp("whole") / "run"
    made_run(out, made_site())
    return out
