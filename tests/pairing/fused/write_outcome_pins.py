"""Write ``outcome_pins.json`` anew: ``python tests/pairing/fused/write_outcome_pins.py``, or ``make pins``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from made_outcomes import figures_now

    rounded = {name: round(value, 6) for name, value in figures_now().items()}
    Path(__file__).with_name("outcome_pins.json").write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
