"""How many planted errors the flags find: ``python benchmarks/poison.py RUN_OR_PARQUET [...] [--edits 200]``.

Takes up to 20,000 segments of a finished run that nothing but numbers or names speaks against, one language pair at a
time; changes a digit in one side of some, a name in one side of others, at most one row in a hundred, and flags them
again. A name is a capitalised word (katakana in Japanese) inside a sentence that both sides hold, as it is or
romanised; another name of that side, which neither text holds, takes its place. Clean rows are all others, those
included that are wrong on the site itself; those that ``numbers`` flags never get into a corpus.
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
from anyascii import anyascii
from rapidfuzz.distance import Indel

from diglot.corpus.flags.flagging import flag_segments
from diglot.records import SEGMENT_SCHEMA

ROWS, MOST_SHARE = 20_000, 0.01
FLAGS = ("numbers", "names")
HARMLESS = {*FLAGS, "personal_data", "too_short"}
SAME = 0.7  # Indel similarity of romanised words of two scripts from which they are one name.
WORD = re.compile(r"[^\W\d_]{3,}")
KATAKANA = re.compile("[ァ-ヺー]{3,}")
NUMBER = re.compile(r"(?<![\d.,\w])\d+(?![\d.,\w])")
SENTENCE_START = re.compile(r"(?:^|[.!?:;。…])[\W_]*$")


class Edit(NamedTuple):
    """A text of a row with one number or name changed."""

    kind: str
    row: int
    side: str
    text: str


def names(text: str) -> list[str]:
    """Names of a text in order, without those that begin a sentence."""
    found = [word for word in WORD.finditer(text) if word[0][0].isupper()] + list(KATAKANA.finditer(text))
    return [word[0] for word in found if not SENTENCE_START.search(text[: word.start()])]


def stands_in(name: str, text: str) -> bool:
    """Whether a text holds a name, or a word of another script that sounds like it."""
    if re.search(rf"(?<![^\W\d_]){name}(?![^\W\d_])", text):
        return True
    others = [word for word in WORD.findall(text) + KATAKANA.findall(text) if word.isascii() != name.isascii()]
    return any(Indel.normalized_similarity(anyascii(name), anyascii(word).title()) >= SAME for word in others)


def with_other_number(row: int, texts: tuple[str, str], draw: random.Random) -> Edit | None:
    src, tgt = texts
    common = [number for number in NUMBER.finditer(tgt) if number[0] in NUMBER.findall(src)]
    if not common:
        return None
    number = draw.choice(common)
    place = draw.randrange(number.start(), number.end())
    digit = draw.choice([each for each in "123456789" if each != tgt[place]])
    return Edit("number", row, "tgt", tgt[:place] + digit + tgt[place + 1 :])


def with_other_name(row: int, texts: tuple[str, str], draw: random.Random, pools: list[list[str]]) -> Edit | None:
    side = draw.randrange(2)
    text, other = texts[side], texts[1 - side]
    common = [name for name in names(text) if stands_in(name, other)]
    if not common:
        return None
    name, new = draw.choice(common), draw.choice(pools[side])
    if name.isascii() != new.isascii() or stands_in(new, text) or stands_in(new, other):
        return None
    return Edit("name", row, ("src", "tgt")[side], re.sub(rf"(?<![^\W\d_]){name}(?![^\W\d_])", new, text))


def planted(rows: list[tuple[str, str]], count: int, draw: random.Random) -> list[Edit]:
    """``count`` edits of as many rows, half of them of numbers, fewer where too few rows have what can be changed."""
    pools = [
        sorted({name for row in rows for name in names(row[side]) if stands_in(name, row[1 - side])}) for side in (0, 1)
    ]
    edits: list[Edit] = []
    wanted = {"number": count // 2, "name": count - count // 2}
    for row in draw.sample(range(len(rows)), len(rows)):
        edit = with_other_number(row, rows[row], draw) if wanted["number"] else None
        edit = edit or (with_other_name(row, rows[row], draw, pools) if wanted["name"] else None)
        if edit:
            edits.append(edit)
            wanted[edit.kind] -= 1
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
    edits = planted(list(zip(texts["src"], texts["tgt"], strict=True)), count, draw)
    for edit in edits:
        texts[edit.side][edit.row] = edit.text
    for side, column in texts.items():
        segments = segments.set_column(segments.schema.get_field_index(side), SEGMENT_SCHEMA.field(side), [column])
    started = time.process_time()
    flags = list(map(set, flag_segments(segments)["flags"].to_pylist()))
    seconds = time.process_time() - started
    hits = [(edit.kind, not flags[edit.row].isdisjoint(FLAGS)) for edit in edits]
    of_kind = ([hit for each, hit in hits if each == kind] for kind in ("number", "name"))
    cells = [str(len(segments)), *(f"{sum(found)}/{len(found)}" for found in of_kind)]
    clean = [flags[row] for row in set(range(len(segments))) - {edit.row for edit in edits}]
    cells += [f"{mean(hit for _, hit in hits):.3f}", *(f"{mean(flag in each for each in clean):.4f}" for flag in FLAGS)]
    return "\t".join([*cells, f"{seconds:.1f}"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("places", nargs="+", type=Path)
    for option, number in (("--edits", 200), ("--seed", 0)):
        parser.add_argument(option, type=int, default=number)
    given = parser.parse_args()
    print("run\tpair\trows\tnumbers found\tnames found\tof all\tclean: numbers\tnames\tseconds")
    for place in given.places:
        found = segments_of(place)
        pairs = pc.binary_join_element_wise(found["src_lang"], found["tgt_lang"], "-")
        for pair in pairs.unique().to_pylist():
            line = measure(found.filter(pc.equal(pairs, pair)), given.edits, given.seed)
            print(f"{place.name}\t{pair}\t{line}", flush=True)


if __name__ == "__main__":
    main()
