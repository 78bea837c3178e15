"""What the judgements of a run come to: errors by score, the share that is right, and scores made to agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags import kept_mask
from diglot.corpus.judged import PARTLY, RIGHT, WRONG, segment_id
from diglot.disk.folder import RunFolder
from diglot.evaluation.recalibration import Recalibration, recalibrate
from diglot.evaluation.sampled_share import SampledShare, Stratum, sampled_share
from diglot.review.draws import DRAWS, populations
from diglot.review.hand_check import BANDS, PARTLY_WRONG, HandCheck, check_by_hand
from diglot.run.bundles import Bundles
from diglot.run.judgements import (
    CHOSEN,
    JUDGEMENTS,
    RECALIBRATE,
    SCORE_MAP,
    TAKEN,
    Judgement,
    read_judgements,
)
from diglot.run.settings import Settings

SHARE_RIGHT = {RIGHT: 1.0, PARTLY: 1 - PARTLY_WRONG, WRONG: 0.0}
"""How much of a segment is right by its verdict; an unsure one says nothing."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the judgements of a run come to.

    ``corrected``, ``verdicts``: how many there are, in all and by verdict; ``missing``: on segments that the run does
    not have now. ``check``: errors by the score that the aligner gave, of those that it keeps, None without any.
    ``right``: share of the segments kept that is right, None where no verdict is on a random one; ``drawn``: whether
    those were drawn, or are only taken for random. ``recalibration``: None where there is nothing to learn from.
    """

    verdicts: Mapping[str, int]
    corrected: int
    missing: int
    check: HandCheck | None
    right: SampledShare | None
    drawn: bool
    recalibration: Recalibration | None
    applied: bool

    def plain(self) -> dict[str, Any]:
        """As values for JSON."""
        return asdict(self) | {"verdicts": dict(self.verdicts)}


def judge_stage(folder: RunFolder, settings: Settings, pairs_key: str, segments_key: str) -> Weighed | None:
    """Weigh the judgements of a run whose segments are flagged, and note the map of scores that they teach, from which
    on segments are read by it; None for a run without judgements."""
    judgements = read_judgements(folder.path)
    weighed = None
    if judgements:
        bundles = Bundles(folder, settings, pairs_key, segments_key, judged=False)
        weighed = weigh(settings, judgements, bundles, folder.recall_all(DRAWS), wants_new_scores(folder))
    if weighed is not None and weighed.applied and weighed.recalibration is not None:
        folder.remember(JUDGEMENTS, SCORE_MAP, asdict(weighed.recalibration.score_map))
    else:
        folder.forget_note(JUDGEMENTS, SCORE_MAP)
    return weighed


def wants_new_scores(folder: RunFolder) -> bool:
    """Whether scores are to be made to agree with verdicts, where that helps."""
    return folder.recall(JUDGEMENTS, RECALIBRATE) is not False


def weigh(
    settings: Settings,
    judgements: Mapping[str, Judgement],
    bundles: Bundles,
    draws: Mapping[str, Any],
    wanted: bool = True,
) -> Weighed:
    """What judgements come to. ``bundles``: the run without them; ``draws``: what was drawn of it to be judged;
    ``wanted``: whether scores are to be made anew, where that helps."""
    segments, is_kept, by_band = _judged_of(settings, judgements, bundles)
    ids = [segment_id(row) for row in segments.to_pylist()]
    score_of = dict(zip(ids, segments["score"].to_pylist(), strict=True))
    kept = [name for name, keep in zip(ids, is_kept, strict=True) if keep]
    told = {name: each.verdict for name, each in judgements.items()}
    check = None
    if any(told[name] in SHARE_RIGHT for name in kept):
        check = check_by_hand(segments.filter(pa.array(is_kept)), told)
    right, drawn = _right(judgements, draws, {name: score_of[name] for name in kept}, by_band)
    recalibration = _recalibration(settings, judgements, score_of)
    return Weighed(
        verdicts=Counter(told.values()),
        corrected=sum(each.is_corrected for each in judgements.values()),
        missing=len(judgements) - len(score_of),
        check=check,
        right=right,
        drawn=drawn,
        recalibration=recalibration,
        applied=wanted and recalibration is not None and recalibration.helps,
    )


def _judged_of(
    settings: Settings, judgements: Mapping[str, Judgement], bundles: Bundles
) -> tuple[pa.Table, np.ndarray[Any, np.dtype[np.bool_]], Counter[int]]:
    """The segments that are judged, which of them are kept without that, and how many are, by band of score."""
    names = ["src_url", "tgt_url", "src", "tgt", "score"]
    urls = pa.array(sorted({each.src_url for each in judgements.values()}), pa.string())
    tables, kept, by_band = [], [np.zeros(0, bool)], Counter[int]()
    for bundle in bundles:
        mask = kept_mask(bundle.segments, settings.excluded(), settings.least_score())
        scores = bundle.segments["score"].to_numpy()[mask]
        by_band.update(_bands_of(scores))
        some = np.flatnonzero(pc.is_in(bundle.segments["src_url"], value_set=urls).to_numpy())
        rows = bundle.segments.select(names).take(pa.array(some))
        mine = np.array([segment_id(row) in judgements for row in rows.to_pylist()], bool)
        tables.append(rows.filter(pa.array(mine)))
        kept.append(mask[some][mine])
    if not tables:
        tables = [pa.table({name: pa.array([], pa.float32() if name == "score" else pa.string()) for name in names})]
    return pa.concat_tables(tables), np.concatenate(kept), by_band


def _right(
    judgements: Mapping[str, Judgement], draws: Mapping[str, Any], score_of: Mapping[str, float], by_band: Counter[int]
) -> tuple[SampledShare | None, bool]:
    """The share of the segments kept that is right, and whether it is known from drawn ones.

    From drawn ones by language pair, each weighing as many segments as it had when they were drawn; else from those
    that are taken for random, by band of score, each weighing as many as it has.
    """
    told = {name: each for name, each in judgements.items() if each.verdict in SHARE_RIGHT}
    drawn = [each for each in told.values() if each.drawn in draws]
    if drawn:
        sizes = populations(draws, [each.drawn for each in drawn])
        pairs = [f"{each.src_lang}-{each.tgt_lang}" for each in drawn]
        of_pair = zip(pairs, (SHARE_RIGHT[each.verdict] for each in drawn), strict=True)
        return sampled_share(_strata(sizes, list(of_pair))), True
    taken = [(name, each) for name, each in told.items() if each.drawn == TAKEN and name in score_of]
    of_band = zip(
        _bands_of([score_of[name] for name, _ in taken]), (SHARE_RIGHT[each.verdict] for _, each in taken), strict=True
    )
    return sampled_share(_strata(by_band, list(of_band))), False


def _bands_of(scores: npt.ArrayLike) -> list[int]:
    """Number of the band of each score, the last one including 1."""
    bands: list[int] = np.clip(np.searchsorted(BANDS, scores, side="right") - 1, 0, len(BANDS) - 2).tolist()
    return bands


def _strata(sizes: Mapping[Any, int], told: list[tuple[Any, float]]) -> list[Stratum]:
    found = []
    for name in sorted({*sizes, *(name for name, _ in told)}):
        shares = [share for part, share in told if part == name]
        found.append(Stratum(sizes.get(name, 0), len(shares), sum(shares)))
    return found


def _recalibration(
    settings: Settings, judgements: Mapping[str, Judgement], score_of: Mapping[str, float]
) -> Recalibration | None:
    """What verdicts on random segments, in the order of their ids, teach of scores that are probabilities."""
    if not settings.scores_are_probabilities():
        return None
    usable = [
        (score_of[name], SHARE_RIGHT[each.verdict])
        for name, each in sorted(judgements.items())
        if each.drawn != CHOSEN and each.verdict in SHARE_RIGHT and name in score_of
    ]
    return recalibrate(*zip(*usable, strict=True)) if usable else None
