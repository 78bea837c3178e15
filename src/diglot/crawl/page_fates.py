"""Decides after an update which pages are gone, and which copies in the archive stay in use.

A good copy stays in use until a better one is there. A page is gone only if the site says so clearly, in two updates:
404, 410, or a permanent redirect that leads to a page. The wish not to be used (robots.txt, noindex, a reservation of
text and data mining) counts at once. A text in another language, or other texts on most pages, count when they come
again (:mod:`diglot.crawl.text_doubts`). Everything else leaves the copy in use. If more than a tenth of the pages are
missing, emptied, moved or replaced, the site is taken to be out of order until it still says so a day later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from math import inf

from diglot.crawl.host_rules import MAX_HOPS
from diglot.crawl.queue.frontier import DONE, FAILED, IN_FLIGHT, QUEUED, REFUSED, PageOutcome
from diglot.crawl.queue.records import Denial
from diglot.crawl.queue.site_scope import by_other_scheme
from diglot.crawl.response_handling import ELSEWHERE, EMPTIED, PERMANENT
from diglot.reasons import Reason

OUTAGE_SHARE = 0.1
"""A larger share of pages with such answers (``LOST``) is taken for an outage. Sites lose a few a month."""
OUTAGE_S = 24 * 3600.0
"""What looks like an outage is believed after a day: most outages are mended within hours."""
MISSING_STATUS = frozenset((HTTPStatus.NOT_FOUND, HTTPStatus.GONE))
TEMPORARY = frozenset((HTTPStatus.FOUND, HTTPStatus.SEE_OTHER, HTTPStatus.TEMPORARY_REDIRECT))
ROBOTS_LINE = "robots.txt: line "
"""Start of the detail of an address that a line of robots.txt forbids; other details are about a missing file."""
ACCEPTED = "accepted"
"""Reason of a page that came with a text to doubt once more, and is now used."""


class Change(StrEnum):
    """Fate of a page since the last crawl. Only pages that are gone leave the run."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    GONE = "gone"
    """The site says so in two updates (404, 410, a permanent redirect), or asks not to be used."""
    MISSING = "missing"
    """404, 410 or a permanent redirect, so far in one update."""
    EMPTIED = EMPTIED
    """The page came without text, or with the text of other pages."""
    SWITCHED = "switched"
    """The page came in another language, so far in one update."""
    REPLACED = "replaced"
    """The page came with another text, as most of the pages did, for less than a day."""
    MOVED = "moved"
    """A temporary redirect."""
    UNREACHABLE = "unreachable"
    """No page came, which says nothing about the page: another status, a cut or broken body, no answer."""
    WAITING = "waiting"
    """Not requested: a limit of the crawl came first, or the address looks like a trap."""


DOUBTED = {
    Change.EMPTIED: "the text of other pages, a text of its own before",
    Change.SWITCHED: "another language than before",
    Change.REPLACED: "another text than before, as most pages have",
}
"""Reasons for which the copy stays in use though the page came."""
LOST = frozenset((Change.MISSING, Change.MOVED, *DOUBTED))
"""Answers in place of a page; many at once are an outage."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known before an update. ``digests``: digest of each page in use, by address; ``denials``: by id of the
    address; ``began``: time of the update, in seconds on the clock of the run."""

    digests: Mapping[str, str]
    denials: Mapping[int, Denial]
    began: float


@dataclass(frozen=True, slots=True)
class Fates:
    """What an update decides on all pages."""

    changes: dict[str, Change]
    """Fate of each page, by address."""
    denials: dict[int, Denial]
    """What the site says against pages, by id."""
    lost: int
    """Number of pages in use with such an answer (:data:`LOST`) for less than a day."""
    is_outage: bool
    """Whether so many are lost that the site is taken to be out of order."""
    doubts: dict[int, Change]
    """Pages that came, but with a text to doubt: the copy stays in use. By id, with the doubt."""
    accepted: list[int]
    """Ids of pages with a doubted text that came again: the text is used after all."""


