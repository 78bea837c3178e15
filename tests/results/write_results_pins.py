"""Write ``results_pins.json`` anew: ``python tests/results/write_results_pins.py``, or ``make pins``."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from made_results_pins import PINS, figures_of_comparison, figures_of_run, figures_of_verdicts

from made_sample import sample_run


def _lines(part: Any) -> str:
    """JSON with one line for each entry of the part."""
    if isinstance(part, dict):
        inside = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in part.items())
        return "{\n" + ",\n".join(inside) + "}"
    return "[\n" + ",\n".join(json.dumps(value, ensure_ascii=False) for value in part) + "]"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copytree(sample_run(), folder / "run")
        found = {
            **figures_of_run(folder / "run"),
            "comparison": figures_of_comparison(),
            "verdicts": figures_of_verdicts(folder / "run", folder),
        }
    parts = ",\n".join(f"{json.dumps(name)}: {_lines(part)}" for name, part in found.items())
    PINS.write_text(f"{{{parts}}}\n", encoding="utf-8")
