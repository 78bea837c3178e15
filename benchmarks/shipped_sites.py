"""Cases of `fused` from what ships alone: the sample with its gold, and sites made in code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from fused_sites import Case, case_of, read_documents
from gold_verdicts import Gold, LangPair, Pair, lang_pair
from made_translations import SITES, Made, made_pages

from diglot.documents.language import readable
from diglot.documents.parse import pages_table, parse_table
from diglot.records import Page
from diglot.site import Site, split_sites

SAMPLE = Path(__file__).resolve().parents[1] / "examples" / "sample"


def shipped_cases() -> dict[str, list[Case]]:
    """All cases by site: every language pair of the sample, and the made sites."""
    return {"sample": sample_cases()} | {made.name: made_cases(made) for made in SITES}


def sample_cases() -> list[Case]:
    """The language pairs of the sample. Its gold lists every pair, so that other pages do not translate each other."""
    rows = [line.split("\t") for line in (SAMPLE / "gold.tsv").read_text(encoding="utf-8").splitlines()]
    tags = sorted({tag for row in rows for tag in row[:2]})
    site = split_sites(readable(read_documents(SAMPLE, None, tags)), together=True)[0]
    gold = complete_gold(((lang_pair(*row[:2]), frozenset(row[2:])) for row in rows), site.urls)
    return _cases("sample", site, gold)


def made_cases(made: Made) -> list[Case]:
    """The two languages of a made site. Its words are invented, so that a page's language is what the page declares."""
    pages = made_pages(made)
    table = parse_table(pages_table([Page(page.url, page.html, "text/html", source=made.name) for page in pages]))
    table = table.set_column(table.schema.get_field_index("lang"), table.schema.field("lang"), table["declared_lang"])
    urls_of = defaultdict[int, list[str]](list)
    for page in pages:
        urls_of[page.story].append(page.url)
    pairs = ((lang_pair(*made.langs), frozenset(urls)) for urls in urls_of.values() if len(urls) == 2)
    site = Site(made.name, table.sort_by("url"))
    return _cases(made.name, site, complete_gold(pairs, site.urls))


def complete_gold(pairs: Iterable[tuple[LangPair, Pair]], urls: Iterable[str]) -> Gold:
    """Gold that lists the pairs of all languages: pages that it does not join tell something else."""
    found, partners = defaultdict[LangPair, set[Pair]](set), defaultdict[str, set[str]](set)
    for langs, pair in pairs:
        found[langs].add(pair)
        for url in pair:
            partners[url] |= pair
    groups = {url: min(partners.get(url, {url})) for url in urls}
    return Gold(dict(found), set(), groups, set())


def _cases(name: str, site: Site, gold: Gold) -> list[Case]:
    found = (case_of(name, site, langs, gold) for langs in sorted(gold.pairs))
    return [case for case in found if case is not None]
