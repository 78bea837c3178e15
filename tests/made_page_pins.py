"""What the first stages say of every page of the sample and of a made site, as three tables that are pinned.

``documents/page_pins.tsv``: what was read of each page. ``page_language/language_pins.tsv``: its language and how that
was found. ``duplicates/duplicate_pins.tsv``: the page that represents it.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import xxhash

from diglot.documents.language import readable
from diglot.documents.parse import dropped_table, pages_table, parse_table
from diglot.pages import open_source, read
from diglot.records import Drop, Page
from diglot.run.resolve import resolve_table
from diglot.run.settings import make_settings
from diglot.site import split_sites
from made_pinned_site import MADE_LANGS, made_pages

TESTS = Path(__file__).parent
SAMPLE = TESTS.parent / "examples" / "sample" / "pages.warc.gz"
PAGES = TESTS / "documents" / "page_pins.tsv"
LANGUAGES = TESTS / "page_language" / "language_pins.tsv"
DUPLICATES = TESTS / "duplicates" / "duplicate_pins.tsv"
LANGS = {"sample": ("en", "de", "fr", "ja"), "made": MADE_LANGS}

Rows = list[dict[str, str]]


@cache
def documents(site: str) -> pa.Table:
    """The pages of a pinned site as they were read, in order of their addresses."""
    found = list(read(open_source(str(SAMPLE)))) if site == "sample" else made_pages()
    pages = [page for page in found if isinstance(page, Page)]
    drops = [drop for drop in found if isinstance(drop, Drop)]
    return pa.concat_tables([parse_table(pages_table(pages)), dropped_table(drops)]).sort_by("url")


@cache
def resolved(site: str) -> list[dict[str, Any]]:
    """The readable pages of a pinned site with their language and the page that represents them."""
    (table,) = split_sites(readable(documents(site)))
    return resolve_table(table.documents, settings=make_settings(LANGS[site])).to_pylist()


def page_pins() -> Rows:
    """What was read of each page: counts, and a hash of all that stands in no count."""
    return [_page_pin(site, row) for site in LANGS for row in documents(site).to_pylist()]


def _page_pin(site: str, row: dict[str, Any]) -> dict[str, str]:
    links = zip(row["link_urls"], row["link_anchors"], row["link_hreflangs"], row["link_alternate"], strict=True)
    read_so = repr([value for name, value in sorted(row.items()) if name not in ("lang_confidence", "offset")])
    return {
        "site": site,
        "page": _short(row["url"]),
        "reason": row["reason"],
        "charset": f"{row['charset']} {row['charset_by']}",
        "tags": str(sum(token < 0 for token in row["tokens"])),
        "chunks": str(len(row["chunks"])),
        "chars": str(row["text_length_chars"]),
        "hidden": str(row["hidden_chars"]),
        "blocks": " ".join(str(row["block_kinds"].count(kind)) for kind in range(8)),
        "main": str(sum(row["block_main"])),
        "links": str(len(row["link_urls"])),
        "to": xxhash.xxh3_64_hexdigest(repr(list(links)).encode()),
        "images": str(len(row["images"])),
        "licence": row["licence"],
        "declared": row["declared_lang"],
        "machine": row["machine_mark"],
        "all": xxhash.xxh3_64_hexdigest(read_so.encode()),
    }


def language_pins() -> Rows:
    """The language of each page, how it was found, and the language version that the page stands in."""
    return [
        {"site": site, "page": _short(row["url"]), "lang": row["lang"], "by": row["lang_by"], "version": row["edition"]}
        for site in LANGS
        for row in resolved(site)
    ]


def duplicate_pins() -> Rows:
    """The pages that another page represents: what they are to it, and which it is."""
    found = [(site, row, *row["detail"].rpartition(" ")[::2]) for site in LANGS for row in resolved(site)]
    return [
        {"site": site, "page": _short(row["url"]), "kind": kind, "representative": _short(url)}
        for site, row, kind, url in found
        if row["reason"] == "duplicate"
    ]


def _short(url: str) -> str:
    return "/".join(url.split("/")[3:])


def read_pins(path: Path) -> Rows:
    """A table as it is pinned."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def write_pins(path: Path, rows: Rows) -> None:
    """Pin a table anew."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
