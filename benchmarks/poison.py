"""How many planted errors the flags find: ``python benchmarks/poison.py RUN_OR_PARQUET [...] [--edits 200]``.

Takes up to 20,000 segments of a finished run without an excluding flag but ``numbers``, one language pair at a time;
changes a digit on one side of some, at most one row in a hundred, and flags them again. Clean rows are all others, rows
included that are wrong on the site itself; rows with the flag never get into a corpus.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diglot.corpus.flags.flagging import flag_segments
from diglot.records import SEGMENT_SCHEMA

ROWS, MOST_SHARE = 20_000, 0.01
HARMLESS = {"numbers", "personal_data", "too_short"}
NUMBER = re.compile(r"(?<![\d.,\w])\d+(?![\d.,\w])")


class Edit(NamedTuple):
    """The target text of a row with one digit changed."""

    row: int
    text: str


def with_other_number(row: int, texts: tuple[str, str], draw: random.Random) -> Edit | None:
    src, tgt = texts
    common = [number for number in NUMBER.finditer(tgt) if number[0] in NUMBER.findall(src)]
    if not common:
        return None
    number = draw.choice(common)
    place = draw.randrange(number.start(), number.end())
    digit = draw.choice([each for each in "123456789" if each != tgt[place]])
    return Edit(row, tgt[:place] + digit + tgt[place + 1 :])


def plant(rows: list[tuple[str, str]], count: int, draw: random.Random) -> list[Edit]:
    """``count`` edits of as many rows, fewer where too few rows have a number on both sides."""
    edits: list[Edit] = []
    for row in draw.sample(range(len(rows)), len(rows)):
        if len(edits) < count and (edit := with_other_number(row, rows[row], draw)):
            edits.append(edit)
    return edits


def segments_of(place: Path) -> pa.Table:
    found = pa.concat_tables(
        map(pq.read_table, [place] if place.is_file() else sorted(place.glob("flagged/*.parquet")))
    )
    good = [set(flags) <= HARMLESS for flags in found["flags"].to_pylist()]
    found = found.filter(pa.array(good)).select(SEGMENT_SCHEMA.names)
    field = SEGMENT_SCHEMA.field("flags")
    return found.set_column(found.schema.get_field_index("flags"), field, pa.array([[]] * len(found), field.type))


def measure(segments: pa.Table, count: int, seed: int) -> str:
    draw = random.Random(seed)
    if len(segments) > ROWS:
        segments = segments.take(sorted(draw.sample(range(len(segments)), ROWS)))
    texts = {side: segments[side].to_pylist() for side in ("src", "tgt")}
    count = min(count, int(MOST_SHARE * len(segments)))
    edits = plant(list(zip(texts["src"], texts["tgt"], strict=True)), count, draw)
    for edit in edits:
        texts["tgt"][edit.row] = edit.text
    for side, column in texts.items():
        segments = segments.set_column(segments.schema.get_field_index(side), SEGMENT_SCHEMA.field(side), [column])
    started = time.process_time()
    flagged = ["numbers" in flags for flags in flag_segments(segments)["flags"].to_pylist()]
    seconds = time.process_time() - started
    hits = sum(flagged[edit.row] for edit in edits)
    clean = [flagged[row] for row in set(range(len(segments))) - {edit.row for edit in edits}]
    return f"{len(segments)}\t{hits}/{len(edits)}\t{mean(clean):.4f}\t{seconds:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("places", nargs="+", type=Path)
    for option, number in (("--edits", 200), ("--seed", 0)):
        parser.add_argument(option, type=int, default=number)
    given = parser.parse_args()
    print("run\tpair\trows\tnumbers found\tclean rows flagged\tseconds")
    for place in given.places:
        found = segments_of(place)
        pairs = pc.binary_join_element_wise(found["src_lang"], found["tgt_lang"], "-")
        for pair in pairs.unique().to_pylist():
            line = measure(found.filter(pc.equal(pairs, pair)), given.edits, given.seed)
            print(f"{place.name}\t{pair}\t{line}", flush=True)


if __name__ == "__main__":
    main()
