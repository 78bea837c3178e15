"""Page pairs against gold: precision, recall and F1 as in WMT16, with strict and soft variants."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from diglot.evaluation.calibration import Bin, calibration_error, reliability_bins
from diglot.evaluation.gold import GoldPair, ProposedPair, fold_tag
from diglot.evaluation.soft_recall import Urls, soft_found
from diglot.languages import LangPair


@dataclass(frozen=True)
class PairScores:
    """Counts, which add up over language pairs, and shares in [0, 1]."""

    gold: int
    proposed: int
    """Proposed pairs, after the one-to-one rule and without ignored pairs."""
    relevant: int
    """Proposed pairs with a page in the gold of the language pair."""
    found: int
    """Proposed pairs in the gold."""
    soft_found: int | None = None
    """Gold pairs found if near-equal pages count as equal; None without texts."""
    bins: tuple[Bin, ...] = ()
    """Reliability table; () for proposals without probabilities."""

    @property
    def recall(self) -> float:
        """Share of gold pairs found."""
        return share(self.found, self.gold)

    @property
    def precision(self) -> float:
        """Right share of the relevant proposals; as in WMT16, a pair of two orphans costs nothing."""
        return share(self.found, self.relevant)

    @property
    def strict_precision(self) -> float:
        """Right share of all proposals; a pair of two orphans is an error."""
        return share(self.found, self.proposed)

    @property
    def f1(self) -> float:
        """Of recall and precision."""
        return harmonic(self.recall, self.precision)

    @property
    def strict_f1(self) -> float:
        """Of recall and strict precision."""
        return harmonic(self.recall, self.strict_precision)

    @property
    def soft_recall(self) -> float | None:
        """Recall if a page within 5% edit distance of the gold page counts as the gold page."""
        return None if self.soft_found is None else share(self.soft_found, self.gold)

    @property
    def calibration_error(self) -> float | None:
        """Expected calibration error over the proposals of strict precision."""
        error = calibration_error(self.bins)
        return None if math.isnan(error) else error

    def as_dict(self) -> dict[str, Any]:
        """Everything, shares rounded to four decimals, fit for JSON."""
        counts = ("gold", "proposed", "relevant", "found", "soft_found")
        shares = (
            "recall",
            "precision",
            "strict_precision",
            "f1",
            "strict_f1",
            "soft_recall",
            "calibration_error",
        )
        table = [
            {
                "low": each.low,
                "high": each.high,
                "predictions": each.predictions,
                "mean_probability": round(each.mean_probability, 4),
                "share_right": round(each.share_right, 4),
                "interval": [round(bound, 4) for bound in each.interval],
            }
            for each in self.bins
            if each.predictions
        ]
        rounded = {name: _round(getattr(self, name)) for name in shares}
        return {name: getattr(self, name) for name in counts} | rounded | {"reliability": table}


class ScoredProposal(NamedTuple):
    """A counted proposal, and whether the gold holds a page (``relevant``) or the pair (``right``)."""

    src_url: str
    tgt_url: str
    probability: float
    relevant: bool
    right: bool

    @property
    def urls(self) -> Urls:
        """The two addresses, without order."""
        return frozenset((self.src_url, self.tgt_url))


@dataclass(frozen=True)
class PairEvaluation:
    """Scores of a list of proposed pairs."""

    pooled: PairScores
    by_lang_pair: dict[str, PairScores]
    """By "LANG-LANG", the two in alphabetic order, lower case."""
    dropped_by_one_to_one: int
    outside_gold: int
    """Proposals that belong to no language pair of the gold; not counted at all."""
    judged: tuple[ScoredProposal, ...] = ()
    """The proposals of strict precision, by language pair."""


@dataclass(frozen=True, slots=True)
class _Gold:
    """The gold, indexed."""

    lang_pair_of: dict[Urls, LangPair]
    lang_of: dict[str, str]
    ignored: frozenset[Urls]
    lang_pairs: tuple[LangPair, ...]


def evaluate_pairs(
    proposed: Iterable[ProposedPair],
    gold: Iterable[GoldPair],
    *,
    ignore: Iterable[GoldPair] = (),
    texts: Mapping[str, str] | None = None,
) -> PairEvaluation:
    """Score proposed pairs, best first, against gold; either order of the two pages of a pair is right.

    One-to-one rule of WMT16: in each language pair an address counts once; a later proposal with the address is
    dropped. A proposal in ``ignore`` is neither right nor wrong and uses up no address. A page
    outside the gold has the language of the proposal, or else any language in which the other page has gold.
    ``texts``: address to page text, for soft recall.

    Source: Buck and Koehn 2016, Findings of the WMT 2016 Bilingual Document Alignment Shared Task.
    """
    index = _index(gold, ignore)
    kept, dropped, outside = _one_to_one(proposed, index)
    wanted = {lang_pair: _gold_urls(lang_pair, index) for lang_pair in index.lang_pairs}
    judged = {each: _judge(kept.get(each, ()), wanted[each]) for each in index.lang_pairs}
    by_lang_pair = {"-".join(each): _score(judged[each], wanted[each], texts) for each in index.lang_pairs}
    scores = list(by_lang_pair.values())
    every = [pair for each in index.lang_pairs for pair in judged[each]]
    pooled = PairScores(
        gold=sum(each.gold for each in scores),
        proposed=sum(each.proposed for each in scores),
        relevant=sum(each.relevant for each in scores),
        found=sum(each.found for each in scores),
        soft_found=None if texts is None else sum(each.soft_found or 0 for each in scores),
        bins=_bins(every),
    )
    return PairEvaluation(
        pooled, by_lang_pair, dropped_by_one_to_one=dropped, outside_gold=outside, judged=tuple(every)
    )


def _index(gold: Iterable[GoldPair], ignore: Iterable[GoldPair]) -> _Gold:
    langs: dict[str, str] = {}
    lang_pair_of: dict[Urls, LangPair] = {}
    for pair in gold:
        langs[pair.url1], langs[pair.url2] = fold_tag(pair.lang1), fold_tag(pair.lang2)
        lang_pair_of[frozenset((pair.url1, pair.url2))] = _lang_pair(pair.lang1, pair.lang2)
    ignored = set()
    for pair in ignore:
        langs.setdefault(pair.url1, fold_tag(pair.lang1))
        langs.setdefault(pair.url2, fold_tag(pair.lang2))
        ignored.add(frozenset((pair.url1, pair.url2)))
    # A pair in both files is gold.
    return _Gold(
        lang_pair_of=lang_pair_of,
        lang_of=langs,
        ignored=frozenset(ignored - lang_pair_of.keys()),
        lang_pairs=tuple(sorted(set(lang_pair_of.values()))),
    )


def _one_to_one(proposed: Iterable[ProposedPair], gold: _Gold) -> tuple[dict[LangPair, list[ProposedPair]], int, int]:
    """Counted proposals by language pair, in order; number dropped; number outside the gold."""
    kept: defaultdict[LangPair, list[ProposedPair]] = defaultdict(list)
    used: defaultdict[LangPair, set[str]] = defaultdict(set)
    dropped = outside = 0
    for pair in proposed:
        urls = frozenset((pair.src_url, pair.tgt_url))
        # A page that is paired with itself is neither right nor wrong.
        if len(urls) < 2:
            continue
        lang_pair = _lang_pair_of(pair, gold)
        if lang_pair is None:
            outside += 1
        elif urls in gold.ignored:
            continue
        elif urls & used[lang_pair]:
            dropped += 1
        else:
            used[lang_pair] |= urls
            kept[lang_pair].append(pair)
    return kept, dropped, outside


def _lang_pair_of(pair: ProposedPair, gold: _Gold) -> LangPair | None:
    """Language pair of a proposal for counting; None for a language pair outside the gold."""
    src_lang = gold.lang_of.get(pair.src_url) or fold_tag(pair.src_lang)
    tgt_lang = gold.lang_of.get(pair.tgt_url) or fold_tag(pair.tgt_lang)
    if src_lang and tgt_lang:
        lang_pair = _lang_pair(src_lang, tgt_lang)
        return lang_pair if lang_pair in gold.lang_pairs else None
    # A page of unknown language is charged to the first language pair of the other page, so once.
    known = src_lang or tgt_lang
    return next((each for each in gold.lang_pairs if known in each), None)


def _gold_urls(lang_pair: LangPair, gold: _Gold) -> set[Urls]:
    return {urls for urls, each in gold.lang_pair_of.items() if each == lang_pair}


def _judge(kept: Iterable[ProposedPair], wanted: set[Urls]) -> list[ScoredProposal]:
    known: Urls = frozenset().union(*wanted)
    judged = []
    for pair in kept:
        urls = frozenset((pair.src_url, pair.tgt_url))
        relevant, right = not urls.isdisjoint(known), urls in wanted
        judged.append(ScoredProposal(pair.src_url, pair.tgt_url, pair.probability, relevant, right))
    return judged


def _score(judged: Sequence[ScoredProposal], wanted: set[Urls], texts: Mapping[str, str] | None) -> PairScores:
    return PairScores(
        gold=len(wanted),
        proposed=len(judged),
        relevant=sum(each.relevant for each in judged),
        found=sum(each.right for each in judged),
        soft_found=None if texts is None else soft_found(wanted, (each.urls for each in judged), texts),
        bins=_bins(judged),
    )


def _bins(judged: Sequence[ScoredProposal]) -> tuple[Bin, ...]:
    """The reliability table; () if a score is outside [0, 1] and so no probability."""
    if not judged or not all(0 <= each.probability <= 1 for each in judged):
        return ()
    return reliability_bins([each.probability for each in judged], [each.right for each in judged])


def _lang_pair(one: str, other: str) -> LangPair:
    first, second = sorted((fold_tag(one), fold_tag(other)))
    return first, second


def share(part: int, whole: int) -> float:
    """``part / whole``; 0 for no whole."""
    return part / whole if whole else 0.0


def harmonic(a: float, b: float) -> float:
    """Harmonic mean of two shares; 0 for two zeros."""
    return 2 * a * b / (a + b) if a + b else 0.0


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
