"""Report and figures of a finished run."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags import kept_mask
from diglot.outputs.report_tables import report_tables
from diglot.report import REPORT
from diglot.report.figures import count_words
from diglot.report.run_page import write_report
from diglot.report.tables import RunTables
from diglot.results.run import Run
from diglot.review.weighing import BANDS
from diglot.run.bundles import Bundles
from diglot.run.work import PAIRS, SEGMENTS, stage_key


def run_stats(run: Run) -> dict[str, Any]:
    """Pages, languages, language pairs, flags and sites of a run as plain values; reads the run some sites at a time.

    Values of a language pair: page pairs; segments; segments kept, with their words (each character of scripts without
    blanks is a word) and characters; segments without an excluding flag by band of score
    (:data:`diglot.review.weighing.BANDS`). Raises: RunFolderError for an unfinished run.
    """
    summary = run.summary()
    pairs = {f"{src}-{tgt}": _of_pair(run, src, tgt) for src, tgt in run.settings.language_pairs()}
    return {
        "run": run.path.resolve().name,
        "recipe": summary["recipe"],
        "pages": {name: summary[name] for name in ("pages", "used", "dropped")},
        "documents_by_language": summary["documents_by_language"],
        "pairs": {
            name: {
                "page_pairs": summary["pairs"][name],
                "segments": summary["segments"][name],
                "kept": summary["kept"][name],
                **found,
            }
            for name, found in pairs.items()
        },
        "segments": {"segments": sum(summary["segments"].values()), "kept": sum(summary["kept"].values())},
        "left_out": {**summary["left_out"], "below_min_score": summary["below_min_score"]},
        "min_score": summary["min_score"],
        "warned": summary["warned"],
        "sites": summary.get("sites", []),
    }


def _of_pair(run: Run, src_lang: str, tgt_lang: str) -> dict[str, Any]:
    words, characters = np.zeros(2, np.int64), np.zeros(2, np.int64)
    bands = np.zeros(len(BANDS) - 1, np.int64)
    for part in run.each_part(src_lang, tgt_lang):
        kept = part.kept_rows()
        for side, name in enumerate(("src", "tgt")):
            words[side] += count_words(kept[name])
            characters[side] += pc.sum(pc.utf8_length(kept[name])).as_py() or 0
        scores = part.table["score"].to_numpy()[kept_mask(part.table, part.excluded)]
        # 0.9 as a score of single precision belongs to the band that begins with it.
        bands += np.histogram(scores, np.array(BANDS, scores.dtype))[0]
    langs = (src_lang, tgt_lang)
    return {
        "words": dict(zip(langs, words.tolist(), strict=True)),
        "characters": dict(zip(langs, characters.tolist(), strict=True)),
        "scores": {f"{low:g}-{high:g}": n for (low, high), n in zip(pairwise(BANDS), bands.tolist(), strict=True)},
    }


def report_run(out: str | os.PathLike[str], *, explained: int = 0, terms: bool = False) -> Path:
    """Path of the report of a finished run, written if it is missing or needs additions.

    ``explained``: number of page pairs, the least probable first, with words, blocks and runner-up. ``terms``: adds
    the terms of the site, which take some seconds to find.
    """
    run = Run(out)
    path = run.path / REPORT
    if explained or terms or not path.is_file():
        tables = [run.terms(*pair) for pair in run.settings.language_pairs()] if terms else []
        with run.folder.read_lock():
            grounds = run.explainer.grounds_of(explained) if explained else None
            write_report(run_tables(run), path, grounds, pa.concat_tables(tables) if terms else None)
    return path


def run_tables(run: Run) -> RunTables:
    """Tables of the report of a finished run."""
    keys = stage_key(run.folder, PAIRS, "diglot pair"), stage_key(run.folder, SEGMENTS, "diglot align")
    bundles = Bundles(run.folder, run.settings, *keys)
    return report_tables(run.folder.settings(), run.settings, run.summary(), bundles)
