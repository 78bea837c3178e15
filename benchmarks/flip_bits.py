"""Flip single bits of the files of a run, and count the flips that are read as other content.

    python benchmarks/flip_bits.py [--flips 300] [--seed 1] [--folder DIR]

The sample is harvested, and one more run of it is cut into tasks. One bit at a time is flipped in each stage file, in
the files that tasks exchange (documents by bucket, domains, plans, outcomes, notes) and in the journal; the bits are
drawn. After each flip the file is read as the program reads it.

Refused: an error. Same: the content is that of before, for example after a flip in the name of the program that wrote
the file. Other: another content without an error; exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from diglot.disk.folder import RunFolder
from diglot.disk.stage_files import read_stage_file
from diglot.disk.store import Store
from diglot.errors import DiglotError
from diglot.harvesting import harvest
from diglot.tasks import Stage
from diglot.tasks.commands import plan_by_options, run_tasks, stage_tasks
from diglot.tasks.plan import read_json

SAMPLE = Path(__file__).resolve().parents[1] / "examples" / "sample" / "pages.warc.gz"
LANGS = "en,de,fr,ja"
Read = Callable[[Path], Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=300, help="a file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the runs go; a temporary folder without it")
    options = parser.parse_args()
    total = Counter[str]()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for path, read in files_of(Path(name)):
            counts = flips_of(path, read, random.Random(f"{options.seed} {path.parent.name}"), options.flips)
            print(f"{path.relative_to(name)}: {told(counts)}", flush=True)
            total += counts
    print(f"all: {told(total)}")
    return 1 if total["other"] else 0


def told(counts: Counter[str]) -> str:
    """Counts in words."""
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in ("refused", "same", "other"))


def files_of(place: Path) -> Iterator[tuple[Path, Read]]:
    """Every file of the runs, with what reads it."""
    run = place / "run"
    harvest(str(SAMPLE), LANGS, run, jobs=1)
    for path in sorted(run.glob("*/*.parquet")):
        yield path, read_stage_file
    with RunFolder(run, create=False) as folder, folder.lock():
        folder.compact()
    for left in run.glob("journal.db-*"):
        left.unlink()
    yield run / "journal.db", read_journal
    store = Store.at(place / "tasks")
    plan_by_options([str(SAMPLE)], LANGS, {}, str(place / "tasks"))
    for stage in Stage:
        run_tasks(store, stage_tasks(store, stage))
    root = place / "tasks"
    for path in sorted(root.glob("*/*.parquet")):
        yield path, lambda each: store.read_table(each.relative_to(root).as_posix())
    for path in sorted(root.rglob("*.json")):
        yield path, lambda each: read_json(store, each.relative_to(root).as_posix())


def read_journal(path: Path) -> list[tuple[Any, ...]]:
    """All rows of the journal, as a command finds them that opens the run."""
    with RunFolder(path.parent, create=False) as folder:
        tables = ("shard", "done", "note", "file")
        return [row for table in tables for row in folder._rows(f"SELECT * FROM {table} ORDER BY 1, 2")]


def flips_of(path: Path, read: Read, draw: random.Random, flips: int) -> Counter[str]:
    """What becomes of flips of bits of a file."""
    content, right, counts = path.read_bytes(), read(path), Counter[str]()
    kept = path.with_name(f".{path.name}.kept")
    shutil.copyfile(path, kept)
    for _ in range(flips):
        bit = draw.randrange(8 * len(content))
        spoilt = bytearray(content)
        spoilt[bit // 8] ^= 1 << bit % 8
        path.write_bytes(spoilt)
        try:
            found = read(path)
        except DiglotError:
            counts["refused"] += 1
        else:
            is_same = found.equals(right) if hasattr(right, "equals") else found == right
            counts["same" if is_same else "other"] += 1
            if not is_same:
                print(f"  bit {bit} of {path.name} is read as other content", flush=True)
    kept.replace(path)
    return counts


if __name__ == "__main__":
    sys.exit(main())
