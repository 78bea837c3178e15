"""Finished runs -> a pool: the words of their language pairs, from page pairs of all their sites alike."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.alignment.pool import LanguageTags, write_pool
from diglot.alignment.site_model import MAX_MODEL_SENTENCES, PAGE_COLUMNS, SENTENCE_COLUMNS, learn_table, split_table
from diglot.arrays import Ints
from diglot.documents.language import readable
from diglot.errors import NothingFound
from diglot.progress import Progress, usual
from diglot.records import of_languages
from diglot.results.run import Run
from diglot.run.align import beside, located, partners_of, sample_row, with_paired_links
from diglot.run.pair import load_pairs
from diglot.run.resolve import load_documents
from diglot.run.work import DOCUMENTS, PAIRS, done_key

_DRAWN = ("site", "src_url", "tgt_url")


class Pooled(NamedTuple):
    """What the words of a language pair were learnt from: sites, page pairs, their source sentences; and how many units
    of words, both sides together, are known."""

    langs: str
    sites: int
    page_pairs: int
    sentences: int
    words: int


class _Read(NamedTuple):
    """Pages of a run, and its accepted pairs located among them with the blocks of their source pages."""

    pages: pa.Table
    pairs: pa.Table


def pool_runs(
    runs: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, progress: Progress | None = None
) -> list[Pooled]:
    """Learn the words of every language pair of the runs and write them to ``out``; the order of runs does not matter.

    Raises: NothingFound where no run has a page pair; UsageError for a folder that is no run or a file that cannot be
    written.
    """
    listener = progress or usual()
    listener.start("pool", None, "runs")
    paths = sorted(set(map(os.path.abspath, runs)))
    listener.step("reading runs", len(paths), "runs")
    read = []
    for path in paths:
        read.append(_read(Run(path)))
        listener.advance(1)
    languages = sorted({key for each in read for key in _languages(each.pairs)})
    if not languages:
        raise NothingFound("no page pair in these runs; give runs that found some")
    listener.step("learning words", len(languages), "language pairs")
    lexicons, learnt = {}, []
    for langs in languages:
        sample = _sample(read, langs)
        lexicons[langs] = learn_table(sample_row(sample))
        learnt.append(_told(langs, sample, lexicons[langs]))
        listener.advance(1)
    write_pool(Path(out), lexicons)
    listener.finish(f"{len(languages)} language pairs")
    return learnt


def _read(run: Run) -> _Read:
    with run.folder.read_locked():
        documents = load_documents(run.folder, run.settings, done_key(run.folder, DOCUMENTS, "diglot read"))
        pairs_key = done_key(run.folder, PAIRS, "diglot pair")
        pairs = load_pairs(run.folder, pairs_key, min_prob=run.settings.min_prob)
    pages = readable(documents).select(["url", "lang", *PAGE_COLUMNS])
    pairs = located(pairs, pages)
    return _Read(pages, pairs.append_column("blocks", pc.list_value_length(pages["block_ends"]).take(pairs["src_row"])))


def _languages(pairs: pa.Table) -> list[LanguageTags]:
    return list(zip(pairs["src_lang"].to_pylist(), pairs["tgt_lang"].to_pylist(), strict=True))


def _sample(read: Sequence[_Read], langs: LanguageTags) -> pa.Table:
    """Page pairs of a language pair with their sentences beside them, in the order of :func:`draw`: as many as have the
    source sentences that a model is learnt from, but at least one."""
    own = [of_languages(each.pairs, *langs) for each in read]
    table = pa.concat_tables([pairs.select([*_DRAWN, "blocks"]) for pairs in own])
    table = table.append_column("run", pa.array(np.repeat(np.arange(len(own)), [pairs.num_rows for pairs in own])))
    table = table.append_column("row", pa.array(np.concatenate([np.arange(pairs.num_rows) for pairs in own])))
    table = table.take(pa.array(draw(table)))
    table = table.slice(0, _enough(table["blocks"].to_numpy()))  # a block has a sentence or more
    parts = [_with_sentences(each, own[n], table.filter(pc.equal(table["run"], n))) for n, each in enumerate(read)]
    order = pa.array(np.argsort(np.argsort(table["run"].to_numpy(), kind="stable"), kind="stable"))
    joined = pa.concat_tables(parts).take(order)
    return joined.slice(0, _enough(pc.list_value_length(joined["src_sentences"]).to_numpy()))


def draw(pairs: pa.Table) -> Ints:
    """Rows in the order in which page pairs are taken: one of every site before a second of any, each once.

    ``pairs``: ``site``, ``src_url``, ``tgt_url``. Within a site the order is that of a hash of both addresses.
    """
    rows = list(zip(*(pairs[name].to_pylist() for name in _DRAWN), strict=True))
    hashes = np.array([zlib.crc32(f"{src} {tgt}".encode()) for _, src, tgt in rows], np.int64)
    number = {key: place for place, key in enumerate(sorted(set(rows)))}
    keys = np.array([number[key] for key in rows], np.int64)
    once = np.unique(keys, return_index=True)[1]
    sites = np.unique([rows[row][0] for row in once], return_inverse=True)[1]
    order = np.lexsort((once, hashes[once], sites))
    firsts = np.searchsorted(sites[order], sites[order])
    turns = np.arange(len(order)) - firsts
    return np.asarray(once[order][np.lexsort((hashes[once][order], turns))], np.int64)


def _enough(counts: Ints) -> int:
    """How many of the counts, from the first on, stay below the sentences of a model; at least one."""
    return max(1, int(np.searchsorted(np.cumsum(counts), MAX_MODEL_SENTENCES, side="right")))


def _with_sentences(read: _Read, own: pa.Table, chosen: pa.Table) -> pa.Table:
    """The chosen of a run's own page pairs, in their order, with their sentences beside them."""
    pairs = own.take(chosen["row"])
    used = pa.array(sorted({*pairs["src_url"].to_pylist(), *pairs["tgt_url"].to_pylist()}), pa.string())
    pages = split_table(read.pages.filter(pc.is_in(read.pages["url"], used)))
    return with_paired_links(beside(located(_unlocated(pairs), pages), pages, SENTENCE_COLUMNS), partners_of(own))


def _unlocated(pairs: pa.Table) -> pa.Table:
    return pairs.drop_columns(["src_row", "tgt_row"])


def _told(langs: LanguageTags, sample: pa.Table, lexicon: pa.Table) -> Pooled:
    words = sum(pc.list_value_length(lexicon[f"{side}_units"])[0].as_py() for side in ("src", "tgt"))
    sentences = pc.sum(pc.list_value_length(sample["src_sentences"])).as_py()
    return Pooled("-".join(langs), pc.count_distinct(sample["site"]).as_py(), sample.num_rows, sentences, words)
