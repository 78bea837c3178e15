"""Figures of a finished run, from summary and segments."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow.compute as pc

from diglot.corpus.flags import kept_mask
from diglot.report.figures import count_words
from diglot.results.run import Run
from diglot.review.weighing import BANDS


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
