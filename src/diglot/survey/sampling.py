"""A survey of sources before a run: records, pages, and the languages of the pages.

All records are read. The languages of the pages of at most ``LOOKED_AT`` addresses are resolved like in a run, without
wanted languages. A hash of the address chooses the sample, so the same sources always give the same result. More
pages than that are parsed, since the sample is known only after the last record.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from diglot.documents.language import UNDETERMINED, readable
from diglot.documents.language_parts import document_address
from diglot.documents.language_tags import are_close, language_of
from diglot.documents.parse import dropped_table
from diglot.engines.pool import LocalEngine
from diglot.errors import NothingFound
from diglot.languages import wanted_language
from diglot.layout import largest_first
from diglot.page_language.own_text import PLACEHOLDER_LANG
from diglot.page_language.resolving import COMMON_PAGES, WHOLE, resolve_languages
from diglot.pages import MAX_PAGE_BYTES, Source, read
from diglot.progress import Progress, default_progress
from diglot.reasons import REASON_TEXT, Reason
from diglot.records import DOCUMENT_SCHEMA, Drop, Page, with_columns, zip_columns
from diglot.run.index_notes import IndexCount
from diglot.run.ledger import mark_repeated_addresses, used_addresses
from diglot.run.read import SHARD_RECORDS, parse_records
from diglot.run.shards import map_sites
from diglot.run.work import PRELOAD
from diglot.site import Site, domains_of, grouped_by_site, join_domains

LOOKED_AT = 3_000
"""Most addresses of the sample. A language of 1 page in 200 is found on 10 pages or more in 69 of 70 surveys."""

LEAST_PAGES = COMMON_PAGES
"""Least number of pages of a language, the fewest from which a run expects the language on any page."""
LEAST_SHARE = 0.002
"""Least share of the sample for a language: on large sites stray texts are taken for nearly any language."""
CONFUSED_SHARE = 0.1
"""Up to this share of the pages of a similar language, a language is counted as that one, unless most pages declare
it."""

Keep: TypeAlias = Callable[[Source, int, pa.Table], None]
"""Takes a source, the number of a shard, and its documents (of :data:`diglot.run.read.SHARD_RECORDS` records)."""

FOUND_SCHEMA = pa.schema([DOCUMENT_SCHEMA.field(name) for name in ("lang", "declared_lang", "text_length_chars")])


class FoundLanguage(NamedTuple):
    """A language found on pages."""

    tag: str
    """BCP 47."""
    pages: int
    chars: int
    """Characters of text on these pages, with menus."""
    declared: int
    """Number of these pages declaring this language."""
    declared_other: Mapping[str, int]
    """Number of these pages declaring another language, by primary subtag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Result of a survey."""

    records: int
    pages: int
    """Number of records with a page, readable or not."""
    dropped: Mapping[str, int]
    """Number of records without a page, by reason."""
    looked_at: int
    """Number of pages of the sample: all, or those of ``LOOKED_AT`` addresses. An archive may have an address often."""
    unreadable: Mapping[str, int]
    """Number of pages of the sample without text or with a repeated address, by reason."""
    sites: int
    unknown: int
    """Number of pages in an unknown language."""
    size_bytes: int
    languages: tuple[FoundLanguage, ...] = ()
    """Languages of the sources, most pages first."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Number of pages in languages with too few pages."""
    taken_for: Mapping[str, str] = field(default_factory=dict)
    """Left-out languages counted as a similar one, indistinguishable to any identifier."""
    notes: tuple[str, ...] = ()
    """On the indexes among the sources (:mod:`diglot.run.index_notes`)."""
    parse_seconds: float = field(default=0.0, compare=False)
    """Time for parsing the pages of the sample and resolving their languages."""
    read_seconds: float = field(default=0.0, compare=False)

    @property
    def text_chars(self) -> int:
        """Characters of all text in the languages of the sources."""
        return sum(found.chars for found in self.languages)

    def languages_for(self, named: Sequence[str]) -> tuple[str, ...]:
        """Languages of a run asking for ``named`` and all others. Raises NothingFound for fewer than two."""
        langs = (*named, *self.others_than(named))
        if len(langs) < 2 and not self.languages_text() and not self.unknown:
            lost = largest_first(Counter(self.dropped) + Counter(self.unreadable))
            became = "\n".join(f"{count:>12,}  {REASON_TEXT[Reason(reason)]}" for reason, count in lost)
            raise NothingFound(f"no page to detect a language on; what became of {self.records:,} records:\n{became}")
        if len(langs) < 2:
            raise NothingFound(
                f"{self.languages_text() or 'no language'}: two are needed to pair pages; "
                "name them, as in en,fr, if you know of more"
            )
        return langs

    def others_than(self, named: Sequence[str]) -> tuple[str, ...]:
        """Languages of the sources not covered by ``named``."""
        return tuple(found.tag for found in self.languages if not wanted_language(found.tag, "", tuple(named)))

    def languages_text(self) -> str:
        """``en 31, fr 27, la 3 (declared by no page); left out: es 1 (fewer than 3 pages)``."""
        remarks = dict.fromkeys(self.unsure_languages(), " (declared by no page)")
        found = ", ".join(f"{found.tag} {found.pages:,}{remarks.get(found.tag, '')}" for found in self.languages)
        return "; ".join(filter(None, [found, self.left_out_text()]))

    def unsure_languages(self) -> list[str]:
        """Languages that an identifier alone found on few pages, in sources whose pages declare languages.

        An identifier takes short or odd texts for nearly any language. Few pages are at most :data:`CONFUSED_SHARE` of
        those of the most frequent language.
        """
        most = max((found.pages for found in self.languages), default=0)
        few = [found for found in self.languages if found.pages <= CONFUSED_SHARE * most]
        says = any(found.declared for found in self.languages)
        return [found.tag for found in few if says and not found.declared]

    def left_out_text(self, asked: Sequence[str] = ()) -> str:
        """Left-out languages and the reason, without those ``asked`` for; "" for none."""
        left = {tag: n for tag, n in self.left_out.items() if not wanted_language(tag, "", tuple(asked))}
        is_placeholder = left.get(PLACEHOLDER_LANG, 0) >= self.least_pages()
        told_apart = {*self.taken_for, *([PLACEHOLDER_LANG] if is_placeholder else [])}
        few = [f"{tag} {pages:,}" for tag, pages in left.items() if tag not in told_apart]
        texts = [f"{', '.join(few)} (fewer than {self.least_pages()} pages)"] if few else []
        texts += [f"{tag} {left[tag]:,} (taken for {other})" for tag, other in self.taken_for.items() if tag in left]
        if is_placeholder:
            texts.append(f"{PLACEHOLDER_LANG} {left[PLACEHOLDER_LANG]:,} (declared by no page, as placeholder text)")
        return f"left out: {', '.join(texts)}" if texts else ""

    def least_pages(self) -> int:
        """Least number of pages of a language in this survey."""
        return least_pages(self.looked_at - self.unreadable.get(Reason.REPEATED_ADDRESS, 0))


