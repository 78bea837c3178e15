"""Write ``recipe_pins.tsv`` anew: ``python tests/recipes/write_recipe_pins.py``, or ``make pins``."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from made_recipe_pins import PINNED, pins_of, write_pins

if __name__ == "__main__":
    write_pins([pin for name in PINNED for pin in pins_of(name)])
