"""Finds the pages of an update whose new texts may not take the place of their copies, or not yet.

Each of them came with status 200 and some text, so alone it looks like a change. Together they show what they are: a
notice or a login at many addresses, the text of another language in place of a translation, another site. Texts are
compared by chunks without numbers and addresses, because notices often name the address, the time, or a token.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from diglot.arrays import Mask
from diglot.crawl.page_fates import ACCEPTED, Change, Known
from diglot.crawl.queue.frontier import DONE, PageOutcome
from diglot.crawl.queue.records import TextRecord
from diglot.crawl.response_handling import MIN_TEXT_LEFT
from diglot.documents.language import UNDETERMINED
from diglot.documents.language_tags import language_of

SITEWIDE_TEXTS = 5
"""A chunk in at least this many different texts belongs to the site (a menu, say), not to a page. More than a few: a
page may have views for print, phones and more, which change together."""
KEPT_TEXT_SHARE = 0.5
"""Least share of the own text of a page kept in a new version: below it, the page has another text."""
REPLACED_PAGES_SHARE = 0.5
"""If more than this share of the pages that came are doubtful or have another text, the site counts as another site."""
RECORDS_COMPARED = 4
"""Number of last records of a page that must all differ for a page that is new at every update. One more than a text, a
notice, and the text of a relaunch."""
Hashes = np.ndarray[Any, np.dtype[np.uint64]]
"""Hashes of chunks, sorted."""
Marks = np.ndarray[Any, np.dtype[np.uint64]]
"""Hash and length in characters of the chunks of a page: two columns, sorted by hash."""
Ever = Mapping[int, Sequence[TextRecord]]
"""Records with text by id of the address, oldest first."""


@dataclass(frozen=True, slots=True)
class _Changed:
    """A page with another record than before. ``past``: its records up to the copy in use before, oldest first."""

    id: int
    past: Sequence[TextRecord]
    now: TextRecord

    @property
    def copy(self) -> TextRecord:
        return self.past[-1]


def judge_texts(
    pages: Sequence[PageOutcome], known: Known, ever: Ever, wants: Callable[[str], bool]
) -> dict[int, Change]:
    """Verdicts on pages that came, by id: SAME for the text of before; EMPTIED, SWITCHED or REPLACED for one to doubt.

    ``wants``: whether a language is wanted.
    """
    changed = list(_changed_pages(pages, known, ever))
    same = {page.id: Change.SAME for page in changed if page.copy.words == page.now.words}
    changed = [page for page in changed if page.id not in same]
    if not changed:
        return same
    in_use = [page for page in pages if page.id not in known.denials or not known.denials[page.id].gone]
    now = {page.id: found for page in in_use if (found := _record(ever, page.id, page.digest))}
    copies = (_record(ever, page.id, known.digests.get(page.url)) for page in pages)
    common = _common((copy.words, copy.marks) for copy in copies if copy)
    switched = [page for page in changed if _is_in_another(page, wants)]
    emptied = _copies_of_others(changed, now, ever) | _notices(changed, common) | _translations_shown(switched, now)
    doubts = {page.id: Change.SWITCHED for page in switched} | dict.fromkeys(emptied, Change.EMPTIED)
    others = [page for page in changed if page.id not in doubts]
    restless = {page.id for page in others if _is_always_new(page, common)}
    replaced = [page.id for page in others if page.id not in restless and _has_another_text(page, common)]
    came = sum(page.state == DONE and page.url in known.digests and page.id not in restless for page in pages)
    if len(doubts) + len(replaced) > REPLACED_PAGES_SHARE * came:
        doubts |= dict.fromkeys(replaced, Change.REPLACED)
    return same | doubts


def _changed_pages(pages: Iterable[PageOutcome], known: Known, ever: Ever) -> Iterator[_Changed]:
    for page in pages:
        before = known.digests.get(page.url)
        # A text that was accepted before an interruption stays so.
        if page.state != DONE or before in (None, page.digest) or page.reason == ACCEPTED:
            continue
        copy, now = _record(ever, page.id, before), _record(ever, page.id, page.digest)
        if copy and now:
            yield _Changed(page.id, ever[page.id][: ever[page.id].index(copy) + 1], now)


def _record(ever: Ever, page_id: int, digest: str | None) -> TextRecord | None:
    return next((record for record in reversed(ever.get(page_id, ())) if record.digest == digest), None)


def _copies_of_others(changed: Sequence[_Changed], now: Mapping[int, TextRecord], ever: Ever) -> set[int]:
    """Pages whose new text is, word for word, the text of other pages.

    Pages with equal texts before may change together. A few pages, such as an article and its print view, may also
    change one after the other.
    """
    holders: Counter[str] = Counter()
    had: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page_id, record in now.items():
        holders[record.words] += 1
        had[record.words].update({past.words for past in ever[page_id]})

    def had_the_same(page: _Changed) -> int:
        """Number of holders of the new text that had an old text of the page, too."""
        is_sitewide = holders[page.now.words] >= SITEWIDE_TEXTS
        texts = {record.words for record in ([page.copy] if is_sitewide else page.past)}
        return max((had[page.now.words][text] for text in texts - {page.now.words}), default=0)

    return {page.id for page in changed if had_the_same(page) < holders[page.now.words]}


def _notices(changed: Sequence[_Changed], common: Hashes) -> set[int]:
    """Pages with next to nothing of their own left, and text that has come to many pages at once."""
    marks = [(page.copy.marks, page.now.marks) for page in changed]
    news = [_without(now, copy[:, 0]) for copy, now in marks]
    arrived = _common((page.now.words, new) for page, new in zip(changed, news, strict=True))
    found = set()
    for page, (copy, now), new in zip(changed, marks, news, strict=True):
        own = _without(copy, common)
        left = _chars(_among(now, own[:, 0])) + _chars(_without(_without(new, common), arrived))
        if _chars(_among(new, arrived)) and left < MIN_TEXT_LEFT * _chars(own):
            found.add(page.id)
    return found


def _is_in_another(page: _Changed, wants: Callable[[str], bool]) -> bool:
    """Whether a page in a wanted language came in another language."""
    before, now = page.copy.lang or UNDETERMINED, page.now.lang or UNDETERMINED
    return UNDETERMINED not in (before, now) and wants(before) and language_of(before) != language_of(now)


def _translations_shown(switched: Sequence[_Changed], now: Mapping[int, TextRecord]) -> set[int]:
    """Pages in another language than before, with nearly all their text on one other page."""
    if not switched:
        return set()
    texts = {record.words: record.marks for record in now.values()}
    pages_with = Counter(record.words for record in now.values())
    common = _common(texts.items())
    holders: defaultdict[int, list[str]] = defaultdict(list)
    for words, marks in texts.items():
        for number in _without(marks, common)[:, 0].tolist():
            holders[number].append(words)
    found = set()
    for page in switched:
        marks = page.now.marks
        own = _without(marks, common)
        shared: Counter[str] = Counter()
        for number, chars in own.tolist():
            shared.update(dict.fromkeys(holders[number], chars))
        if pages_with[page.now.words] == 1:
            del shared[page.now.words]
        # Text of the whole site is on any other page.
        elsewhere = _chars(marks) - _chars(own) + max(shared.values(), default=0)
        if elsewhere > (1 - MIN_TEXT_LEFT) * _chars(marks):
            found.add(page.id)
    return found


def _has_another_text(page: _Changed, common: Hashes) -> bool:
    """Whether less than half of the own text is left, of the copy and of each record before it."""
    owns, now = [_without(record.marks, common) for record in page.past], page.now.marks
    return len(owns[-1]) > 0 and all(_keeps_little(own, now) for own in owns if len(own))


def _is_always_new(page: _Changed, common: Hashes) -> bool:
    """Whether a page has had another text in every update, as a list of events has: no two of its last records share
    half. A notice that came and went leaves the text of before on both sides."""
    owns = [_without(record.marks, common) for record in page.past[-RECORDS_COMPARED:]]
    return len(owns) == RECORDS_COMPARED and all(_keeps_little(one, other) for one, other in combinations(owns, 2))


def _keeps_little(own: Marks, now: Marks) -> bool:
    return _chars(_among(own, now[:, 0])) < KEPT_TEXT_SHARE * _chars(own)


def _common(texts: Iterable[tuple[str, Marks]]) -> Hashes:
    """Hashes of the chunks in many texts, which are given as the hash of all of a text and its marks."""
    different = [np.zeros(0, np.uint64), *(marks[:, 0] for marks in dict(texts).values())]
    numbers, counts = np.unique(np.concatenate(different), return_counts=True)
    return numbers[counts >= SITEWIDE_TEXTS]


def _among(marks: Marks, hashes: Hashes) -> Marks:
    return marks[_are_in(marks, hashes)]


def _without(marks: Marks, hashes: Hashes) -> Marks:
    return marks[~_are_in(marks, hashes)]


def _are_in(marks: Marks, hashes: Hashes) -> Mask:
    """Mask of the marks with a hash among ``hashes``. Both are sorted by hash: np.isin would sort a large site for each
    page."""
    place = np.searchsorted(hashes, marks[:, 0])
    found = place < len(hashes)
    found[found] = hashes[place[found]] == marks[found, 0]
    return found


def _chars(marks: Marks) -> int:
    return int(marks[:, 1].sum())
