"""Steps and gates: candidates pass gates in order, are ranked and assigned; a paired page leaves the race."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from diglot.arrays import Column, Mask, Pairs, Ranks, Rows
from diglot.pairing.assignment import dense_ranks
from diglot.pairing.candidates.rules import Blocking, unique_pairs
from diglot.site import Site

Feature = Callable[[Site, Pairs], Column]
Assignment = Callable[[Pairs, Ranks], Mask]

COMPETITION = "competition"
"""Name of the refusal of a pair that passed every gate and lost to a better one."""
DECISION = "probability"
"""Name of the refusal of a pair that passed every gate and was too improbable."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Posterior probability of each survivor of a step, in [0, 1], from a model of them all; NaN where it abstains.

    ``notes``: warnings for people; ``figures``: SVG text by file name, for the run's report.
    """

    probability: Column
    notes: tuple[str, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)


Decide = Callable[[Site, Pairs], Decision]


@dataclass(frozen=True, slots=True)
class Ground:
    """A word or block, what answers to it on the other page ("" where nothing does), and what it adds in bits."""

    src: str
    tgt: str
    bits: float


@dataclass(frozen=True, slots=True)
class Grounds:
    """Words and aligned blocks by weight, those that say yes and those that say no, and the next best pair.

    ``rival``: row of the page that came next for one of the two, -1 where no other was compared; ``of_src``:
    whether it is the source page's. ``lead_bits``: how far the pair is ahead of it in log odds, NaN where the
    pair itself was never compared.
    """

    words_for: tuple[Ground, ...]
    words_against: tuple[Ground, ...]
    blocks: tuple[Ground, ...]
    rival: int
    of_src: bool
    lead_bits: float


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A threshold on one feature; NaN, no evidence, passes."""

    name: str
    feature: Feature
    at_most: float = np.inf
    at_least: float = -np.inf

    def excess(self, values: Column) -> Column:
        """How far each value is beyond the gate; 0 where it passes."""
        over = np.maximum(values - np.float32(self.at_most), np.float32(self.at_least) - values)
        excess: Column = np.maximum(np.nan_to_num(over, nan=0.0, posinf=np.inf, neginf=0.0), 0).astype(np.float32)
        return excess


@dataclass(frozen=True, kw_only=True)
class Step:
    """One method of a recipe.

    ``rank``: smaller is better, later features break ties; ``keep``: gates on the assigned pairs taken
    together, after the assignment; ``score``: in [0, 1]. ``decide`` sees all survivors of the gates at
    once: those below ``min_probability`` are refused, its probability ranks before ``rank`` and stands
    for ``score``. ``evidence``: further features by name, only told; ``evidence_groups``: what they are told
    under together; ``grounds``: what in two pages speaks for and against them.
    """

    method: str
    candidates: tuple[Blocking, ...]
    gates: tuple[Gate, ...] = ()
    rank: tuple[Feature, ...] = ()
    assign: Assignment
    score: Feature | None = None
    decide: Decide | None = None
    min_probability: float = 0.5
    keep: tuple[Gate, ...] = ()
    evidence: Mapping[str, Feature] = field(default_factory=dict)
    evidence_groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    grounds: Callable[[Site, int, int], Grounds] | None = None

    def __post_init__(self) -> None:
        if (self.score is None) == (self.decide is None):
            raise TypeError(f"step {self.method}: needs either score or decide")


@dataclass(frozen=True)
class Scored:
    """Pairs that a cascade accepted, and for pages without a partner their best refused candidate."""

    pairs: Pairs
    accepted: Mask
    score: Column
    method: list[str]
    refused_by: list[str]
    candidates: int
    notes: tuple[str, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    expected_pairs: float = 0.0
    """How many true pairs are among those that compete for their pages, accepted or not: the sum of their
    probabilities. NaN where some step gives scores and no probabilities."""


def run_cascade(site: Site, src: Rows, tgt: Rows, steps: tuple[Step, ...]) -> Scored:
    """Run the steps in order over the pages of two languages; a page paired by one is withdrawn from the next."""
    outcome = _Outcome()
    for step in steps:
        free = ~np.isin(src, outcome.paired[:, 0]), ~np.isin(tgt, outcome.paired[:, 1])
        _run_step(site, src[free[0]], tgt[free[1]], step, outcome)
    return outcome.scored()


class _Refused(NamedTuple):
    """The candidate of a page that came furthest; the score is 0 where only accepted pairs get one."""

    pair: tuple[int, int]
    method: str
    by: str
    score: float


class _Outcome:
    """What has been accepted so far, and the candidate of each page that came furthest."""

    def __init__(self) -> None:
        self.paired: Pairs = np.zeros((0, 2), np.int32)
        self.candidates = 0
        self.notes: list[str] = []
        self.figures: dict[str, str] = {}
        self.expected_pairs = 0.0
        self._accepted: list[tuple[Pairs, Column, str]] = []
        self._refused: dict[int, tuple[tuple[int, float], _Refused]] = {}

    def accept(self, pairs: Pairs, score: Column, method: str) -> None:
        self.paired = np.concatenate([self.paired, pairs])
        self._accepted.append((pairs, score, method))

    def refuse(
        self, pairs: Pairs, badness: Column, stage: int, *, by: str, method: str, score: Column | None = None
    ) -> None:
        """Remember for each page the pair refused latest and, there, by the smallest margin."""
        told = np.zeros(len(pairs), np.float32) if score is None else score
        order = np.lexsort((pairs[:, 1], pairs[:, 0], badness))
        firsts = [order[np.unique(pairs[order, side], return_index=True)[1]] for side in (0, 1)]
        for side, chosen in enumerate(firsts):
            for k in chosen.tolist():
                pair = (int(pairs[k, 0]), int(pairs[k, 1]))
                closeness = (-stage, float(badness[k]))
                known = self._refused.get(pair[side])
                if known is None or closeness < known[0]:
                    self._refused[pair[side]] = (closeness, _Refused(pair, method, by, float(told[k])))

    def scored(self) -> Scored:
        pairs = [part for part, _, _ in self._accepted]
        methods = [method for part, _, method in self._accepted for _ in range(len(part))]
        scores = [score for _, score, _ in self._accepted]
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
            expected_pairs=self.expected_pairs,
        )


