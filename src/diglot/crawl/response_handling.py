"""What becomes of an answer to a page: it is kept or refused, its links are queued, a redirect is followed."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

from diglot.crawl.crawl_state import CrawlState, columns_of
from diglot.crawl.host_rules import MAX_HOPS
from diglot.crawl.page_reading import NOT_RENDERED, Answer, Job, ReadPage, exchange_of, is_login
from diglot.crawl.queue.frontier import DONE, FAILED, PAGE, REFUSED, Entry, Found
from diglot.crawl.queue.prioritiser import (
    BY_MARKER,
    BY_RULE,
    LINK,
    PER_DEPTH,
    START,
    TIER_PRIORITY,
    VERSION,
    X_DEFAULT,
    expands,
    refused_address,
)
from diglot.crawl.queue.site_scope import by_other_scheme, folder_of, host_of, joined
from diglot.crawl.queue.traps import MAX_URL_CHARS, text_hashes
from diglot.crawl.rules.reservations import Reservation, TdmRule, page_reservation
from diglot.crawl.rules.robots import robot_name
from diglot.documents.language import language_of
from diglot.records import Drop, Reason

MAX_SHOWN_CHARS = 200
"""So much of where a redirect leads is written down."""


def take_redirect(state: CrawlState, job: Job, entry: Entry, answer: Answer) -> None:
    """Keep a redirect and queue where it leads, if that is of the site and not one hop too far."""
    place = state.archive.append(exchange_of(job, answer), state.frontier)
    told = joined(job.url, answer.get("location"))
    target = state.scope.spell(told)
    detail = f"{answer.status} to {(target or ascii(told)[1:-1])[:MAX_SHOWN_CHARS]}"
    if target == job.url:
        target = by_other_scheme(job.url, told)
    refusal = state.scope.refusal(target or told)
    if entry.hops >= MAX_HOPS:
        target, detail = "", f"more than {MAX_HOPS} redirects"
    elif len(target) > MAX_URL_CHARS:
        target, detail = "", f"{answer.status} to an address of {len(target):,} characters"
    elif refusal:
        state.queue([refused_address(target or told, refusal, how="redirect")], entry)
        target, detail = "", f"{detail}, which is not connected to: {refusal}"
    elif target and not state.scope.belongs(target) and not (entry.kind == PAGE and entry.depth == 0):
        target, detail = "", f"{detail}, which is not of this site"
    values = {"warc": place.warc, "start": place.start, "length": place.length, **columns_of(answer)}
    state.settle(entry, FAILED, reason=Reason.HTTP_STATUS, detail=detail, **values)
    if target:
        state.traps.moved(job.url, target)
        state.queue([_redirect_of(entry, target)], entry)


def _redirect_of(entry: Entry, target: str) -> Found:
    """The address that takes the place of one in the queue."""
    return Found(
        target,
        host_of(target),
        folder_of(target),
        kind=entry.kind,
        tier=entry.tier,
        priority=entry.priority,
        depth=entry.depth,
        hops=entry.hops + 1,
        how="redirect",
        family=entry.family,
        lang=entry.lang,
    )


def take_page(
    state: CrawlState, job: Job, entry: Entry, answer: Answer, *, read: ReadPage | Drop, reserved: TdmRule | None
) -> None:
    """Keep a page unless it asks not to be kept, and follow its links unless it asks for that.

    ``reserved``: what the well-known file of its host says of it.
    """
    if isinstance(read, Drop):
        state.settle(entry, REFUSED, reason=read.reason, detail=read.detail, **columns_of(answer))
        return
    if read.body:
        _believe_address(state, entry)
    if entry.tier == START and is_login(read):
        state.settle(entry, REFUSED, reason="login", detail="a form that asks for a password", **columns_of(answer))
        return
    asked = asks_of(state, answer, read, reserved)
    if asked.tdm or asked.noindex:
        reason, detail = ("tdm_reserved", asked.tdm_policy) if asked.tdm else ("noindex", "")
        state.settle(entry, REFUSED, reason=reason, detail=detail, **columns_of(answer))
    else:
        _keep(state, job, entry, answer, read)
    if read.contents is not None and not asked.nofollow and not asked.tdm:
        _follow(state, entry, read)


def _believe_address(state: CrawlState, entry: Entry) -> None:
    """A page came from where a redirect sent us: only now is its host reached so, or of the site."""
    if entry.depth == 0 and not state.scope.belongs(entry.url):
        state.scope.admit(entry.host, urlsplit(entry.url).scheme)
    state.reached_by(entry.url)
    state.note_hosts()


def asks_of(state: CrawlState, answer: Answer, read: ReadPage, reserved: TdmRule | None) -> Reservation:
    """What a page, the answer it came in and the well-known file of its host ask of us."""
    return page_reservation(answer.texts(), read.metas, robot_name(state.options.user_agent), reserved)


def _keep(state: CrawlState, job: Job, entry: Entry, answer: Answer, read: ReadPage) -> None:
    digest = hashlib.sha256(read.body).hexdigest()
    if digest == entry.digest:
        state.settle(entry, DONE, status=200, etag=answer.get("etag"), modified=answer.get("last-modified"))
        return
    place = state.archive.append(exchange_of(job, answer), state.frontier)
    state.counts["stored"] += 1
    if answer.rendering is not None:
        state.counts[NOT_RENDERED if read.reason == NOT_RENDERED else "rendered"] += 1
    values = {"warc": place.warc, "start": place.start, "length": place.length, **columns_of(answer)}
    state.settle(entry, DONE, reason=read.reason, detail=read.detail, digest=digest, **values)


def _follow(state: CrawlState, entry: Entry, read: ReadPage) -> None:
    """Queue what a page leads to, its versions first, and learn from it."""
    page = read.contents
    assert page is not None
    wanted = expands(page, state.scope.wants)
    links = state.prioritiser.links(entry, page, expand=wanted or entry.depth == 0)
    has_version = links.has_version
    state.queue(links.found, entry)
    if wanted:
        versions = [found.url for found in links.found if found.how == "version" and not found.refused]
        has_version |= _raise_versions(state, entry, versions)
    texts = text_hashes(entry.url, page.chunks)
    state.frontier.note_texts(entry.id, texts)
    state.traps.fetched(entry.url, texts)
    lang = page.told_lang
    _check_promise(state, entry, page.lang)
    now = state.frontier.state_of(entry.url)
    state.frontier.settle(entry.id, now, page_lang=lang, partnered=int(has_version))
    before = state.prioritiser.link_priority(entry.folder)
    state.prioritiser.learn_page(entry.url, lang, wanted=wanted, has_version=has_version)
    after = state.prioritiser.link_priority(entry.folder)
    if after != before:
        state.frontier.reweigh_folder(entry.folder, tier=LINK, priority=after, per_depth=PER_DEPTH)


def _raise_versions(state: CrawlState, entry: Entry, versions: list[str]) -> bool:
    """Move what is, by its address, a version of a page up in the queue; whether there is any."""
    state.prioritiser.learn_versions(entry.url, versions)
    by_marker = state.prioritiser.versions_by_marker(entry.url)
    by_rule = set(state.prioritiser.versions_by_rule(entry.url))
    state.frontier.raise_addresses(by_rule, tier=BY_RULE, priority=TIER_PRIORITY[BY_RULE])
    state.frontier.raise_addresses(by_marker, tier=BY_MARKER, priority=TIER_PRIORITY[BY_MARKER])
    state.frontier.raise_family(entry.family or entry.id, tier=VERSION, priority=TIER_PRIORITY[VERSION])
    return bool(by_marker or by_rule)


def _check_promise(state: CrawlState, entry: Entry, lang: str) -> None:
    """Weigh the versions that wait anew where this one was, or was not, in the language it was linked as."""
    known_as, family = state.frontier.promise_of(entry.id)
    if not known_as or known_as.lower() == X_DEFAULT or lang == "und" or family is None:
        return
    known_as = language_of(known_as)
    state.prioritiser.learn_promise(family, known_as, kept=language_of(lang) == known_as)
    state.frontier.weigh_versions(family, known_as, tier=VERSION, weigh=state.prioritiser.version_priority)
