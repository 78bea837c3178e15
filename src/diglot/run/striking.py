"""Strike addresses out of the tables of a run: out of the documents of archives, or out of the stages of a merge."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urljoin

import pyarrow as pa

from diglot.disk.folder import RunFolder
from diglot.disk.stage_files import read_stage_file
from diglot.pages.address import normalise_address
from diglot.pages.forgotten import is_forgotten
from diglot.reasons import Reason
from diglot.records import DOCUMENT_SCHEMA, with_columns, zip_columns
from diglot.run.stored_pages import RESOLVED_SCHEMA
from diglot.run.stored_pairs import EXPECTED
from diglot.run.work import DOCUMENTS, FLAGGED, MERGED, MERGED_RUNS, PAIRS, RESOLVED, SEGMENTS

_OWN_URLS = ("url", "src_url", "tgt_url")
_OTHER_URLS = ("other_src_urls", "other_tgt_urls")
_PLACES = pa.schema([RESOLVED_SCHEMA.field(name) for name in ("site", "source")])
_ADDRESSES = pa.schema([DOCUMENT_SCHEMA.field(name) for name in ("url", "source", "reason", "detail")])


def is_merge(folder: RunFolder) -> bool:
    """Whether a run is a merge of runs, which holds no text of pages."""
    return folder.recall(MERGED, MERGED) is not None


class RecordedAddress(NamedTuple):
    """Address and source of a record in the tables of a run, and the target of a redirect ("" for none).

    ``is_page``: whether the server answered with content.
    """

    url: str
    source: str
    target: str
    is_page: bool


def recorded_addresses(folder: RunFolder) -> Iterator[RecordedAddress]:
    """The address of every record in the tables of a run."""
    tables = _tables(folder)
    # In a merge the first table has all addresses, and the others have no reason and detail.
    for stage, key in tables[:1] if is_merge(folder) else tables:
        for table in folder.each_shard(stage, key, _ADDRESSES):
            for url, source, reason, detail in zip_columns(table, *_ADDRESSES.names):
                status, mark, target = detail.partition(" to ")
                is_page = reason != Reason.HTTP_STATUS
                is_redirect = not is_page and mark and status.startswith("3")
                yield RecordedAddress(url, source, _target_address(url, target) if is_redirect else "", is_page)


def strike_tables(folder: RunFolder, gone: Callable[[str], bool], rewrite: Callable[[str], str]) -> None:
    """Remove the rows of addresses that are ``gone`` from the tables of a run. May be repeated.

    The tables are the documents of a run of archives, or the resolved pages, pairs and flagged segments of a merge.
    ``rewrite``: new text of a detail in a row that stays.
    """
    for stage, key in _tables(folder):
        for number, path in enumerate(folder.shards(stage, key) or ()):
            folder.require_intact(path)
            table = read_stage_file(path)
            changed = without_rows(table, gone, rewrite)
            if changed is not None:
                folder.write_shard(stage, key, number, changed)


def settle_merge(folder: RunFolder, expected: Mapping[str, Any]) -> None:
    """Count a merge anew: its figures, languages and sources are those of runs and sites with records. May be repeated.

    A merge keeps the notes of the recipes of its runs (:data:`MERGED_RUNS`, :data:`EXPECTED`), and pairs nothing again.
    ``expected``: the note :data:`EXPECTED` without the forgotten pages.
    """
    stages = {stage: folder.recall("run", stage) or "" for stage in (RESOLVED, PAIRS)}
    sites: set[str] = set()
    runs: set[str] = set()
    for table in folder.each_shard(RESOLVED, stages[RESOLVED], _PLACES):
        sites.update(table["site"].to_pylist())
        runs.update(source.partition("/")[0] for source in table["source"].unique().to_pylist())
    key = stages[PAIRS]
    folder.remember(EXPECTED, key, {site: found for site, found in expected.items() if site in sites})
    known = folder.recall(MERGED_RUNS, key) or {}
    left = [note for name, note in known.items() if name in runs]
    if not left or len(left) == len(known):
        return
    folder.remember("candidates", key, sum(note["candidates"] for note in left))
    notes = folder.recall("notes", key) or []
    folder.remember("notes", key, [note for note in notes if note.partition(": ")[0] not in known.keys() - runs])
    langs = {lang for note in left for lang in note["langs"]}
    table = dict(folder.settings())
    settings = dict(table["settings"])
    settings["langs"] = [lang for lang in settings["langs"] if lang in langs]
    settings["pivot"] = settings["pivot"] if settings["pivot"] in langs else ""
    sources = [each for each in table["sources"] if each["name"].partition("/")[0] in runs]
    folder.write_settings({**table, "sources": sources, "settings": settings})


def without_forgotten(table: pa.Table, hashes: Collection[bytes]) -> pa.Table:
    """A table of a run without the rows of forgotten addresses."""
    if not hashes:
        return table
    changed = without_rows(table, lambda url: is_forgotten(url, hashes), lambda detail: detail)
    return table if changed is None else changed


def _tables(folder: RunFolder) -> list[tuple[str, str]]:
    """Stage and key of the tables that everything else is made from; in a merge the first has all addresses."""
    if not is_merge(folder):
        sources = folder.recall("sources", folder.recall("run", DOCUMENTS) or "") or ()
        return [(DOCUMENTS, key) for key in sources]
    segments_key = folder.recall("run", SEGMENTS) or ""
    keys = {stage: folder.recall("run", stage) or "" for stage in (RESOLVED, PAIRS)}
    return [*keys.items(), (FLAGGED, folder.recall(FLAGGED, segments_key) or "")]


def without_rows(table: pa.Table, gone: Callable[[str], bool], rewrite: Callable[[str], str]) -> pa.Table | None:
    """The table without rows of addresses that are ``gone``, and with rewritten details; None where nothing changes."""
    known: dict[str, bool] = {}

    def is_gone(url: str) -> bool:
        if url not in known:
            known[url] = gone(url)
        return known[url]

    columns = [table[name].to_pylist() for name in _OWN_URLS if name in table.column_names]
    stays = [not any(map(is_gone, urls)) for urls in zip(*columns, strict=True)]
    changed = not all(stays)
    table = table.filter(pa.array(stays, pa.bool_()))
    new: dict[str, list[Any]] = {}
    if "detail" in table.column_names:
        new["detail"] = [rewrite(text) for text in table["detail"].to_pylist()]
    if set(_OTHER_URLS) <= set(table.column_names):
        both = zip_columns(table, *_OTHER_URLS)
        stay = [[pair for pair in zip(*each, strict=True) if not any(map(is_gone, pair))] for each in both]
        new |= {name: [[pair[side] for pair in each] for each in stay] for side, name in enumerate(_OTHER_URLS)}
    if "equal_urls" in table.column_names:
        new["equal_urls"] = [
            urls and [url for url in urls if not is_gone(url)] for urls in table["equal_urls"].to_pylist()
        ]
    for name, values in new.items():
        if values != table[name].to_pylist():
            table, changed = with_columns(table, **{name: values}), True
    return table if changed else None


def _target_address(url: str, target: str) -> str:
    try:
        return normalise_address(urljoin(url, target))
    except ValueError:
        return ""
