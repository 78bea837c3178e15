"""The ledger: every record has one fate, and used and dropped ones add up to all."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.documents.language import readable
from diglot.duplicates.marking import mark_duplicates
from diglot.outputs.funnel import count_sites_of, summarise
from diglot.outputs.run_text import funnel_text
from diglot.reasons import Reason
from diglot.records import DOCUMENT_SCHEMA, FLAGGED_SCHEMA, PAIR_SCHEMA, SEGMENT_SCHEMA
from diglot.run.ledger import LEDGER_SCHEMA, USED, causes_left_out, make_ledger, mark_languages, mark_repeated_addresses
from diglot.run.settings import make_settings
from diglot.site import Site
from made_documents import made_page
from made_segments import filled

LANGS = ("en", "fr")


def table(*pages: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(pages), schema=DOCUMENT_SCHEMA)


def record(name: str, lang: str = "en", text: str = "", **others: Any) -> dict[str, Any]:
    if others.get("reason"):
        lang, text = "", ""
    return made_page(f"http://a.example/{name}", lang, [text or f"text of {name}"] if lang else [], **others)


def addresses(schema: pa.Schema, *pairs: tuple[str, str]) -> pa.Table:
    """Rows of a pair or segment table of which only the addresses matter."""
    host = "http://a.example"
    rows = [
        {"src_url": f"{host}/{src}", "tgt_url": f"{host}/{tgt}", "src_lang": "en", "tgt_lang": "fr"}
        for src, tgt in pairs
    ]
    return filled(schema, *rows)


def all_records(documents: pa.Table) -> pa.Table:
    """Marked as the stages mark them."""
    records = mark_repeated_addresses(documents)
    usable = readable(records)
    wanted = mark_languages(usable, usable["lang"].to_pylist(), LANGS)
    marked = mark_duplicates(Site("made", wanted))
    return pa.concat_tables([marked, records.filter(pa.compute.not_equal(records["reason"], ""))])


def fates(documents: pa.Table, pairs: pa.Table, segments: pa.Table) -> dict[str, str]:
    ledger = make_ledger(all_records(documents), pairs, segments)
    return {row["url"].rpartition("/")[2]: row["reason"] or row["fate"] for row in ledger.to_pylist()}


def test_fates_worked_by_hand() -> None:
    documents = table(
        record("used-en"),
        record("used-fr", "fr"),
        record("alone"),
        record("paired-en"),
        record("paired-fr", "fr"),
        record("german", "de"),
        record("short", "und"),
        record("copy-a", text="the same"),
        record("copy-bb", text="the same"),
        record("broken", reason=Reason.HTTP_STATUS.value),
    )
    found = fates(
        documents,
        addresses(PAIR_SCHEMA, ("used-en", "used-fr"), ("paired-en", "paired-fr")),
        addresses(SEGMENT_SCHEMA, ("used-en", "used-fr"), ("used-en", "used-fr")),
    )
    assert found == {
        "used-en": USED,
        "used-fr": USED,
        "alone": "no_partner",
        "paired-en": "no_segments",
        "paired-fr": "no_segments",
        "german": "other_language",
        "short": "unknown_language",
        "copy-a": "no_partner",
        "copy-bb": "duplicate",
        "broken": "http_status",
    }


def test_what_left_out_the_segments_of_a_page_without_a_kept_one_is_named() -> None:
    of_lost = [["numbers", "wrong_letters"], *[["wrong_letters"]] * 3, ["unaligned"], [], ["too_short"]]
    rows = [("lost", "lost-fr", flags, 0.9 if flags else 0.2) for flags in of_lost]
    rows += [("lost", "used-fr", ["unaligned"], 0.9), ("used", "used-fr", [], 0.9), ("used", "used-fr", ["names"], 0.9)]
    host = "http://a.example"
    segments = filled(
        FLAGGED_SCHEMA,
        *(
            {"src_url": f"{host}/{src}", "tgt_url": f"{host}/{tgt}", "flags": flags, "score": score}
            for src, tgt, flags, score in rows
        ),
    )
    causes = causes_left_out(segments, {"numbers", "wrong_letters", "unaligned", "too_short"}, 0.3)
    # Of equal counts the first by name, and three at most.
    assert causes == {
        f"{host}/lost": "left out: wrong_letters 3, unaligned 2, below_min_score 1",
        f"{host}/lost-fr": "left out: wrong_letters 3, below_min_score 1, numbers 1",
    }
    documents = table(record("lost"), record("lost-fr", "fr"), record("used"), record("used-fr", "fr"), record("alone"))
    pairs = addresses(PAIR_SCHEMA, ("lost", "lost-fr"), ("used", "used-fr"))
    kept = addresses(SEGMENT_SCHEMA, ("used", "used-fr"))
    ledger = make_ledger(
        all_records(documents), pairs, kept, causes=causes | {f"{host}/used": "a", f"{host}/alone": "b"}
    )
    assert {row["url"]: row["detail"] for row in ledger.to_pylist() if row["detail"]} == causes


def test_of_an_address_the_latest_readable_largest_first_record_is_kept() -> None:
    rows = [
        record("x", text="old", fetched="2023", size_bytes=9),
        record("x", text="small", fetched="2024", size_bytes=1),
        record("x", text="second", fetched="2024", size_bytes=5, source="b"),
        record("x", text="kept", fetched="2024", size_bytes=5, source="a"),
        record("x", fetched="2025", reason=Reason.HTTP_STATUS.value),
        record("y", fetched="2025", reason=Reason.TRUNCATED.value),
        record("y", fetched="2024", reason=Reason.TRUNCATED.value),
    ]
    for turned in (rows, rows[::-1]):
        found = mark_repeated_addresses(table(*turned)).to_pylist()
        assert [row["chunks"] for row in found if row["reason"] == ""] == [["kept"]]
        reasons = Counter(row["reason"] for row in found)
        assert reasons == {"": 1, "repeated_address": 3, "http_status": 1, "truncated": 2}


def test_an_address_with_http_and_with_https_is_one() -> None:
    rows = [
        made_page("https://a.example/x", "en", ["later"], fetched="2024"),
        made_page("http://a.example/x", "en", ["earlier"], fetched="2020"),
        made_page("http://a.example/y", "en", ["later"], fetched="2024"),
        made_page("https://a.example/y", "en", ["earlier"], fetched="2020"),
        # Without dates, of the same size.
        made_page("http://a.example/z", "en", ["other"]),
        made_page("https://a.example/z", "en", ["kept"]),
        # A redirect to https is no page.
        made_page("http://a.example/moved", "", [], fetched="2024", reason=Reason.HTTP_STATUS.value),
        made_page("https://a.example/moved", "en", ["kept"], fetched="2020"),
        # Another port, another host and a page at an address inside of another are other pages.
        made_page("http://a.example:8080/x", "en", ["kept"]),
        made_page("http://www.a.example/x", "en", ["kept"]),
        made_page("http://a.example/share?of=https://a.example/x", "en", ["kept"]),
    ]
    for turned in (rows, rows[::-1]):
        found = {
            row["url"]: (row["reason"], row["detail"]) for row in mark_repeated_addresses(table(*turned)).to_pylist()
        }
        assert {url: told for url, told in found.items() if told != ("", "")} == {
            "http://a.example/x": ("repeated_address", "used as https://a.example/x"),
            "https://a.example/y": ("repeated_address", "used as http://a.example/y"),
            "http://a.example/z": ("repeated_address", "used as https://a.example/z"),
            "http://a.example/moved": ("http_status", ""),
        }


def test_a_duplicate_names_the_page_that_stands_for_it() -> None:
    documents = all_records(table(record("b", text="same"), record("a", text="same"), record("c", "fr", text="same")))
    said = {row["url"][-1]: (row["reason"], row["detail"]) for row in documents.to_pylist()}
    assert said == {"a": ("", ""), "b": ("duplicate", "equal to http://a.example/a"), "c": ("", "")}


NAMES = st.sampled_from("abcdef")
READING_REASONS = st.sampled_from(["", "", "", "http_status", "no_text", "parser_crash", "undecodable"])


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    lang = draw(st.sampled_from(["en", "en", "fr", "fr", "de", "und"]))
    text = draw(st.sampled_from(["", "one", "two", "three words here"]))
    others = {"fetched": draw(st.sampled_from(["", "2024"])), "size_bytes": draw(st.integers(0, 3))}
    place = {"source": draw(st.sampled_from(["s", "t"])), "offset": draw(st.integers(0, 1000))}
    return record(draw(NAMES), lang, text, reason=draw(READING_REASONS), **others, **place)


PAIRS = st.lists(st.tuples(NAMES, NAMES), max_size=5)


@settings(max_examples=40)
@given(st.lists(records(), max_size=25), PAIRS, PAIRS)
def test_used_and_dropped_add_up_to_all_records(
    rows: list[dict[str, Any]], pairs: list[tuple[str, str]], kept: list[tuple[str, str]]
) -> None:
    documents = all_records(table(*rows))
    read = {row["url"][-1] for row in rows if not row["reason"]}
    pairs, kept = ([pair for pair in some if read.issuperset(pair)] for some in (pairs, kept))
    pair_table, segments = addresses(PAIR_SCHEMA, *pairs, *kept), addresses(SEGMENT_SCHEMA, *kept)
    ledger = make_ledger(documents, pair_table, segments)
    assert ledger.schema == LEDGER_SCHEMA
    assert Counter(ledger["url"].to_pylist()) == Counter(row["url"] for row in rows)
    for row in ledger.to_pylist():
        assert (row["fate"] == USED) == (row["reason"] == "")
        assert row["fate"] == USED or Reason(row["reason"])
    counting = Counter(
        row["url"] for row in ledger.to_pylist() if row["lang"] and row["reason"] != Reason.REPEATED_ADDRESS
    )
    assert set(counting.values()) <= {1}
    assert set(counting) == {row["url"] for row in rows if not row["reason"]}

    settings = make_settings("en,fr")
    summary = summarise(
        settings, count_sites_of(settings, pair_table, segments, ledger), candidates=7, signature="fused"
    )
    assert summary["used"] + sum(summary["dropped"].values()) == summary["pages"] == len(rows)
    assert sum(summary["documents_by_language"].values()) == summary["documents"]
    left = sum(summary["left_out"].values()) + summary["below_min_score"]
    assert summary["kept"]["en-fr"] + left == summary["segments"]["en-fr"] == len(kept)
    assert f"{len(rows):,} records: {summary['used']:,} used" in funnel_text(summary)


@settings(max_examples=40)
@given(st.lists(records(), max_size=12), st.randoms())
def test_the_order_of_records_does_not_matter(rows: list[dict[str, Any]], random: Any) -> None:
    places = [(row["source"], row["offset"], row["url"]) for row in rows]
    rows = [row for k, row in enumerate(rows) if places[k] not in places[:k]]
    nothing = addresses(PAIR_SCHEMA), addresses(SEGMENT_SCHEMA)
    first = make_ledger(all_records(table(*rows)), *nothing)
    random.shuffle(rows)
    second = make_ledger(all_records(table(*rows)), *nothing)
    order = [(name, "ascending") for name in LEDGER_SCHEMA.names]
    assert first.sort_by(order) == second.sort_by(order)
