"""Why no page is in a wanted language, as far as the links of a site and its answers to a crawl tell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from diglot.crawl import NEGOTIATED
from diglot.disk.folder import RunFolder
from diglot.documents.language_tags import language_of
from diglot.language_names import MOST_NAME_CHARS, names_language
from diglot.outputs.sampled_pages import SampledPage
from diglot.reasons import REASON_TEXT, Reason
from diglot.records import DOCUMENT_SCHEMA
from diglot.run.work import CRAWL, DOCUMENTS

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
    lang = language_of(lang)
    return [
        url
        for anchor, hreflang, url in page.links
        if url and (language_of(hreflang) == lang or (len(anchor) <= MOST_NAME_CHARS and names_language(anchor, lang)))
    ]


def _fate_of_version(folder: RunFolder, address: str, lang: str) -> str:
    named = f"Pages link to {address} as their version in {lang}, "
    reason, detail, found = _record_at(folder, address)
    if reason is None:
        return f"{named}which the source does not have; fetch that version, too"
    if reason == Reason.HTTP_STATUS and " to " in detail:
        return (
            f"{named}and the server leads on from there ({detail}). Sites that keep the language in a cookie do so; "
            "a crawl sends no cookies, and a browser shows its cookies after a click on that link. "
            f"{_advice(address, lang, 'Cookie: NAME=VALUE', '--no-cookies')}"
        )
    if reason:
        return f"{named}and the page there was left out: {REASON_TEXT[Reason(reason)]}"
    return f"{named}and there is a page in {found}"


def _record_at(folder: RunFolder, address: str) -> tuple[str | None, str, str]:
    """Reason, detail and language of the first record with an address; None as reason without such a record."""
    for key in folder.recall("sources", folder.recall("run", DOCUMENTS) or "") or ():
        for shard in folder.each_shard(DOCUMENTS, key, _RECORD_FIELDS):
            found = shard.filter(pc.equal(shard["url"], address)).slice(0, 1).to_pylist()
            if found:
                return found[0]["reason"], found[0]["detail"], found[0]["lang"]
    return None, "", ""


def _advice(address: str, lang: str, header: str, *options: str) -> str:
    """How to fetch the site of an address once for each language."""
    parts = urlsplit(address)
    site = f"{parts.scheme}://{parts.netloc}/"
    fetch = shlex.join(["wget", "-r", *options, "--header", header, "-P", f"site/{lang}", site])
    return (
        f"Fetch the site once for each language, into a folder of its own, for example `{fetch}`; then "
        f"`diglot harvest site --base-url {site} -l ...`"
    )
