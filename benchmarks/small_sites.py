"""What small sites lose: page pairs of runs cut into sites of a few each, aligned and flagged by what these teach.

    python benchmarks/small_sites.py RUN... --langs en-fr [--sizes 3,10,30] [--models own,others] [--gold FILE]
        [--rows FOLDER]

A run is a finished one of a single site. Page pairs are as the whole site gave them; so are the links between its
pages. ``own`` is a model of each part alone, ``others`` that of the other runs named. Gold (document, language, English
text, translation) is of the first run. With ``--rows`` all rows are written there, to be read and compared.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.segments import segments_table
from diglot.alignment.site_model import (
    MAX_MODEL_SENTENCES,
    PAGE_COLUMNS,
    SENTENCE_COLUMNS,
    SiteModel,
    learn_model,
    page_segments,
    split_table,
)
from diglot.alignment.site_model import _text_pair as text_pair
from diglot.corpus.flags import EXCLUDED, MIN_SCORE, REPEATS
from diglot.corpus.flags.context import Cleaning
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.keeping import clean
from diglot.evaluation.segments import evaluate_segments, read_pivot_segments
from diglot.records import of_languages
from diglot.results.run import Run
from diglot.run.align import locate_pairs, partners_of, with_page_columns, with_paired_links
from diglot.run.resolve import load_documents
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import DOCUMENTS, PAIRS, stage_key

DIRT = EXCLUDED - {*REPEATS, "series", "unaligned"}
"""Flags of a row that should not be kept, whatever other rows there are."""
HEADER = (
    *("site", "pairs", "model", "part", "rows", "kept", "recall", "precision", "f1"),
    *("kept_recall", "kept_precision", "kept_f1", "rows_as_whole", "kept_as_whole", "dirt", "dirt_share", "flags"),
)
KEY = ("src_url", "tgt_url", "src", "tgt")

Learner = Callable[[Sequence[ParallelText]], SiteModel]


class Paired(NamedTuple):
    """Page pairs of a site in one language pair with their sentences beside them, and the same as texts."""

    name: str
    rows: list[dict[str, Any]]
    texts: list[ParallelText]


def main() -> None:
    arguments = parse_arguments()
    langs = tuple(arguments.langs.split("-", 1))
    sites = [read_paired(path, *langs) for path in arguments.runs]
    gold = list(read_pivot_segments(arguments.gold, *langs)) if arguments.gold else []
    site, others = sites[0], sites[1:]
    learners = {name: learner_of(name, others) for name in arguments.models}
    whole = flagged_parts(site, len(site.rows), learn_model, arguments.seed)
    print(*HEADER, sep="\t")
    report(site, "own", 0, whole, whole, gold)
    keep_rows(arguments.rows, site, "own", 0, whole)
    for size in arguments.sizes:
        for name in arguments.models:
            found = flagged_parts(site, size, learners[name], arguments.seed)
            report(site, name, size, found, whole, gold)
            keep_rows(arguments.rows, site, name, size, found)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--langs", required=True)
    parser.add_argument("--sizes", type=lambda text: list(map(int, text.split(","))), default=[3, 10, 30])
    parser.add_argument("--models", type=lambda text: text.split(","), default=["own"])
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=Path)
    return parser.parse_args()


def read_paired(path: Path, src_lang: str, tgt_lang: str) -> Paired:
    """The accepted page pairs of a run in one language pair."""
    run = Run(path)
    documents = load_documents(run.folder, run.settings, stage_key(run.folder, DOCUMENTS, "diglot read"))
    pairs = load_pairs(run.folder, stage_key(run.folder, PAIRS, "diglot pair"), min_prob=run.settings.min_prob)
    pairs = of_languages(pairs, src_lang, tgt_lang).sort_by([("src_url", "ascending"), ("tgt_url", "ascending")])
    used = pa.array(sorted({*pairs["src_url"].to_pylist(), *pairs["tgt_url"].to_pylist()}), pa.string())
    pages = split_table(documents.filter(pc.is_in(documents["url"], used)).select(["url", "lang", *PAGE_COLUMNS]))
    table = with_paired_links(
        with_page_columns(locate_pairs(pairs, pages), pages, SENTENCE_COLUMNS), partners_of(pairs)
    )
    rows = table.to_pylist()
    return Paired(path.name, rows, list(map(text_pair, rows)))


def learner_of(name: str, others: Sequence[Paired]) -> Learner:
    """``own``, or ``others``, after a colon the sentences of other sites that are learnt from."""
    kind, _, sentences = name.partition(":")
    if kind == "own":
        return learn_model
    of_others = learn_model(joined_texts(others, int(sentences or MAX_MODEL_SENTENCES)))
    return lambda _: of_others


def joined_texts(others: Sequence[Paired], sentences: int) -> list[ParallelText]:
    """Page pairs of several sites, of each evenly spaced ones with about its share of the sentences."""
    return [text for site in others for text in sample(site.texts, sentences // len(others))]


def sample(texts: Sequence[ParallelText], most: int = MAX_MODEL_SENTENCES) -> list[ParallelText]:
    return list(texts[:: max(1, -(-sum(len(text.src) for text in texts) // most))])


def parts(count: int, size: int, seed: int) -> Iterator[list[int]]:
    """Numbers of page pairs, drawn at random, ``size`` together; a last part that is smaller joins the one before."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    cuts = [*range(0, max(1, count - size + 1), size), count]
    return (sorted(order[start:end]) for start, end in pairwise(cuts))


