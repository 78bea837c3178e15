"""The constants of the aligner, each by a case worked by hand on both sides of it."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from diglot.alignment import gale_church, lexical, site_model
from diglot.alignment.beads import Bead
from diglot.alignment.gale_church import align_lengths
from diglot.alignment.lexical import align_texts, learn
from diglot.alignment.lexical.bead_scores import RunWindow, TextModel, directions, places, stray_table, text_scores
from diglot.alignment.lexical.lattice import Solution
from diglot.alignment.lexical.lexicon import (
    EMSettings,
    TrainingBeads,
    TranslationTables,
    UnitLists,
    empty_tables,
    learn_tables,
    learn_translations,
    shares,
    text_tables,
)
from diglot.alignment.lexical.rates import (
    NULL,
    TYPE_PRIORS,
    LikelyBeads,
    Rates,
    block_rates,
    first_rates,
    first_types,
    next_null,
    next_rates,
    own_ratio,
)
from diglot.alignment.lexical.run_scores_kernels import block_scores, explained_units, word_scores
from diglot.alignment.lexical.scales import Scale, fit_scale, learn_scales, weighed_evidence
from diglot.alignment.lexical.tokens import UnitClass, cut_text, token_units
from diglot.alignment.lexical.units import NumberedSide, NumberedText, ParallelText, Step, number_texts
from diglot.alignment.path_kernels import length_path
from diglot.alignment.segmenting import is_whole, split_sentences
from diglot.alignment.segments import SentenceGroup, group_segments, segments_table
from diglot.alignment.site_model import learn_model, model_sample
from diglot.arrays import Floats, Ints
from diglot.records import BlockKind
from frozen_records import records_that_may_change

TYPES = list(TYPE_PRIORS)
ONE_TO_ONE = TYPES.index((1, 1))


def side_of(lengths: Sequence[float], opens: Sequence[int] = (), kinds: Sequence[int] = ()) -> NumberedSide:
    """Sentences of these lengths without any unit."""
    count = len(lengths)
    zeros = np.zeros(count, np.int64)
    return NumberedSide(
        np.zeros(count + 1, np.int64),
        zeros[:0],
        np.array(lengths, np.float64),
        np.array(opens, np.int64) if opens else zeros,
        np.array(kinds, np.int64) if kinds else zeros,
    )


def beads_of(*beads: tuple[int, int, tuple[int, int], float]) -> LikelyBeads:
    """Beads by first sentences, type and posterior."""
    rows = np.array([[i, j, TYPES.index(kind)] for i, j, kind, _ in beads], np.int64).reshape(-1, 3)
    expected = np.zeros(len(TYPES))
    np.add.at(expected, rows[:, 2], [share for *_, share in beads])
    return LikelyBeads(rows, np.array([share for *_, share in beads]), expected)


# Gale & Church


@pytest.mark.parametrize(("more", "kinds"), [(7, ["1-1", "1-0"]), (8, ["2-1"])])
def test_a_bead_of_two_kinds_costs_as_much_as_a_chance_of_one_in_a_hundred(more: int, kinds: list[str]) -> None:
    # Together: -ln .0445 - ln .01 = 7.72. Apart: -ln .89 - ln .00495 = 5.42, the fit of 50 with 50 + more, and that of
    # more with nothing: .34 + 1.89 for 7, .39 + 2.08 for 8.
    beads = align_lengths([50, more], [50 + more], ratio=1, kinds=([0, 2], [0]))
    assert [bead.kind for bead in beads] == kinds


@pytest.mark.parametrize("length", [2, 30, 1_000, 4_000, 9_000, 100_000])
def test_lengths_cost_the_tail_of_the_normal_distribution(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    costs: list[float] = []

    def path(*arguments: Any) -> tuple[float, Ints]:
        cost, nodes = length_path(*arguments)
        costs.append(cost)
        return cost, nodes

    monkeypatch.setattr(gale_church, "length_path", path)
    d = (length - 1) / math.sqrt(6.8 * (length + 1) / 2)
    # For large d, -ln erfc(d / sqrt 2) is d^2 / 2 + ln d + ln sqrt(pi / 2), as erfc itself is below all doubles.
    fit = -math.log(math.erfc(d / math.sqrt(2))) if d < 32 else d * d / 2 + math.log(d) + math.log(math.pi / 2) / 2
    (bead,) = align_lengths([1], [length], ratio=1, priors={(1, 1): 1.0, (1, 0): 1e-99, (0, 1): 1e-99})
    assert bead.kind == "1-1"
    assert costs[-1] == pytest.approx(fit, rel=1e-4, abs=1e-3)


# Rates


def test_a_text_has_three_hundred_imagined_characters() -> None:
    rates = replace(first_rates([]), ratio=1.0)
    assert own_ratio(rates, (side_of([700]), side_of([1_400])), None).ratio == pytest.approx(1.7)
    assert own_ratio(rates, (side_of([0]), side_of([9_000])), None).ratio == 10.0


def test_sixty_imagined_beads_hold_the_shares_of_types() -> None:
    text, rates = (side_of([50.0] * 40), side_of([50.0] * 40)), first_rates([])
    likely = beads_of(*((n, n, (1, 1), 1.0) for n in range(40)))
    types = next_rates(rates, [text], [likely]).types
    total = sum(TYPE_PRIORS.values())
    assert types[ONE_TO_ONE] == pytest.approx((40 + 60 * 0.80 / total) / 100)
    assert types[TYPES.index((5, 1))] == pytest.approx(0.6 * 0.001 / total)


def test_prior_shares_of_types() -> None:
    total = 0.8 + 2 * 0.02 + 2 * 0.06 + 3 * 0.01 + 4 * 0.003 + 3 * 0.001
    shares = {kind: share * total for kind, share in zip(TYPES, first_types().tolist(), strict=True)}
    assert shares == pytest.approx(
        {
            (1, 1): 0.8,
            (1, 0): 0.02,
            (0, 1): 0.02,
            (2, 1): 0.06,
            (1, 2): 0.06,
            (2, 2): 0.01,
            (3, 1): 0.01,
            (1, 3): 0.01,
            (4, 1): 0.003,
            (1, 4): 0.003,
            (2, 3): 0.003,
            (3, 2): 0.003,
            (1, 5): 0.001,
            (5, 1): 0.001,
            (3, 3): 0.001,
        }
    )


def test_five_imagined_beads_hold_the_variance_of_lengths() -> None:
    # Five 1-1 beads of 100 characters beside 120 and 80 in turn, and the ratio 1: squared deviations of 400 / 110 and
    # 400 / 90, all below their 98th percentile but the largest.
    src, tgt = [100.0] * 4, [120.0, 80.0, 120.0, 80.0]
    likely = beads_of(*((n, n, (1, 1), 1.0) for n in range(4)))
    rates = replace(first_rates([]), ratio=1.0)
    z2 = [400 / 110, 400 / 90] * 2
    found = next_rates(rates, [(side_of(src), side_of(tgt))], [likely])
    assert found.ratio == pytest.approx(1.0)
    assert found.variance == pytest.approx((sum(z2) + 5 * 6.8) / 9, rel=1e-3)


@pytest.mark.parametrize(("share", "ratio"), [(0.2, (200 + 0.2 * 400) / (100 + 0.2 * 100)), (0.19, 2.0)])
def test_beads_of_a_fifth_count_for_lengths(share: float, ratio: float) -> None:
    text = (side_of([100, 100]), side_of([200, 400]))
    likely = beads_of((0, 0, (1, 1), 1.0), (1, 1, (1, 1), share))
    assert next_rates(first_rates([text]), [text], [likely]).ratio == pytest.approx(ratio)


def test_twenty_five_imagined_units_hold_the_null_rates() -> None:
    assert NULL.tolist() == [0.5, 0.7, 0.8, 0.9, 0.9, 0.5]
    assert next_null(np.zeros(6), np.zeros(6)).tolist() == pytest.approx(NULL.tolist())
    # 15 of 25 words explained: 1 - (15 + 25 * .2) / 50.
    explained, units = np.zeros(6), np.zeros(6)
    explained[UnitClass.WORD], units[UnitClass.WORD] = 15, 25
    assert next_null(explained, units)[UnitClass.WORD] == pytest.approx(0.6)
    assert next_null(np.full(6, 1e6), np.full(6, 1e6)).tolist() == [0.05] * 6
    assert next_null(np.zeros(6), np.full(6, 1e6)).tolist() == [0.98] * 6


def test_blocks_by_their_priors() -> None:
    # A quarter of the sentences open a block.
    text = tuple(side_of([10] * 8, [1, 0, 0, 0] * 2, [2] * 4 + [0] * 4) for _ in range(2))
    rates = block_rates([(text[0], text[1])], None)
    assert np.exp(rates.opening).tolist() == pytest.approx(
        np.array([[0.95 / 0.75, 0.05 / 0.25], [0.05 / 0.75, 0.95 / 0.25]])
    )
    # One block begins after a block of another kind, and the first after none: an eighth of the steps each.
    assert np.exp(rates.steps).tolist() == pytest.approx(np.array([[0.98 / 0.75, 0.01 / 0.125, 0.01 / 0.125]] * 2))
    base = 4.5 / (8 + 0.5 * len(BlockKind))
    assert math.exp(rates.kinds[2, 2]) == pytest.approx((0.9 + 0.1 * base) / base)
    assert math.exp(rates.kinds[2, 0]) == pytest.approx(0.1)
    always = side_of([10] * 4, [1] * 4)
    assert math.exp(block_rates([(always, always)], None).opening[1, 1]) == pytest.approx(0.95 / 0.99)


def test_blocks_by_twenty_imagined_sentences() -> None:
    # Two blocks of two sentences on both sides; sure beads 2-1 and 1-2 over them: a step within a block on each side.
    sides = side_of([10] * 4, [1, 0, 1, 0]), side_of([10] * 4, [1, 0, 1, 0])
    likely = beads_of((0, 0, (2, 1), 1.0), (2, 1, (1, 2), 1.0))
    rates = block_rates([sides], [likely])
    # One bead opens a block on both sides, one on the source alone; the second step of the target is over a boundary.
    opening = np.array([[0.95, 0.05], [(1 + 20 * 0.05) / 22, (1 + 20 * 0.95) / 22]]) / 0.5
    # Two boundaries and half an imagined one lead on to the same kind, half an imagined one to another kind.
    over, to_other_kind = 2.5 / 3, 0.5 / 3
    src = [(1 + 20 * 0.98) / 21, 20 * 0.02 * over / 21, 20 * 0.02 * to_other_kind / 21]
    tgt = [20 * 0.98 / 21, (1 + 20 * 0.02 * over) / 21, 20 * 0.02 * to_other_kind / 21]
    steps = np.array([src, tgt]) / [0.5, 0.5 * over, 0.5 * to_other_kind]
    assert np.exp(rates.opening) == pytest.approx(opening)
    assert np.exp(rates.steps) == pytest.approx(steps)


def test_beads_over_names_of_a_list_say_nothing_of_a_paragraph_and_a_list() -> None:
    # A paragraph, two items, a paragraph, two items; the beads join the items of each list.
    kinds = [0, 3, 3, 0, 3, 3]
    src, tgt = side_of([10] * 6, [1] * 6, kinds), side_of([10] * 4, [1] * 4, [0, 3, 0, 3])
    likely = beads_of((0, 0, (1, 1), 1.0), (1, 1, (2, 1), 1.0), (3, 2, (1, 1), 1.0), (4, 3, (2, 1), 1.0))
    joined, alone = (np.exp(block_rates([(src, tgt)], beads).steps)[0] for beads in ([likely], None))
    assert joined[Step.OVER] > 4 * alone[Step.OVER]
    assert joined[Step.TO_OTHER_KIND] < alone[Step.TO_OTHER_KIND]


# Scores of beads


def one_sentence(src: str, tgt: str) -> NumberedText:
    return number_texts([ParallelText([src], [tgt])]).texts[0]


def plain_model(text: NumberedText, **rates: Any) -> TextModel:
    """Nothing known of words; 100 characters a sentence, as many on both sides."""
    known = replace(
        first_rates([text.sides]), **{"ratio": 1.0, "variance": 6.8, "mean": 100.0, "length_variance": 100.0, **rates}
    )
    lexicon = empty_tables(*shares([text], tuple(len(numbers) for numbers in text.numbers)))  # type: ignore[arg-type]
    return TextModel(text_tables(text, lexicon), known)


def score_of(text: NumberedText, model: TextModel) -> float:
    from diglot.alignment.bands import Band

    band = Band.of(np.zeros(len(text.src) + 1, np.int64), np.full(len(text.src) + 1, len(text.tgt)))
    zero = np.array([0])
    return float(text_scores(text, model, band)[places(band, zero, zero, ONE_TO_ONE)][0])


def length_nats(text: NumberedText, model: TextModel) -> float:
    """What is left of the score of 1-1 without the share of the type and the words, which count half."""
    nulls = sum(math.log(NULL[UnitClass.WORD]) for _ in range(2))
    return score_of(text, model) - math.log(first_types()[ONE_TO_ONE]) - 0.25 * nulls


def test_lengths_that_never_fit_leave_a_chance_of_one_in_two_hundred() -> None:
    text = one_sentence("a" * 2_000, "b" * 100)
    assert length_nats(text, plain_model(text)) == pytest.approx(math.log(0.005), abs=1e-3)


def test_lengths_by_two_densities() -> None:
    text = one_sentence("a" * 110, "b" * 100)
    # Normal with variance 6.8 * 105 against log-normal of mean and variance 100.
    together = -(10**2) / (2 * 6.8 * 105) - math.log(2 * math.pi * 6.8 * 105) / 2
    width = math.log1p(100 / 100**2)
    alone = -((width / 2) ** 2) / width / 2 - math.log(100) - math.log(2 * math.pi * width) / 2
    wanted = math.log(0.005 + 0.995 * math.exp(together - alone))
    assert length_nats(text, plain_model(text)) == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize(("spread", "limit"), [(3.0, True), (60.0, False)])
def test_lengths_say_fifty_nats_at_most(spread: float, limit: bool) -> None:
    """A length far from all others of its side is told best by the one beside it."""
    text = one_sentence("a" * 160, "b" * 160)
    width = math.log1p(spread / 100**2)
    alone = -((math.log(1.6) + width / 2) ** 2) / width / 2 - math.log(160) - math.log(2 * math.pi * width) / 2
    gain = -math.log(2 * math.pi * 6.8 * 160) / 2 - alone
    assert (gain > 50) is limit
    assert gain > 16
    assert length_nats(text, plain_model(text, length_variance=spread)) == pytest.approx(min(gain, 50), abs=1e-3)


def test_the_table_of_lengths_goes_from_minus_sixteen_to_sixteen_nats() -> None:
    table = stray_table(0.25)
    assert len(table) > 32 * 32 + 1
    assert table[[0, 512, 1_024]].tolist() == pytest.approx(
        [math.log(0.25 + 0.75 * math.exp(-16)), 0.0, math.log(0.25 + 0.75 * math.exp(16))]
    )


def random_text(seed: int) -> tuple[NumberedText, TranslationTables]:
    """A text of random words, and what a lexicon learns from it if sentence n translates sentence n."""
    rng = np.random.default_rng(seed)
    sides = [[" ".join(f"{letter}{w}" for w in rng.integers(0, 12, 5)) for _ in range(9)] for letter in ("zo", "qi")]
    pool = number_texts([ParallelText(*sides)])
    likely = beads_of(*((n, n, (1, 1), 1.0) for n in range(9)))
    known = empty_tables(*shares(pool.texts, (len(pool.numbers[0]), len(pool.numbers[1]))))
    return pool.texts[0], learn_tables(pool.texts, [likely], pool.same, known)


@pytest.mark.parametrize("way", [0, 1])
def test_words_beside_runs_equal_the_formula(way: int) -> None:
    text, lexicon = random_text(3)
    rates = first_rates([text.sides])
    words = directions(text, text_tables(text, lexicon), rates)[way]
    offsets, ids, values = words.table
    other_count = len(words.other.offsets) - 1

    def value(source: int, target: int, fold: int) -> float:
        row = slice(offsets[source], offsets[source + 1])
        at = np.flatnonzero(ids[row] == target)
        return float(values[row][at[0], fold]) if len(at) else 0.0

    def gain(first: int, count: int, other: int) -> float:
        """log of how much likelier sentence ``other`` is beside this run."""
        own = [
            (unit, int(words.span_folds[s]))
            for s in range(first, first + count)
            for unit in words.span.numbers[words.span.offsets[s] : words.span.offsets[s + 1]].tolist()
        ]
        total = 0.0
        for unit in words.other.numbers[words.other.offsets[other] : words.other.offsets[other + 1]].tolist():
            null = float(words.null[unit])
            said = sum(value(source, unit, fold if way == 0 else int(words.other_folds[other])) for source, fold in own)
            total += math.log(null) + math.log1p((1 - null) / null * said / len(own))
        return total

    window = RunWindow(np.zeros(9, np.int64), np.arange(10) * (other_count + 1))
    sums = word_scores(words, window)
    for first, count in [(0, 1), (2, 3), (1, 5), (8, 1)]:
        rows = sums[first * (other_count + 1) : (first + 1) * (other_count + 1), count - 1]
        assert np.diff(rows).tolist() == pytest.approx([gain(first, count, n) for n in range(other_count)], abs=1e-3)
    blocks = block_scores(words, 4)
    alone = [
        sum(math.log(words.null[u]) for u in words.other.numbers[slice(*words.other.offsets[n : n + 2])])
        for n in range(9)
    ]
    wanted = [
        [sum(gain(a, min(4, 9 - a), n) - alone[n] for n in range(b, min(b + 4, 9))) for b in (0, 4, 8)]
        for a in (0, 4, 8)
    ]
    assert blocks.tolist() == pytest.approx(np.array(wanted), abs=1e-3)
    beads = np.array([[0, 2, 1, 3], [5, 6, 5, 6]])
    explained, units = explained_units(words, np.zeros(len(words.null), np.int64), beads, 2)
    assert units.tolist() == [
        sum(len(set(words.other.numbers[slice(*words.other.offsets[n : n + 2])].tolist())) for n in (1, 2, 5)),
        0,
    ]
    assert 0 < explained[0] < units[0]


# The lexicon


def em_by_hand(
    training: TrainingBeads, same: Ints, share: Floats, before: Any, settings: EMSettings
) -> dict[tuple[int, int], Floats]:
    """Model 1 in plain Python: value of each pair of units, (folds,)."""

    def units(side: UnitLists, bead: int) -> list[int]:
        return [int(unit) for unit in side.numbers[side.offsets[bead] : side.offsets[bead + 1]]]

    count = len(training.weights)
    pairs = {(s, t) for bead in range(count) for s in units(training.src, bead) for t in units(training.tgt, bead)}
    pairs |= {(s, int(t)) for s, t in enumerate(same) if t >= 0}
    chance = {
        pair: np.full(5, settings.start / len(share)) + (0.2 if same[pair[0]] == pair[1] else 0.0) for pair in pairs
    }
    offsets, ids, values = before
    for s in range(len(same)):
        for place in range(offsets[s], offsets[s + 1]):
            if (s, int(ids[place])) in chance:
                chance[s, int(ids[place])] = values[place] * share[ids[place]]
    for _ in range(settings.iterations):
        counts = {pair: np.zeros(5) for pair in pairs}
        for bead in range(count):
            own = units(training.src, bead)
            for t in units(training.tgt, bead):
                null = settings.null / (1 - settings.null) * len(own) * share[t]
                told = training.weights[bead] / (null + sum(chance[s, t] for s in own))
                told[[training.first_folds[bead], training.last_folds[bead]]] = 0.0
                for s in own:
                    counts[s, t] += chance[s, t] * told
        for s in range(len(same)):
            alike = settings.alike if same[s] >= 0 else 0.0
            own_pairs = [pair for pair in pairs if pair[0] == s]
            total = alike + settings.unknown + sum(counts[pair] for pair in own_pairs)
            for pair in own_pairs:
                chance[pair] = (counts[pair] + (alike if same[s] == pair[1] else 0.0)) / total
    found = {pair: values / share[pair[1]] for pair, values in chance.items()}
    return {pair: values for pair, values in found.items() if values.max() > settings.least}


def lists_of(rows: Sequence[Sequence[int]]) -> UnitLists:
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.uint32)
    return UnitLists(offsets, np.array([unit for row in rows for unit in row], np.uint32))


@pytest.mark.parametrize("seed", range(3))
def test_the_lexicon_is_model_1_without_each_fold(seed: int) -> None:
    rng = np.random.default_rng(seed)
    src = [sorted(set(rng.integers(0, 6, 3).tolist())) for _ in range(12)]
    tgt = [sorted({(unit + 1) % 7 for unit in row} | {int(rng.integers(0, 7))}) for row in src]
    counts = np.bincount([unit for row in tgt for unit in row], minlength=7)
    share = counts / counts.sum()
    folds = rng.integers(0, 5, (2, 12))
    training = TrainingBeads(
        lists_of(src), lists_of(tgt), rng.uniform(0.3, 1, 12).astype(np.float32), folds[0], folds[1]
    )
    same = np.array([3, -1, -1, 0, -1, -1])
    settings = EMSettings(3, 0.3, 0.4, 1.0, 0.1, 1.5, 7)
    nothing = (np.zeros(7, np.int64), np.zeros(0, np.uint32), np.zeros((0, 5), np.float32))
    first = learn_translations(training, same, share, nothing, settings)
    again = learn_translations(training, same, share, first, settings)
    for before, (offsets, ids, values) in ((nothing, first), (first, again)):
        rows = np.repeat(np.arange(6), np.diff(offsets)).tolist()
        found = {(s, int(t)): values[place] for place, (s, t) in enumerate(zip(rows, ids, strict=True))}
        wanted = em_by_hand(training, same, share, before, settings)
        assert found.keys() == wanted.keys()
        for pair, expected in wanted.items():
            assert found[pair].tolist() == pytest.approx(expected.tolist(), rel=1e-3), pair


def test_constants_of_the_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[EMSettings, TrainingBeads]] = []

    def learn_one(training: TrainingBeads, same: Ints, share: Floats, before: Any, settings: EMSettings) -> Any:
        asked.append((settings, training))
        return learn_translations(training, same, share, before, settings)

    monkeypatch.setattr("diglot.alignment.lexical.lexicon.learn_translations", learn_one)
    sides = [[f"{letter}{n} {letter}{n + 1}" for n in range(6)] for letter in ("zo", "qi")]
    pool = number_texts([ParallelText(*sides)])
    likely = [beads_of((0, 0, (1, 1), 1.0), (1, 1, (1, 1), 0.3), (2, 2, (1, 1), 0.29), (3, 3, (1, 0), 1.0))]
    known = empty_tables(*shares(pool.texts, (len(pool.numbers[0]), len(pool.numbers[1]))))
    first = learn_tables(pool.texts, likely, pool.same, known)
    learn_tables(pool.texts, likely, pool.same, first)
    forward, _, later, _ = (settings for settings, _ in asked)
    assert (forward.iterations, forward.start, later.iterations, later.start) == (8, 1.0, 2, 0.3)
    assert (forward.null, forward.alike, forward.unknown, forward.least) == (0.4, 1.0, 0.1, 2.0)
    assert asked[0][1].weights.tolist() == pytest.approx([1.0, 0.3]), "beads of .3 and two sides teach"


def test_sixty_thousand_beads_teach() -> None:
    count = 60_001
    text = number_texts([ParallelText(["zo"] * count, ["qi"] * count)]).texts[0]
    beads = np.stack([np.arange(count), np.arange(count), np.full(count, ONE_TO_ONE)], axis=1)
    for taught, left in ((60_000, 60_000), (60_001, 30_001)):
        likely = LikelyBeads(beads[:taught], np.ones(taught), np.zeros(len(TYPES)))
        assert len(lexical.lexicon._training([text], [likely]).weights) == left  # type: ignore[attr-defined]


# Evidence


def test_a_scale_counts_a_fifth_and_twenty_nats_at_most() -> None:
    nats = weighed_evidence([lambda beads: np.array([0.5, 0.5, 9e9, -9e9])], [Scale(60.0, -28.0)])
    assert nats is not None
    beads = np.array([[0, 1, 0, 1], [0, 2, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1]])
    assert nats(beads).tolist() == pytest.approx([0.4, 0.6, 20.0, -20.0])


def test_ten_imagined_beads_say_a_similarity_is_worth_nothing() -> None:
    # All matched .8, all others .2: a deviation of .02 is assumed. 30 beads beside 10: .6 / .0004 * 30 / 40.
    scale = fit_scale(np.full(30, 0.8), np.ones(30), np.full(30, 0.2))
    assert scale.slope == pytest.approx(0.6 / 0.0004 * 0.75)


def test_which_beads_a_scale_is_learnt_from() -> None:
    asked: list[Ints] = []

    def similarity(beads: Ints) -> Floats:
        asked.append(beads)
        return np.ones(len(beads))

    beads = [(n, n, (1, 1), 0.5) for n in range(20)]
    learn_scales([[similarity]], [beads_of(*beads, (20, 20, (1, 1), 0.49), (21, 21, (1, 0), 1.0))])
    assert asked[0][:, 0].tolist() == list(range(20)), "those of a half and two sides"
    shifts = {int(bead[2] - bead[0]) for bead in asked[1].tolist()}
    assert shifts == {1, 2, 3, 5, 8, -1, -2, -3, -5, -8}
    for count, left in ((4_000, 4_000), (4_001, 2_001)):
        asked.clear()
        learn_scales([[similarity]], [beads_of(*((n, n, (1, 1), 1.0) for n in range(count)))])
        assert len(asked[0]) == left


# Units


@pytest.mark.parametrize(
    ("token", "units"),
    [("abcd", ("abcd",)), ("abcde", ("abcd",)), ("Élodie", ("elod",)), ("ไทย", ("ไทย",)), ("ไทยง", ("ไทย", "ทยง"))],
)
def test_four_letters_of_a_word_and_three_of_a_piece(token: str, units: tuple[str, ...]) -> None:
    assert token_units(token)[1] == units


@pytest.mark.parametrize(
    ("marks", "plain"),
    [
        ("。．・।॥۔", "."),
        ("，、،", ","),
        ("؟？", "?"),
        ("؛；", ";"),
        ("：", ":"),
        ("「」『』“”„«»‹›《》〈〉＂", '"'),
        ("‘’‚‛`´", "'"),
        ("–—―−‐‑", "-"),
        ("【〔［", "["),
        ("】〕］", "]"),
    ],
)
def test_marks_of_other_scripts_read_as_english_ones(marks: str, plain: str) -> None:
    for mark in marks:
        assert cut_text(f"a {mark} b")[1] == ["a", plain, "b"], mark


def test_folds_have_four_stretches_of_four_to_sixteen_sentences() -> None:
    for sentences, fold in ((99, 4), (100, 5), (319, 15), (320, 16), (400, 16)):
        assert number_texts([ParallelText(list(map(str, range(sentences))), ["b"])]).folding.sentences == fold


# Passes


def test_two_passes_by_lengths_and_five_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[int] = []
    detours: list[int] = []
    solve = lexical._solve_all

    def solve_all(texts: Any, models: Any, before: Any, width: int, threads: int) -> list[Solution]:
        widths.append(width)
        return solve(texts, models, before, width, threads)

    def detour(_text: NumberedText, _model: TextModel, found: Solution) -> Solution:
        detours.append(len(widths))
        return found

    monkeypatch.setattr(lexical, "_solve_all", solve_all)
    monkeypatch.setattr(lexical, "detour", detour)
    monkeypatch.setattr(lexical, "_have_converged", lambda *_: False)
    align_texts([ParallelText(["a b.", "c d."], ["e f.", "g h."])])
    assert widths == [30, 30, 12, 12, 12, 12, 12]
    assert detours == [3, 4]


@pytest.mark.parametrize(("new", "have_converged"), [(0, True), (1, True), (2, False)])
def test_one_new_bead_in_two_hundred_is_none(new: int, have_converged: bool) -> None:
    before = np.zeros((200, 3), np.int64)
    before[:, 0] = np.arange(200)
    after = before.copy()
    after[:new, 1] = 7
    one, other = (cast(Solution, SimpleNamespace(path=path)) for path in (before, after))
    assert lexical._have_converged([one], [other]) is have_converged


def test_scores_of_a_pass_are_gone_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    solve, held = lexical._solve_all, list[bool]()

    def solve_all(texts: Any, models: Any, before: Any, width: int, threads: int) -> list[Solution]:
        held.extend(solution.lattice is not None for solution in before)
        return solve(texts, models, before, width, threads)

    monkeypatch.setattr(lexical, "_solve_all", solve_all)
    numbered = number_texts([ParallelText(["a b.", "c d."], ["e f.", "g h."])])
    assert learn(numbered, passes=3).solved[0].lattice is not None
    assert held
    assert not any(held)
    assert learn(numbered, passes=3, with_scores=False).solved[0].lattice is None


# Sites


def test_a_site_is_learnt_from_in_four_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def learn_all(pool: Any, similarities: Any, *, passes: int, **others: Any) -> Any:
        asked.append(passes)
        return learn(pool, similarities, passes=passes, **others)

    monkeypatch.setattr(site_model, "learn", learn_all)
    learn_model([ParallelText(["a b."], ["e f."])])
    assert asked == [4]


@pytest.mark.parametrize(
    ("counts", "chosen"),
    [([5_000, 5_000], [0, 1]), ([5_000, 5_001, 1], [0, 2]), ([10_000] * 3, [0]), ([], [])],
)
def test_ten_thousand_sentences_teach_a_model(counts: list[int], chosen: list[int]) -> None:
    assert list(model_sample(counts)) == chosen


def test_the_fold_of_a_page_pair_is_a_hash_of_both_addresses() -> None:
    row: dict[str, Any] = {name: [] for name in site_model.SENTENCE_COLUMNS}
    sides = {f"{side}_{name}": value for side in ("src", "tgt") for name, value in row.items()}
    pair = site_model._text_pair({**sides, "src_url": "http://a/x", "tgt_url": "http://a/y"})
    assert pair.fold == zlib.crc32(b"http://a/x http://a/y")


# Segments


@pytest.mark.parametrize("kind", list(BlockKind))
@pytest.mark.parametrize("chars", [200, 201])
def test_which_blocks_are_one_segment(kind: BlockKind, chars: int) -> None:
    always = {BlockKind.TITLE, BlockKind.CONTROL}
    short = {BlockKind.HEADING, BlockKind.LIST_ITEM, BlockKind.TABLE_CELL, BlockKind.CAPTION, BlockKind.PREFORMATTED}
    assert is_whole("x" * chars, kind) is (kind in always or (kind in short and chars == 200))


def test_a_segment_is_as_sure_as_its_blocks_and_its_sentences() -> None:
    def score(blocks: float) -> float:
        (segment,) = group_segments(SentenceGroup(["x" * 20], ["y" * 21], [0], [0], blocks, 1.0))
        return segment.score

    assert score(1.0) == pytest.approx(0.9325, abs=1e-4)
    assert score(0.5) == 0.5


def test_segments_of_page_pairs_as_a_table() -> None:
    one, other = (
        SimpleNamespace(src=text, tgt=text.upper(), score=0.5, bead="1-1", kind=2, starts=(n, n))
        for n, text in enumerate("ab")
    )
    rows = [
        {
            "src_lang": "en",
            "tgt_lang": "fr",
            "src_url": f"s{n}",
            "tgt_url": f"t{n}",
            "src_fetched": f"{9 - n}",
            "tgt_fetched": "5",
            "src_pages": [7, 9],
            "tgt_pages": [],
            "src_no_breaks": None,
            "tgt_no_breaks": None,
        }
        for n in (1, 8)
    ]
    table = segments_table([(rows[0], [one, other]), (rows[1], [one])])  # type: ignore[list-item]
    assert table.select(["src", "tgt", "position", "src_url", "tgt_url", "fetched", "kind"]).to_pylist() == [
        {"src": "a", "tgt": "A", "position": 0, "src_url": "s1", "tgt_url": "t1", "fetched": "8", "kind": 2},
        {"src": "b", "tgt": "B", "position": 1, "src_url": "s1", "tgt_url": "t1", "fetched": "8", "kind": 2},
        {"src": "a", "tgt": "A", "position": 0, "src_url": "s8", "tgt_url": "t8", "fetched": "5", "kind": 2},
    ]
    assert table["flags"].to_pylist() == [[], [], []]
    assert (table["src_page"].to_pylist(), table["tgt_page"].to_pylist()) == ([7, 9, 7], [0, 0, 0])


# Sentences


@pytest.mark.parametrize(
    ("lang", "like"),
    [("nb", "da"), ("nn", "da"), ("no", "da"), ("yue", "zh"), ("wuu", "zh"), ("mo", "ro"), ("prs", "fa"), ("in", "id")],
)
def test_languages_split_like_another(lang: str, like: str) -> None:
    text = "Det er ca. Tolv bl.a. Hus. Str. Nr. Dl. Acad. Ion. Prof. Dr. Jl. Budi. No. A。甲！乙？ دکتر. علی؟ بله. Ok."
    assert split_sentences(text, f"{lang}-XX") == split_sentences(text, like)


@pytest.mark.parametrize("lang", ["da", "de", "lb", "nb", "nn", "no"])
def test_an_ordinal_may_stand_before_a_capital(lang: str) -> None:
    assert split_sentences("Nu 12. Test er her. Slut.", lang) == ["Nu 12. Test er her.", "Slut."]


def test_sides_without_a_text() -> None:
    assert align_texts([ParallelText(["a", "b"], []), ParallelText([], ["c"])]) == [
        [Bead((0, 1), (0, 0), 1.0), Bead((1, 2), (0, 0), 1.0)],
        [Bead((0, 0), (0, 1), 1.0)],
    ]


def test_a_model_keeps_its_rates() -> None:
    text = ParallelText([f"Chapter {n} of Marlowe." for n in range(9)], [f"Kapitel {n} von Marlowe." for n in range(9)])
    model = learn_model([text])
    again = site_model.model_of(pa.table(site_model.model_columns(model)))
    assert isinstance(again.rates, Rates)
    assert again.rates.variance == model.rates.variance
    assert again.rates.types.tolist() == model.rates.types.tolist()
    assert again.rates.blocks.kinds.tolist() == model.rates.blocks.kinds.tolist()


def test_records_of_the_aligners_do_not_change() -> None:
    """A rule of sentence ends holds a cache, and a vocabulary grows."""
    assert records_that_may_change("diglot.alignment") == {"Rule", "Vocabulary"}
