"""What the tests of Spark share: toy tasks, which other processes import, lie beside the tests of the engines."""

from __future__ import annotations

import sys
from pathlib import Path

ENGINE_TESTS = Path(__file__).parents[1] / "engines"
sys.path.insert(0, str(ENGINE_TESTS))
