"""Preview of a crawl: a few pages are fetched into a temporary folder."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from diglot.arguments import CrawlKeywords, Langs
from diglot.checked_arguments import check_arguments
from diglot.crawl.crawling import CrawlResult, crawl_site
from diglot.crawl.options import CrawlOptions, make_crawl_options
from diglot.crawl.page_reading import PageParser, parse_content
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.queue.site_scope import host_of
from diglot.crawl.rules import read_policy
from diglot.documents.language import UNDETERMINED
from diglot.errors import Stopped
from diglot.languages import open_languages, parse_languages
from diglot.layout import duration_text
from diglot.pages import open_source, read
from diglot.progress import Silent
from diglot.records import Page
from diglot.run.crawl import why_nothing
from diglot.survey.sampling import survey

PLAN_PAGES = 20
PLAN_REQUESTS = 60
"""Most requests, those for robots.txt, sitemaps and addresses without a page included."""
FOR_CRAWLS = ("--agent", "--max-pages")
"""Notices that name these options are left out: they advise on a longer crawl, and a preview stops by itself."""
HOSTS_NAMED = 10
LEAST_TEXT_CHARS = 200
"""Length of a short paragraph; a page with scripts and less text is assumed to get its text from the scripts."""


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
    documents: int
    """Known documents, such as PDF; none is fetched."""
    other_hosts: dict[str, int]
    """Links of the fetched pages to hosts outside of the site, most linked first."""
    script_pages: int
    """Fetched pages with scripts and next to no text, as long as the scripts do not run."""
    notices: list[str]


@check_arguments
def plan_crawl(start: str, langs: Langs = "", *, split_pages: bool = False, crawl: CrawlKeywords | None = None) -> Plan:
    """Fetch at most ``PLAN_PAGES`` pages with ``PLAN_REQUESTS`` requests. Nothing stays on disk.

    ``langs``: "" for all languages. ``split_pages``: a page in several languages counts in each. Raises like
    :func:`diglot.crawl_run`.
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
        try:
            crawled = crawl_site(options, journal, Path(name) / "warc", Silent())
        except Stopped as stopped:  # the original message names the temporary folder, which is deleted on exit
            raise Stopped("stopped; nothing was written, and the same command begins again") from stopped
        if not crawled.counts["pages"]:
            raise why_nothing(options, journal, crawled)
        with Frontier(journal) as frontier:
            planned = _plan(options, frontier, crawled)
        return replace(planned, languages=_languages_of_parts(crawled.files)) if split_pages else planned


def _languages_of_parts(archives: Sequence[Path]) -> dict[str, int]:
    """Number of pages by language, where each language of a page is a page of its own."""
    sources = [open_source(str(path)) for path in archives]
    found = survey(sources, jobs=1, progress=Silent(), split_pages=True)
    counts = Counter({each.tag: each.pages for each in found.languages})
    # Languages of few pages, too: among twenty pages, one or two are enough for a language of the site.
    counts.update({**found.left_out, UNDETERMINED: found.unknown})
    return {lang: count for lang, count in counts.most_common() if count}


def _plan(options: CrawlOptions, frontier: Frontier, crawled: CrawlResult) -> Plan:
    done = frontier.fetched_languages()
    waiting = crawled.counts["queued"]
    robots, delay_s = _robots(options, frontier)
    other_hosts, script_pages = _look_at_pages(crawled.files, frontier.all_hosts())
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
        languages=dict(Counter(lang or UNDETERMINED for lang, _ in done).most_common()),
        version_share=sum(bool(partnered) for _, partnered in done) / len(done),
        seconds=(len(done) + waiting) * (delay_s + took_s),
        complete=waiting == 0,
        documents=frontier.count_documents(),
        other_hosts=other_hosts,
        script_pages=script_pages,
        notices=[notice for notice in crawled.notices if not any(option in notice for option in FOR_CRAWLS)],
    )


def _look_at_pages(archives: Sequence[Path], own_hosts: Collection[str]) -> tuple[dict[str, int], int]:
    """Links of all fetched pages to other hosts, most linked first; number of pages with scripts and little text."""
    hosts: Counter[str] = Counter()
    script_pages = 0
    with PageParser() as parse:
        for path in archives:
            for page in read(open_source(str(path))):
                if not isinstance(page, Page):
                    continue
                contents = parse_content(page, parse).contents
                links = {link.url for link in contents.links} if contents else set()
                hosts.update(host for url in links if (host := _web_host(url)) and host not in own_hosts)
                text = contents.length_chars if contents else 0
                script_pages += text < LEAST_TEXT_CHARS and b"<script" in page.body.lower()
    return dict(hosts.most_common(HOSTS_NAMED)), script_pages


def _web_host(url: str) -> str:
    """Host of an http or https address; "" for any other address."""
    try:
        return host_of(url) if url.startswith(("http://", "https://")) else ""
    except ValueError:
        return ""


def _robots(options: CrawlOptions, frontier: Frontier) -> tuple[str, float]:
    """Summary of the robots.txt of the start's host, and the seconds between requests to it."""
    host = host_of(options.starts[0])
    delay_s, summary = options.delay_s, "none"
    for note in frontier.hosts():
        if note.host == host and note.robots_status:
            policy = read_policy(note.robots or b"", note.robots_status, options.user_agent)
            delay_s = max(delay_s, policy.delay_s)
            summary = "allows the start" if policy.robots is not None else f"none (answered {note.robots_status})"
    refused = frontier.count_robots_refusals()
    return f"{summary}, keeps {refused} known addresses from us" if refused else summary, delay_s


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
