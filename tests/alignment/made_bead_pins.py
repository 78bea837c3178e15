"""Pinned beads: what the aligners make of every page pair of the sample, and of made texts."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa

from diglot.alignment.beads import Bead
from diglot.alignment.gale_church import align_lengths
from diglot.alignment.lexical import align_texts
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.segments import DOCUMENT_COLUMNS, align_table
from diglot.alignment.site_model import align_with, learn_model
from diglot.alignment.tags import DocumentView, align_documents
from diglot.arrays import Floats, Ints
from diglot.disk.folder import RunFolder
from diglot.documents.html.tags import end_code, start_code
from diglot.documents.language import readable
from diglot.records import SEGMENT_SCHEMA
from diglot.run.align import locate_pairs, with_page_columns
from diglot.run.resolve import load_documents
from diglot.run.settings import make_settings
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import DOCUMENTS, PAIRS, SEGMENTS, stage_key
from made_sample import LANGS, sample_run

SAMPLE_TABLE = Path(__file__).with_name("sample_beads.tsv")
MADE_TABLE = Path(__file__).with_name("made_beads.tsv")
HOST = "https://httpd.apache.org/docs/2.4/"
SCORED_PAGES = ("en/ssl/ssl_intro.html", "en/howto/index.html", "en/mpm.html", "de/bind.html")
"""Source pages of the sample whose scores are pinned bead by bead; of other pages their mean is."""


@dataclass(frozen=True)
class Pin:
    """Beads of a text: runs of equal ones, "12*1-1 2-1", and the score of each, or the mean score."""

    aligner: str
    text: str
    kinds: str
    scores: tuple[float, ...]


def pin(aligner: str, text: str, beads: Sequence[tuple[str, float]], *, each: bool = True) -> Pin:
    """Beads, by kind and score, as a pin; ``each``: with the score of every bead."""
    runs = [(kind, len(list(same))) for kind, same in groupby(kind for kind, _ in beads)]
    kinds = " ".join(f"{count}*{kind}" if count > 1 else kind for kind, count in runs)
    scores = [score for _, score in beads]
    return Pin(aligner, text, kinds, tuple(scores) if each else (float(np.mean(scores)),))


@cache
def sample_pins() -> list[Pin]:
    """All page pairs of the sample, by every aligner."""
    with RunFolder(sample_run()) as opened:
        segments = opened.read(SEGMENTS, stage_key(opened, SEGMENTS, "diglot align"), SEGMENT_SCHEMA)
        documents = readable(load_documents(opened, make_settings(LANGS), stage_key(opened, DOCUMENTS, "diglot read")))
        pairs = with_page_columns(
            locate_pairs(load_pairs(opened, stage_key(opened, PAIRS, "diglot pair"), min_prob=0.0), documents),
            documents,
            DOCUMENT_COLUMNS,
        )
    tables = {
        "lexical": segments,
        "tags": align_table(pairs, aligner="tags"),
        "gale_church": align_table(pairs, aligner="gale_church"),
    }
    return [own for aligner, table in tables.items() for own in _page_pins(aligner, table)]


def _page_pins(aligner: str, segments: pa.Table) -> Iterator[Pin]:
    rows = sorted(segments.to_pylist(), key=lambda row: (row["src_url"], row["tgt_url"], row["position"]))
    for (src, tgt), own in groupby(rows, key=lambda row: (row["src_url"], row["tgt_url"])):
        pages = [url.removeprefix(HOST) for url in (src, tgt)]
        beads = [(row["bead"], row["score"]) for row in own]
        yield pin(aligner, " ".join(pages), beads, each=aligner == "lexical" and pages[0] in SCORED_PAGES)


WORDS = [first + second for first in ("bal", "kor", "min", "tes", "vur") for second in ("adan", "ipo", "unel", "esk")]
FOREIGN = [
    first + second for first in ("zho", "xig", "quy", "jaf", "wex") for second in ("obra", "ithe", "umma", "yll")
]


def made_text(count: int, seed: int) -> tuple[list[str], list[str]]:
    """Sentences of invented words, and each in other invented words, some numbers, names and marks in common."""
    draw = random.Random(seed)
    sides: tuple[list[str], list[str]] = ([], [])
    for _ in range(count):
        row = [draw.randrange(len(WORDS)) for _ in range(draw.randint(2, 14))]
        extra = draw.choice(["", "", f" {draw.randint(1, 99)}", " Marlowe", ", 12.500", " (x)"])
        end = draw.choice([".", ".", "?", "!"])
        for side, words in zip(sides, (WORDS, FOREIGN), strict=True):
            kept = [words[w] for w in row if draw.random() < 0.9] or [words[row[0]]]
            side.append(" ".join(kept) + extra + end)
    return sides


def edited_text(count: int, seed: int) -> ParallelText:
    """A made text, sentences of both sides joined or missing, in blocks of several kinds with a link here and there."""
    draw = random.Random(seed)
    made = zip(*made_text(count, seed), strict=True)
    sides: tuple[list[str], list[str]] = ([], [])
    opens: tuple[list[int], list[int]] = ([], [])
    kinds: tuple[list[int], list[int]] = ([], [])
    links: tuple[list[str], list[str]] = ([], [])
    kind = 0
    for number, texts in enumerate(made):
        begins = number == 0 or draw.random() < 0.3
        kind = draw.randrange(4) if begins else kind
        link = f"p{number}" if begins and draw.random() < 0.3 else ""
        for side, text in enumerate(texts):
            chance = draw.random()
            if chance < 0.08:
                continue
            if chance < 0.2 and not begins and sides[side]:
                sides[side][-1] += f" {text}"
                continue
            sides[side].append(text)
            opens[side].append(int(begins))
            kinds[side].append(kind)
            links[side].append(link)
    whole = ([0] * len(links[0]), [0] * len(links[1]))
    return ParallelText(*sides, opens, kinds, fold=seed, links=links, whole_links=whole)


def with_similarity(text: ParallelText) -> ParallelText:
    """The text with evidence from outside: how near a bead lies to the diagonal, and noise."""
    noise = np.random.default_rng(1).normal(0, 0.1, (len(text.src) + 1, len(text.tgt) + 1))

    def similarity(beads: Ints) -> Floats:
        off = beads[:, 0] / len(text.src) - beads[:, 2] / len(text.tgt)
        values: Floats = np.exp(-((off * 40) ** 2)) + noise[beads[:, 0], beads[:, 2]]
        return values

    return replace(text, evidence=[similarity])


def with_gap(count: int, seed: int, side: int, gap: range) -> ParallelText:
    """A made text; one side lacks a passage."""
    texts = made_text(count, seed)
    del texts[side][gap.start : gap.stop]
    return ParallelText(*texts)


def made_page(seed: int, size: int) -> DocumentView:
    """A page of tags and texts."""
    draw = random.Random(seed)
    tokens: list[int] = []
    chunks: list[str] = []
    for _ in range(size):
        chance = draw.random()
        if chance < 0.5:
            chunks.append("x" * draw.randint(1, 120))
            tokens.append(len(chunks[-1]))
        else:
            name = draw.choice(["p", "div", "b", "i", "img", "a", "li", "h1", "br"])
            tokens.append(start_code(name) if chance < 0.8 else end_code(name))
    ends = np.arange(1, len(chunks) + 1)
    return DocumentView(np.array(tokens, np.int32), chunks, ends.astype(np.int32), np.zeros(len(ends), np.int8))


def made_pins() -> list[Pin]:
    """Made texts by every aligner."""
    pins = [_bead_pin("lexical", name, beads) for name, beads in _lexical_cases()]
    for seed in range(3):
        draw = random.Random(seed)
        src = [draw.randint(5, 150) for _ in range(40)]
        tgt = [max(1, round(length * 1.2 + draw.gauss(0, 8))) for length in src]
        del tgt[10 : 12 + seed]
        tgt[20:22] = [tgt[20] + tgt[21]]
        kinds = ([draw.randrange(2) for _ in src], [draw.randrange(2) for _ in tgt]) if seed else None
        pins.append(_bead_pin("gale_church", f"lengths {seed}", align_lengths(src, tgt, kinds=kinds)))
        page, edited = made_page(seed, 60), made_page(seed, 60)
        edited = DocumentView(
            edited.tokens[:45], edited.chunk_texts[: int((edited.tokens[:45] >= 0).sum())], *_cut(edited)
        )
        pins.append(_bead_pin("tags", f"page {seed}", align_documents(page, edited)))
        pins.append(_bead_pin("tags", f"other pages {seed}", align_documents(page, made_page(seed + 10, 50))))
    return pins


def _cut(view: DocumentView) -> tuple[np.ndarray, np.ndarray]:
    chunks = int((view.tokens[:45] >= 0).sum())
    return view.block_ends[:chunks], view.block_kinds[:chunks]


def _lexical_cases() -> Iterator[tuple[str, list[Bead]]]:
    for seed in (1, 2):
        yield f"alone {seed}", align_texts([edited_text(70, seed)])[0]
    for number, beads in enumerate(align_texts([edited_text(30 + seed, seed) for seed in range(10, 14)])):
        yield f"together {number}", beads
    yield "with evidence", align_texts([with_similarity(edited_text(60, 5))])[0]
    yield "without a passage", align_texts([with_gap(300, 6, 1, range(90, 190))])[0]
    yield "without a passage of the source", align_texts([with_gap(300, 7, 0, range(90, 190))])[0]
    pages = [edited_text(12, seed) for seed in range(20, 32)]
    model = learn_model(pages)
    for number, page in enumerate(pages[:3]):
        yield f"page of a site {number}", align_with(model, page)
    yield "page that the site does not have", align_with(model, edited_text(25, 40))
    yield "long page", align_with(model, with_gap(200, 41, 1, range(40, 110)))
    seen = [with_similarity(page) for page in pages]
    yield "page with evidence", align_with(learn_model(seen), seen[4])


def _bead_pin(aligner: str, name: str, beads: Iterable[Bead]) -> Pin:
    return pin(aligner, name, [(bead.kind, bead.score) for bead in beads])


def read_pins(path: Path) -> list[Pin]:
    """A table of pins as it is."""
    with path.open(encoding="utf-8", newline="") as handle:
        return [
            Pin(row["aligner"], row["text"], row["kinds"], tuple(map(float, row["scores"].split())))
            for row in csv.DictReader(handle, delimiter="\t")
        ]


def write_pins(path: Path, pins: Iterable[Pin]) -> None:
    """A table of pins anew, scores with three digits."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter="\t", lineterminator="\n")
        writer.writerow(["aligner", "text", "kinds", "scores"])
        for own in pins:
            writer.writerow([own.aligner, own.text, own.kinds, " ".join(f"{score:.3f}" for score in own.scores)])


if __name__ == "__main__":
    write_pins(SAMPLE_TABLE, sample_pins())
    write_pins(MADE_TABLE, made_pins())
