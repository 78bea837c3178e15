"""Step 8. The model of a site: learnt once from its pages, stored, and used in any process.

The second half does this over Arrow tables: pages to sentences, sentences to a model, page pairs to segments.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from diglot.alignment.beads import Bead
from diglot.alignment.evidence.sources import with_evidence
from diglot.alignment.lexical import learn, one_sided
from diglot.alignment.lexical.bead_scores import TextModel
from diglot.alignment.lexical.lattice import coarse_centre, path_beads, solve_known
from diglot.alignment.lexical.lexicon import TranslationTable, TranslationTables, empty_tables, text_tables
from diglot.alignment.lexical.moved import join_moved
from diglot.alignment.lexical.rates import BlockRates, Rates, first_rates, own_ratio
from diglot.alignment.lexical.scales import Scale, learn_scales, weighed_evidence
from diglot.alignment.lexical.support import score_by_support, text_words
from diglot.alignment.lexical.units import (
    FOLDS,
    NO_TEXTS,
    Folding,
    ParallelText,
    UnitNumbers,
    number_texts,
    place_text,
)
from diglot.alignment.links import limit_link_scores, link_keys, mark_own_links, sentence_links
from diglot.alignment.long_texts import align_parts, first_part, is_long
from diglot.alignment.segments import (
    DOCUMENT_COLUMNS,
    AlignedSegment,
    bead_segment,
    block_sentences,
    document_view,
    segments_table,
    sentence_pages,
)
from diglot.arrays import Ints, sampling_step
from diglot.disk.stage_files import read_stage_file
from diglot.errors import RunFolderError

SITE_PASSES = 4
"""Fewer than :data:`diglot.alignment.lexical.PASSES`: the model aligns the pages later, and a pass is expensive."""
MAX_MODEL_SENTENCES = 10_000
"""Source sentences to learn a model from; of more, evenly spaced page pairs."""

SENTENCE_SCHEMA = pa.schema(
    [
        pa.field("url", pa.string(), nullable=False),
        pa.field("fetched", pa.string(), nullable=False),
        pa.field("sentences", pa.list_(pa.string()), nullable=False),
        pa.field("opens", pa.list_(pa.int8()), nullable=False),  # 1 where the sentence opens a block
        pa.field("kinds", pa.list_(pa.int8()), nullable=False),  # BlockKind of its block
        pa.field("links", pa.list_(pa.string()), nullable=False),  # links of the sentence, see alignment.links
        pa.field("whole_links", pa.list_(pa.int8()), nullable=False),  # 1 if the link is the whole sentence
        pa.field("pages", pa.list_(pa.int32()), nullable=False),  # page of the sentence; [] without pages
        pa.field("no_breaks", pa.list_(pa.int32())),  # as in the document
    ]
)
PAGE_COLUMNS = (*DOCUMENT_COLUMNS, "link_urls", "link_fragments", "link_firsts", "link_ends")
"""Columns of a document needed for its sentences and their links."""
SENTENCE_COLUMNS = tuple(name for name in SENTENCE_SCHEMA.names if name != "url")
"""Columns of a page's sentences in a table of pairs, with the prefixes src_ and tgt_."""

_SIDES = ("src", "tgt")
_RATES = tuple(field.name for field in fields(Rates) if field.name != "blocks")
_BLOCKS = tuple(field.name for field in fields(BlockRates))


@dataclass(frozen=True, slots=True)
class SiteModel:
    """Lexicon and rates of a language pair, numbers and classes of all units, the worth of every kind of evidence from
    outside, and the folding of the sentences in learning."""

    numbers: UnitNumbers
    classes: tuple[Ints, Ints]
    lexicon: TranslationTables
    rates: Rates
    scales: tuple[Scale, ...] = ()
    folding: Folding = NO_TEXTS


def learn_model(pairs: Sequence[ParallelText], *, threads: int = 1) -> SiteModel:
    """The model learnt from all texts together."""
    both = [pair for pair in pairs if pair.src and pair.tgt]
    # Long texts teach, by their first parts, only where there are no others.
    both = [pair for pair in both if not is_long(pair)] or list(map(first_part, both))
    if not both:
        return model_without_texts(ParallelText([], []))
    numbered = number_texts(both)
    similarities = [pair.evidence for pair in both]
    learnt = learn(numbered, similarities, passes=SITE_PASSES, threads=threads, with_scores=False)
    scales = learn_scales(similarities, [solution.likely for solution in learnt.solved])
    return SiteModel(numbered.numbers, numbered.classes, learnt.lexicon, learnt.rates, tuple(scales), numbered.folding)


def model_without_texts(pair: ParallelText) -> SiteModel:
    """The model before learning: units of the same spelling, and the lengths of a single text."""
    nothing = np.zeros(0, np.int64)
    text = place_text(pair, ({}, {}), (nothing, nothing))
    return SiteModel(({}, {}), (nothing, nothing), empty_tables(np.zeros(0), np.zeros(0)), first_rates([text.sides]))


