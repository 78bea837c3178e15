"""Steps and gates: candidates pass gates in order, are ranked and assigned; a paired page leaves the race."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from diglot.arrays import Column, Ints, Mask, Pairs, Ranks, Rows
from diglot.errors import RecipeError
from diglot.layout import count_text
from diglot.pairing.assignment import dense_ranks, greedy
from diglot.pairing.candidates import Blocking, unique_pairs
from diglot.site import Feature, Site

Assignment = Callable[[Pairs, Ranks], Mask]
Missing = Literal["passes", "fails"]

COMPETITION = "competition"
"""Reason of a pair that passed every gate and lost to a better pair."""
IMPROBABLE = "probability"
"""Reason of a pair that passed every gate and was too improbable."""
_ROUNDING = 1e-5
"""Distance from [0, 1] that rounding of float32 may give to a score."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The verdict of a model on all candidates together.

    ``pairs``: the candidates (n, 2), each once; ``probability`` (n,): posterior, in [0, 1], NaN where the model
    abstains; ``evidence``: columns (n,) by name, for explanation only; ``notes``: warnings for people; ``figures``: SVG
    text by file name, for the run's report; ``missed``: expected number of true pairs that the probabilities do not
    count, such as those missed by ties.
    """

    pairs: Pairs
    probability: Column
    evidence: Mapping[str, Column] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    missed: float = 0.0

    def places(self, site: Site, pairs: Pairs) -> Ints:
        """Index of the pairs among the candidates, (m,); -1 outside."""
        known, asked = site.pair_keys(self.pairs), site.pair_keys(pairs)
        order = np.argsort(known, kind="stable")
        found = np.minimum(np.searchsorted(known[order], asked), max(len(known) - 1, 0))
        return np.where(known[order[found]] == asked, order[found], -1) if len(known) else np.full(len(asked), -1)

    def evidence_of(self, site: Site, pairs: Pairs) -> dict[str, Column]:
        """The evidence of pairs by name, NaN outside of the candidates."""
        places = self.places(site, pairs)
        return {name: np.append(column, np.float32(np.nan))[places] for name, column in self.evidence.items()}

    def probability_of(self, site: Site, pairs: Pairs) -> Column:
        """The probability of pairs, NaN outside of the candidates."""
        # Index -1, outside of the candidates, reads the NaN at the end.
        probability: Column = np.append(self.probability, np.float32(np.nan))[self.places(site, pairs)]
        return probability


@dataclass(frozen=True, slots=True)
class Contribution:
    """A word or block, its translation on the partner page ("" without any), and their evidence in bits."""

    src: str
    tgt: str
    bits: float


@dataclass(frozen=True, slots=True)
class Contributions:
    """The words and aligned blocks for and against a pair, by weight, and the next best pair.

    ``rival``: row of the best rival of either page, -1 without any; ``of_src``: whether the rival competes for the
    source page. ``lead_bits``: lead over the rival in log odds, NaN for a pair that is no candidate.
    """

    words_for: tuple[Contribution, ...]
    words_against: tuple[Contribution, ...]
    blocks: tuple[Contribution, ...]
    rival: int
    of_src: bool
    lead_bits: float


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A threshold on one feature.

    ``missing``: whether a pair without evidence (NaN) passes or fails. The recipe decides: a filter against bad pairs
    lets such a pair pass, a demand for good evidence does not. Raises :class:`RecipeError` for an invalid gate.
    """

    name: str
    feature: Feature
    missing: Missing
    at_most: float | None = None
    at_least: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.feature):
            raise RecipeError(f"gate {self.name!r}: feature {_name(self.feature)} is no function of a site and pairs")
        if self.missing not in get_args(Missing):
            raise RecipeError(f"gate {self.name!r}: missing={self.missing!r} is none of {', '.join(get_args(Missing))}")
        if self.at_most is None and self.at_least is None:
            raise RecipeError(f"gate {self.name!r}: without at_most and at_least no value fails; give it a limit")
        low, high = self._limits()
        if not low <= high:
            raise RecipeError(f"gate {self.name!r}: no value passes, at_least {low:g} and at_most {high:g}")

    def _limits(self) -> tuple[float, float]:
        return (
            -np.inf if self.at_least is None else self.at_least,
            np.inf if self.at_most is None else self.at_most,
        )

    def excess(self, values: Column) -> Column:
        """Distance of the values from the gate: 0 for a pass, infinite where missing evidence fails."""
        # Limits in float32, as the values: a value equal to the limit must pass.
        low, high = map(np.float32, self._limits())
        over = np.maximum(values - high, low - values)
        absent = 0.0 if self.missing == "passes" else np.inf
        excess: Column = np.maximum(np.nan_to_num(over, nan=absent, posinf=np.inf, neginf=0.0), 0).astype(np.float32)
        return excess

    def demand(self) -> str:
        """The limits as text, ``>= 0.5`` or ``>= 0.2 and <= 0.8``."""
        limits = ((">=", self.at_least), ("<=", self.at_most))
        return " and ".join(f"{sign} {limit:g}" for sign, limit in limits if limit is not None)


