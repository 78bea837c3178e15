"""The words of a site as numbers: one vocabulary over all languages, terms a block and a document.

A term spelt alike in two languages has one number, so that names, figures and loan words meet
without a dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
from scipy import sparse

from diglot.site import Ragged, Rows, Site

Ints = npt.NDArray[np.int32]

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|\w+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
"""Scripts written without blanks between words (and Hangul, whose endings vary): cut into character pairs."""
_CODE = re.compile(r"\w[A-Z]|_")
_PREFIX_CHARS = 5
"""Words longer than this meet their cognates by their first five letters, marks folded."""


class TermClass(IntEnum):
    """Kinds of term whose chance of surviving translation differs."""

    WORD = 0
    NUMBER = 1
    CODE = 2
    CAPITALS = 3


@dataclass(frozen=True)
class Terms:
    """Terms of a site's documents.

    ``blocks``: for every block its distinct terms, rising. ``block_offsets``: document ``d`` has the
    blocks ``[block_offsets[d], block_offsets[d + 1])``; repeated blocks are left out. ``block_chars``:
    length of each. ``counts``: sparse (documents, terms). ``classes``: :class:`TermClass` a term.
    ``neutral``: sparse (documents, neutral terms), terms folded so that cognates, image names and
    outward links meet across languages.
    """

    vocabulary: list[str]
    classes: npt.NDArray[np.int8]
    blocks: Ragged
    block_offsets: npt.NDArray[np.int64]
    block_chars: Ints
    counts: sparse.csr_array
    neutral: sparse.csr_array


def site_terms(site: Site) -> Terms:
    """The terms of a site, computed once."""
    return site.cached("terms", lambda: _build(site))


def _build(site: Site) -> Terms:
    texts = pc.dictionary_encode(site.block_texts.flatten())
    repeated = site.repeated_blocks
    keep = ~repeated.values
    row_of_block = repeated.rows_of_values()[keep]
    text_of_block = texts.indices.to_numpy()[keep]
    numbering = _Numbering()
    tokens_of_text = [numbering(words(text)) for text in texts.dictionary.to_pylist()]
    used = [tokens_of_text[text] for text in text_of_block.tolist()]
    lengths = np.fromiter((len(tokens) for tokens in used), np.int64, len(used))
    tokens = np.concatenate(used) if used else np.zeros(0, np.int32)
    vocabulary = list(numbering.vocabulary)
    doc_of_token = np.repeat(row_of_block, lengths)
    counts = sparse.csr_array(
        (np.ones(len(tokens), np.float32), (doc_of_token, tokens)), shape=(len(site), len(vocabulary))
    )
    counts.sum_duplicates()
    chars = pc.utf8_length(texts.dictionary).to_numpy()[text_of_block].astype(np.int32)
    return Terms(
        vocabulary=vocabulary,
        classes=np.array([int(np.argmax(forms)) for forms in numbering.forms_of_class], np.int8),
        blocks=_ragged([np.unique(block) for block in used]),
        block_offsets=np.concatenate([[0], np.cumsum(np.bincount(row_of_block, minlength=len(site)))]).astype(np.int64),
        block_chars=chars,
        counts=counts,
        neutral=_neutral(site, counts, vocabulary),
    )


def words(text: str) -> list[str]:
    """Words of a text in their own letters; runs of unspaced scripts as overlapping character pairs."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        found: list[str] = []
        for word in _WORD.findall(text):
            found.extend(_pairs(word) if not word.isascii() and _UNSPACED.search(word) else (word,))
        return found
    return _WORD.findall(text)


def _pairs(word: str) -> Iterable[str]:
    last = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > last:
            yield word[last : run.start()]
        letters = run.group()
        yield from (letters[i : i + 2] for i in range(max(1, len(letters) - 1)))
        last = run.end()
    if last < len(word):
        yield word[last:]


class _Numbering:
    """Numbers of words as they turn up; a word form is looked at once."""

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = {}
        self.forms_of_class: list[list[int]] = []
        self._known: dict[str, int] = {}

    def __call__(self, found: list[str]) -> Ints:
        known = self._known
        return np.array([known[word] if word in known else self._new(word) for word in found], np.int32)

    def _new(self, word: str) -> int:
        kind = _class(word)
        key = _digits(word) if kind == TermClass.NUMBER else word.lower()
        number = self.vocabulary.setdefault(key, len(self.vocabulary))
        if number == len(self.forms_of_class):
            self.forms_of_class.append([0, 0, 0, 0])
        self.forms_of_class[number][kind] += 1
        self._known[word] = number
        return number


def _class(word: str) -> int:
    if any(map(str.isdigit, word)):
        return TermClass.NUMBER
    if len(word) > 1 and word.isupper():
        return TermClass.CAPITALS
    return TermClass.CODE if _CODE.search(word) else TermClass.WORD


def _digits(word: str) -> str:
    """Digits of any script as ASCII, separators as a full stop."""
    folded = "".join(str(unicodedata.digit(c)) if c.isdigit() else "." if c in ",:" else c for c in word)
    return folded.lower()


def _neutral(site: Site, counts: sparse.csr_array, vocabulary: list[str]) -> sparse.csr_array:
    numbering: dict[str, int] = {}
    fold = np.array([numbering.setdefault(folded(word), len(numbering)) for word in vocabulary], np.int64)
    rows, columns = counts.nonzero()
    extra_rows, extra_columns = [], []
    for row, (images, links, url) in enumerate(
        zip(site.ragged_strings("images"), site.ragged_strings("link_urls"), site.urls, strict=True)
    ):
        host = urlsplit(url).netloc
        names = {f"image {image.rpartition('/')[2]}" for image in images}
        names |= {f"link {link}" for link in links if link and host not in link}
        extra_rows += [row] * len(names)
        extra_columns += [numbering.setdefault(name, len(numbering)) for name in sorted(names)]
    data = np.concatenate([counts.data, np.ones(len(extra_rows), np.float32)])
    places = np.concatenate([rows, extra_rows]).astype(np.int64), np.concatenate([fold[columns], extra_columns])
    matrix = sparse.csr_array((data, places), shape=(len(site), len(numbering)))
    matrix.sum_duplicates()
    return matrix


def folded(word: str) -> str:
    """A word without its marks; of a longer one the first five letters."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return word if len(word) <= _PREFIX_CHARS or not word.isalpha() else word[:_PREFIX_CHARS]


def _ragged(parts: list[Ints]) -> Ragged:
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return Ragged(np.concatenate(parts).astype(np.int32) if parts else np.zeros(0, np.int32), offsets)


def document_frequency(counts: sparse.csr_array, rows: Rows) -> npt.NDArray[np.float64]:
    """On how many of the rows each term stands."""
    return np.bincount(counts[rows].indices, minlength=counts.shape[1]).astype(np.float64)
