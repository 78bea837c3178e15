"""Weigh the judgements of a run: errors by score, the share of right segments, and a map of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags.keeping import kept_mask
from diglot.corpus.verdicts import PARTLY, RIGHT, UNSURE, WRONG, segment_id
from diglot.disk.folder import RunFolder
from diglot.errors import UsageError
from diglot.evaluation.calibration import BANDS, wilson_interval
from diglot.evaluation.intervals import SampledShare, Stratum, sampled_share
from diglot.evaluation.recalibration import Recalibration, recalibrate
from diglot.layout import count_text
from diglot.review.sheets import DRAWS, populations
from diglot.run.bundles import Bundles
from diglot.run.judgements import (
    CHOSEN,
    JUDGEMENTS,
    RECALIBRATE,
    SCORE_MAP,
    TAKEN,
    TEXT_KEY,
    Judgement,
    RunJudgements,
    TextKey,
    read_judgements,
)
from diglot.run.settings import Settings

PARTLY_WRONG = 0.5
"""Share of a partly right segment that counts as wrong: some of it translates, some has to go."""
SHARE_RIGHT = {RIGHT: 1.0, PARTLY: 1 - PARTLY_WRONG, WRONG: 0.0}
"""Right share of a segment by verdict; an unsure verdict gives no share."""


@dataclass(frozen=True, slots=True)
class ScoreBand:
    """Verdicts on segments with a score in [low, high), the last band including 1.

    ``judged``: number of right, partly right and wrong segments; ``partly`` and ``wrong`` are parts of it.
    """

    low: float
    high: float
    judged: int
    partly: int
    wrong: int

    @property
    def wrong_share(self) -> float:
        """Wrong share in [0, 1]; a partly right segment counts :data:`PARTLY_WRONG`."""
        return (self.wrong + PARTLY_WRONG * self.partly) / self.judged

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of ``wrong_share`` (Wilson 1927)."""
        return wilson_interval(self.wrong_share * self.judged, self.judged)


@dataclass(frozen=True, slots=True)
class HandCheck:
    """Verdicts by band of score.

    ``unsure``, ``open``: numbers of unsure and of empty verdicts. ``foreign``: number of verdicts on segments that the
    run holds and does not keep; ``missing``: on those that it does not hold now.
    """

    bands: tuple[ScoreBand, ...]
    unsure: int
    open: int
    foreign: int
    missing: int = 0

    @property
    def whole(self) -> ScoreBand:
        """All bands as one."""
        counts = (sum(getattr(band, name) for band in self.bands) for name in ("judged", "partly", "wrong"))
        return ScoreBand(BANDS[0], BANDS[-1], *counts)


def check_by_hand(kept: pa.Table, verdicts: Mapping[str, str]) -> HandCheck:
    """Count verdicts, by the id of their segment, in each band of score. ``kept``: segments kept, with their scores.

    Raises :class:`UsageError` where no verdict is on one of these segments.
    """
    columns = kept.select(["src_url", "tgt_url", "src", "tgt", "score"]).to_pylist()
    score_of = {segment_id(row): row["score"] for row in columns}
    known = {name: verdict for name, verdict in verdicts.items() if name in score_of}
    given = Counter(known.values())
    if not any(given[verdict] for verdict in (RIGHT, PARTLY, WRONG)):
        raise UsageError(
            "no line judges a segment that this run keeps; write right, partly or wrong beside some, or draw anew"
        )
    band_of = dict(zip(known, _bands_of([score_of[name] for name in known]), strict=True))
    of_band = Counter((band_of[name], verdict) for name, verdict in known.items())
    bands = []
    for number, (low, high) in enumerate(pairwise(BANDS)):
        right, partly, wrong = (of_band[number, verdict] for verdict in (RIGHT, PARTLY, WRONG))
        bands.append(ScoreBand(low, high, right + partly + wrong, partly, wrong))
    return HandCheck(tuple(bands), unsure=given[UNSURE], open=given[""], foreign=len(verdicts) - len(known))


@dataclass(frozen=True, slots=True)
class Weighing:
    """Result of all judgements of a run.

    ``verdicts``: number of judgements by verdict; ``corrected``: number of corrections; ``missing``: number of
    judgements on texts that the run does not hold now. ``check``: errors by the aligner's score, None where no
    judged segment is kept. ``right``: share of right segments among those kept, None without random verdicts;
    ``drawn``: whether these verdicts are on drawn segments, not on chosen ones that a person calls random. ``skipped``:
    number of the first row of a sheet without a verdict above a row with one, 0 without such a row: verdicts on the
    segments of that sheet are not random.
    ``recalibration``: None without random verdicts, or where scores are no probabilities; ``applied``: whether the run
    uses its map of scores, for the language pairs with such verdicts; ``unjudged``: language pairs of the run without.
    """

    verdicts: Mapping[str, int]
    corrected: int
    missing: int
    check: HandCheck | None
    right: SampledShare | None
    drawn: bool
    skipped: int
    recalibration: Recalibration | None
    applied: bool
    unjudged: Sequence[str]

    def plain(self) -> dict[str, Any]:
        """As values for JSON."""
        return asdict(self) | {"verdicts": dict(self.verdicts)}