def align_with(model: SiteModel, pair: ParallelText) -> list[Bead]:
    """Beads of a text in a single pass, in the order of the source; the target may have its blocks in another order.

    The kinds of evidence are those of the model, in the same order.

    A text used in learning is scored without its own contribution, by folds of its sentences, provided an unchanged
    ``fold``. ``score`` as in :func:`diglot.alignment.lexical.align_texts`, times the probability that the bead is
    translated and not adapted text (see :mod:`diglot.alignment.lexical.support`).
    """
    if not is_long(pair):
        return _align_text(model, pair)
    text = place_text(pair, model.numbers, model.classes, model.folding)
    centre = coarse_centre(text, TextModel(text_tables(text, model.lexicon), model.rates))
    return align_parts(pair, centre, partial(_align_text, replace(model, scales=()), is_part=True))


def _align_text(model: SiteModel, pair: ParallelText, *, is_part: bool = False) -> list[Bead]:
    """Beads of a text, or of a part of a long text: parts are joined along a path, so nothing is moved in them."""
    if not pair.src or not pair.tgt:
        return one_sided(pair)
    text = place_text(pair, model.numbers, model.classes, model.folding)
    rates = own_ratio(model.rates, text.sides, None)
    # Without learnt scales the worth of a similarity is unknown.
    evidence = weighed_evidence(pair.evidence, model.scales) if model.scales else None
    given = TextModel(text_tables(text, model.lexicon), rates, evidence)
    words = text_words(text, given, model.lexicon)
    beads = score_by_support(path_beads(solve_known(text, given), text), text, words)
    if not is_part:
        beads = join_moved(beads, text, given, words)
    return limit_link_scores(beads, pair.links, pair.whole_links)


def model_columns(model: SiteModel) -> dict[str, pa.Array]:
    """The model as a table row: a list a column."""
    arrays: dict[str, object] = {}
    for place, side in enumerate(_SIDES):
        arrays[f"{side}_units"] = pa.array(list(model.numbers[place]), pa.string())
        arrays[f"{side}_classes"] = model.classes[place]
    lexicon = model.lexicon
    arrays |= {"src_share": lexicon.src_share, "tgt_share": lexicon.tgt_share}
    for name, (offsets, ids, values) in (("forward", lexicon.forward), ("backward", lexicon.backward)):
        arrays |= {f"{name}_offsets": offsets, f"{name}_ids": ids, f"{name}_values": values.ravel()}
    arrays |= {"fold_sentences": [model.folding.sentences], "fold_frequent": model.folding.frequent}
    arrays |= {name: np.atleast_1d(getattr(model.rates, name)) for name in _RATES}
    arrays |= {name: getattr(model.rates.blocks, name).ravel() for name in _BLOCKS}
    arrays["scales"] = np.array(model.scales, np.float64).ravel()
    return {name: _one_row(values) for name, values in arrays.items()}


def model_of(row: pa.Table) -> SiteModel:
    """The model in a table of a single row, from :func:`model_columns`."""

    def table(name: str) -> TranslationTable:
        values = _items(row, f"{name}_values").astype(np.float32).reshape(-1, FOLDS)
        return _items(row, f"{name}_offsets").astype(np.int64), _items(row, f"{name}_ids").astype(np.uint32), values

    units = [row[f"{side}_units"].combine_chunks().flatten().to_pylist() for side in _SIDES]
    src, tgt = ({unit: number for number, unit in enumerate(names)} for names in units)
    classes = (_items(row, "src_classes").astype(np.int64), _items(row, "tgt_classes").astype(np.int64))
    lexicon = TranslationTables(table("forward"), table("backward"), _items(row, "src_share"), _items(row, "tgt_share"))
    folding = Folding(int(_items(row, "fold_sentences")[0]), _items(row, "fold_frequent").astype(np.int64))
    return SiteModel((src, tgt), classes, lexicon, _stored_rates(row), model_scales(row), folding)


def _stored_rates(row: pa.Table) -> Rates:
    blocks = {name: _items(row, name) for name in _BLOCKS}
    square = {name: values.reshape(int(len(values) ** 0.5), -1) for name, values in blocks.items()}
    stored = {name: _items(row, name) for name in _RATES}
    rates: dict[str, Any] = {name: float(found[0]) if len(found) == 1 else found for name, found in stored.items()}
    return Rates(**rates, blocks=BlockRates(**square))


def _items(row: pa.Table, name: str) -> npt.NDArray[np.float64]:
    found = row[name].combine_chunks().flatten()
    values: npt.NDArray[np.float64] = found.to_numpy(zero_copy_only=False, writable=True)  # as when learnt
    return values


def model_scales(row: pa.Table) -> tuple[Scale, ...]:
    """Worth of every kind of evidence, from a table of :func:`model_columns`."""
    values = row["scales"].combine_chunks().flatten().to_numpy()
    return tuple(Scale(*each) for each in values.reshape(-1, 2).tolist())


