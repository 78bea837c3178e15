"""The small site of the tests, lent to the attacks that need a whole one."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
for folder in (TESTS, TESTS / "crawl"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

from made_website import as_lett as write_website  # noqa: E402
from made_website import website  # noqa: E402

__all__ = ["website", "write_website"]