def weigh_stage(folder: RunFolder, settings: Settings, pairs_key: str, segments_key: str) -> Weighing | None:
    """Weigh the judgements of a run and store the map of scores for later stages; None without judgements."""
    judgements = read_judgements(folder.path)
    weighing = None
    if judgements:
        bundles = Bundles(folder, settings, pairs_key, segments_key, judged=False)
        weighing = weigh(settings, judgements, bundles, folder.recall_all(DRAWS), wants_new_scores(folder))
    if weighing is not None and weighing.applied and weighing.recalibration is not None:
        folder.remember(JUDGEMENTS, SCORE_MAP, asdict(weighing.recalibration.score_map))
    else:
        folder.forget_note(JUDGEMENTS, SCORE_MAP)
    return weighing


def wants_new_scores(folder: RunFolder) -> bool:
    """Whether the run may use recalibrated scores; True before anybody decides."""
    return folder.recall(JUDGEMENTS, RECALIBRATE) is not False


def weigh(
    settings: Settings,
    judgements: Mapping[str, Judgement],
    bundles: Bundles,
    draws: Mapping[str, Any],
    may_recalibrate: bool = True,
) -> Weighing:
    """Weigh judgements. ``bundles``: the run as cleaned, without judgements; ``draws``: notes of its drawings;
    ``may_recalibrate``: whether new scores are used, if they are better."""
    segments, is_kept, by_band = _judged_segments(settings, judgements, bundles)
    ids = [segment_id(row) for row in segments.to_pylist()]
    score_of = dict(zip(ids, segments["score"].to_pylist(), strict=True))
    kept = [name for name, keep in zip(ids, is_kept, strict=True) if keep]
    verdicts = {name: each.verdict for name, each in judgements.items()}
    missing = _count_missing([each.key for name, each in judgements.items() if name not in score_of], bundles)
    check = None
    if any(verdicts[name] in SHARE_RIGHT for name in kept):
        # The run may hold the texts of a judged segment at another place: its verdict counts as one on text left out.
        check = check_by_hand(segments.filter(pa.array(is_kept)), verdicts)
        check = replace(check, foreign=check.foreign - missing, missing=missing)
    skipped = _skipped_rows(judgements, draws, bundles)
    judgements = {
        name: replace(each, drawn=CHOSEN) if each.drawn in skipped else each for name, each in judgements.items()
    }
    right, drawn = _share_right(judgements, draws, {name: score_of[name] for name in kept}, by_band)
    recalibration = _recalibration(settings, judgements, score_of)
    judged_pairs = RunJudgements(judgements).lang_pairs
    return Weighing(
        verdicts=Counter(verdicts.values()),
        corrected=sum(each.is_corrected for each in judgements.values()),
        missing=missing,
        check=check,
        right=right,
        drawn=drawn,
        skipped=min(skipped.values(), default=0),
        recalibration=recalibration,
        applied=may_recalibrate and recalibration is not None and recalibration.helps,
        unjudged=[f"{src}-{tgt}" for src, tgt in settings.language_pairs() if (src, tgt) not in judged_pairs],
    )


def _judged_segments(
    settings: Settings, judgements: Mapping[str, Judgement], bundles: Bundles
) -> tuple[pa.Table, Mask, Counter[int]]:
    """Judged segments; a mask of those kept without their verdicts; number of all segments kept by band of score."""
    names = ["src_url", "tgt_url", "src", "tgt", "score"]
    urls = pa.array(sorted({each.src_url for each in judgements.values()}), pa.string())
    tables, kept, by_band = [], [np.zeros(0, bool)], Counter[int]()
    for bundle in bundles:
        mask = kept_mask(bundle.segments, settings.excluding_flags(), settings.least_score())
        by_band.update(_bands_of(bundle.segments["score"].to_numpy()[mask]))
        # Ids are hashes of texts: only rows of judged pages are hashed.
        some = np.flatnonzero(pc.is_in(bundle.segments["src_url"], value_set=urls).to_numpy())
        rows = bundle.segments.select(names).take(pa.array(some))
        judged = np.array([segment_id(row) in judgements for row in rows.to_pylist()], bool)
        tables.append(rows.filter(pa.array(judged)))
        kept.append(mask[some][judged])
    if not tables:
        tables = [pa.table({name: pa.array([], pa.float32() if name == "score" else pa.string()) for name in names})]
    return pa.concat_tables(tables), np.concatenate(kept), by_band


