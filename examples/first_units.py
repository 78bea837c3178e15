"""Print the first units of a TMX file: ``python examples/first_units.py FILE.tmx [HOW_MANY]``."""

from __future__ import annotations

import sys
from itertools import islice

from diglot.corpus.formats.tmx import read_tmx


def main(path: str, how_many: int = 3) -> None:
    """Print each unit's score and its text in every language."""
    for unit in islice(read_tmx(path), how_many):
        print(f"score {unit.props.get('x-score', 'unknown')}")
        for variant in unit.variants:
            print(f"  {variant.lang}  {variant.text}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
