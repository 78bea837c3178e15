"""Cases worked by hand on both sides of the constants of a run's stages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from diglot.engines.pool import WORKER_MEMORY_BYTES
from diglot.errors import UsageError
from diglot.layout import duration_text
from diglot.progress import Silent
from diglot.records import DOCUMENT_SCHEMA, Page
from diglot.run import align, clean, log, read
from diglot.run.clean import other_texts, page_facts, read_word_list
from diglot.run.log import LOG, open_log, write_line
from diglot.run.settings import check_min_score, make_settings
from diglot.run.shards import site_memory_bytes, site_timeout_s
from made_documents import made_page


def documents(*pages: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(pages), schema=DOCUMENT_SCHEMA)


def sizes_of(pages: list[Page]) -> list[int]:
    return [table.num_rows for table in read._page_tables(pages)]


def page(size: int) -> Page:
    return Page("http://a.example/", b"x" * size)


def test_a_table_of_pages_is_of_32_pages_or_2_megabytes() -> None:
    assert sizes_of([page(1)] * 65) == [32, 32, 1]
    assert sizes_of([page(1)] * 64) == [32, 32]
    assert sizes_of([page(1 << 20)] * 3) == [2, 1]
    assert sizes_of([page((1 << 20) - 1)] * 3) == [3]
    assert sizes_of([]) == []


def test_what_a_site_may_take_grows_with_its_pages() -> None:
    assert site_timeout_s(documents()) == 120.0
    assert site_timeout_s(documents(*[made_page("http://a.example/", "en")] * 50)) == 130.0
    assert site_memory_bytes(0) == WORKER_MEMORY_BYTES
    assert site_memory_bytes(4) == WORKER_MEMORY_BYTES + (1 << 20)


def test_limits_of_stages() -> None:
    assert (read.SHARD_RECORDS, read.PAGE_TIMEOUT_S) == (1_000, 20.0)
    assert (align.SHARD_PAGES, align.TABLE_PAGES, align.SPLIT_TIMEOUT_S, align.LEARN_TIMEOUT_S) == (2048, 16, 120, 1800)
    assert (align.SHARD_PAIRS, align.TABLE_PAIRS, align.ALIGN_TIMEOUT_S) == (256, 8, 120)
    assert (clean.FLAG_TIMEOUT_S, clean.SEGMENT_TIMEOUT_S, clean.SEGMENT_MEMORY_BYTES) == (120, 0.01, 16384)
    assert (log.MAX_BYTES, log.MAX_LINE_CHARS, log.MAX_TRACE_LINES) == (524_288, 2_000, 40)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *[(0.4, "0 s"), (59.4, "59 s"), (60.0, "1 min"), (61.0, "1 min 1 s"), (3599.0, "59 min 59 s")],
        *[(59.7, "1 min"), (119.4, "1 min 59 s"), (119.7, "2 min"), (3599.4, "59 min 59 s"), (3599.7, "1 h")],
        *[(3600.0, "1 h"), (3660.0, "1 h 1 min"), (86_399.0, "23 h 59 min"), (86_400.0, "1 d"), (90_000.0, "1 d 1 h")],
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


# -- what cleaning asks of pages -----------------------------------------------------------------


def texts_of(*pages: dict[str, Any], have: set[tuple[str, str]] | None = None) -> list[tuple[str, str]]:
    found = other_texts(documents(*pages), have or set())
    return list(zip(found["url"].to_pylist(), found["text"].to_pylist(), strict=True))


def test_shorter_texts_are_sampled_behind_texts_of_60_characters_and_each_once() -> None:
    short, long = "é" * 59, "é" * 60
    page = made_page("http://a.example/1", "es", [short, long, short, long])
    assert [text for _, text in texts_of(page)] == [long, long, short]


def test_ten_pages_of_a_language_are_read_evenly_spread() -> None:
    def pages(count: int) -> list[str]:
        made = [made_page(f"http://a.example/{number:02d}", "es", ["e" * 60]) for number in range(count)]
        return [url[-2:] for url, _ in texts_of(*made)]

    assert pages(10) == [f"{number:02d}" for number in range(10)]
    assert pages(11) == ["00", "02", "04", "06", "08", "10"]
    assert pages(0) == []


def test_a_hundred_texts_of_a_language_are_taken_evenly_spread() -> None:
    def numbers(count: int) -> list[int]:
        made = made_page("http://a.example/", "es", [f"{number:060d}" for number in range(count)])
        return [int(text) for _, text in texts_of(made)]

    assert numbers(100) == list(range(100))
    assert numbers(101) == list(range(0, 101, 2))


def test_languages_that_have_segments_and_pages_that_were_dropped_teach_nothing() -> None:
    text = ["e" * 60]
    pages = [
        made_page("http://a.example/1", "es", text, reason="other_language"),
        made_page("http://a.example/2", "it", text),
        made_page("http://a.example/3", "und", text),
        made_page("http://a.example/4", "pt", text, reason="duplicate"),
        made_page("http://b.example/5", "it", text),
    ]
    found = texts_of(*pages, have={("a.example", "it")})
    assert [url[-1] for url, _ in found] == ["1", "5"]


def test_what_pages_say_of_themselves() -> None:
    facts = page_facts(
        documents(
            made_page("http://a/1", "en", machine_mark="meta", declared_lang="en-GB"),
            made_page("http://a/2", "en", machine_mark="meta", declared_lang="en-US", reason="duplicate"),
            made_page("http://a/3", "en"),
        ),
        set(),
    )
    assert facts.machine_translated == {"http://a/1"}
    assert facts.declared_lang == {"http://a/1": "en-GB"}


def test_a_word_list(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("Straße # a street\n\n# nothing\n  two words \nstrasse\n", encoding="utf-8")
    assert read_word_list(path) == {"strasse", "two words"}
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"words\.txt"):
        read_word_list(path)


@pytest.mark.parametrize(("least", "fits"), [(None, True), (0.0, True), (1.0, True), (-0.001, False), (1.001, False)])
def test_a_least_score_is_between_0_and_1(least: float | None, fits: bool) -> None:
    for check in (lambda: check_min_score(least), lambda: make_settings("en,fr", min_score=least)):
        if fits:
            check()
        else:
            with pytest.raises(UsageError, match="min_score="):
                check()
    if least is not None and fits:
        assert make_settings("en,fr", min_prob=least).min_prob == least


# -- the log -------------------------------------------------------------------------------------


def lines_of(folder: Path) -> list[str]:
    return [line.partition(" ")[2] for line in (folder / LOG).read_text(encoding="utf-8").splitlines()]


def test_a_line_of_the_log_has_2000_characters(tmp_path: Path) -> None:
    write_line(tmp_path / LOG, "x" * 2_000 + "y")
    assert lines_of(tmp_path) == ["x" * 2_000]


@pytest.fixture
def small_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(log, "MAX_BYTES", 100)
    return tmp_path / LOG


@pytest.mark.parametrize(("size", "left"), [(100, 10), (110, 4)])
def test_a_log_that_is_too_large_loses_its_older_half(small_log: Path, size: int, left: int) -> None:
    small_log.write_bytes(b"123456789\n" * (size // 10))
    with open_log(small_log.parent, Silent()):
        pass
    assert small_log.read_text().count("123456789") == left


def test_of_a_traceback_40_lines_are_kept(tmp_path: Path) -> None:
    def deeper(left: int) -> None:
        if left:
            shallower(left - 1)
        raise ZeroDivisionError("at the bottom")

    def shallower(left: int) -> None:
        deeper(left)

    with pytest.raises(ZeroDivisionError), open_log(tmp_path, Silent()):
        deeper(60)
    errors = [line for line in lines_of(tmp_path) if line.startswith("error")]
    assert len(errors) <= 3 * 40
    assert errors[-1].endswith("at the bottom")
    assert not any("Traceback" in line for line in errors)