def _one_row(values: object) -> pa.Array:
    items = pa.array(values)
    return pa.ListArray.from_arrays(pa.array([0, len(items)], pa.int32()), items)


class ModelKey(NamedTuple):
    """Site and language pair of a model."""

    site: str
    src_lang: str
    tgt_lang: str


class StoredModel(NamedTuple):
    """Key of a model, path of its file, and the sources of evidence that it learnt with, by name."""

    key: ModelKey
    path: str
    evidence: tuple[str, ...] = ()


def split_table(pages: pa.Table) -> pa.Table:
    """Sentences (:data:`SENTENCE_SCHEMA`) of documents; a heading or a short item is a single sentence."""
    return pa.Table.from_pylist(list(map(_split_page, pages.to_pylist())), schema=SENTENCE_SCHEMA)


def _split_page(page: dict[str, Any]) -> dict[str, Any]:
    view = document_view(page, "")
    split = block_sentences(view, page["lang"])
    counts = list(map(len, split))
    opens = [int(place == 0) for count in counts for place in range(count)]
    sentences = [sentence for of_block in split for sentence in of_block]
    links, whole_links = sentence_links(page, view.block_ends, counts)
    return {
        "url": page["url"],
        "fetched": page["fetched"],
        "sentences": sentences,
        "opens": opens,
        "kinds": np.repeat(view.block_kinds, counts).tolist(),
        "links": mark_own_links(links, sentences, page["url"]),
        "whole_links": whole_links,
        "pages": sentence_pages(page["block_pages"], counts),
        "no_breaks": page["no_breaks"],
    }


def learn_table(sample: pa.Table, *, threads: int = 1) -> pa.Table:
    """The model of the page pairs of a language pair, a single row (see :func:`model_columns`).

    ``sample``: a row of ``pairs``, page pairs with their sentences, and ``evidence``, names of sources.
    """
    pairs = _text_pairs(sample["pairs"][0].as_py(), sample["evidence"][0].as_py())
    return pa.table(model_columns(learn_model(pairs, threads=threads)))


def align_sentences(pairs: pa.Table, *, models: Sequence[StoredModel]) -> pa.Table:
    """Segments (:data:`diglot.records.SEGMENT_SCHEMA`) of page pairs, given with their sentences.

    Pairs of a site and language pair without a model are aligned by the two pages alone.
    """
    stored = {model.key: model for model in models}
    aligned = []
    for key, same in groupby(pairs.to_pylist(), key=lambda row: ModelKey(*(row[name] for name in ModelKey._fields))):
        rows, known = list(same), stored.get(key)
        for row, pair in zip(rows, _text_pairs(rows, known.evidence if known else ()), strict=True):
            model = _load(known.path) if known else model_without_texts(pair)
            aligned.append((row, page_segments(pair, model)))
    return segments_table(aligned)


def page_segments(pair: ParallelText, model: SiteModel) -> list[AlignedSegment]:
    """Aligned segments of two pages, in the order of the source page; every sentence of both pages is in exactly one
    segment."""
    return [bead_segment(pair.src, pair.tgt, pair.kinds, bead) for bead in align_with(model, pair)]


def model_sample(counts: Sequence[int]) -> range:
    """Numbers of the page pairs to learn from, evenly spread. ``counts``: source sentences of every pair."""
    return range(0, len(counts), sampling_step(sum(counts), MAX_MODEL_SENTENCES))


def idle_sources(model: StoredModel) -> list[str]:
    """Sources of evidence of a model that cannot tell likely beads from shifted sides."""
    try:
        scales = model_scales(read_stage_file(model.path, ["scales"]))
    except (KeyError, TypeError) as error:
        raise RunFolderError(f"{model.path}: a stage file is damaged ({error}); delete the folder") from error
    return [name for name, scale in zip(model.evidence, scales, strict=False) if not scale.slope]


@lru_cache(maxsize=2)
def _load(path: str) -> SiteModel:
    return model_of(read_stage_file(path))


def _text_pairs(rows: Sequence[dict[str, Any]], evidence: Sequence[str]) -> list[ParallelText]:
    """Page pairs of a language pair as texts, with evidence from the sources."""
    pairs = list(map(_text_pair, rows))
    if not pairs or not evidence:
        return pairs
    return with_evidence(pairs, evidence, (rows[0]["src_lang"], rows[0]["tgt_lang"]))


def _text_pair(row: dict[str, Any]) -> ParallelText:
    return ParallelText(
        row["src_sentences"],
        row["tgt_sentences"],
        (row["src_opens"], row["tgt_opens"]),
        (row["src_kinds"], row["tgt_kinds"]),
        # Not hash(), which differs from process to process.
        fold=zlib.crc32(f"{row['src_url']} {row['tgt_url']}".encode()),
        links=link_keys(row["src_links"], row["tgt_links"]),
        whole_links=(row["src_whole_links"], row["tgt_whole_links"]),
    )
