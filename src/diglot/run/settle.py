"""The settle stage: of every page its site, its language there, and the page that stands for it where one does."""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from diglot.copies.marks import mark_copies
from diglot.disk.folder import RunFolder, content_key
from diglot.documents.language import readable
from diglot.errors import RunFolderError
from diglot.page_language.settling import settle
from diglot.records import DOCUMENT_SCHEMA, Reason, with_columns
from diglot.run.ledger import mark_languages, one_record_an_address
from diglot.run.read import load_records
from diglot.run.settings import Settings
from diglot.run.whole_sites import each_site
from diglot.run.work import SETTLED, Work, timed
from diglot.site import Site, domains_of, grouped_by_site, join_domains
from diglot.version import __version__

SETTLED_COLUMNS = ("site", "url", "lang", "lang_by", "edition", "reason", "detail")
"""What settling a site says of a readable page."""
SETTLED_SCHEMA = pa.schema([DOCUMENT_SCHEMA.field(name) for name in SETTLED_COLUMNS])
CROWDS = "crowds"
"""Kind of note that keeps the domains which name each other but are too many for one site."""


def settle_stage(work: Work, documents_key: str) -> pa.Table:
    """All records of a run as :func:`load_documents` gives them, settled site by site; once for the same options."""
    key = settled_key(documents_key, work.settings)
    with timed(work, "settle"):
        records = one_record_an_address(load_records(work.folder, documents_key))
        settled = work.folder.read(SETTLED, key, SETTLED_SCHEMA)
        if settled is None:
            settled = _settle_sites(work, readable(records), documents_key, key)
        else:
            work.progress.start("settle", 0, "sites")
        work.folder.discard_others(SETTLED, {key})
        documents = _as_settled(records, settled)
        count = count_sites(documents)
        work.progress.finish(f"{count} {'site' if count == 1 else 'sites'}")
    return documents


def count_sites(documents: pa.Table) -> int:
    """How many sites the settled documents that are left to be paired are of."""
    return int(pc.count_distinct(readable(documents.select(["site", "reason"]))["site"]).as_py())


def load_documents(folder: RunFolder, settings: Settings, documents_key: str) -> pa.Table:
    """All records, each readable one in its site and language or with the reason why it is left out, by address.

    What was never settled with these settings is settled now, and not kept.
    """
    records = one_record_an_address(load_records(folder, documents_key))
    settled = folder.read(SETTLED, settled_key(documents_key, settings), SETTLED_SCHEMA)
    if settled is None:
        named, _ = _named(readable(records), settings)
        sites = [settle_table(site, settings=settings) for site in grouped_by_site(named)]
        settled = pa.concat_tables([SETTLED_SCHEMA.empty_table(), *sites])
    return _as_settled(records, settled)


def settle_table(documents: pa.Table, *, settings: Settings) -> pa.Table:
    """What settling says (:data:`SETTLED_SCHEMA`) of the readable documents of one site, which ``site`` names."""
    site = Site(documents["site"][0].as_py(), documents)
    settled = settle(site, settings.langs, source=settings.lang_from, rules=settings.lang_rules)
    told = with_columns(documents, lang_by=[each.by for each in settled], edition=[each.edition for each in settled])
    in_languages = mark_languages(told, [each.tag for each in settled], settings.langs)
    return mark_copies(Site(site.name, in_languages)).select(SETTLED_COLUMNS)


def _settle_sites(work: Work, usable: pa.Table, documents_key: str, key: str) -> pa.Table:
    """Settle every site in a worker, and keep what is said of its pages and which domains are too many for a site."""
    named, crowds = _named(usable, work.settings)
    sites = grouped_by_site(named)
    work.progress.start("settle", len(sites), "sites")
    done = [SETTLED_SCHEMA.empty_table()]
    for settled in each_site(work.engine, partial(settle_table, settings=work.settings), sites, failed=_unsettled):
        done.append(settled)
        work.progress.advance(1)
    settled = pa.concat_tables(done).combine_chunks()
    work.folder.write_shard(SETTLED, key, 0, settled)
    work.folder.remember(CROWDS, documents_key, crowds)
    work.folder.finish(SETTLED, key, 1)
    return settled


def _unsettled(site: pa.Table, _reason: Reason, detail: str) -> pa.Table:
    """The pages of a site that no worker could settle are dropped."""
    lost = with_columns(
        site, reason=[Reason.SITE_FAILED.value] * site.num_rows, detail=[f"languages: {detail}"] * site.num_rows
    )
    return lost.select(SETTLED_COLUMNS)


def settled_key(documents_key: str, settings: Settings) -> str:
    """Key of what settling says of the documents of a run."""
    asked = (settings.langs, settings.lang_from, settings.lang_rules, settings.one_site)
    return content_key(SETTLED, __version__, documents_key, *asked)


def _named(documents: pa.Table, settings: Settings) -> tuple[pa.Table, tuple[tuple[str, ...], ...]]:
    """The documents with the name of their site, and crowds of domains that are none (:func:`join_domains`).

    Documents that name their site already, being of a part of a run, are told it by the whole.
    """
    if settings.one_site:
        return with_columns(documents, site=["all"] * documents.num_rows), ()
    if documents.num_rows and documents["site"][0].as_py():
        return documents, ()
    found = join_domains(domains_of(documents))
    return with_columns(documents, site=found.of(documents["url"].to_pylist())), found.crowds


def _as_settled(records: pa.Table, settled: pa.Table) -> pa.Table:
    """All records, the readable ones (one an address) with the columns that settling gave them; by address."""
    usable, told = readable(records).sort_by("url"), settled.sort_by("url")
    if not told["url"].equals(usable["url"]):
        raise RunFolderError("the stage file of settled pages names other pages than were read; delete the run folder")
    marked = with_columns(usable, **{name: told[name] for name in SETTLED_COLUMNS if name != "url"})
    dropped = records.filter(pc.not_equal(records["reason"], ""))
    return pa.concat_tables([marked, dropped]).sort_by([("url", "ascending"), ("reason", "ascending")])
