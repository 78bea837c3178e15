"""Figures of a finished run, from summary and segments."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import Any, TypedDict

import numpy as np
import pyarrow.compute as pc

from diglot.arguments import PathLike
from diglot.checked_arguments import check_arguments
from diglot.corpus.flags.keeping import BELOW_MIN_SCORE, kept_mask
from diglot.corpus.formats.segments import Segments
from diglot.evaluation.calibration import BANDS
from diglot.report.figures import count_words
from diglot.results.run import Run, as_run


class PageStats(TypedDict):
    """Numbers of pages. ``dropped``: by reason."""

    pages: int
    used: int
    dropped: dict[str, int]


class PairStats(TypedDict):
    """Numbers of a language pair.

    ``words``, ``characters``: of the segments kept, by language; each character of scripts without blanks is a word.
    ``scores``: segments without an excluding flag, by band of score (:data:`diglot.evaluation.calibration.BANDS`).
    """

    page_pairs: int
    segments: int
    kept: int
    words: dict[str, int]
    characters: dict[str, int]
    scores: dict[str, int]


class SegmentStats(TypedDict):
    """Numbers of segments of all language pairs."""

    segments: int
    kept: int


class Stats(TypedDict):
    """Numbers of a run. ``pairs``: by language pair (``en-fr``); ``left_out``, ``warned``: segments by flag."""

    run: str
    recipe: str
    pages: PageStats
    documents_by_language: dict[str, int]
    pairs: dict[str, PairStats]
    segments: SegmentStats
    left_out: dict[str, int]
    min_score: float
    warned: dict[str, int]
    sites: list[dict[str, Any]]


@check_arguments
def stats(run: PathLike) -> Stats:
    """Numbers of a finished run: pages, languages, language pairs, flags and sites; reads the run some sites at a time.

    Raises: RunFolderError for an unfinished run.
    """
    opened = as_run(run)
    summary = opened.summary()
    return {
        "run": opened.path.resolve().name,
        "recipe": summary["recipe"],
        "pages": {"pages": summary["pages"], "used": summary["used"], "dropped": summary["dropped"]},
        "documents_by_language": summary["documents_by_language"],
        "pairs": _of_pairs(opened),
        "segments": {"segments": sum(summary["segments"].values()), "kept": sum(summary["kept"].values())},
        "left_out": {**summary["left_out"], BELOW_MIN_SCORE: summary["below_min_score"]},
        "min_score": summary["min_score"],
        "warned": summary["warned"],
        "sites": summary.get("sites", []),
    }


def _of_pairs(run: Run) -> dict[str, PairStats]:
    """Numbers of every language pair of a run, by name (``en-fr``)."""
    summary, parts = run.summary(), run.each_part(*run.settings.language_pairs())
    return {
        f"{src}-{tgt}": _of_pair(summary, (src, tgt), own)
        for (src, tgt), own in groupby(parts, key=lambda part: (part.src_lang, part.tgt_lang))
    }


def _of_pair(summary: dict[str, Any], langs: tuple[str, str], parts: Iterable[Segments]) -> PairStats:
    name = "-".join(langs)
    words, characters = np.zeros(2, np.int64), np.zeros(2, np.int64)
    bands = np.zeros(len(BANDS) - 1, np.int64)
    for part in parts:
        kept = part.kept_rows()
        for side, column in enumerate(("src", "tgt")):
            words[side] += int(count_words(kept[column]).sum())
            characters[side] += pc.sum(pc.utf8_length(kept[column])).as_py() or 0
        scores = part.table["score"].to_numpy()[kept_mask(part.table, part.excluded)]
        # 0.9 as a score of single precision belongs to the band that begins with it.
        bands += np.histogram(scores, np.array(BANDS, scores.dtype))[0]
    return {
        "page_pairs": summary["pairs"][name],
        "segments": summary["segments"][name],
        "kept": summary["kept"][name],
        "words": dict(zip(langs, words.tolist(), strict=True)),
        "characters": dict(zip(langs, characters.tolist(), strict=True)),
        "scores": {f"{low:g}-{high:g}": n for (low, high), n in zip(pairwise(BANDS), bands.tolist(), strict=True)},
    }
