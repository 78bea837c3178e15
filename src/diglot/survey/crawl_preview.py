"""Preview of a crawl: a few pages are fetched into a temporary folder."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from diglot.arguments import CrawlKeywords, Langs
from diglot.crawl.crawling import CrawlResult, crawl_site
from diglot.crawl.options import CrawlOptions, make_crawl_options
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.queue.site_scope import host_of
from diglot.crawl.rules import read_policy
from diglot.languages import open_languages, parse_languages
from diglot.layout import duration_text
from diglot.progress import Silent
from diglot.run.crawl import why_nothing
from diglot.survey.preview_pages import Shown, look_at_pages

PLAN_PAGES = 20
PLAN_REQUESTS = 60
"""Most requests, with robots.txt, sitemaps and addresses without a page."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Result of a preview. ``addresses``: known pages, fetched ones included."""

    start: str
    robots: str
    delay_s: float
    sitemaps: int
    sitemap_addresses: int
    pages: int
    addresses: int
    languages: dict[str, int]
    """Number of fetched pages by language, BCP 47."""
    version_share: float
    """Share of the fetched pages that name a version in another wanted language, in [0, 1]."""
    seconds: float
    """Estimated seconds for the known addresses."""
    complete: bool
    """Whether all known pages were fetched by the preview."""
    documents: int = 0
    """Known documents (PDF, DOCX, ODT, EPUB); none is fetched."""
    other_hosts: dict[str, int] = field(default_factory=dict)
    """Links of the fetched pages to hosts outside of the site, most linked first."""
    script_pages: int = 0
    """Fetched pages with scripts and next to no text, as long as the scripts do not run."""
    notices: list[str] = field(default_factory=list)


def plan_crawl(start: str, langs: Langs = "", *, crawl: CrawlKeywords | None = None) -> Plan:
    """Fetch at most ``PLAN_PAGES`` pages with ``PLAN_REQUESTS`` requests. Nothing stays on disk.

    ``langs``: "" for all languages. Raises like :func:`diglot.crawl_run`.
    """
    wanted = parse_languages(langs) if langs and open_languages(langs) is None else ()
    options = make_crawl_options([start], wanted, crawl)
    options = replace(
        options,
        max_pages=min(options.max_pages or PLAN_PAGES, PLAN_PAGES),
        max_requests=PLAN_REQUESTS,
        no_documents=True,
    )
    with tempfile.TemporaryDirectory(prefix="diglot-plan-") as name:
        journal = Path(name) / "journal.db"
        crawled = crawl_site(options, journal, Path(name) / "warc", Silent())
        if not crawled.counts["pages"]:
            raise why_nothing(options, journal, crawled)
        frontier = Frontier(journal)
        try:
            return _plan(options, frontier, crawled, look_at_pages(crawled.files, frontier.all_hosts()))
        finally:
            frontier.close()


def _plan(options: CrawlOptions, frontier: Frontier, crawled: CrawlResult, shown: Shown) -> Plan:
    done = frontier.fetched_languages()
    waiting = crawled.counts["queued"]
    robots, delay_s = _robots(options, frontier)
    requests = max(1, crawled.work.get("requests", 1))
    took_s = crawled.work.get("took_ms", 0) / 1000 / requests
    return Plan(
        start=options.starts[0],
        robots=robots,
        delay_s=delay_s,
        sitemaps=frontier.count_read_sitemaps(),
        sitemap_addresses=frontier.count_sitemap_pages(),
        pages=len(done),
        addresses=len(done) + waiting,
        languages=dict(Counter(lang or "und" for lang, _ in done).most_common()),
        version_share=sum(bool(partnered) for _, partnered in done) / len(done),
        seconds=(len(done) + waiting) * (delay_s + took_s),
        complete=waiting == 0,
        documents=frontier.count_documents(),
        other_hosts=shown.other_hosts,
        script_pages=shown.script_pages,
        # Advice on naming a user agent is for crawls.
        notices=[notice for notice in crawled.notices if "--agent" not in notice],
    )


def _robots(options: CrawlOptions, frontier: Frontier) -> tuple[str, float]:
    """Summary of the first host's robots.txt, and the seconds between requests."""
    host = host_of(options.starts[0])
    delay_s, said = options.delay_s, "none"
    for note in frontier.hosts():
        if note.host == host and note.robots_status:
            policy = read_policy(note.robots or b"", note.robots_status, options.user_agent)
            delay_s = max(delay_s, policy.delay_s)
            said = "allows the start" if policy.robots is not None else f"none (answered {note.robots_status})"
    refused = frontier.count_robots_refusals()
    return f"{said}, keeps {refused} known addresses from us" if refused else said, delay_s


def plan_text(plan: Plan) -> str:
    """The preview in lines of text."""
    languages = ", ".join(f"{lang} {count}" for lang, count in plan.languages.items())
    more = "all that is known" if plan.complete else f"{plan.addresses:,} addresses known, more may follow"
    lines = [
        f"robots    {plan.robots}",
        f"delay     {plan.delay_s:g} s between requests to a host",
        f"sitemap   {plan.sitemap_addresses:,} addresses in {plan.sitemaps} files"
        if plan.sitemaps
        else "sitemap   none",
        f"languages {languages} ({plan.pages} pages looked at)",
        f"versions  {plan.version_share:.0%} of these pages name their version in another wanted language",
        f"size      {more}",
        *([f"documents {plan.documents:,} seen; a crawl fetches them after the pages"] if plan.documents else []),
        f"time      {duration_text(plan.seconds)} for these",
    ]
    return "\n".join([*lines, *(f"note      {notice}" for notice in plan.notices)])