@dataclass(frozen=True, kw_only=True)
class GatedStep:
    """A method of a recipe that decides on each candidate by itself.

    ``gates``: limits that a candidate must pass, in order; ``rank``: smaller is better, later features break ties;
    ``assign``: choice among the ranked; ``score``: of the chosen, in [0, 1]; ``keep``: gates on the chosen pairs
    together, after the assignment. Raises :class:`RecipeError`, which names the step, for parts of the wrong kind.
    """

    method: str
    candidates: tuple[Blocking, ...]
    gates: tuple[Gate, ...] = ()
    rank: tuple[Feature, ...] = ()
    assign: Assignment
    score: Feature
    keep: tuple[Gate, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or not self.method:
            raise RecipeError(f"step {self.method!r}: method is no name; it stands in the row of each pair")
        for name in ("candidates", "gates", "rank", "keep"):
            parts = getattr(self, name)
            if not isinstance(parts, tuple):
                raise RecipeError(f"step {self.method!r}: {name}: {_name(parts)} is no tuple; (x,) is a tuple of one")
            kind = "gate" if name in ("gates", "keep") else "function"
            for part in parts:
                if not (isinstance(part, Gate) if kind == "gate" else callable(part)):
                    raise RecipeError(f"step {self.method!r}: {name}: {_name(part)} is no {kind}")
        if not self.candidates:
            raise RecipeError(f"step {self.method!r}: candidates: without a blocking rule there are no pairs")
        for name in ("assign", "score"):
            if not callable(getattr(self, name)):
                raise RecipeError(f"step {self.method!r}: {name}: {_name(getattr(self, name))} is no function")


@dataclass(frozen=True, kw_only=True)
class JudgedStep:
    """A method of a recipe that decides on all candidates of two languages together.

    ``judge``: site and the free rows of both languages -> candidates, probabilities and evidence. Pairs below
    ``min_probability`` are refused; the others are accepted from the most probable on, each page once. ``rank``:
    features that decide between equally probable pairs, smaller is better. ``evidence_groups``: columns of evidence by
    the name that `why` shows for their sum; ``explain``: the contributions of two pages' words and blocks.
    ``is_calibrated``: whether the probabilities were calibrated on labelled pairs. Only then do they estimate how many
    pairs there are.
    """

    method: str
    judge: Callable[[Site, Rows, Rows], Judged]
    min_probability: float
    rank: tuple[Feature, ...] = ()
    evidence_groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    explain: Callable[[Site, int, int], Contributions] | None = None
    is_calibrated: bool = True


Step = GatedStep | JudgedStep


@dataclass(frozen=True)
class Scored:
    """Accepted pairs of a cascade, and the best refused candidate of every page without a partner.

    ``judged``: verdicts of the methods with a model of all candidates. ``expected_pairs``: expected number of true
    pairs: the sum of probabilities in the 1-1 assignment, accepted or not, and the missed pairs of the methods; NaN for
    a step of scores, or of probabilities that are not calibrated.
    """

    pairs: Pairs
    accepted: Mask
    score: Column
    method: list[str]
    refused_by: list[str]
    candidates: int
    notes: tuple[str, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    judged: Mapping[str, Judged] = field(default_factory=dict)
    expected_pairs: float = 0.0


def run_cascade(site: Site, src: Rows, tgt: Rows, steps: tuple[Step, ...]) -> Scored:
    """Run the steps in order over the pages of two languages; pages paired in one step do not enter the next."""
    race = _Race()
    for step in steps:
        free = ~np.isin(src, race.paired[:, 0]), ~np.isin(tgt, race.paired[:, 1])
        left = src[free[0]], tgt[free[1]]
        if isinstance(step, JudgedStep):
            _run_judged(site, *left, step, race)
        else:
            _run_gated(site, *left, step, race)
    return race.result()


class _Refused(NamedTuple):
    """The furthest candidate of a page; the score is 0 where only accepted pairs get one."""

    pair: tuple[int, int]
    method: str
    by: str
    score: float


class _Race:
    """The pairs accepted so far, and the furthest candidates of the pages."""

    def __init__(self) -> None:
        self.paired: Pairs = np.zeros((0, 2), np.int32)
        self.candidates = 0
        self.notes: list[str] = []
        self.figures: dict[str, str] = {}
        self.judged: dict[str, Judged] = {}
        self.expected_pairs = 0.0
        self._accepted: list[tuple[Pairs, Column, str]] = []
        self._refused: dict[int, tuple[tuple[int, float, int, int], _Refused]] = {}

    def accept(self, pairs: Pairs, score: Column, method: str) -> None:
        self.paired = np.concatenate([self.paired, pairs])
        self._accepted.append((pairs, score, method))

    def refuse(
        self, pairs: Pairs, badness: Column, stage: int, *, by: str, method: str, score: Column | None = None
    ) -> None:
        """Remember for each page the pair refused at the latest stage and, there, by the smallest margin."""
        scores = np.zeros(len(pairs), np.float32) if score is None else score
        # Ties go to the lower rows, so that the choice does not depend on the order of candidates and of batches.
        order = np.lexsort((pairs[:, 1], pairs[:, 0], badness))
        firsts = [order[np.unique(pairs[order, side], return_index=True)[1]] for side in (0, 1)]
        for side, chosen in enumerate(firsts):
            for k in chosen.tolist():
                pair = (int(pairs[k, 0]), int(pairs[k, 1]))
                # Least for the furthest: a late stage, then a small margin.
                distance = (-stage, float(badness[k]), *pair)
                known = self._refused.get(pair[side])
                if known is None or distance < known[0]:
                    self._refused[pair[side]] = (distance, _Refused(pair, method, by, float(scores[k])))

    def result(self) -> Scored:
        pairs = [part for part, _, _ in self._accepted]
        methods = [method for part, _, method in self._accepted for _ in range(len(part))]
        scores = [score for _, score, _ in self._accepted]
        # A page refused in an early step may have found its partner in a later step.
        done = set(self.paired.ravel().tolist())
        refused = sorted({best for page, (_, best) in self._refused.items() if page not in done})
        all_pairs = np.concatenate([*pairs, np.array([best.pair for best in refused], np.int32).reshape(-1, 2)])
        accepted = np.arange(len(all_pairs)) < len(methods)
        return Scored(
            pairs=all_pairs,
            accepted=accepted,
            score=np.concatenate([*scores, np.array([best.score for best in refused], np.float32)]),
            method=[*methods, *(best.method for best in refused)],
            refused_by=[*[""] * len(methods), *(best.by for best in refused)],
            candidates=self.candidates,
            notes=tuple(self.notes),
            figures=self.figures,
            judged=self.judged,
            expected_pairs=self.expected_pairs,
        )


def _run_gated(site: Site, src: Rows, tgt: Rows, step: GatedStep, race: _Race) -> None:
    survivors = [np.zeros((0, 2), np.int32)]
    where = f"step {step.method!r}"
    rules = (batch for rule in step.candidates for batch in _batches_of(rule, site, src, tgt, where))
    # A pair of two rules passes the gates once: features cost more than the comparison of keys.
    for batch in unique_pairs(rules, site):
        race.candidates += len(batch)
        survivors.append(_pass_gates(site, batch, step.gates, race, method=step.method))
    # Scores of gates are no probabilities and cannot be summed.
    race.expected_pairs = np.nan
    pairs, stage = np.concatenate(survivors), len(step.gates)
    ranks = _ranks_of(site, pairs, step.rank or (_no_rank,), where)
    accepted = step.assign(pairs, ranks)
    require_column(accepted, len(pairs), f"{where}: assign", "b")
    _require_one_to_one(pairs[accepted], f"{where}: assign")
    race.refuse(pairs[~accepted], ranks[~accepted].astype(np.float32), stage, by=COMPETITION, method=step.method)
    kept = _pass_gates(site, pairs[accepted], step.keep, race, method=step.method, stage=stage + 1)
    score = step.score(site, kept)
    _require_scores(score, len(kept), where)
    if unscored := int(np.isnan(score).sum()):
        race.notes.append(f"{where}: {count_text(unscored, 'pair')} left out: no number as score (NaN)")
    race.accept(kept, score, step.method)


def _run_judged(site: Site, src: Rows, tgt: Rows, step: JudgedStep, race: _Race) -> None:
    judged, where = step.judge(site, src, tgt), f"step {step.method!r}"
    _require_scores(judged.probability, len(judged.pairs), where)
    # Where the model abstains (NaN), a pair counts as the least probable.
    pairs, certainty = judged.pairs, np.nan_to_num(judged.probability).astype(np.float32)
    race.judged[step.method] = judged
    race.candidates += len(pairs)
    race.notes += judged.notes
    race.figures |= judged.figures
    ranks = _ranks_of(site, pairs, (lambda _site, _pairs: -certainty, *step.rank), where)
    assigned, shortfall = greedy(pairs, ranks), np.float32(step.min_probability) - certainty
    # In float64, because a float32 sum over many pairs loses the small probabilities.
    expected = float(certainty[assigned].astype(np.float64).sum()) + judged.missed
    race.expected_pairs += expected if step.is_calibrated else np.nan
    doubtful = shortfall > 0
    race.refuse(pairs[doubtful], shortfall[doubtful], 0, by=IMPROBABLE, method=step.method, score=certainty[doubtful])
    lost = ~doubtful & ~assigned
    race.refuse(
        pairs[lost], ranks[lost].astype(np.float32), 1, by=COMPETITION, method=step.method, score=certainty[lost]
    )
    accepted = assigned & ~doubtful
    race.accept(pairs[accepted], certainty[accepted], step.method)


def _pass_gates(
    site: Site, pairs: Pairs, gates: tuple[Gate, ...], race: _Race, *, method: str, stage: int = 0
) -> Pairs:
    for gate in gates:
        values = gate.feature(site, pairs)
        require_column(values, len(pairs), f"step {method!r}: gate {gate.name!r}")
        excess = gate.excess(values)
        refused = excess > 0
        race.refuse(pairs[refused], excess[refused], stage, by=gate.name, method=method)
        pairs = pairs[~refused]
        stage += 1
    return pairs


def _no_rank(_site: Site, pairs: Pairs) -> Column:
    return np.zeros(len(pairs), np.float32)


def _ranks_of(site: Site, pairs: Pairs, features: tuple[Feature, ...], where: str) -> Ranks:
    columns = [feature(site, pairs) for feature in features]
    for column in columns:
        require_column(column, len(pairs), f"{where}: rank")
    return dense_ranks(columns)


# -- what the functions of a recipe give ----------------------------------------------------------


def _name(part: object) -> str:
    """Name of a part of a recipe for messages: without an address in memory, which differs between processes."""
    return str(getattr(part, "__name__", f"a {type(part).__name__}"))


def require_column(values: object, rows: int, where: str, kinds: str = "fiub") -> None:
    """Raise :class:`RecipeError` for values that are no array of shape (rows,) with a dtype of these kinds."""
    if not isinstance(values, np.ndarray):
        raise RecipeError(f"{where}: gives {_name(values)}; an array with a value for each pair is needed")
    if values.shape != (rows,) or values.dtype.kind not in kinds:
        found = f"an array of shape {values.shape} and type {values.dtype}"
        raise RecipeError(f"{where}: gives {found} for {rows} pairs; a value for each pair is needed")


def _batches_of(rule: Blocking, site: Site, src: Rows, tgt: Rows, where: str) -> Iterator[Pairs]:
    """The batches of a blocking rule; :class:`RecipeError` for anything but arrays of the given rows, source first."""
    batches = rule(site, src, tgt)
    where = f"{where}: candidates: {_name(getattr(rule, 'func', rule))}"
    if not isinstance(batches, Iterable):
        raise RecipeError(f"{where}: gives {_name(batches)}; batches of pairs are needed")
    for batch in batches:
        if not isinstance(batch, np.ndarray) or batch.ndim != 2 or batch.shape[1] != 2 or batch.dtype.kind not in "iu":
            raise RecipeError(f"{where}: gives {_name(batch)}; int32 arrays of rows, (n, 2), are needed")
        foreign = batch[~(np.isin(batch[:, 0], src) & np.isin(batch[:, 1], tgt))]
        if len(foreign):
            raise RecipeError(
                f"{where}: gives the rows {foreign[0].tolist()}; one of the given source pages and one of the given "
                "target pages are needed"
            )
        yield batch


def _require_one_to_one(pairs: Pairs, where: str) -> None:
    """Raise :class:`RecipeError` if a page is in several of the pairs."""
    for side in (0, 1):
        if extra := len(pairs) - len(np.unique(pairs[:, side])):
            count = count_text(extra, "pair")
            raise RecipeError(
                f"{where}: {count} too many: a page is in one pair at most; see diglot.pairing.assignment"
            )


def _require_scores(scores: object, rows: int, where: str) -> None:
    """Raise :class:`RecipeError` for anything but a column of scores; NaN passes."""
    require_column(scores, rows, f"{where}: score")
    values = np.asarray(scores)
    outside = values[(values < -_ROUNDING) | (values > 1 + _ROUNDING)]
    if len(outside):
        count = count_text(len(outside), "pair")
        raise RecipeError(f"{where}: the score of {count} is outside [0, 1], as in {outside[0]:g}")
