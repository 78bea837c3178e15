"""The words of a site as numbers: one vocabulary over all languages, words by block and by page.

Words spelt alike in two languages share a number: names, figures and loan words meet without a dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Ints32, Ragged, Rows, distinct, offsets_of
from diglot.site import Site
from diglot.sparse import SparseMatrix, matrix_of_places, matrix_of_rows
from diglot.words import fold_word, terms_of

_TEXTS = 10_000
"""Texts held as Python strings at a time."""
_ROWS = 50_000
"""Rows copied at a time."""
# Capitals within a word, and underscores: names of programs survive translation.
_CODE = re.compile(r"\w[A-Z]|_")


class WordClass(IntEnum):
    """Kinds of word with different chances of surviving translation."""

    WORD = 0
    NUMBER = 1
    CODE = 2
    CAPITALS = 3


@dataclass(frozen=True)
class SiteWords:
    """Words of a site's pages.

    ``blocks``: for every block its distinct words, rising. ``block_offsets``: page ``d`` has the blocks
    ``[block_offsets[d], block_offsets[d + 1])``; repeated blocks are left out. ``block_chars``: length of each block.
    ``counts``: sparse (pages, words). ``classes``: :class:`WordClass` of each word. ``neutral``: sparse (pages, neutral
    words), words folded so that cognates meet across languages, with image names and outward links. ``texts``: the
    words of every distinct block text, in order.
    """

    vocabulary: list[str]
    classes: npt.NDArray[np.int8]
    blocks: Ragged
    block_offsets: npt.NDArray[np.int64]
    block_chars: Ints32
    counts: SparseMatrix
    neutral: SparseMatrix
    texts: Ragged


def site_words(site: Site) -> SiteWords:
    """The words of a site, computed once."""
    return site.keep("words", lambda: _number_words(site))


def _number_words(site: Site) -> SiteWords:
    texts = site.numbered_blocks
    repeated = site.repeated_blocks
    keep = ~repeated.values
    row_of_block = repeated.rows_of_values()[keep]
    text_of_block = texts.indices.to_numpy()[keep]
    numbering = _Numbering()
    of_text = numbering.number_texts(texts.dictionary)
    vocabulary = list(numbering.vocabulary)
    counts = _counts(row_of_block, take_rows(of_text, text_of_block), (len(site), len(vocabulary)))
    chars = pc.utf8_length(texts.dictionary).to_numpy()[text_of_block].astype(np.int32)
    return SiteWords(
        vocabulary=vocabulary,
        classes=np.array([_commonest(forms) for forms in numbering.forms_of_class], np.int8),
        blocks=take_rows(_distinct(of_text, len(vocabulary)), text_of_block),
        block_offsets=offsets_of(np.bincount(row_of_block, minlength=len(site))),
        block_chars=chars,
        counts=counts,
        neutral=_neutral(site, counts, vocabulary),
        texts=of_text,
    )


def whole_page_words(site: Site) -> SparseMatrix:
    """``neutral`` of :class:`SiteWords` with repeated blocks counted."""
    # Menus and footers tell siblings apart among near duplicates.
    words = site_words(site)
    text_of_block = site.numbered_blocks.indices.to_numpy()
    tokens = take_rows(words.texts, text_of_block)
    counts = _counts(site.repeated_blocks.rows_of_values(), tokens, words.counts.shape)
    return _neutral(site, counts, words.vocabulary)


def _counts(row_of_block: Ints, tokens: Ragged, shape: tuple[int, int]) -> SparseMatrix:
    """Word counts by page: sparse of ``shape``; blocks come page by page."""
    blocks = offsets_of(np.bincount(row_of_block, minlength=shape[0]))
    return matrix_of_rows(tokens.offsets[blocks], tokens.values, np.ones(len(tokens.values), np.float32), shape)


class _Numbering:
    """Numbers of words in order of appearance; each word form is classified once."""

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = {}
        self.forms_of_class: list[list[int]] = []
        self._known: dict[str, int] = {}

    def number_texts(self, texts: pa.StringArray) -> Ragged:
        """The numbers of the words of each text."""
        # An array, because a list of as many numbers takes twice the memory.
        numbers, lengths = array("i"), []
        known = self._known
        for text in chain.from_iterable(
            texts.slice(start, _TEXTS).to_pylist() for start in range(0, len(texts), _TEXTS)
        ):
            found = terms_of(text)
            lengths.append(len(found))
            numbers.extend([known[word] if word in known else self._new(word) for word in found])
        return Ragged(np.array(numbers, np.int32), offsets_of(np.array(lengths, np.int64)))

    def _new(self, word: str) -> int:
        kind = _class_of(word)
        key = _digits(word) if kind == WordClass.NUMBER else word.lower()
        number = self.vocabulary.setdefault(key, len(self.vocabulary))
        if number == len(self.forms_of_class):
            self.forms_of_class.append([0, 0, 0, 0])
        self.forms_of_class[number][kind] += 1
        self._known[word] = number
        return number


def _class_of(word: str) -> int:
    if any(map(str.isdigit, word)):
        return WordClass.NUMBER
    if len(word) > 1 and word.isupper():
        return WordClass.CAPITALS
    return WordClass.CODE if _CODE.search(word) else WordClass.WORD


def _commonest(forms: list[int]) -> int:
    """The most frequent class among the occurrences of a word's forms.

    Ties go to code, then to capitals: at the beginning of a sentence, such a word may be spelt like any other.
    """
    return max(range(len(forms)), key=lambda kind: (forms[kind], kind == WordClass.CODE, kind))


def _digits(word: str) -> str:
    """Digits of any script as ASCII, separators as a full stop."""
    folded = "".join(str(unicodedata.digit(c)) if c.isdigit() else "." if c in ",:" else c for c in word)
    return folded.lower()


def _neutral(site: Site, counts: SparseMatrix, vocabulary: list[str]) -> SparseMatrix:
    """Counts of folded words, image names and outward links by page: ``neutral`` of :class:`SiteWords`."""
    numbering: dict[str, int] = {}
    fold = np.array([numbering.setdefault(fold_word(word), len(numbering)) for word in vocabulary], np.int32)
    extra_rows, extra_columns = _neutral_names(site, len(numbering))
    shape = (len(site), int(extra_columns.max(initial=len(numbering) - 1)) + 1)
    rows = np.concatenate([counts.row_numbers(), extra_rows])
    columns = np.concatenate([fold[counts.columns], extra_columns])
    values = np.concatenate([counts.values, np.ones(len(extra_rows), np.float32)])
    return matrix_of_places(rows, columns, values, shape)


def _neutral_names(site: Site, first: int) -> tuple[Ints, Ints]:
    """Rows and numbers of the pages' image names and links off the host, once a page.

    Numbers start at ``first`` and follow the first appearance of the names: by page, then by name.
    """
    images = site.flat_strings("images").dictionary_encode()
    links = site.flat_strings("link_urls").dictionary_encode()
    hosts = [urlsplit(url).netloc for url in site.urls]
    addresses, host_of_row = links.dictionary.to_pylist(), np.unique(np.array(hosts, object), return_inverse=True)
    leads_off = [[bool(link) and host not in link for link in addresses] for host in host_of_row[0].tolist()]
    off_of_host = np.array(leads_off, bool).reshape(len(leads_off), len(addresses))
    row = site.row_of_each("link_urls")
    off = off_of_host[host_of_row[1][row], links.indices.to_numpy()]
    names = [f"image {image.rpartition('/')[2]}" for image in images.dictionary.to_pylist()]
    names += [f"link {link}" for link in addresses]
    known = {name: number for number, name in enumerate(sorted(set(names)))}
    rank = np.array([known[name] for name in names], np.int64)
    found = np.concatenate([images.indices.to_numpy(), links.indices.to_numpy()[off] + len(images.dictionary)])
    rows = np.concatenate([site.row_of_each("images"), row[off]])
    rows, ranks = np.divmod(distinct(rows * max(len(known), 1) + rank[found]), max(len(known), 1))
    used, place = np.unique(ranks, return_index=True)
    number = np.zeros(len(known), np.int64)
    number[used[np.argsort(place)]] = first + np.arange(len(used))
    return rows, number[ranks]


def take_rows(ragged: Ragged, rows: npt.NDArray[np.int64]) -> Ragged:
    """Some rows, in the order given, with repetitions."""
    lengths = ragged.lengths()[rows]
    offsets = offsets_of(lengths)
    values = np.empty(offsets[-1], ragged.values.dtype)
    # Indices of all values at once would take four times their memory.
    for start in range(0, len(rows), _ROWS):
        some = slice(start, start + _ROWS)
        first, end = offsets[start], offsets[min(start + _ROWS, len(rows))]
        shift = np.repeat(ragged.offsets[rows[some]] - offsets[:-1][some], lengths[some])
        values[first:end] = ragged.values[np.arange(first, end) + shift]
    return Ragged(values, offsets)


def _distinct(ragged: Ragged, size: int) -> Ragged:
    """The rows' distinct values, rising; all are below ``size``."""
    keys = distinct(ragged.rows_of_values() * size + ragged.values)
    counts = np.bincount(keys // max(size, 1), minlength=len(ragged))
    return Ragged((keys % max(size, 1)).astype(np.int32), offsets_of(counts))


def document_frequency(counts: SparseMatrix, rows: Rows) -> npt.NDArray[np.float64]:
    """Number of rows with each word."""
    return counts[rows].column_sizes().astype(np.float64)