def least_pages(looked_at: int) -> int:
    """Least number of pages of a language, by the number of pages of the sample, each address counted once.

    >>> least_pages(100), least_pages(3000)
    (3, 6)
    """
    return max(LEAST_PAGES, int(np.ceil(LEAST_SHARE * looked_at)))


def survey(
    sources: Sequence[Source],
    *,
    jobs: int = 0,
    progress: Progress | None = None,
    max_page_bytes: int = MAX_PAGE_BYTES,
    split_pages: bool = False,
    keep: Keep | None = None,
) -> Survey:
    """Survey sources; writes nothing. ``jobs``: worker processes, 0 for one a core.

    ``split_pages``: see :func:`diglot.documents.parse.parse_table`.
    ``keep`` gets the documents of every shard whose pages were all parsed, so that a run need not parse them again.
    """
    listener = progress or default_progress()
    listener.start("languages", None, "records")
    with LocalEngine(jobs=jobs, preload=PRELOAD) as engine:
        looked = _Look(engine, split_pages=split_pages)
        notes: list[str] = []
        for source in sources:
            count = IndexCount()
            records = read(source, max_page_bytes=max_page_bytes)
            for number, batch in enumerate(iter(partial(looked.next_of, records), [])):
                documents = looked.add(batch)
                count.add_records(batch)
                if keep is not None and documents is not None:
                    keep(source, number, documents)
                listener.advance(len(batch))
            notes += count.notes(source)
        pages, sites, unreadable = looked.resolve_languages()
    result = replace(_result(looked, sources, pages, sites, unreadable), notes=tuple(notes))
    listener.finish(result.languages_text() or "none found")
    return result