def flagged_parts(site: Paired, size: int, learner: Learner, seed: int) -> pa.Table:
    """Segments of all parts, each aligned and flagged by itself."""
    tables = []
    for part in parts(len(site.rows), size, seed):
        model = learner(sample([site.texts[n] for n in part]))
        segments = segments_table((site.rows[n], page_segments(site.texts[n], model)) for n in part)
        tables.append(flag_segments(segments, Cleaning(min_score=MIN_SCORE)))
    return pa.concat_tables(tables)


def report(site: Paired, model: str, size: int, found: pa.Table, whole: pa.Table, gold: list[tuple[str, str]]) -> None:
    kept = clean(found, EXCLUDED, MIN_SCORE)
    both = found.filter(pc.and_(pc.greater(found["src"], ""), pc.greater(found["tgt"], "")))
    score, score_kept = (evaluate_segments(pairs_of(table), gold) for table in (both, kept))
    flags_of = dict(zip(keys(whole), whole["flags"].to_pylist(), strict=True))
    dirty = [set(flags_of.get(key, ())) & DIRT for key in keys(kept)]
    flags = Counter(flag for found_flags in dirty for flag in found_flags)
    dirt = sum(map(bool, dirty))
    kept_whole = clean(whole, EXCLUDED, MIN_SCORE)
    cells = (
        site.name, len(site.rows), model, size or "all", both.num_rows, kept.num_rows,
        *(f"{value:.4f}" for of in (score, score_kept) for value in (of.exact_recall, of.precision, of.f1)),
        f"{overlap(found, whole):.4f}", f"{overlap(kept, kept_whole):.4f}", dirt, f"{dirt / max(1, kept.num_rows):.4f}",
        ", ".join(f"{flag} {n}" for flag, n in sorted(flags.items())),
    )  # fmt: skip
    print(*cells, sep="\t", flush=True)


def overlap(found: pa.Table, whole: pa.Table) -> float:
    """F1 of the rows with text on both sides against those of the whole site."""
    one, other = ({key for key in keys(table) if key[2] and key[3]} for table in (found, whole))
    return 2 * len(one & other) / max(1, len(one) + len(other))


def pairs_of(table: pa.Table) -> Iterator[tuple[str, str]]:
    return zip(table["src"].to_pylist(), table["tgt"].to_pylist(), strict=True)


def keys(table: pa.Table) -> list[tuple[str, ...]]:
    return list(zip(*(table[name].to_pylist() for name in KEY), strict=True))


def keep_rows(folder: Path | None, site: Paired, model: str, size: int, found: pa.Table) -> None:
    if folder:
        folder.mkdir(exist_ok=True)
        langs = f"{site.rows[0]['src_lang']}-{site.rows[0]['tgt_lang']}"
        pq.write_table(found, folder / f"{site.name}.{langs}.{model}.{size}.parquet")


if __name__ == "__main__":
    main()
