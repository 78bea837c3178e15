"""Why no page is in a wanted language, as far as the links of a site and its answers to a crawl tell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from diglot.crawl import NEGOTIATED
from diglot.disk.folder import RunFolder
from diglot.documents.language import UNDETERMINED
from diglot.documents.language_tags import is_language, language_of
from diglot.features.links import code_means_language, find_addresses
from diglot.language_names import MOST_NAME_CHARS, names_language
from diglot.outputs.sampled_pages import SampledPage
from diglot.page_language.lost_pages import name_of
from diglot.reasons import REASON_TEXT, Reason
from diglot.records import DOCUMENT_SCHEMA, zip_columns
from diglot.run.stored_pages import parsed_mask
from diglot.run.work import CRAWL, RESOLVED

_RECORD_FIELDS = pa.schema([DOCUMENT_SCHEMA.field(name) for name in ("url", "reason", "detail", "lang")])


def why_missing(folder: RunFolder, pages: Sequence[SampledPage], lang: str) -> str:
    """Why no page is in a language, and what to try; "" where nothing tells.

    If pages link to their version in the language: what the source has at that address. Otherwise: whether the server
    chose the language of the pages in a crawl.
    """
    versions = (url for page in pages for url in _versions(page, lang))
    # The shortest address, because the pages come in no particular order.
    if address := min(versions, key=lambda url: (len(url), url), default=""):
        return _fate_of_version(folder, address, lang)
    starts = (folder.recall(CRAWL, "options") or {}).get("starts", ())
    if folder.recall(CRAWL, NEGOTIATED) and starts:
        return (
            "The server says that it chooses the language by the header Accept-Language, which a crawl does not send. "
            f"{_advice(starts[0], lang, f'Accept-Language: {lang}')}"
        )
    return ""


def _versions(page: SampledPage, lang: str) -> list[str]:
    """Addresses of the links of a page that name a language."""
    primary = language_of(lang)
    return [
        url
        for anchor, hreflang, url in page.links
        # A name tells no script of the language, and a code does. The code x-default names no language.
        if url
        and (
            code_means_language(hreflang, lang)
            or (
                not is_language(language_of(hreflang))
                and len(anchor) <= MOST_NAME_CHARS
                and names_language(anchor, primary)
            )
        )
    ]


def _fate_of_version(folder: RunFolder, address: str, lang: str) -> str:
    named = f"Pages link to {address} as their version in {lang}, "
    record = _record_at(folder, address)
    if not record.num_rows:
        return f"{named}which the source does not have; fetch that version, too"
    ((url, reason, detail, found),) = zip_columns(record, *_RECORD_FIELDS.names)
    if parsed_mask(record)[0].as_py():
        page = "the page there" if url == address else f"the page {url}"
        taken = "no language" if found == UNDETERMINED else name_of(found)
        return (
            f"{named}and {page} was taken for {taken}. If it is in {lang}, --lang 'TEXT={lang}' sets the language of "
            "pages with TEXT in their address"
        )
    if reason == Reason.HTTP_STATUS and " to " in detail:
        return (
            f"{named}and the server leads on from there ({detail}). Sites that keep the language in a cookie do so; "
            "a crawl sends no cookies, and a browser shows its cookies after a click on that link. "
            f"{_advice(address, lang, 'Cookie: NAME=VALUE', '--no-cookies')}"
        )
    return f"{named}and the page there was left out: {REASON_TEXT[Reason(reason)]}"


def _record_at(folder: RunFolder, address: str) -> pa.Table:
    """The first record with an address, a row of :data:`_RECORD_FIELDS`, or else the record that a server gives for it
    (:func:`diglot.features.links.find_addresses`); no row without such a record."""
    alike = _RECORD_FIELDS.empty_table()
    asked = pa.array([address])
    for shard in folder.each_shard(RESOLVED, folder.recall("run", RESOLVED) or "", _RECORD_FIELDS):
        records = shard.filter(pc.not_equal(shard["reason"], Reason.REPEATED_ADDRESS.value))
        (place,) = find_addresses(asked, records["url"].combine_chunks()).to_pylist()
        found = records.slice(place or 0, 0 if place is None else 1)
        if found.num_rows and found["url"][0].as_py() == address:
            return found
        alike = alike if alike.num_rows else found
    return alike


def _advice(address: str, lang: str, header: str, *options: str) -> str:
    """How to fetch the site of an address once for each language."""
    parts = urlsplit(address)
    site = f"{parts.scheme}://{parts.netloc}/"
    fetch = shlex.join(["wget", "-r", *options, "--header", header, "-P", f"site/{lang}", site])
    return (
        f"Fetch the site once for each language, into a folder of its own, for example `{fetch}`; then "
        f"`diglot harvest site --base-url {site} -l ...`"
    )