def _count_missing(keys: Sequence[TextKey], bundles: Bundles) -> int:
    """Number of ``keys`` that no segment of the run has. Addresses do not count: a page may have moved."""
    sources = pa.array(sorted({src for *_, src, _ in keys}), pa.string())
    held = set[TextKey]()
    for bundle in bundles if keys else ():
        rows = bundle.segments.select(list(TEXT_KEY)).filter(pc.is_in(bundle.segments["src"], value_set=sources))
        held.update(tuple(row[name] for name in TEXT_KEY) for row in rows.to_pylist())
    return sum(key not in held for key in keys)


def missing_notes(missing: int, judged: int) -> list[str]:
    """That ``missing`` of ``judged`` verdicts are on texts that a run does not hold now."""
    if not missing:
        return []
    return [
        f"{missing:,} of {count_text(judged, 'verdict')} are on segments that the run does not hold now; "
        "they hold again if the same texts come back"
    ]


def _skipped_rows(judgements: Mapping[str, Judgement], draws: Mapping[str, Any], bundles: Bundles) -> dict[str, int]:
    """Number of the first row without a verdict, from 1, of each drawing in which a later row has one.

    A person who judges from the top down stops anywhere, and what is judged is random. A person who passes over rows
    chooses: mostly the wrong segments have a verdict then. Segments that the run no longer holds are not passed over.
    """
    drawn = [each for each in judgements.values() if each.drawn in draws]
    # A segment corrected before the drawing was drawn with its corrected texts.
    as_drawn = ({**asdict(each), **dict(zip(("src", "tgt"), each.texts, strict=True))} for each in drawn)
    judged = {each.id for each in drawn} | set(map(segment_id, as_drawn))
    open_rows: dict[str, dict[str, int]] = {}
    for draw in sorted({each.drawn for each in drawn}):
        ids = draws[draw]["ids"]
        last = max((row for row, name in enumerate(ids) if name in judged), default=0)
        open_rows[draw] = {name: row for row, name in enumerate(ids[:last], start=1) if name not in judged}
    wanted = {name for rows in open_rows.values() for name in rows}
    if wanted:
        tables = (bundle.segments.select(["src_url", "tgt_url", "src", "tgt"]) for bundle in bundles)
        wanted &= {
            segment_id(row) for table in tables for batch in table.to_batches(10_000) for row in batch.to_pylist()
        }
    firsts = {draw: [row for name, row in rows.items() if name in wanted] for draw, rows in open_rows.items()}
    return {draw: rows[0] for draw, rows in firsts.items() if rows}


def _share_right(
    judgements: Mapping[str, Judgement], draws: Mapping[str, Any], score_of: Mapping[str, float], by_band: Counter[int]
) -> tuple[SampledShare | None, bool]:
    """Share of right segments among those kept, and whether drawn segments give it.

    Drawn segments are weighted by the size of their language pair at the drawing. Without drawn segments, chosen
    segments that a person calls random are weighted by the present size of their band of score.
    """
    judged = {name: each for name, each in judgements.items() if each.verdict in SHARE_RIGHT}
    drawn = [each for each in judged.values() if each.drawn in draws]
    if drawn:
        sizes = populations(draws, [each.drawn for each in drawn])
        strata = [f"{each.src_lang}-{each.tgt_lang}" for each in drawn]
        return _stratified_share(sizes, strata, drawn), True
    random = [(name, each) for name, each in judged.items() if each.drawn == TAKEN and name in score_of]
    bands = _bands_of([score_of[name] for name, _ in random])
    return _stratified_share(by_band, bands, [each for _, each in random]), False


def _stratified_share(
    sizes: Mapping[Any, int], strata: Sequence[Any], judged: Sequence[Judgement]
) -> SampledShare | None:
    """Weighted share of right segments. ``sizes``: population by stratum; ``strata``: stratum of each judgement."""
    shares: dict[Any, list[float]] = {name: [] for name in sorted({*sizes, *strata})}
    for name, each in zip(strata, judged, strict=True):
        shares[name].append(SHARE_RIGHT[each.verdict])
    return sampled_share([Stratum(sizes.get(name, 0), len(found), sum(found)) for name, found in shares.items()])


def _bands_of(scores: npt.ArrayLike) -> list[int]:
    """Number of the band of each score; a score of 1 is in the last band."""
    bands: list[int] = np.clip(np.searchsorted(BANDS, scores, side="right") - 1, 0, len(BANDS) - 2).tolist()
    return bands


def _recalibration(
    settings: Settings, judgements: Mapping[str, Judgement], score_of: Mapping[str, float]
) -> Recalibration | None:
    """Learn a map of scores from verdicts on random segments; None without any, or if scores are no probabilities."""
    if not settings.scores_are_probabilities():
        return None
    # Cross-validation needs an order that has nothing to do with scores: ids are hashes.
    usable = [
        (score_of[name], SHARE_RIGHT[each.verdict])
        for name, each in sorted(judgements.items())
        if each.drawn != CHOSEN and each.verdict in SHARE_RIGHT and name in score_of
    ]
    return recalibrate(*zip(*usable, strict=True)) if usable else None
