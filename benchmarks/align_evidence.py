"""What evidence adds to the lexical aligner: ``python benchmarks/align_evidence.py FOLDER... -e KIND [-e KIND]``.

Each FOLDER holds src.LANG, tgt.LANG (one sentence a line) and gold.align; their texts are learnt from together. KIND as
in ``diglot align --evidence``; ``planted:SHARE`` gives the true partners of that share of the source sentences that
have one, the rest being without translation. The first line is without evidence. Times are processor time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from diglot.alignment.beads import format_bead
from diglot.evaluation.bead_scores import BeadScores, read_beads, score_beads
from diglot.texts import align_several


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def plant(folders: list[Path], texts: list[tuple[list[str], list[str]]], share: float, file: Path) -> str:
    """A file of translations for some of the source sentences that have a gold bead of their own."""
    draw = random.Random(0)
    rows = []
    for folder, (src, tgt) in zip(folders, texts, strict=True):
        for i, j in read_beads(lines(folder / "gold.align"), "gold"):
            if len(i) == 1 and j and draw.random() < share:
                rows.append(f"{src[i[0]]}\t{' '.join(tgt[n] for n in j)}\n")
    file.write_text("".join(rows), encoding="utf-8")
    return f"translations:{file}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-e", "--evidence", action="append", default=[])
    given = parser.parse_args()
    texts = [(lines(only(folder, "src.*")), lines(only(folder, "tgt.*"))) for folder in given.folders]
    src_lang, tgt_lang = (only(given.folders[0], f"{side}.*").suffix[1:] for side in ("src", "tgt"))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "planted.tsv")
        named = [
            plant(given.folders, texts, float(kind[8:]), file) if kind.startswith("planted:") else kind
            for kind in given.evidence
        ]
        compare(given.folders, texts, (src_lang, tgt_lang), named)


def compare(
    folders: list[Path], texts: list[tuple[list[str], list[str]]], langs: tuple[str, str], named: list[str]
) -> None:
    print("strict F1\tlax F1\tseconds\tevidence")
    nothing: list[str] = []
    for evidence in (nothing, named):
        started = time.process_time()
        found = align_several(texts, *langs, evidence=evidence)
        seconds = time.process_time() - started
        total: BeadScores | None = None
        for folder, beads in zip(folders, found, strict=True):
            gold = read_beads(lines(folder / "gold.align"), "gold")
            scores = score_beads(gold, read_beads(map(format_bead, beads), "found"))
            total = scores if total is None else total + scores
        if total is not None:
            strict, lax = (total.shares(kind)[2] for kind in ("strict", "lax"))
            print(f"{strict:.4f}\t{lax:.4f}\t{seconds:.1f}\t{' '.join(evidence) or '-'}", flush=True)


if __name__ == "__main__":
    main()