def decide_fates(
    pages: Sequence[PageOutcome], known: Known, verdicts: Mapping[int, Change], *, believe: bool = False
) -> Fates:
    """Fate of every page with a copy, and of every new page.

    ``verdicts``: pages that came with the text of before or a text to doubt, by id; ``believe``: whether one update is
    enough. The same pages and ``known`` give the same fates, so an interrupted update may decide again.
    """
    by_url = {page.url: page for page in pages}
    answers = {page.id: verdicts.get(page.id) or _answer(page, by_url) for page in pages}
    denials = {
        page.id: denial
        for page in pages
        if (denial := _denial(known.denials.get(page.id), answers[page.id], page, known)) is not None
    }
    in_use = [page for page in pages if page.url in known.digests]
    lost = sum(
        answers[page.id] in LOST and known.began - denials[page.id].first < OUTAGE_S
        for page in in_use
        if page.id in denials
    )
    is_outage = not believe and lost > max(1.0, OUTAGE_SHARE * len(in_use))
    needed_s, accepted = _needed_s(is_outage=is_outage, believe=believe), []
    for page in in_use:
        denial, answer = denials.get(page.id), answers[page.id]
        if denial and answer in needed_s and known.began - denial.first >= needed_s[answer]:
            if answer is Change.MISSING:
                denials[page.id] = denial._replace(gone=True)
            elif page.id in verdicts:
                accepted.append(page.id)
                answers[page.id] = Change.CHANGED
                del denials[page.id]
    doubts = {page_id: said for page_id, said in verdicts.items() if said in DOUBTED and answers[page_id] is said}
    return Fates(dict(_changes(pages, answers, denials, known)), denials, lost, is_outage, doubts, accepted)


def _needed_s(*, is_outage: bool, believe: bool) -> dict[Change, float]:
    """Seconds from the first report of a change to its belief, for each change against a page."""
    if believe:
        return dict.fromkeys((Change.MISSING, *DOUBTED), 0.0)
    again_s = OUTAGE_S if is_outage else 1e-6  # any time later: the second update
    # A login may stand in place of a page for weeks.
    return {Change.MISSING: again_s, Change.SWITCHED: again_s, Change.REPLACED: OUTAGE_S, Change.EMPTIED: inf}


def _changes(
    pages: Sequence[PageOutcome], answers: Mapping[int, Change], denials: Mapping[int, Denial], known: Known
) -> Iterator[tuple[str, Change]]:
    for page in sorted(pages, key=lambda page: page.url):
        before = known.digests.get(page.url)
        if before is not None:
            is_gone = page.id in denials and denials[page.id].gone
            is_same = answers[page.id] is Change.CHANGED and before == page.digest
            yield page.url, Change.GONE if is_gone else Change.SAME if is_same else answers[page.id]
        elif page.state == DONE and page.digest:
            yield page.url, Change.NEW


def _denial(before: Denial | None, answer: Change, page: PageOutcome, known: Known) -> Denial | None:
    """What the site says against a page after this answer; None if nothing."""
    if answer in (Change.CHANGED, Change.SAME) or not page.digest:
        return None
    if answer in (Change.UNREACHABLE, Change.WAITING):
        # No word about the page: what was said before stands.
        return before
    first = before.first if before and before.said == answer else known.began
    # A page that is gone comes back only as a page.
    was_gone = before is not None and before.gone
    return Denial(str(answer), first, was_gone or answer is Change.GONE)


def _answer(page: PageOutcome, by_url: Mapping[str, PageOutcome]) -> Change:
    """What the answer for a page says. Every page that came has changed, so far."""
    if page.state == DONE:
        return Change.CHANGED
    if page.state in (QUEUED, IN_FLIGHT) or page.reason == "trap":
        return Change.WAITING
    if page.state == REFUSED and _asks_not_to_be_used(page):
        return Change.GONE
    if page.state == FAILED and page.reason in DOUBTED:
        return Change(page.reason)
    if page.state == FAILED and page.reason == Reason.HTTP_STATUS:
        if page.status in MISSING_STATUS or _is_moved_for_good(page, by_url):
            return Change.MISSING
        if page.status in TEMPORARY:
            return Change.MOVED
    return Change.UNREACHABLE


def _asks_not_to_be_used(page: PageOutcome) -> bool:
    return page.reason in ("noindex", "tdm_reserved") or (
        page.reason == "robots" and page.detail.startswith(ROBOTS_LINE)
    )


def _is_moved_for_good(page: PageOutcome, by_url: Mapping[str, PageOutcome]) -> bool:
    """Whether permanent redirects lead from here to another site, or to a page that came."""
    at: PageOutcome | None = page
    for _ in range(MAX_HOPS + 1):
        if at is None or at.status not in PERMANENT or at.state != FAILED:
            return at is not None and at is not page and at.state == DONE
        target = at.detail.removeprefix(f"{at.status} to ")
        if target.endswith(ELSEWHERE):
            return True
        # A redirect to the other scheme is noted as one to the address itself.
        at = by_url.get(_other_scheme(target) if target == at.url else target)
    return False


def _other_scheme(url: str) -> str:
    return by_other_scheme(url, "http:" if url.startswith("https:") else "https:")
