"""What the lexical aligner learns from the pages of a site: learnt once, used in any process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from diglot.alignment.beads import Bead
from diglot.alignment.lexical import learn, one_sided, path_beads, solve_known
from diglot.alignment.lexical.lattice import Model
from diglot.alignment.lexical.lexicon import Lexicon, Table, empty_lexicon, text_tables
from diglot.alignment.lexical.model1 import FOLDS
from diglot.alignment.lexical.outside import Scale, evidence_of, learn_scales
from diglot.alignment.lexical.pool import Bitext, Numbers, make_pool, place_text
from diglot.alignment.lexical.rates import Blocks, Rates, first_rates, own_ratio
from diglot.arrays import Ints

SITE_PASSES = 4


@dataclass(frozen=True, slots=True)
class SiteModel:
    """Lexicon, rates, the numbers and classes of the units of a language pair, and what each kind of evidence from
    outside is worth."""

    numbers: Numbers
    classes: tuple[Ints, Ints]
    lexicon: Lexicon
    rates: Rates
    scales: tuple[Scale, ...] = ()


def learn_model(bitexts: Sequence[Bitext]) -> SiteModel:
    """Learn from the texts together."""
    both = [bitext for bitext in bitexts if bitext.src and bitext.tgt]
    if not both:
        return model_without_texts(Bitext([], []))
    pool = make_pool(both)
    evidence = [bitext.evidence for bitext in both]
    learnt = learn(pool, evidence, passes=SITE_PASSES)
    scales = learn_scales(evidence, [each.likely for each in learnt.solved])
    return SiteModel(pool.numbers, pool.classes, learnt.lexicon, learnt.rates, tuple(scales))


def model_without_texts(bitext: Bitext) -> SiteModel:
    """What is known before anything was learnt: numbers and names written alike, and the lengths of one text."""
    nothing = np.zeros(0, np.int64)
    text = place_text(bitext, ({}, {}), (nothing, nothing))
    return SiteModel(({}, {}), (nothing, nothing), empty_lexicon(np.zeros(0), np.zeros(0)), first_rates([text.sides]))


def align_with(model: SiteModel, bitext: Bitext) -> list[Bead]:
    """Beads of one text in one pass. A text that the model learnt from is scored without what it taught itself, by
    folds of its sentences, if its ``fold`` is the same as then. Its ``evidence`` counts if it is of the kinds that
    the model was learnt with. ``score`` as in :func:`diglot.alignment.lexical.align_pool`."""
    if not bitext.src or not bitext.tgt:
        return one_sided(bitext)
    text = place_text(bitext, model.numbers, model.classes)
    rates = own_ratio(model.rates, text.sides, None)
    evidence = evidence_of(bitext.evidence, model.scales) if model.scales else None
    given = Model(text_tables(text, model.lexicon), rates, evidence)
    return path_beads(solve_known(text, given), text)


_SIDES = ("src", "tgt")
_RATES = tuple(field.name for field in fields(Rates) if field.name != "blocks")
_BLOCKS = tuple(field.name for field in fields(Blocks))


def model_columns(model: SiteModel) -> dict[str, pa.Array]:
    """The model as columns of one row, each a list."""
    arrays: dict[str, object] = {}
    for place, side in enumerate(_SIDES):
        arrays[f"{side}_units"] = list(model.numbers[place])
        arrays[f"{side}_classes"] = model.classes[place]
    lexicon = model.lexicon
    arrays |= {"src_share": lexicon.src_share, "tgt_share": lexicon.tgt_share}
    for name, (offsets, ids, values) in (("forward", lexicon.forward), ("backward", lexicon.backward)):
        arrays |= {f"{name}_offsets": offsets, f"{name}_ids": ids, f"{name}_values": values.ravel()}
    arrays |= {name: np.atleast_1d(getattr(model.rates, name)) for name in _RATES}
    arrays |= {name: getattr(model.rates.blocks, name).ravel() for name in _BLOCKS}
    arrays["scales"] = np.array(model.scales, np.float64).ravel()
    return {name: _one_row(values) for name, values in arrays.items()}


def model_of(row: pa.Table) -> SiteModel:
    """The model of a table of one row that :func:`model_columns` made."""

    def array(name: str) -> npt.NDArray[np.float64]:
        found = row[name].combine_chunks().flatten()
        values: npt.NDArray[np.float64] = found.to_numpy(zero_copy_only=False, writable=True)  # as when learnt
        return values

    def table(name: str) -> Table:
        values = array(f"{name}_values").astype(np.float32).reshape(-1, FOLDS)
        return array(f"{name}_offsets").astype(np.int64), array(f"{name}_ids").astype(np.uint32), values

    units = [row[f"{side}_units"].combine_chunks().flatten().to_pylist() for side in _SIDES]
    src, tgt = ({unit: number for number, unit in enumerate(names)} for names in units)
    classes = (array("src_classes").astype(np.int64), array("tgt_classes").astype(np.int64))
    lexicon = Lexicon(table("forward"), table("backward"), array("src_share"), array("tgt_share"))
    blocks = {name: array(name) for name in _BLOCKS}
    square = {name: values.reshape(int(len(values) ** 0.5), -1) for name, values in blocks.items()}
    stored = {name: array(name) for name in _RATES}
    rates: dict[str, Any] = {name: float(found[0]) if len(found) == 1 else found for name, found in stored.items()}
    return SiteModel((src, tgt), classes, lexicon, Rates(**rates, blocks=Blocks(**square)), model_scales(row))


def model_scales(row: pa.Table) -> tuple[Scale, ...]:
    """Of the same table, what each kind of evidence is worth."""
    values = row["scales"].combine_chunks().flatten().to_numpy()
    return tuple(Scale(*each) for each in values.reshape(-1, 2).tolist())


def _one_row(values: object) -> pa.Array:
    items = pa.array(values)
    return pa.ListArray.from_arrays(pa.array([0, len(items)], pa.int32()), items)
