"""The resolve stage: site and language of every page, and the representative of every duplicate."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.duplicates.marking import mark_duplicates
from diglot.languages import WEIGHED
from diglot.layout import count_text
from diglot.page_language.resolving import WHOLE, resolve_languages
from diglot.page_language.site_languages import languages_shown, may_have_pairs
from diglot.reasons import Reason
from diglot.records import with_columns
from diglot.run.ledger import mark_languages, mark_repeated_addresses
from diglot.run.read import load_records
from diglot.run.settings import Settings
from diglot.run.shards import map_sites
from diglot.run.stored_pages import (
    OVERSIZED_SITES,
    RESOLVED_COLUMNS,
    RESOLVED_SCHEMA,
    count_sites,
    resolved_key,
    sort_records,
    with_resolved_columns,
)
from diglot.run.work import RESOLVED, Work, release_memory, report_stage, time_stage
from diglot.site import (
    Site,
    SiteNames,
    domains_of,
    grouped_by_site,
    join_domains,
)

ALONE = "no page of the site in another wanted language"
"""Detail of pages on a site without a second wanted language: nothing there needs resolving."""


def resolve_stage(work: Work, documents_key: str, names: SiteNames | None = None) -> pa.Table:
    """Resolve the pages of a run, site by site; returns all records like :func:`load_documents`.

    Pages are resolved once for the same options.
    ``names``: the site of every domain, where more pages than these are known.
    """
    key = resolved_key(documents_key, work.settings)
    with time_stage(work, "resolve"):
        work.progress.start("resolve", None, "sites")
        work.progress.step("finding sites")
        records = mark_repeated_addresses(load_records(work.folder, documents_key))
        before = work.folder.read(RESOLVED, key, RESOLVED_SCHEMA)
        if before is None:
            grouped = _group_by_site(records, work.settings, names)
            # Grouping sorted copies of all texts.
            release_memory()
            resolved = _resolve_sites(work, grouped, documents_key, key)
        else:
            resolved = before
        work.folder.discard_others(RESOLVED, {key})
        work.folder.remember("run", RESOLVED, key)
        documents = with_resolved_columns(records, resolved)
        result = count_text(count_sites(documents), "site")
        report_stage(work, "resolve", result, is_kept=before is not None)
    return documents


def load_documents(folder: RunFolder, settings: Settings, documents_key: str) -> pa.Table:
    """All records in order (:func:`diglot.run.stored_pages.sort_records`).

    Readable records have site, language and reason, unreadable ones a site. Records never resolved with these settings
    are resolved in memory, and nothing is written.
    """
    records = mark_repeated_addresses(load_records(folder, documents_key))
    resolved = folder.read(RESOLVED, resolved_key(documents_key, settings), RESOLVED_SCHEMA)
    if resolved is None:
        grouped = _group_by_site(records, settings)
        resolved = _gather(grouped, [resolve_table(site, settings=settings) for site in grouped.sites])
    return with_resolved_columns(records, resolved)


def resolve_table(documents: pa.Table, *, settings: Settings) -> pa.Table:
    """The readable documents of a site, resolved (:data:`RESOLVED_SCHEMA`). Column ``site`` names the site."""
    site = Site(documents["site"][0].as_py(), documents)
    resolved = resolve_languages(site, settings.langs, source=settings.lang_from, rules=settings.lang_rules)
    documents = with_columns(
        documents, lang_by=[each.by for each in resolved], edition=[each.version for each in resolved]
    )
    in_languages = mark_languages(documents, [each.tag for each in resolved], settings.langs)
    return mark_duplicates(site.with_documents(in_languages)).select(RESOLVED_COLUMNS)


def unresolved_table(documents: pa.Table, *, settings: Settings) -> pa.Table:
    """Readable documents of sites with nothing to pair, as :data:`RESOLVED_SCHEMA`: a page has the language of the
    whole text, and no partner."""
    documents = with_columns(documents, lang_by=[WHOLE] * documents.num_rows)
    marked = mark_languages(documents, documents["lang"].to_pylist(), settings.langs)
    wanted = pc.equal(marked["reason"], "")
    reasons = pc.if_else(wanted, Reason.NO_PARTNER.value, marked["reason"])
    details = pc.if_else(wanted, ALONE, marked["detail"])
    return with_columns(marked, reason=reasons, detail=details).select(RESOLVED_COLUMNS)


class _Grouped(NamedTuple):
    """The records of a run, grouped by site."""

    sites: list[pa.Table]
    """Readable documents of every site with something to pair, by name of the site."""
    others: pa.Table
    """All other records, :data:`RESOLVED_SCHEMA`."""
    crowds: tuple[tuple[str, ...], ...]
    """Groups of domains too large for a single site (:func:`diglot.site.join_domains`)."""


def _resolve_sites(work: Work, grouped: _Grouped, documents_key: str, key: str) -> pa.Table:
    """Resolve every site in a worker, write the result, and note groups of domains too large for a single site."""
    work.progress.step("languages and copies", len(grouped.sites), "sites")
    done = []
    stage = partial(resolve_table, settings=work.settings)
    for resolved in map_sites(work.engine, stage, grouped.sites, failed=_lost_site):
        done.append(resolved)
        work.progress.advance(1)
    resolved = _gather(grouped, done)
    work.folder.write_shard(RESOLVED, key, 0, resolved)
    work.folder.remember(OVERSIZED_SITES, documents_key, grouped.crowds)
    work.folder.finish(RESOLVED, key, 1)
    return resolved


def _lost_site(site: pa.Table, _reason: Reason, detail: str) -> pa.Table:
    """Pages of a site lost by the workers, all dropped."""
    lost = with_columns(
        site, reason=[Reason.SITE_FAILED.value] * site.num_rows, detail=[f"languages: {detail}"] * site.num_rows
    )
    return lost.select(RESOLVED_COLUMNS)


def _group_by_site(records: pa.Table, settings: Settings, names: SiteNames | None = None) -> _Grouped:
    """Group the records by site. Unreadable records belong to the site of their domain."""
    found = names or site_names(domains_of(records), settings)
    records = with_columns(records, site=found.of(records["url"].to_pylist()))
    sites = grouped_by_site(readable(records))
    # Rules and declarations give a site languages not shown by its pages.
    is_forced = bool(settings.lang_rules) or settings.lang_from != WEIGHED
    worth = [is_forced or may_have_pairs(languages_shown(site), settings.langs) for site in sites]
    rest = [site for site, is_worth in zip(sites, worth, strict=True) if not is_worth]
    others = [records.filter(pc.not_equal(records["reason"], "")).select(RESOLVED_COLUMNS)]
    if rest:
        others.append(unresolved_table(pa.concat_tables(rest), settings=settings))
    chosen = [site for site, is_worth in zip(sites, worth, strict=True) if is_worth]
    return _Grouped(chosen, pa.concat_tables(others), found.crowds)


def site_names(domains: pa.Table, settings: Settings) -> SiteNames:
    """The site of every domain of a run; ``domains``: :data:`diglot.site.DOMAIN_SCHEMA`."""
    return SiteNames({}, (), together=True) if settings.one_site else join_domains(domains)


def _gather(grouped: _Grouped, resolved: list[pa.Table]) -> pa.Table:
    """All resolved records in the order of sites; equal ones keep their order."""
    return sort_records(pa.concat_tables([RESOLVED_SCHEMA.empty_table(), *resolved, grouped.others])).combine_chunks()
