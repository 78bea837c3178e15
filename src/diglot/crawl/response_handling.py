"""Handles the answer for a page: stores or refuses the page, queues its links, follows a redirect."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from urllib.parse import urlsplit

import numpy as np
import xxhash

from diglot.crawl import NEGOTIATED
from diglot.crawl.crawl_state import VALIDATORS, CrawlState, columns_of
from diglot.crawl.host_rules import MAX_HOPS
from diglot.crawl.page_reading import NOT_RENDERED, Answer, Job, ReadPage, exchange_of, is_login
from diglot.crawl.queue.frontier import DOCUMENT, DONE, FAILED, PAGE, REFUSED, Entry, NewAddress
from diglot.crawl.queue.journal import pack
from diglot.crawl.queue.prioritiser import (
    BY_MARKER,
    BY_RULE,
    LINK,
    PER_DEPTH,
    START,
    TIER_PRIORITY,
    VERSION,
    X_DEFAULT,
    Contents,
    follows_links,
    refused_address,
)
from diglot.crawl.queue.records import PLACE, Alike, Copy
from diglot.crawl.queue.site_scope import by_other_scheme, folder_of, host_of, resolve_reference
from diglot.crawl.queue.traps import MAX_FOLLOWED_CHARS, text_hashes, text_marks
from diglot.crawl.rules import Reservation, TdmRule, page_reservation, robot_name
from diglot.documents.language import UNDETERMINED
from diglot.documents.language_tags import language_of
from diglot.errors import in_ascii
from diglot.reasons import Reason
from diglot.records import Drop

MAX_SHOWN_CHARS = 200
"""Characters of a redirect target that the journal keeps."""
PERMANENT = frozenset((HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT))
ELSEWHERE = ", which is not of this site"
"""End of the detail of a redirect that is not followed."""
EMPTIED = "emptied"
"""Reason of a page that must not replace its copy: hardly any text, a login form, or another language."""
MIN_TEXT_LEFT = 0.1
"""A page with a smaller share of the characters of its copy does not replace the copy."""
MAX_LOGIN_SHARE = 0.5
"""As :data:`MIN_TEXT_LEFT`, for a login page. Not 1: a site may have a password form on every page, and a page may
become shorter."""


def handle_redirect(state: CrawlState, job: Job, entry: Entry, answer: Answer) -> None:
    """Archive a redirect and queue its target, if the target belongs to the site and the hop limit allows."""
    location = resolve_reference(job.url, answer.get("location"))
    target = state.scope.canonical(location)
    detail = f"{answer.status} to {(target or in_ascii(location))[:MAX_SHOWN_CHARS]}"
    # All addresses of a host get one scheme, so a redirect to the other scheme looks like none.
    if target == job.url and not (target := by_other_scheme(job.url, location)):
        detail = f"{answer.status} to itself, probably until a cookie comes back, and a crawl keeps none"
    refusal = state.scope.refusal(target or location)
    if entry.hops >= MAX_HOPS:
        target, detail = "", f"more than {MAX_HOPS} redirects"
    elif len(target) > MAX_FOLLOWED_CHARS:
        target, detail = "", f"{answer.status} to an address of more than {MAX_FOLLOWED_CHARS:,} characters"
    elif refusal:
        state.queue([refused_address(target or location, refusal, how="redirect")], entry)
        target, detail = "", f"{detail}, which is not connected to: {refusal}"
    elif target and not _is_followed_in_any_case(state, job, entry, target):
        if _has_moved(state, job, entry, answer.status, target):
            state.scope.admit(host_of(target), urlsplit(target).scheme)
        else:
            target, detail = "", f"{detail}{ELSEWHERE}"
    copy = Copy(hashlib.sha256(f"{answer.status} {answer.get('location')}".encode()).hexdigest())
    # The place of a page in the archive stays that of its copy.
    before = state.frontier.record_like(entry.id, copy)
    place = {} if entry.digest else _place_of(state, job, entry, answer, copy, before)
    state.finish(entry, FAILED, reason=Reason.HTTP_STATUS, detail=detail, **{**columns_of(answer), **place})
    if target:
        state.traps.note_redirect(job.url, target)
        state.queue([_redirect_of(entry, target)], entry)


def _is_followed_in_any_case(state: CrawlState, job: Job, entry: Entry, target: str) -> bool:
    """Whether the crawl follows a redirect in any case: within the site, or from a new start."""
    if state.scope.belongs(target) or state.scope.is_same_host(job.url, target):
        return True
    return _is_start(entry) and state.frontier.may_lead_elsewhere(entry.id)


def _has_moved(state: CrawlState, job: Job, entry: Entry, status: int, target: str) -> bool:
    """Whether the site has moved to the host of ``target``.

    It has if a start redirects permanently to that host, and this page, which has a copy in the archive and is no
    start, redirects permanently to the same path there.
    """
    is_same_path = urlsplit(target)[2:] == urlsplit(job.url)[2:]
    if _is_start(entry) or not entry.digest or status not in PERMANENT or not is_same_path:
        return False
    return host_of(target) in map(host_of, state.frontier.moved_starts(PERMANENT))


def _is_start(entry: Entry) -> bool:
    return entry.kind == PAGE and entry.depth == 0


def _redirect_of(entry: Entry, target: str) -> NewAddress:
    """The redirect target, in the same place in the queue as the redirect."""
    return NewAddress(
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


def handle_page(
    state: CrawlState, job: Job, entry: Entry, answer: Answer, *, read: ReadPage | Drop, reserved: TdmRule | None
) -> None:
    """Archive a page and follow its links, as far as the page allows.

    ``reserved``: rule of the host's reservation file for this page.
    """
    if isinstance(read, Drop):
        state.finish(entry, REFUSED, reason=read.reason, detail=read.detail, **columns_of(answer))
        return
    if read.body:
        _confirm_address(state, entry)
    if entry.tier == START and is_login(read):
        state.finish(entry, REFUSED, reason="login", detail="a form that asks for a password", **columns_of(answer))
        return
    asked = reservations_of(state, answer, read, reserved)
    if asked.tdm or asked.noindex:
        reason, detail = ("tdm_reserved", asked.tdm_policy) if asked.tdm else ("noindex", "")
        state.finish(entry, REFUSED, reason=reason, detail=detail, **columns_of(answer))
    elif worse := _why_worse(state, entry, read):
        state.finish(entry, FAILED, reason=worse[0], detail=worse[1], status=answer.status)
        return
    else:
        _archive_page(state, job, entry, answer, read)
        # Vary names the header fields of a request on which an answer depends (RFC 9110, 12.5.5).
        if entry.depth == 0 and "accept-language" in answer.get("vary").lower():
            state.counts[NEGOTIATED] += 1
    if read.contents is not None and not asked.nofollow and not asked.tdm:
        _queue_and_learn_links(state, entry, read)


def _confirm_address(state: CrawlState, entry: Entry) -> None:
    """Confirm scheme and membership of a host, after a page has arrived from there and not just a redirect."""
    if entry.depth == 0 and not state.scope.belongs(entry.url):
        state.scope.admit(entry.host, urlsplit(entry.url).scheme)
    state.confirm_scheme(entry.url)
    state.note_hosts()


def reservations_of(state: CrawlState, answer: Answer, read: ReadPage, reserved: TdmRule | None) -> Reservation:
    """Reservations of a page by meta elements, header fields and the reservation file of the host."""
    return page_reservation(answer.texts(), read.metas, robot_name(state.options.user_agent), reserved)


def _why_worse(state: CrawlState, entry: Entry, read: ReadPage) -> tuple[str, str] | None:
    """Reason and detail of a page that may not replace its copy in the archive; None if it may, or without a copy.

    A page with text stands until it comes with text again.
    """
    copy = state.frontier.copy_of(entry.id) if entry.digest else None
    if copy is None or copy.chars == 0:
        return None
    page = read.contents
    if page is None or read.reason not in ("", NOT_RENDERED):
        return read.reason or EMPTIED, read.detail
    if page.length_chars < MIN_TEXT_LEFT * (copy.chars or 0):
        return EMPTIED, f"{page.length_chars:,} characters of text, {copy.chars:,} before"
    # A login with a text of its own at each address, as the first words of an article, looks like a new site.
    if is_login(read) and page.length_chars < MAX_LOGIN_SHARE * (copy.chars or 0):
        return EMPTIED, f"a form for a password, {page.length_chars:,} characters of text, {copy.chars:,} before"
    if _is_wanted(state, copy.lang) and not _is_wanted(state, page.best_lang):
        return EMPTIED, f"text in {page.best_lang or UNDETERMINED}, in {copy.lang} before"
    return None


def _is_wanted(state: CrawlState, lang: str | None) -> bool:
    """Whether a language is known and wanted."""
    return bool(lang) and lang != UNDETERMINED and state.scope.wants(lang or "")


def _archive_page(state: CrawlState, job: Job, entry: Entry, answer: Answer, read: ReadPage) -> None:
    """Archive a page, unless all that is read of it is the same as of an earlier record."""
    digest = hashlib.sha256(read.body).hexdigest() if read.body else None
    copy = copy_from(read, digest or hashlib.sha256(b"cut " + answer.body).hexdigest())
    before = state.frontier.record_like(entry.id, copy)
    # Fetched again and unchanged: the old record stays.
    if digest and before is not None and before.in_use:
        state.finish(entry, DONE, status=200, **_validators(state, entry, answer))
        return
    place = _place_of(state, job, entry, answer, copy, before)
    if before is None and not entry.known and not answer.truncated:
        state.counts["documents" if entry.tier == DOCUMENT else "stored"] += 1
    if before is None and answer.rendering is not None:
        state.counts[NOT_RENDERED if read.reason == NOT_RENDERED else "rendered"] += 1
    # What a page had before, as after a login at its address, is not archived again.
    values = {**columns_of(answer), **place, "digest": before.digest if digest and before else digest}
    if digest is None:
        # The ETag of a cut page is that of the whole page, which would then never come.
        values |= dict.fromkeys(VALIDATORS)
    else:
        if entry.digest:
            now = {answer.get(field) for field in VALIDATORS.values()}
            state.frontier.doubt(entry.id, sorted(now & {entry.etag, entry.modified} - {None, ""}))
        values |= _validators(state, entry, answer)
    state.finish(entry, FAILED if answer.truncated else DONE, reason=read.reason, detail=read.detail, **values)


def _validators(state: CrawlState, entry: Entry, answer: Answer) -> dict[str, str | None]:
    """Columns for the next conditional request, None for validators in doubt.

    If one ETag or date came with two different texts, a later "304 Not Modified" could keep the wrong text for ever.
    """
    doubted = state.frontier.doubted_validators(entry.id)
    found = {column: answer.get(field) for column, field in VALIDATORS.items()}
    return {column: None if value in doubted else value for column, value in found.items()}


def copy_from(read: ReadPage, digest: str) -> Copy:
    """What the journal notes on the record of a page."""
    page = read.contents
    if page is None or read.reason not in ("", NOT_RENDERED):
        return Copy(digest, 0)
    words = xxhash.xxh3_128_hexdigest("\n".join(page.chunks).encode("utf-8", "surrogatepass"))
    marks = pack(np.array(text_marks(page.chunks), np.uint64))
    return Copy(digest, page.length_chars, words if page.chunks else "", page.best_lang, marks, page.hash)


def _place_of(
    state: CrawlState, job: Job, entry: Entry, answer: Answer, copy: Copy, before: Alike | None
) -> dict[str, object]:
    """Archive place of an answer, as columns of the journal; ``before``: a record like it, so that none is added."""
    if before is not None:
        return before.place
    place = state.archive.append(exchange_of(job, answer), state.frontier)
    columns = dict(zip(PLACE, (place.warc, place.start, place.length, answer.fetched), strict=True))
    state.frontier.note_record(entry.id, copy, **columns)
    return columns


def _queue_and_learn_links(state: CrawlState, entry: Entry, read: ReadPage) -> None:
    """Queue the links of a page, language versions first, and learn from them."""
    page = read.contents
    assert page is not None
    wanted = follows_links(page, state.scope.wants)
    if entry.depth == 0:
        state.note_start(page)
    has_version = queue_links(state, entry, page)
    texts = text_hashes(entry.url, page.chunks)
    state.frontier.note_texts(entry.id, texts)
    state.traps.note_page(entry.url, texts)
    lang = page.best_lang
    _check_promise(state, entry, page.lang)
    # The page may have been stored or refused just before.
    now = state.frontier.state_of(entry.url)
    state.frontier.finish(entry.id, now, page_lang=lang, partnered=int(has_version))
    before = state.prioritiser.link_priority(entry.folder)
    state.prioritiser.learn_page(entry.url, lang, wanted=wanted, has_version=has_version)
    after = state.prioritiser.link_priority(entry.folder)
    if after != before:
        state.frontier.reweigh_folder(entry.folder, tier=LINK, priority=after, per_depth=PER_DEPTH)


def queue_links(state: CrawlState, entry: Entry, page: Contents) -> bool:
    """Queue the links of a page, language versions first; whether it has a version in a wanted language."""
    wanted = follows_links(page, state.scope.wants)
    links = state.prioritiser.links(entry, page, expand=wanted or entry.depth == 0)
    state.queue(links.found, entry)
    if not wanted:
        return links.has_version
    versions = [found.url for found in links.found if found.how == "version" and not found.refused]
    return _raise_versions(state, entry, versions) or links.has_version


def _raise_versions(state: CrawlState, entry: Entry, versions: list[str]) -> bool:
    """Raise queued language versions with a similar address; whether there are any."""
    state.prioritiser.learn_versions(entry.url, versions)
    by_marker = state.prioritiser.versions_by_marker(entry.url)
    by_rule = set(state.prioritiser.versions_by_rule(entry.url))
    state.frontier.raise_addresses(by_rule, tier=BY_RULE, priority=TIER_PRIORITY[BY_RULE])
    state.frontier.raise_addresses(by_marker, tier=BY_MARKER, priority=TIER_PRIORITY[BY_MARKER])
    state.frontier.raise_family(entry.family or entry.id, tier=VERSION, priority=TIER_PRIORITY[VERSION])
    return bool(by_marker or by_rule)


def _check_promise(state: CrawlState, entry: Entry, lang: str) -> None:
    """Reweigh queued versions after a page was, or was not, in the language of the link to it."""
    known_as, family = state.frontier.promise_of(entry.id)
    if not known_as or known_as.lower() == X_DEFAULT or lang == UNDETERMINED or family is None:
        return
    known_as = language_of(known_as)
    state.prioritiser.learn_promise(family, known_as, kept=language_of(lang) == known_as)
    state.frontier.weigh_versions(family, known_as, tier=VERSION, weigh=state.prioritiser.version_priority)