def _run_step(site: Site, src: Rows, tgt: Rows, step: Step, outcome: _Outcome) -> None:
    survivors = [np.zeros((0, 2), np.int32)]
    rules = (batch for rule in step.candidates for batch in rule(site, src, tgt))
    for batch in unique_pairs(rules, site):
        outcome.candidates += len(batch)
        survivors.append(_pass_gates(site, batch, step.gates, outcome, method=step.method))
    pairs = np.concatenate(survivors)
    stage = len(step.gates)
    decided = step.decide is not None
    if step.decide is not None:
        step = _decided(site, pairs, step, step.decide, outcome)
        outcome.expected_pairs += _expected_pairs(site, pairs, step)
        pairs = _pass_gates(site, pairs, step.gates, outcome, method=step.method, stage=stage)
        stage += 1
    else:
        outcome.expected_pairs = np.nan
    ranks = _ranks(site, pairs, step)
    accepted = step.assign(pairs, ranks)
    if len(pairs):
        lost = pairs[~accepted]
        score = step.score(site, lost) if decided and step.score is not None else None
        badness = ranks[~accepted].astype(np.float32)
        outcome.refuse(lost, badness, stage, by=COMPETITION, method=step.method, score=score)
    kept = _pass_gates(site, pairs[accepted], step.keep, outcome, method=step.method, stage=stage + 1)
    assert step.score is not None
    outcome.accept(kept, step.score(site, kept), step.method)


def _ranks(site: Site, pairs: Pairs, step: Step) -> Ranks:
    return dense_ranks([feature(site, pairs) for feature in step.rank] or [np.zeros(len(pairs), np.float32)])


def _expected_pairs(site: Site, pairs: Pairs, step: Step) -> float:
    """Sum of the probabilities of the pairs that would be assigned if no probability were too low."""
    assert step.score is not None
    assigned = step.assign(pairs, _ranks(site, pairs, step))
    return float(step.score(site, pairs[assigned]).astype(np.float64).sum())


def _decided(site: Site, pairs: Pairs, step: Step, decide: Decide, outcome: _Outcome) -> Step:
    """The step with what was decided on these pairs as its gate, its first rank and its score."""
    decision = decide(site, pairs)
    outcome.notes += decision.notes
    outcome.figures |= decision.figures
    certainty = np.nan_to_num(decision.probability).astype(np.float32)
    probability = _looked_up(pairs, certainty)
    gate = Gate(name=DECISION, feature=probability, at_least=step.min_probability)
    rank = (_looked_up(pairs, -certainty), *step.rank)
    return replace(step, gates=(gate,), rank=rank, score=probability, decide=None)


def _looked_up(pairs: Pairs, values: Column) -> Feature:
    """What was found for these pairs together, as a feature of any of them."""
    table = dict(zip(map(tuple, pairs.tolist()), values.tolist(), strict=True))
    return lambda _site, some: np.array([table[pair] for pair in map(tuple, some.tolist())], np.float32)


def _pass_gates(
    site: Site, pairs: Pairs, gates: tuple[Gate, ...], outcome: _Outcome, *, method: str, stage: int = 0
) -> Pairs:
    for gate in gates:
        values = gate.feature(site, pairs)
        excess = gate.excess(values)
        refused = excess > 0
        score = values[refused] if gate.name == DECISION else None
        outcome.refuse(pairs[refused], excess[refused], stage, by=gate.name, method=method, score=score)
        pairs = pairs[~refused]
        stage += 1
    return pairs