def _result(looked: _Look, sources: Sequence[Source], pages: pa.Table, sites: int, unreadable: Counter[str]) -> Survey:
    """The survey of all pages. ``pages``: parsed pages with their language; ``unreadable``: other pages by reason."""
    least = least_pages(looked.sample_pages - unreadable[Reason.REPEATED_ADDRESS])
    chosen, left_out, taken_for = _choose_languages(_count_languages(pages), least)
    return Survey(
        records=looked.records,
        pages=looked.pages,
        dropped=_by_reason(looked.dropped),
        looked_at=looked.sample_pages,
        unreadable=_by_reason(unreadable),
        sites=sites,
        unknown=pages["lang"].to_pylist().count(UNDETERMINED),
        size_bytes=sum(source.size_bytes() for source in sources),
        languages=tuple(chosen),
        left_out=left_out,
        taken_for=taken_for,
        parse_seconds=looked.parse_seconds,
        read_seconds=looked.read_seconds,
    )


class _Look:
    """The sample of pages: those of the addresses with the smallest hashes so far, http and https taken as one."""

    def __init__(self, engine: LocalEngine, *, split_pages: bool) -> None:
        self._engine, self._split_pages = engine, split_pages
        self._tables = [DOCUMENT_SCHEMA.empty_table().append_column("hash", pa.array([], pa.uint64()))]
        self._copies = np.empty(0, np.uint64)
        self._least_left_out = 1 << 64
        self.records = self.pages = self.sample_pages = self._parsed = 0
        self.dropped: Counter[str] = Counter()
        self.read_seconds = self.parse_seconds = 0.0

    def next_of(self, records: Iterator[Page | Drop]) -> list[Page | Drop]:
        """The next records; adds the time for reading them to ``read_seconds``."""
        started = time.monotonic()
        batch = list(islice(records, SHARD_RECORDS))
        self.read_seconds += time.monotonic() - started
        return batch

    def add(self, batch: Sequence[Page | Drop]) -> pa.Table | None:
        """Count records, and parse the pages among them that may belong to the sample.

        Returns the documents of all records, in the order of a run; None if a page was not parsed.
        """
        started = time.monotonic()
        pages = [record for record in batch if isinstance(record, Page)]
        self.records += len(batch)
        self.pages += len(pages)
        drops = [record for record in batch if isinstance(record, Drop)]
        self.dropped.update(drop.reason for drop in drops)
        hashed = [(_hash_of(page.url), page) for page in pages]
        chosen = [(number, page) for number, page in hashed if number < self._least_left_out]
        number_of = {page.url: number for number, page in chosen}
        tables = list(parse_records(self._engine, [page for _, page in chosen], split_pages=self._split_pages))
        for table in tables:
            self._parsed += table.num_rows
            # A document in several languages is a row for each.
            numbers = [
                number_of[document_address(url) if url not in number_of else url] for url in table["url"].to_pylist()
            ]
            self._tables.append(table.append_column("hash", pa.array(numbers, pa.uint64())))
        # Cutting only at twice the size keeps the cost linear. The first table, of the last cut, may be above
        # LOOKED_AT rows: an address in several languages is a row for each.
        if sum(table.num_rows for table in self._tables) > 2 * max(LOOKED_AT, self._tables[0].num_rows):
            self._cut()
        self.parse_seconds += time.monotonic() - started
        return pa.concat_tables([dropped_table(drops), *tables]) if len(chosen) == len(pages) else None

    def _cut(self) -> None:
        documents = mark_repeated_addresses(pa.concat_tables(self._tables))
        # Of copies only the number is needed: an archive of some years has its first page thousands of times.
        _, again = used_addresses(documents["url"])
        copies = documents["hash"].filter(again).to_numpy()
        self._copies, documents = np.append(self._copies, copies), documents.filter(pc.invert(again))
        hashes = np.unique(documents["hash"].to_numpy())
        if len(hashes) > LOOKED_AT:
            self._least_left_out = int(hashes[LOOKED_AT])
            documents = documents.filter(pc.field("hash") < pa.scalar(self._least_left_out, pa.uint64()))
            self._copies = self._copies[self._copies < np.uint64(self._least_left_out)]
        self._tables = [documents]

    def resolve_languages(self) -> tuple[pa.Table, int, Counter[str]]:
        """Languages of the readable pages (``FOUND_SCHEMA``), number of sites, and numbers of unreadable pages by
        reason."""
        started = time.monotonic()
        self._cut()
        [documents] = self._tables
        self.sample_pages = documents.num_rows + len(self._copies)
        # Other pages were parsed as well.
        self.parse_seconds *= self.sample_pages / max(1, self._parsed)
        # Copies without text are repeated addresses, too: each address counts once.
        copies = Counter({Reason.REPEATED_ADDRESS.value: len(self._copies)})
        unreadable = Counter(filter(None, documents["reason"].to_pylist())) + copies
        names = join_domains(domains_of(documents))
        documents = with_columns(readable(documents), site=names.of(readable(documents)["url"].to_pylist()))
        sites = grouped_by_site(documents)
        tables = list(map_sites(self._engine, detect_site_languages, sites, failed=_by_all_text))
        self.parse_seconds += time.monotonic() - started
        return pa.concat_tables([FOUND_SCHEMA.empty_table(), *tables]), len(sites), unreadable


