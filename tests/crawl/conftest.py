"""What several tests of crawls begin with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made_runs import EXPORTS, FEW_EXPORTS, leave_half_a_file, made_run, made_site

from diglot.results.run import open_run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the made site with few exports; not to be changed."""
    return made_run(tmp_path_factory.mktemp("finished") / "run", made_site(), FEW_EXPORTS).path


@pytest.fixture(scope="session")
def whole(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with everything that can be exported; not to be changed."""
    out = Path(shutil.copytree(finished, tmp_path_factory.mktemp("whole") / "run"))
    open_run(out).export(EXPORTS)
    leave_half_a_file(out)
    return out
