"""The resolved pages that a run stores: columns, order, and how they join the records that were read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags.personal import mask_personal_data
from diglot.disk.folder import content_key
from diglot.documents.language import readable
from diglot.errors import RunFolderError
from diglot.reasons import Reason
from diglot.records import DOCUMENT_SCHEMA, PAGE_FACTS_SCHEMA, with_columns
from diglot.run.settings import Settings
from diglot.run.work import RESOLVED
from diglot.site import in_order_of_sites, take_in_order
from diglot.version import __version__

_OWN_COLUMNS = ("site", "lang", "lang_by", "edition", "untranslated_in", "equal_urls", "reason", "detail")
"""Columns set by resolving: all of them for readable pages, only the first for other records."""
RESOLVED_COLUMNS = (*_OWN_COLUMNS, "url", "declared_lang", "source", "fetched", "title", "licence", "media")
"""Columns of a resolved record: everything but the text."""
RESOLVED_SCHEMA = pa.schema([DOCUMENT_SCHEMA.field(name) for name in RESOLVED_COLUMNS])
OVERSIZED_SITES = "crowds"
"""Kind of the note on groups of linked domains too large for a single site."""
_REASONS = (
    Reason.UNKNOWN_LANGUAGE,
    Reason.OTHER_LANGUAGE,
    Reason.SITE_FAILED,
    Reason.DUPLICATE,
    Reason.NO_PARTNER,
)
"""Reasons given by resolving. All other reasons belong to unreadable records."""


def count_sites(documents: pa.Table) -> int:
    """Number of sites that have pages to pair."""
    return int(pc.count_distinct(readable(documents.select(["site", "reason"]))["site"]).as_py())


def facts_of_pages(resolved: pa.Table) -> pa.Table:
    """Title, date and licence of every readable page, a row an address; :data:`PAGE_FACTS_SCHEMA`."""
    return resolved.filter(parsed_mask(resolved)).select(PAGE_FACTS_SCHEMA.names)


def with_shown_titles(pages: pa.Table, settings: Settings) -> pa.Table:
    """Pages with their titles as outputs show them: without personal data where the settings mask these.

    The stages hold the titles as read, so that the way of personal data can change without reading again.
    """
    if settings.pii != "mask":
        return pages
    return with_columns(pages, title=list(map(mask_personal_data, pages["title"].to_pylist())))


def resolved_key(documents_key: str, settings: Settings) -> str:
    """Key of the resolved documents."""
    asked = (settings.langs, settings.lang_from, settings.lang_rules, settings.one_site)
    return content_key(RESOLVED, __version__, RESOLVED_COLUMNS, documents_key, *asked)


def parsed_mask(resolved: pa.Table) -> pa.ChunkedArray:
    """Mask of pages parsed successfully, before any reason given by resolving."""
    return pc.is_in(resolved["reason"], pa.array(["", *map(str, _REASONS)]))


def sort_records(records: pa.Table) -> pa.Table:
    """Records sorted as everywhere: by site, address and reason."""
    return in_order_of_sites(records, "url", "reason")


def with_resolved_columns(records: pa.Table, resolved: pa.Table) -> pa.Table:
    """All records with the resolved columns: readable ones with all columns, unreadable ones with a site."""
    readable_mask = parsed_mask(resolved)
    # Only keys are sorted here: texts are taken once, in the end.
    rows = records.select(["url", "reason"]).append_column("row", pa.array(np.arange(records.num_rows)))
    by_reason = [("url", "ascending"), ("reason", "ascending")]
    halves = [
        (readable(rows).sort_by("url"), resolved.filter(readable_mask).sort_by("url"), _OWN_COLUMNS),
        (
            rows.filter(pc.not_equal(rows["reason"], "")).sort_by(by_reason),
            resolved.filter(pc.invert(readable_mask)).sort_by(by_reason),
            _OWN_COLUMNS[:1],
        ),
    ]
    halves_with_columns = []
    for mine, resolved_rows, names in halves:
        if not resolved_rows["url"].equals(mine["url"]):
            raise RunFolderError(
                "the stage file of resolved pages names other pages than were read; delete the run folder"
            )
        kept = {name: records[name].take(mine["row"]) for name in _OWN_COLUMNS if name not in names}
        columns = {name: resolved_rows[name] for name in names} | kept
        halves_with_columns.append(
            pa.table({"url": mine["url"], "row": mine["row"], **{name: columns[name] for name in _OWN_COLUMNS}})
        )
    listed = sort_records(pa.concat_tables(halves_with_columns))
    ordered = take_in_order(records, listed["row"])
    return with_columns(ordered, **{name: listed[name] for name in _OWN_COLUMNS})