def _hash_of(url: str) -> int:
    # Addresses may hold lone surrogates.
    bare = url.removeprefix("http://").removeprefix("https://").encode("utf-8", "surrogatepass")
    return xxhash.xxh3_64_intdigest(bare)


def detect_site_languages(documents: pa.Table) -> pa.Table:
    """Languages of the readable pages of a site (``FOUND_SCHEMA``), without wanted languages."""
    site = Site(documents["site"][0].as_py(), documents)
    return with_columns(documents, lang=[each.tag for each in resolve_languages(site, ())]).select(FOUND_SCHEMA.names)


def _by_all_text(site: pa.Table, _reason: Reason, _detail: str) -> pa.Table:
    """Fallback for a site lost by the workers: a page has the language of the whole text."""
    return with_columns(site, lang_by=[WHOLE] * site.num_rows).select(FOUND_SCHEMA.names)


def _count_languages(parsed: pa.Table) -> list[FoundLanguage]:
    """All languages, most pages first."""
    pages: Counter[str] = Counter()
    chars: Counter[str] = Counter()
    declared: dict[str, Counter[str]] = {}
    for tag, declares, length in zip_columns(parsed, *FOUND_SCHEMA.names):
        if tag != UNDETERMINED:
            pages[tag] += 1
            chars[tag] += length
            declared.setdefault(tag, Counter())[language_of(declares) if declares else ""] += 1
    found = []
    for tag, count in largest_first(pages):
        others = {lang: n for lang, n in declared[tag].most_common() if lang not in ("", language_of(tag))}
        found.append(FoundLanguage(tag, count, chars[tag], declared[tag][language_of(tag)], others))
    return found


def _choose_languages(
    found: Sequence[FoundLanguage], least: int
) -> tuple[list[FoundLanguage], dict[str, int], dict[str, str]]:
    """Languages of the sources; number of pages in left-out languages; and the similar language that some of the
    left-out ones are counted as.

    Where fewer than two languages have ``least`` pages, a language that all its pages declare counts as well: a site
    may be a page in each. Fewer pages than two languages need are a few documents, and all their languages count. Latin
    that no page declares, where pages declare languages, is placeholder text: *Nullam quis risus eget urna*.
    """
    if sum(each.pages for each in found) < 2 * least:
        least = 1
    has_few = sum(each.pages >= least for each in found) < 2
    declares = any(each.declared for each in found)
    chosen: list[FoundLanguage] = []
    left_out: dict[str, int] = {}
    taken_for: dict[str, str] = {}
    for each in found:
        # More common languages come first, so a rare one is counted as a common one.
        like = next((other.tag for other in chosen if _is_taken_for(each, other)), "")
        is_enough = each.pages >= least or (has_few and each.declared == each.pages)
        is_placeholder = each.tag == PLACEHOLDER_LANG and declares and not each.declared
        if is_enough and not like and not is_placeholder:
            chosen.append(each)
            continue
        left_out[each.tag] = each.pages
        if like:
            taken_for[each.tag] = like
    return chosen, left_out, taken_for


def _is_taken_for(few: FoundLanguage, many: FoundLanguage) -> bool:
    rare = few.pages <= CONFUSED_SHARE * many.pages and 2 * few.declared < few.pages
    return rare and are_close(language_of(few.tag), language_of(many.tag))


def _by_reason(counts: Mapping[str, int]) -> dict[str, int]:
    return {str(reason): count for reason, count in largest_first(counts)}
