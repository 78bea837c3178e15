"""Each flag on a case worked by hand, and what must hold of all."""

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.corpus.flags import EXCLUDED, FLAG_TEXT, Flag, clean, flag_segments, same_text_key
from diglot.records import SEGMENT_SCHEMA


def segment(src: str, tgt: str, **other: Any) -> dict[str, Any]:
    row = {"src": src, "tgt": tgt, "src_lang": "en", "tgt_lang": "fr", "score": 0.5, "bead": "1-1", "kind": 0}
    return row | {"flags": [], "src_url": "s", "tgt_url": "t", "position": 0, "fetched": ""} | other


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA)


def flags(rows: list[dict[str, Any]], **options: Any) -> list[list[str]]:
    return list(flag_segments(table(rows), **options)["flags"].to_pylist())


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Good morning", "Bonjour", []),
        ("Good morning", "", ["unaligned"]),
        ("", "", ["unaligned"]),
        ("42", "\u2009\u00a0", ["unaligned"]),
        ("Diglot", "diglot", ["identical"]),
        ("STRASSE  eins", " Straße\u00a0eins", ["identical"]),
        ("ﬁn", "fin", ["identical"]),
        ("Page 3", "*** 3", ["no_letters"]),
        ("3 – 4", "3 - 4", ["no_letters"]),
        ("42", "42", ["identical", "no_letters"]),
        ("你好", "नमस्ते", []),
        ("In 1999 we won 1,000 games", "En 1999 nous avons gagné 1 000 parties", []),
        ("In 1999", "En 1998", ["numbers"]),
        ("two", "2 deux", ["numbers"]),
        ("½ litre", "1/2 litre", []),
    ],
)
def test_a_row_by_itself(src: str, tgt: str, expected: list[str]) -> None:
    assert flags([segment(src, tgt)]) == [expected]


def test_of_duplicates_the_best_stays() -> None:
    rows = [
        segment("Yes", "Oui", score=0.5),
        segment("yes ", "OUI", score=0.9),
        segment("Yes", "Si", score=0.1),
        segment("Yes", "Oui", score=0.7),
        segment("Yes", "Oui", score=0.9, tgt_lang="oc"),
        segment("", "Oui", score=0.1),
        segment("", "Oui", score=0.2),
    ]
    expected = [["duplicate"], [], [], ["duplicate"], [], ["unaligned"], ["unaligned"]]
    assert flags(rows) == expected


def test_equal_scores_go_by_address_then_position() -> None:
    rows = [
        segment("Yes", "Oui", src_url="b", tgt_url="a", position=0),
        segment("Yes", "Oui", src_url="a", tgt_url="b", position=2),
        segment("Yes", "Oui", src_url="a", tgt_url="b", position=1),
        segment("Yes", "Oui", src_url="a", tgt_url="c", position=0),
    ]
    assert flags(rows) == [["duplicate"], ["duplicate"], [], ["duplicate"]]
    assert flags(rows[::-1]) == [["duplicate"], [], ["duplicate"], ["duplicate"]]


def page(number: int, **other: Any) -> dict[str, Any]:
    return {"src_url": f"s{number}", "tgt_url": f"t{number}", **other}


def test_boilerplate_stands_on_more_than_five_pages_and_three_in_ten() -> None:
    def menus(menu_pages: int, pages: int) -> list[list[str]]:
        rows = [segment(f"Text {'abc'[n % 3]}{'x' * n}", f"Texte {'x' * n}", **page(n)) for n in range(pages)]
        rows += [segment("Home", "Accueil", **page(n)) for n in range(menu_pages)]
        return flags(rows)[-menu_pages:]

    assert all("boilerplate" not in each for each in menus(5, 6))
    assert all("boilerplate" in each for each in menus(6, 19))
    assert all("boilerplate" not in each for each in menus(6, 20))
    assert all("boilerplate" not in each for each in menus(12, 40))
    assert all("boilerplate" in each for each in menus(13, 40))


def test_boilerplate_is_counted_by_page_and_by_language_pair() -> None:
    on_one_page = [segment("Home", "Accueil", **page(1, position=n)) for n in range(9)]
    assert all("boilerplate" not in each for each in flags(on_one_page))
    in_two_languages = [segment("Home", "Home", **page(n, tgt_lang="de" if n % 2 else "fr")) for n in range(10)]
    assert all("boilerplate" not in each for each in flags(in_two_languages))
    assert all("boilerplate" in each for each in flags(in_two_languages, boilerplate_pages=4))


def lengths(count: int, tgt_per_src: float, **other: Any) -> list[dict[str, Any]]:
    """``count`` rows of one length ratio, every text another."""
    sizes = range(120, 120 + count)
    return [segment("a" * size, "é" * round(size * tgt_per_src), **other) for size in sizes]


def test_length_ratio_beyond_what_is_usual() -> None:
    usual = lengths(20, 1.0)
    odd = [
        segment("b" * 100, "é" * 230),
        segment("b" * 100, "é" * 210),
        segment("c" * 100, "é" * 44),
        segment("b" * 200, "ù" * 3),
        segment("b" * 10, "é" * 3),
    ]
    assert flags(usual + odd)[20:] == [["length_ratio"], [], ["length_ratio"], ["length_ratio"], []]


