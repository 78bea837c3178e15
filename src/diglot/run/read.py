"""The read stage: sources to documents, shard by shard; and functions that load the records of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder, content_key
from diglot.document_kinds import medium_of, missing_packages
from diglot.documents.language_parts import document_address
from diglot.documents.parse import dropped_table, failed_page, pages_table, parse_table
from diglot.engines.pool import TABLE_TIMEOUT_S, LocalEngine
from diglot.layout import count_text
from diglot.pages import Kind, Source, read
from diglot.pages.forgotten import forgotten_of, is_forgotten
from diglot.pages.opening import report_on_sources
from diglot.progress import BYTES
from diglot.records import DOCUMENT_SCHEMA, Drop, Page
from diglot.run.index_notes import COUNTED, IndexCount
from diglot.run.settings import Settings
from diglot.run.work import (
    DOCUMENTS,
    INDEXES,
    Work,
    report_stage,
    require_documents,
    require_pages,
    stage_key,
    time_stage,
)
from diglot.site import Site
from diglot.version import __version__

SHARD_RECORDS = 1_000
"""Records in a shard of documents."""
TABLE_PAGES, TABLE_BYTES = 32, 2 << 20
"""Pages and bytes from which a table for a worker is full."""
PAGE_TIMEOUT_S = TABLE_TIMEOUT_S
"""Seconds for a table of pages, and again for every page alone where the table failed."""


def read_stage(work: Work) -> str:
    """Parse every page of the sources; returns the key of the documents. A shard is noted as soon as it is written."""
    with time_stage(work, "read"):
        keys = [
            source_key(source.name, fingerprint, work.settings)
            for source, fingerprint in zip(work.sources, work.fingerprints, strict=True)
        ]
        key = all_documents_key(keys)
        missing = [(s, k) for s, k in zip(work.sources, keys, strict=True) if work.folder.shards(DOCUMENTS, k) is None]
        if missing:
            total = sum(source.size_bytes() for source, _ in missing)
            in_bytes = all(_knows_bytes(source) for source, _ in missing)
            work.progress.start("read", *((total, BYTES) if in_bytes else (None, "records")))
        for source, missing_key in missing:
            _read_source(work, source, missing_key, in_bytes=in_bytes)
        work.folder.discard_others(DOCUMENTS, set(keys))
        work.folder.remember("sources", key, keys)
        work.folder.remember("run", DOCUMENTS, key)
        records = documents = 0
        for table in document_shards(work, pa.schema([DOCUMENT_SCHEMA.field("reason")])):
            records += table.num_rows
            documents += pc.sum(pc.equal(table["reason"], "")).as_py() or 0
        result = f"{count_text(records, 'record')}, {count_text(documents, 'document')}"
        report_stage(work, "read", result, is_kept=not missing)
        _note_indexes(work, keys)
    return key


def _note_indexes(work: Work, keys: Sequence[str]) -> None:
    """Report and remember the notes on the indexes among the sources; ``keys``: of their documents."""
    notes: list[str] = []
    for source, key in zip(work.sources, keys, strict=True):
        if source.kind is Kind.CDXJ:
            count = IndexCount()
            for table in work.folder.each_shard(DOCUMENTS, key, COUNTED):
                count.add(table)
            notes += count.notes(source)
    report_on_sources(notes, work.progress)
    if notes or work.folder.recall(*INDEXES):
        work.folder.remember(*INDEXES, notes)


def adopt_documents(folder: RunFolder) -> str:
    """Take the documents that a run has, whatever options or version they were read with; returns their key.

    Raises: RunFolderError for a run without documents.
    """
    keys = folder.recall("sources", stage_key(folder, DOCUMENTS, "diglot harvest")) or []
    key = all_documents_key(keys)
    folder.remember("sources", key, keys)
    folder.remember("run", DOCUMENTS, key)
    return key


def source_key(name: str, fingerprint: str, settings: Settings) -> str:
    """Key of the documents of one source. Missing packages are part of the key: after their installation, the same
    command reads the source again."""
    options = settings.max_page_bytes, settings.split_pages
    return content_key(DOCUMENTS, __version__, name, fingerprint, *options, *missing_packages())


def all_documents_key(source_keys: Sequence[str]) -> str:
    """Key of the documents of all sources."""
    return content_key("all", *source_keys)


def _read_source(work: Work, source: Source, key: str, *, in_bytes: bool) -> None:
    """Parse a source and write the shards that are missing; ``in_bytes``: progress counts bytes, not records."""
    forgotten = forgotten_of(work.folder)
    records = (
        record
        for record in read(source, max_page_bytes=work.settings.max_page_bytes)
        if not is_forgotten(record.url, forgotten)
    )
    number = position = 0
    size = source.size_bytes() if in_bytes else 0
    while shard := list(islice(records, SHARD_RECORDS)):
        before = position
        position = min(_position(shard, before), size) if in_bytes else before + len(shard)
        # Records before a missing shard are read again, but not parsed.
        if work.folder.has_shard(DOCUMENTS, key, number):
            work.progress.advance(position - before)
        else:
            tables, done = [], 0
            for table in parse_records(work.engine, shard, split_pages=work.settings.split_pages):
                tables.append(table)
                # Differences of rounded sums, so that the steps add up to the whole shard.
                share = (position - before) * _record_count(table)
                work.progress.advance((done + share) // len(shard) - done // len(shard))
                done += share
            work.folder.write_shard(DOCUMENTS, key, number, pa.concat_tables(tables).combine_chunks())
        number += 1
    # Bytes after the last record, such as padding, count as read.
    work.progress.advance(size - position if in_bytes else 0)
    work.folder.finish(DOCUMENTS, key, number)


def _record_count(table: pa.Table) -> int:
    """Records in a table of documents: a document in several languages is a row for each."""
    urls = table["url"].to_pylist()
    parts = [document_address(url) for url in urls if document_address(url) != url]
    return len(urls) - len(parts) + len(set(parts))


def _knows_bytes(source: Source) -> bool:
    """Whether records tell how many bytes of the source are read: WARC records by offset, pages of a folder by size."""
    return source.kind in (Kind.WARC, Kind.FOLDER)


def _position(shard: Sequence[Page | Drop], before: int) -> int:
    """Bytes of the source up to the end of these records; ``before``: up to their start."""
    last = shard[-1].offset
    return max(before, last) if last else before + sum(len(each.body) for each in shard if isinstance(each, Page))


def parse_records(
    engine: LocalEngine, records: Iterable[Page | Drop], *, split_pages: bool = False
) -> Iterator[pa.Table]:
    """The records as tables of :data:`DOCUMENT_SCHEMA`: first those without a page, then the parsed pages, in order.

    ``split_pages``: see :func:`diglot.documents.parse.parse_table`.
    """
    listed = list(records)
    yield dropped_table([record for record in listed if isinstance(record, Drop)])
    pages = [record for record in listed if isinstance(record, Page)]
    stage = partial(parse_table, split_pages=split_pages)
    yield from engine.map(stage, _page_tables(pages), failed=failed_page, timeout_s=PAGE_TIMEOUT_S)


def _page_tables(pages: Iterable[Page]) -> Iterator[pa.Table]:
    """Tables of pages for the workers, of few pages and bytes; a document is a table by itself."""
    batch: list[Page] = []
    size = 0
    for page in pages:
        if medium_of(page.body) is not None:
            # A document alone: its reader may take as long and as much memory as a whole table of HTML.
            yield from (pages_table(alone) for alone in (batch, [page]) if alone)
            batch, size = [], 0
            continue
        batch.append(page)
        size += len(page.body)
        if len(batch) >= TABLE_PAGES or size >= TABLE_BYTES:
            yield pages_table(batch)
            batch, size = [], 0
    if batch:
        yield pages_table(batch)


def document_shards(work: Work, schema: pa.Schema) -> Iterator[pa.Table]:
    """The columns of ``schema`` of all records of a run, a shard in memory at a time."""
    key = work.folder.recall("run", DOCUMENTS)
    for each in work.folder.recall("sources", key) or ():
        yield from work.folder.each_shard(DOCUMENTS, each, schema)


def load_records(folder: RunFolder, documents_key: str) -> pa.Table:
    """All records of the run, a row each, :data:`DOCUMENT_SCHEMA`; :class:`RunFolderError` for a merge of runs."""
    require_pages(folder)
    tables = [folder.read(DOCUMENTS, key, DOCUMENT_SCHEMA) for key in require_documents(folder, documents_key)]
    return pa.concat_tables([DOCUMENT_SCHEMA.empty_table(), *(table for table in tables if table is not None)])


def page_texts(folder: RunFolder, documents_key: str) -> Iterator[tuple[str, list[str]]]:
    """Address and block texts of every record of a run."""
    documents = load_records(folder, documents_key).select(["url", "chunks", "block_ends"])
    for start in range(0, documents.num_rows, SHARD_RECORDS):
        part = documents.slice(start, SHARD_RECORDS)
        yield from zip(part["url"].to_pylist(), Site("", part).block_texts.to_pylist(), strict=True)
