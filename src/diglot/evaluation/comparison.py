"""Recipes compared on a site: proposals, agreement, and scores against gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from diglot.evaluation.gold import GoldSet, ProposedPair
from diglot.evaluation.intervals import Interval, grouped_counts, intervals
from diglot.evaluation.pairs import PairEvaluation, evaluate_pairs
from diglot.evaluation.soft_recall import Urls
from diglot.layout import count_text

SHOWN_ALONE = 10
"""Most pairs shown per recipe, of the pairs proposed by this recipe alone."""


@dataclass(frozen=True, slots=True)
class GoldScores:
    """Scores of proposed pairs, and 95% intervals by name of the share (:mod:`diglot.evaluation.intervals`)."""

    evaluation: PairEvaluation
    intervals: dict[str, Interval]
    unknown_addresses: int | None = None
    """Addresses of the gold that the run does not have; None where nobody knows the addresses of the run."""

    @property
    def is_apart(self) -> bool:
        """Whether there are proposals, and no address of theirs is in the gold."""
        pooled = self.evaluation.pooled
        return not pooled.relevant and bool(pooled.proposed or self.evaluation.outside_gold)

    def as_dict(self) -> dict[str, Any]:
        """Pooled scores at the top, then scores by language pair, fit for JSON."""
        return self.evaluation.pooled.as_dict() | {
            "intervals": {name: [round(low, 4), round(high, 4)] for name, (low, high) in self.intervals.items()},
            "dropped_by_one_to_one": self.evaluation.dropped_by_one_to_one,
            "outside_gold": self.evaluation.outside_gold,
            "unknown_addresses": self.unknown_addresses,
            "by_language_pair": {name: scores.as_dict() for name, scores in self.evaluation.by_lang_pair.items()},
        }


def score_proposals(
    proposed: Sequence[ProposedPair],
    gold: GoldSet,
    texts: dict[str, str] | None = None,
    known: Collection[str] | None = None,
) -> GoldScores:
    """Score proposals, best first, with intervals; ``texts``, address to page text, adds soft recall.

    ``known``: all addresses of the run. An address with http and with https is one page.
    """
    of_pairs = {url for pair in proposed for url in (pair.src_url, pair.tgt_url)}
    gold = gold.spelled_like(of_pairs)
    evaluation = evaluate_pairs(proposed, gold.pairs, ignore=gold.ignored, texts=texts)
    unknown = None if known is None else len(gold.spelled_like(known).addresses().difference(known))
    return GoldScores(evaluation, intervals(grouped_counts(gold.pairs, evaluation.judged)), unknown)


@dataclass(frozen=True)
class Contender:
    """Result of one recipe on the site."""

    recipe: str
    signature: str
    pairs: tuple[ProposedPair, ...] = ()
    """Accepted pairs, best first."""
    seconds: float = 0.0
    """Wall time of pairing alone; all recipes read the same documents."""
    abstained: str = ""
    """Reason for not running the recipe, such as a missing resource; "" for a recipe that ran."""
    notes: tuple[str, ...] = ()
    """Warnings of the recipe."""
    gold_scores: GoldScores | None = None

    @cached_property
    def url_pairs(self) -> frozenset[Urls]:
        """The pairs as sets of addresses."""
        return frozenset(frozenset((pair.src_url, pair.tgt_url)) for pair in self.pairs)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Recipes on one reading of a site."""

    sources: tuple[str, ...]
    langs: tuple[str, ...]
    documents: dict[str, int]
    """Number of readable documents by language."""
    contenders: tuple[Contender, ...]
    gold: str = ""
    """Name of the gold; "" without."""
    _recipes_of: Counter[Urls] = field(init=False, repr=False, compare=False)

    @property
    def ran(self) -> list[Contender]:
        """The recipes that did not abstain."""
        return [each for each in self.contenders if not each.abstained]

    def __post_init__(self) -> None:
        proposed = Counter(urls for each in self.contenders for urls in each.url_pairs)
        object.__setattr__(self, "_recipes_of", proposed)

    def __repr__(self) -> str:
        # The fields hold every pair of every recipe.
        recipes = ", ".join(each.recipe for each in self.contenders)
        return f"<comparison of {recipes or 'no recipes'}: {count_text(self.distinct_pairs, 'distinct pair')}>"

    @property
    def distinct_pairs(self) -> int:
        """Pairs that some recipe proposes."""
        return len(self._recipes_of)

    def alone(self, contender: Contender) -> list[ProposedPair]:
        """Pairs proposed by the contender alone, best first."""
        return [p for p in contender.pairs if self._recipes_of[frozenset((p.src_url, p.tgt_url))] == 1]

    def as_dict(self) -> dict[str, Any]:
        """Everything but the pairs, fit for JSON."""
        return {
            "sources": list(self.sources),
            "languages": list(self.langs),
            "documents": self.documents,
            "gold": self.gold,
            "distinct_pairs": self.distinct_pairs,
            "recipes": [self._row(each) for each in self.contenders],
        }

    def _row(self, contender: Contender) -> dict[str, Any]:
        agreements = {other.recipe: agreement(contender, other) for other in self.contenders}
        return {
            "recipe": contender.recipe,
            "signature": contender.signature,
            "abstained": contender.abstained,
            "notes": list(contender.notes),
            "pairs": len(contender.pairs),
            "alone": len(self.alone(contender)),
            "seconds": round(contender.seconds, 2),
            "agreement": {name: None if each is None else round(each, 4) for name, each in agreements.items()},
            "scores": None if contender.gold_scores is None else contender.gold_scores.as_dict(),
        }


def agreement(one: Contender, other: Contender) -> float | None:
    """Jaccard similarity, in [0, 1], of the pairs of two recipes; None where one abstained or both have no pair."""
    either = one.url_pairs | other.url_pairs
    if one.abstained or other.abstained or not either:
        return None
    return len(one.url_pairs & other.url_pairs) / len(either)
