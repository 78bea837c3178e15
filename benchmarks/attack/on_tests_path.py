"""Put the folders of tests whose helpers the attacks share on the import path."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path += [str(folder) for folder in (TESTS, TESTS / "crawl", TESTS / "pages") if str(folder) not in sys.path]
