"""Verdicts on the texts of an update, on records as the journal holds them."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.crawl.page_fates import Change, Known
from diglot.crawl.queue.frontier import DONE, PageOutcome
from diglot.crawl.queue.journal import pack
from diglot.crawl.queue.records import TextRecord
from diglot.crawl.text_doubts import judge_texts

CHARS = 60
LANGS = {0: "en", 1: "en", 2: "fr", 3: "fr"}


def record(digest: str, lang: str, *chunks: int) -> TextRecord:
    marks = np.array([(chunk, CHARS) for chunk in sorted(chunks)], np.uint64).reshape(-1, 2)
    return TextRecord(digest, f"words {digest}", lang, pack(marks))


def verdicts(ever: dict[int, list[TextRecord]]) -> dict[int, Change]:
    """Of pages that had their first record in use, and came with their last."""
    pages = [
        PageOutcome(page, f"u{page}", "h", DONE, "", "", 200, records[-1].digest) for page, records in ever.items()
    ]
    known = Known({f"u{page}": records[0].digest for page, records in ever.items()}, {}, 0.0)
    return judge_texts(pages, known, ever, lambda lang: lang in ("en", "fr"))


def test_a_wall_on_all_pages_of_a_small_site_takes_none() -> None:
    """Four pages; the wall is in English and names the address."""
    ever = {
        page: [
            record(f"old {page}", lang, *range(10 * page, 10 * page + 8)),
            record(f"new {page}", "en", 90, 91 + page),
        ]
        for page, lang in LANGS.items()
    }
    assert set(verdicts(ever)) == set(LANGS)


@pytest.mark.parametrize("rewritten", [1, 2])
def test_up_to_half_of_the_pages_may_be_written_anew_at_once(rewritten: int) -> None:
    ever = {
        page: [record(f"old {page}", lang, *range(10 * page, 10 * page + 8)), record(f"new {page}", lang, 100 + page)]
        for page, lang in list(LANGS.items())[:rewritten]
    }
    same = {page: [record(f"old {page}", lang, 10 * page)] for page, lang in LANGS.items() if page >= rewritten}
    assert verdicts(ever | same) == {}
