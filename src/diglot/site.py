"""The documents of a site as columns, read by features and pairing, and the sites of a set of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from diglot.arrays import Column, Ints, Pairs, Ragged, Rows, connected_groups, distinct
from diglot.no_breaks import blanks_of_texts
from diglot.public_suffixes import registered_name, unlisted_name
from diglot.records import with_columns

REPEATED_SHARE = 0.30
REPEATED_MIN_PAGES = 5
"""A block text is repeated if found on more than max(5, 30%) of the pages of its language. At 2% the rule would
remove exactly the distinguishing text of sibling pages."""
MAX_DOMAINS = 20
"""Most domains of a site. An organisation has a domain per country or language; larger groups are hubs: directories
and networks whose members link to the hub and back."""
ALL = "all"
"""Name of the site if the user declares all pages to be of one site."""
SITE_NUMBERS = 1 << 64
"""Range of :func:`site_number`."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Site:
    """Documents of one site, sorted by address, rows of :data:`diglot.records.DOCUMENT_SCHEMA`.

    ``lang_pairs``: wanted source and target languages.
    """

    name: str
    documents: pa.Table
    lang_pairs: tuple[tuple[str, str], ...] = ()
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return int(self.documents.num_rows)

    def pair_keys(self, pairs: Pairs | Ints) -> npt.NDArray[np.int64]:
        """Sort key of each pair of rows, source first; int64 (n,)."""
        keys: npt.NDArray[np.int64] = pairs[:, 0].astype(np.int64) * len(self) + pairs[:, 1]
        return keys

    def keep(self, key: Any, build: Callable[[], _T]) -> _T:
        """The value of ``build()``, computed once for each site and key, and kept."""
        if key not in self._cache:
            self._cache[key] = build()
        result: _T = self._cache[key]
        return result

    def strings(self, column: str) -> list[str]:
        """A text column as Python strings."""
        return self.keep(("strings", column), lambda: self.documents[column].to_pylist())

    def numbers(self, column: str) -> npt.NDArray[Any]:
        """A number column as an array of shape (len(self),)."""
        return self.keep(("numbers", column), lambda: self.documents[column].to_numpy())

    def ragged_column(self, column: str) -> Ragged:
        """A list-of-numbers column as a ragged array."""
        return self.keep(("ragged", column), lambda: _to_ragged(self._list_array(column)))

    def flat_strings(self, column: str) -> pa.StringArray:
        """All strings of a list-of-strings column, flattened."""
        return self._list_array(column).flatten()

    def row_of_each(self, column: str) -> npt.NDArray[np.int64]:
        """Row of every item in the lists of a column."""
        offsets = _offsets(self._list_array(column))
        return np.repeat(np.arange(len(self)), np.diff(offsets))

    def ragged_strings(self, column: str) -> list[list[str]]:
        """A list-of-strings column as lists."""
        return self.keep(("lists", column), lambda: lists_of(self.documents[column]))

    def rows_of(self, lang: str) -> Rows:
        """Rows of the documents in a language."""
        return np.flatnonzero(np.array(self.strings("lang"), dtype=object) == lang).astype(np.int32)

    @property
    def urls(self) -> list[str]:
        """Addresses."""
        return self.strings("url")

    @cached_property
    def depth(self) -> npt.NDArray[np.int32]:
        """Address parts after the host; ``host/d1/d2/d3/page`` is 4 (ILSP, section 2.3), a trailing slash none."""
        return np.array([url_depth(url) for url in self.urls], dtype=np.int32)

    @cached_property
    def block_offsets(self) -> npt.NDArray[np.int64]:
        """Blocks of document ``d``: ``block_offsets[d]`` up to ``block_offsets[d + 1]``, exclusive."""
        return _offsets(self._list_array("block_ends"))

    @property
    def block_texts(self) -> pa.ListArray:
        """Block texts of each document: chunks joined, white space folded.

        :attr:`numbered_blocks` takes less memory: here a repeated text is copied.
        """
        numbered = self.numbered_blocks
        texts = numbered.dictionary.take(numbered.indices)
        return pa.ListArray.from_arrays(pa.array(self.block_offsets, pa.int32()), texts)

    @property
    def numbered_blocks(self) -> pa.DictionaryArray:
        """Texts of all blocks in order; equal texts share a number, by first occurrence."""
        return self.keep("numbered blocks", self._numbered_blocks)

    def _numbered_blocks(self) -> pa.DictionaryArray:
        chunks = self._list_array("chunks")
        ends = self._list_array("block_ends")
        first_chunk = np.repeat(_offsets(chunks)[:-1], np.diff(_offsets(ends)))
        starts = np.concatenate([[0], first_chunk + ends.flatten().to_numpy()])
        joined = pa.ListArray.from_arrays(pa.array(starts, pa.int32()), chunks.flatten())
        # Numbered before folding: a menu on all pages is folded once.
        written = pc.binary_join(joined, "").dictionary_encode()
        # Single blanks, most of all white space, are left alone: to replace them by themselves takes most of the time.
        folded = pc.replace_substring_regex(written.dictionary, r"\s{2,}|[^\S ]", " ")
        texts = pc.utf8_trim_whitespace(folded).dictionary_encode()
        return pa.DictionaryArray.from_arrays(texts.indices.take(written.indices), texts.dictionary)

    def with_documents(self, documents: pa.Table, kept: npt.NDArray[np.bool_] | None = None) -> Site:
        """The site with ``documents`` for its documents, all or the ``kept`` rows; block texts are taken over."""
        blocks = self.numbered_blocks
        if kept is not None and not kept.all():
            stay = np.repeat(kept, np.diff(self.block_offsets))
            blocks = _renumber(blocks.indices.to_numpy()[stay], blocks.dictionary)
        return Site(self.name, documents, self.lang_pairs, {"numbered blocks": blocks})

    def blocks(self, row: int) -> list[str]:
        """Block texts of one document."""
        start, end = self.block_offsets[row : row + 2].tolist()
        numbered = self.numbered_blocks[start:end]
        texts: list[str] = numbered.dictionary.take(numbered.indices).to_pylist()
        return texts

    def block_blanks(self, row: int) -> list[str | None]:
        """No-break blanks of each block of a document (:mod:`diglot.no_breaks`)."""
        return blanks_of_texts(self.blocks(row), self.documents["no_breaks"][row].as_py())

    @cached_property
    def lang_numbers(self) -> Ints:
        """Number of the language of each page, in the order of the tags; shape (pages,)."""
        return np.unique(np.array(self.strings("lang"), dtype=object), return_inverse=True)[1]

    @cached_property
    def repeated_blocks(self) -> Ragged:
        """Mask of blocks with a text on more than max(5, 30%) of the pages of the language."""
        offsets = self.block_offsets
        row = np.repeat(np.arange(len(self)), np.diff(offsets))
        text = self.numbered_blocks.indices.to_numpy()
        langs = self.lang_numbers
        width, pages = int(text.max(initial=0)) + 1, max(len(self), 1)
        key = langs[row] * width + text
        kinds, pages_with = np.unique(distinct(key * pages + row) // pages, return_counts=True)
        limit = np.maximum(REPEATED_MIN_PAGES, REPEATED_SHARE * np.bincount(langs, minlength=1))
        repeated = pages_with > limit[kinds // width]
        found = np.searchsorted(kinds, key)
        return Ragged(repeated[found] if len(found) else np.zeros(0, bool), offsets)

    def _list_array(self, column: str) -> pa.ListArray:
        return self.documents[column].combine_chunks()


Feature = Callable[[Site, Pairs], Column]
"""A function in :mod:`diglot.features`: a number for each pair of rows of a site."""


def lists_of(column: pa.ChunkedArray) -> list[list[Any]]:
    """A column of lists as Python lists, in a third of the time of ``to_pylist``."""
    lists = column.combine_chunks()
    values, ends = lists.flatten().to_pylist(), _offsets(lists).tolist()
    return [values[start:end] for start, end in pairwise(ends)]


def join_strings(strings: pa.StringArray, bounds: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Join the strings in each range, with no copy of single strings."""
    data, first = strings.buffers()[2], strings.offset
    ends = np.frombuffer(strings.buffers()[1], np.int32)[first : first + len(strings) + 1] if len(strings) else [0]
    text = memoryview(data) if data is not None else memoryview(b"")
    return (str(text[ends[start] : ends[end]], "utf-8") for start, end in bounds)


def _to_ragged(array: pa.ListArray) -> Ragged:
    return Ragged(array.flatten().to_numpy(zero_copy_only=False), _offsets(array))


def _renumber(numbers: Ints, dictionary: pa.StringArray) -> pa.DictionaryArray:
    """Texts renumbered by first occurrence, without unused texts."""
    known, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    new = np.empty(len(known), np.int32)
    new[order] = np.arange(len(known), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(new[place]), dictionary.take(pa.array(known[order])))


def _offsets(array: pa.ListArray) -> npt.NDArray[np.int64]:
    offsets: npt.NDArray[np.int64] = array.offsets.to_numpy().astype(np.int64)
    return np.asarray(offsets - offsets[0])


def split_sites(
    documents: pa.Table, *, lang_pairs: Sequence[tuple[str, str]] = (), together: bool = False
) -> list[Site]:
    """One site per registered domain, or per group of domains joined by hreflang (:func:`join_domains`).

    ``together``: all documents are one site. Sites are ordered by :func:`site_number`, documents by address.
    """
    names = SiteNames({}, (), together=True) if together else join_domains(domains_of(documents))
    return sites_of(with_columns(documents, site=names.of(documents["url"].to_pylist())), lang_pairs=lang_pairs)


def sites_of(documents: pa.Table, *, lang_pairs: Sequence[tuple[str, str]] = ()) -> list[Site]:
    """Sites by the column ``site``, ordered by :func:`site_number`, documents by address."""
    return [Site(table["site"][0].as_py(), table, tuple(lang_pairs)) for table in grouped_by_site(documents)]


def grouped_by_site(documents: pa.Table) -> list[pa.Table]:
    """A table of documents per site, by the column ``site``: sites by :func:`site_number`, documents by address."""
    ordered = in_order_of_sites(documents, "url")
    sites = ordered["site"].combine_chunks()
    starts = np.flatnonzero(np.append(True, pc.not_equal(sites[1:], sites[:-1]).to_numpy(zero_copy_only=False)))
    cuts = [*starts[: len(sites)].tolist(), len(sites)]
    return [ordered.slice(start, end - start) for start, end in pairwise(cuts)]


def in_order_of_sites(table: pa.Table, *columns: str) -> pa.Table:
    """The rows of a table sorted by :func:`site_number` of the column ``site``, then by ``columns``."""
    names = table["site"].combine_chunks().dictionary_encode()
    numbers = pa.array([site_number(name) for name in names.dictionary.to_pylist()], pa.uint64())
    keys = [(name, "ascending") for name in ("site_number", "site", *columns)]
    numbered = table.append_column("site_number", numbers.take(names.indices))
    order = pc.sort_indices(numbered.select([name for name, _ in keys]), sort_keys=keys)
    return take_in_order(table, order)


def take_in_order(table: pa.Table, order: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The rows ``order`` of a table; the table itself, without a copy, if it is in order already."""
    # A copy would double the memory of the largest tables.
    in_place = len(order) == table.num_rows and bool((order.to_numpy() == np.arange(len(order))).all())
    return table if in_place else table.take(order)


@lru_cache(maxsize=100_000)
def site_number(name: str) -> int:
    """Hash of a site's name in [0, :data:`SITE_NUMBERS`), for ordering and partitioning sites."""
    # Any range of hashes holds a fair share of the sites: a run is divided before its sites are known.
    return xxhash.xxh3_64_intdigest(name.encode())


DOMAIN_SCHEMA = pa.schema(
    [
        pa.field("domain", pa.string(), nullable=False),
        pa.field("pages", pa.int64(), nullable=False),
        pa.field("names", pa.list_(pa.string()), nullable=False),  # foreign domains in its pages' hreflang links
    ]
)


class SiteNames(NamedTuple):
    """The site of every domain."""

    site_of: Mapping[str, str]
    """Domain -> site: the first domain of the group, by name."""
    crowds: tuple[tuple[str, ...], ...]
    """Groups of domains joined by hreflang, but too large for a site: here each domain is a site."""
    together: bool = False
    """Whether all pages are of one site."""

    def of_domain(self, domain: str) -> str:
        """The site of a domain; an unknown domain is its own site."""
        return ALL if self.together else self.site_of.get(domain, domain)

    def of(self, urls: Sequence[str]) -> list[str]:
        """The site of every address."""
        return [ALL] * len(urls) if self.together else [self.of_domain(registered_domain(url)) for url in urls]


def domains_of(documents: pa.Table) -> pa.Table:
    """The domains of documents, sorted by name: :data:`DOMAIN_SCHEMA`."""
    domains = [registered_domain(url) for url in documents["url"].to_pylist()]
    links, hreflangs = documents["link_urls"].combine_chunks(), documents["link_hreflangs"].combine_chunks()
    says_so = pc.and_(pc.not_equal(hreflangs.flatten(), ""), pc.not_equal(links.flatten(), ""))
    pages = pc.list_parent_indices(links).filter(says_so).to_pylist()
    leads = links.flatten().filter(says_so).dictionary_encode()
    targets = [registered_domain(link) for link in leads.dictionary.to_pylist()]
    names: dict[str, set[str]] = {domain: set() for domain in domains}
    for page, lead in zip(pages, leads.indices.to_pylist(), strict=True):
        names[domains[page]].add(targets[lead])
    counts = Counter(domains)
    rows = [(domain, counts[domain], sorted(names[domain] - {domain, ""})) for domain in sorted(counts)]
    return pa.table([list(column) for column in zip(*rows, strict=True)] or [[], [], []], schema=DOMAIN_SCHEMA)


def join_domains(domains: pa.Table) -> SiteNames:
    """Sites by registered domain; domains with hreflang links in both directions are one site.

    A site has at most :data:`MAX_DOMAINS`.
    ``domains``: :data:`DOMAIN_SCHEMA`; a domain may have several rows.
    """
    found = np.unique(np.array(domains["domain"].to_pylist(), np.str_))
    number = {domain: place for place, domain in enumerate(found.tolist())}
    row_of = np.array([number[domain] for domain in domains["domain"].to_pylist()], np.int64)
    names = domains["names"].combine_chunks()
    known = np.array([number.get(name, -1) for name in names.flatten().to_pylist()], np.int64)
    named = np.stack([row_of[pc.list_parent_indices(names).to_numpy()], known])
    named = named[:, named[1] >= 0]
    groups = _groups_naming_each_other(named, len(found)) if named.shape[1] else np.arange(len(found))
    first_of_group, sizes = np.unique(groups, return_index=True, return_counts=True)[1:]
    crowded = np.flatnonzero(sizes > MAX_DOMAINS)
    site_of = np.where(np.isin(groups, crowded), np.arange(len(found)), first_of_group[groups])
    crowds = tuple(tuple(found[groups == group].tolist()) for group in crowded.tolist())
    return SiteNames(dict(zip(found.tolist(), found[site_of].tolist(), strict=True)), crowds)


def _groups_naming_each_other(named: Ints, domains: int) -> Ints:
    """Group of each domain; ``named``: pairs of domains, the first linking to the second, shape (2, pairs)."""
    keys, back = (one.astype(np.int64) * domains + other for one, other in (named, named[::-1]))
    # One direction is not enough: anyone can link to a foreign domain.
    both = np.intersect1d(keys, back)
    return connected_groups(np.stack(np.divmod(both, max(domains, 1)), axis=1), domains)


def registered_domain(url: str) -> str:
    """``example.co.uk`` of ``https://fr.example.co.uk/a``; a public suffix or number as it is, "" without host.

    Subdomains of a platform belong to their owners: ``alice.github.io`` of ``https://alice.github.io/a``.
    """
    try:
        host = (urlsplit(url).hostname or "") if "//" in url else ""
    except ValueError:  # a host no address may have
        return ""
    return _domain_of_host(host)


@lru_cache(maxsize=100_000)
def _domain_of_host(host: str) -> str:
    return registered_name(host, platforms=True) or unlisted_name(host)


def url_depth(url: str) -> int:
    """Address parts after the host."""
    path = urlsplit(url).path.strip("/")
    return path.count("/") + 1 if path else 0
