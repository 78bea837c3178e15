"""Print the first sentences of a TMX file: ``python examples/first_segments.py FILE.tmx [HOW_MANY]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice

from diglot.corpus.formats.tmx import TmxUnit, read_tmx

ENDS = (".", "!", "?", "。", "！", "？")
MIN_CHARS = 20


def is_sentence(text: str) -> bool:
    """Whether a text is a sentence: titles, labels and words of menus are not."""
    return len(text) >= MIN_CHARS and text.endswith(ENDS)


def sentences_first(path: str) -> Iterator[TmxUnit]:
    """Translation units that are a sentence in every language, in file order, then the others."""
    whole = [all(is_sentence(variant.text) for variant in unit.variants) for unit in read_tmx(path)]
    for wanted in (True, False):
        yield from (unit for unit, is_whole in zip(read_tmx(path), whole, strict=True) if is_whole is wanted)


def main(path: str, how_many: int = 3) -> None:
    """Print the score of each translation unit and its text in every language."""
    for unit in islice(sentences_first(path), how_many):
        print(f"score {unit.props.get('x-score', 'unknown')}")
        for variant in unit.variants:
            print(f"  {variant.lang}  {variant.text}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