def test_usual_is_learnt_for_each_language_pair() -> None:
    english_chinese = lengths(20, 0.25, tgt_lang="zh")
    rows = lengths(20, 1.0) + english_chinese
    assert flags(rows) == [[]] * 40
    rows += [segment("d" * 80, "é" * 21), segment("d" * 80, "é" * 81, tgt_lang="zh")]
    rows += [segment("d" * 20, "é" * 2, tgt_lang="zh")]
    assert flags(rows)[40:] == [["length_ratio"], ["length_ratio"], []]


def test_a_wide_spread_widens_the_bound() -> None:
    rows = [segment("a" * 100 + "b" * n, "é" * round((100 + n) * math.exp((n - 20) / 20))) for n in range(41)]
    # Log ratios run evenly from -1 to 1: the median absolute deviation is 0.5, the bound 2.2 to 2.4.
    assert flags([*rows, segment("c" * 100, "d" * 800)])[-1] == []
    assert flags([*rows, segment("c" * 100, "d" * 1200)])[-1] == ["length_ratio"]


def test_nothing_is_usual_among_few() -> None:
    assert flags([*lengths(8, 1.0), segment("b" * 100, "é" * 900)])[-1] == []
    assert flags([*lengths(9, 1.0), segment("b" * 100, "é" * 900)])[-1] == ["length_ratio"]
    copies = [segment("a" * 50, "é" * 50, position=n) for n in range(50)]
    assert "length_ratio" not in flags([*copies, segment("b" * 100, "é" * 900)])[-1]


def test_flags_of_others_stay_and_all_are_sorted() -> None:
    rows = [segment("1", "2", flags=["zebra", "adult"]), segment("Yes", "Oui", flags=["adult"])]
    assert flags(rows) == [["adult", "no_letters", "numbers", "zebra"], ["adult"]]


def test_nothing_to_flag() -> None:
    empty = SEGMENT_SCHEMA.empty_table()
    assert flag_segments(empty).equals(empty)
    assert clean(empty).equals(empty)


def test_clean_keeps_what_only_warns() -> None:
    rows = [
        segment("Yes", "Oui"),
        segment("In 1999", "En 1998"),
        segment("Yes", ""),
        segment("same", "same"),
        segment("No", "Non", flags=["of another"]),
    ]
    flagged = flag_segments(table(rows))
    assert clean(flagged)["src"].to_pylist() == ["Yes", "In 1999", "No"]
    assert clean(pa.concat_tables([flagged.slice(2), flagged.slice(0, 2)])).num_rows == 3


def test_every_flag_has_its_meaning() -> None:
    assert set(FLAG_TEXT) == set(Flag)
    assert set(Flag) - EXCLUDED == {Flag.NUMBERS}


words = st.sampled_from(["", "Yes", "yes", "Oui", "42", "4 2", "a" * 30, "b" * 90, "Ünï", "x 1", "x 2"])
rows_of_any_kind = st.lists(
    st.builds(
        segment,
        words,
        words,
        score=st.sampled_from([0.1, 0.5, 0.9]),
        src_url=st.sampled_from("abcdefgh"),
        tgt_lang=st.sampled_from(["fr", "de"]),
        position=st.integers(0, 3),
        flags=st.sampled_from([[], ["other"], ["numbers"]]),
    ),
    max_size=40,
)


@settings(max_examples=50)
@given(rows_of_any_kind)
def test_what_holds_of_all(rows: list[dict[str, Any]]) -> None:
    before = table(rows)
    after = flag_segments(before)
    assert after.schema == before.schema
    assert after.drop_columns("flags").equals(before.drop_columns("flags"))
    assert flag_segments(after).equals(after)
    for old, new in zip(before["flags"].to_pylist(), after["flags"].to_pylist(), strict=True):
        assert new == sorted({*old, *new})
    # One copy of each pair of texts is left, and it has the best score.
    best: dict[tuple[str, ...], float] = {}
    kept: dict[tuple[str, ...], list[float]] = {}
    for row in after.to_pylist():
        if row["src"] and row["tgt"]:
            key = (row["tgt_lang"], same_text_key(row["src"]), same_text_key(row["tgt"]))
            best[key] = max(best.get(key, 0), row["score"])
            kept.setdefault(key, []).extend([] if "duplicate" in row["flags"] else [row["score"]])
    assert kept == {key: [score] for key, score in best.items()}


@settings(max_examples=50)
@given(rows_of_any_kind.filter(lambda rows: len({str(row) for row in rows}) == len(rows)), st.randoms())
def test_the_order_of_rows_does_not_matter(rows: list[dict[str, Any]], random: Any) -> None:
    # Rows alike in all that decides between copies may take each other's place.
    deciding = ("src_url", "tgt_lang", "position", "score")
    if len({tuple(row[name] for name in deciding) for row in rows}) < len(rows):
        return
    shuffled = random.sample(rows, len(rows))
    found = dict(zip(map(str, shuffled), flags(shuffled), strict=True))
    assert [found[str(row)] for row in rows] == flags(rows)
