"""Attacks on the program at full figures, each resumable and told in one line: ``python -m attack pages``.

They share helpers with the tests, whose folders are put on the import path here.
"""

import sys
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path += [str(folder) for folder in (_TESTS, _TESTS / "crawl", _TESTS / "pages") if str(folder) not in sys.path]
