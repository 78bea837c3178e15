"""Each flag on a case worked by hand, and what must hold of all."""

import math
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.corpus.flags import EXCLUDED, FLAGS, excluded_flags
from diglot.corpus.flags.across import candidates, verdicts, with_verdicts
from diglot.corpus.flags.context import Cleaning, PageFacts
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.keeping import clean, count_left_out
from diglot.corpus.flags.repeats import is_label, near_text_keys, same_text_key
from diglot.errors import UsageError
from diglot.records import FLAGGED_SCHEMA, SEGMENT_SCHEMA
from made_segments import made_segment


def segment(src: str, tgt: str, **other: Any) -> dict[str, Any]:
    return made_segment(src, tgt, **{"score": 0.5, "src_url": "s", "tgt_url": "t", **other})


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA)


def flags(
    rows: list[dict[str, Any]], *, but: tuple[str, ...] = ("too_short", "conflict"), **options: Any
) -> list[list[str]]:
    """Flags of each row, without those that nearly every made-up row has."""
    found = flag_segments(table(rows), Cleaning(**options))["flags"].to_pylist()
    return [[flag for flag in each if flag not in but] for each in found]


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
        ("Swansea", "!!Swansea", ["identical"]),
        ("Depot", "Dépôt", []),
        ("Page 3", "*** 3", ["no_letters"]),
        ("3 – 4", "3 - 4", ["identical", "no_letters"]),
        ("42", "42", ["identical", "no_letters"]),
        ('{{ include "a.html" "Welcome" }}', '{{ include "b.html" "Bienvenue" }} !', ["no_letters"]),
        ("{% trans 'Welcome' %}", "Bienvenue", ["no_letters"]),
        (
            '<a href="{{ url }}" title="Free"><img src="a.png"></a>',
            '<a href="{{ url }}" title="Libre"></a>',
            ["no_letters"],
        ),
        ("Write {{ name }} for it", "Écrivez {{ nom }} pour cela", []),
        ("{ Welcome }", "<Bienvenue>", []),
        ("你好", "नमस्ते", ["wrong_language"]),
        ("In 1999 we won 1,000 games", "En 1999 nous avons gagné 1 000 parties", []),
        ("In 1999", "En 1998", ["numbers"]),
        ("two", "2 deux", []),
        ("there were 347 of them", "il y en avait", ["numbers"]),
        ("½ litre", "1/2 litres", []),
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

    kept, copy = [], ["boilerplate", "duplicate"]
    assert menus(5, 6) == [kept, *[["duplicate"]] * 4]
    assert menus(6, 19) == [kept, *[copy] * 5]
    assert menus(6, 20) == [kept, *[["duplicate"]] * 5]
    assert menus(12, 40) == [kept, *[["duplicate"]] * 11]
    assert menus(13, 40) == [kept, *[copy] * 12]


def test_boilerplate_is_counted_by_page_and_by_language_pair() -> None:
    on_one_page = [segment("Home", "Accueil", **page(1, position=n)) for n in range(9)]
    assert all("boilerplate" not in each for each in flags(on_one_page))
    in_two_languages = [segment("Home", "Heim", **page(n, tgt_lang="de" if n % 2 else "fr")) for n in range(10)]
    assert all("boilerplate" not in each for each in flags(in_two_languages))
    in_two_languages += [segment("Home", "Heim", **page(n, tgt_lang="de" if n % 2 else "fr")) for n in (10, 11)]
    assert sum("boilerplate" in each for each in flags(in_two_languages)) == 10


def test_of_boilerplate_the_best_copy_stays_and_a_page_that_no_machine_made() -> None:
    rows = [segment("Home", "Accueil", score=0.5 + n % 3 / 10, **page(n)) for n in range(9)]
    found = flag_segments(table(rows), pages=PageFacts(machine_translated=frozenset({"s2"})))
    assert clean(found)["src_url"].to_pylist() == ["s5"]


def at(host: str, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    urls = ({name: f"https://{host}/{row[name]}" for name in ("src_url", "tgt_url")} for row in rows)
    return [row | each for row, each in zip(rows, urls, strict=True)]


def test_a_site_gives_the_same_units_alone_and_among_others() -> None:
    menu = [segment("Home", "Accueil", **page(n)) for n in range(6)]
    body = [segment(f"Text {'x' * n}", f"Texte {'x' * n}", **page(n)) for n in range(30)]
    one = at("one.example.org", *menu, segment("Go", "Allez", score=0.9), segment("Yes", "Oui", score=0.1))
    other = at("example.com", *body, segment("Home", "Accueil", score=0.9), segment("Go", "Partez", score=0.4))
    together = one_copy_kept(flag_segments(table([*one, *other])))
    units = [
        set(zip(found["src"].to_pylist(), found["tgt"].to_pylist(), strict=True))
        for found in (clean(flag_segments(table(one))), clean(flag_segments(table(other))), clean(together))
    ]
    assert units[2] == units[0] | units[1]
    alone = [flag_segments(table(rows)) for rows in (one, other)]
    assert flag_segments(table([*one, *other])).equals(pa.concat_tables(alone))
    assert clean(together).num_rows == len(units[2])
    assert sum("boilerplate" in each for each in together["flags"].to_pylist()) == 5
    joined = flag_segments(table([*one, *other]), Cleaning(one_site=True))
    assert not any("boilerplate" in each for each in joined["flags"].to_pylist())
    assert ("Go", "Partez") not in zip(*(clean(joined)[side].to_pylist() for side in ("src", "tgt")), strict=True)


def one_copy_kept(flagged: pa.Table) -> pa.Table:
    return with_verdicts(flagged, verdicts(candidates(flagged, 0)))


def test_what_is_kept_of_one_site_has_the_addresses_of_the_others() -> None:
    rows = [
        *at("a.org", segment("Yes", "Oui", score=0.9), segment("No", "Non", score=0.1)),
        *at("b.org", segment("Yes", "Oui"), segment("yes!", "oui", src_url="t"), segment("NO", "NON!", score=0.8)),
        *at("c.org", segment("Yes", "Oui", src_lang="de")),
    ]
    found = one_copy_kept(flag_segments(table(rows)))
    again = [sorted({"duplicate", "near_duplicate"} & {*flags}) for flags in found["flags"].to_pylist()]
    assert again == [[], ["near_duplicate"], ["duplicate"], ["near_duplicate"], [], []]
    assert found["other_src_urls"].to_pylist() == [
        ["https://b.org/s", "https://b.org/t"], [], [], [], ["https://a.org/s"], []
    ]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=12)  # an example flags three tables, a tenth of a second and more
@given(
    st.lists(
        st.tuples(st.sampled_from(["Yes", "yes", "Yes!", "No"]), st.sampled_from("abc"), st.sampled_from([0.6, 0.9])),
        max_size=12,
    ),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_copies_are_told_in_any_number_of_tables_and_buckets(
    drawn: list[tuple[str, str, float]], buckets: int, order: Any
) -> None:
    """What a run says of all its sites is what is said of them in parts, in any order, a bucket of keys at a time."""
    made = [(on, segment(text, "Oui", score=score, position=n)) for n, (text, on, score) in enumerate(drawn)]
    hosts = ["a", "b", "c"]
    order.shuffle(hosts)
    parts = [flag_segments(table(at(f"{host}.org", *(row for on, row in made if on == host)))) for host in hosts]
    whole = one_copy_kept(pa.concat_tables(parts))
    rivals = pa.concat_tables([candidates(each, part) for part, each in enumerate(parts)])
    bucket = pa.array([key[0] % buckets for key in rivals["near"].to_pylist()], pa.int64())
    found = pa.concat_tables([verdicts(rivals.filter(pc.equal(bucket, n))) for n in range(buckets)])
    in_parts = [with_verdicts(each, found.filter(pc.equal(found["part"], part))) for part, each in enumerate(parts)]
    assert pa.concat_tables(in_parts).equals(whole)
    kept = clean(whole)["src"].to_pylist()
    assert len(kept) == len({*near_text_keys(kept)}) == len({*near_text_keys([text for text, *_ in drawn])})


def test_of_labels_that_differ_in_numbers_the_best_stays() -> None:
    rows = [
        segment("Table 9.4", "Tableau 9.4", score=0.7),
        segment("Table 10", "Tableau 10", score=0.9),
        segment("table 9.4.1:", "tableau 9.4.1 :", score=0.8),
        segment("Table ٣", "Tableau ٣", score=0.1),
        segment("Figure 9.4", "Figure n° 9.4"),
        segment("There were 12 births in 2010.", "Il y eut 12 naissances en 2010."),
        segment("There were 15 births in 2011.", "Il y eut 15 naissances en 2011."),
        segment("Table 5", "Tableau 6", score=1.0),
    ]
    expected = [["series"], [], ["series"], ["series"], [], [], [], ["numbers"]]
    assert flags(rows) == expected


def test_a_caption_that_ends_with_a_mark_is_a_label_and_a_sentence_is_none() -> None:
    """One word makes no sentence, whatever numbers stand beside it; Chinese words are counted by letters."""
    for src, tgt in (("[{}] Castle.", "[{}] Château."), ("[{}] Elk 2007-04-19.", "[{}] Lyck 2007-04-19.")):
        rows = [segment(src.format(n), tgt.format(n), score=0.8 + n / 100) for n in (1, 2, 16)]
        assert flags(rows) == [["series"], ["series"], []]
    for src, tgt in (("He won {}.", "Gagné {}."), ("Won {}.", "Il gagna {}.")):
        assert not any(
            "series" in each for each in flags([segment(src.format(n), tgt.format(n)) for n in (1901, 1902)])
        )
    chinese = table([segment("Chapter 5.", "第5章。"), segment("Born 1990.", "他出生于1990。")])
    assert is_label(chinese).tolist() == [True, False]


def lengths(count: int, tgt_per_src: float, **other: Any) -> list[dict[str, Any]]:
    """``count`` rows of one length ratio, every text another."""
    sizes = range(120, 120 + count)
    return [segment("a" * size, "é" * round(size * tgt_per_src), **other) for size in sizes]


def test_length_ratio_is_not_learnt_from_what_was_left_untranslated() -> None:
    """Most rows are the same on both sides, and as long; translations are a third as long, none of them odd."""
    copied = [segment("x" * n, "x" * n) for n in range(40, 80)]
    translated = [segment("a" * (90 + n), "é" * (30 + n // 3)) for n in range(12)]
    assert not any("length_ratio" in each for each in flags(copied + translated)[40:])


def test_length_ratio_is_not_learnt_from_unlikely_segments() -> None:
    unlikely = [segment(row["src"], row["tgt"] * 3, score=0.1) for row in lengths(60, 1.0)]
    likely = [segment(row["src"] + "!", row["tgt"], score=0.9) for row in lengths(20, 1.0)]
    found = flags(unlikely + likely, min_score=0.5)[60:]
    assert not any("length_ratio" in each for each in found)
    assert all("length_ratio" in each for each in flags(unlikely + likely)[60:])


def test_length_ratio_beyond_what_is_usual() -> None:
    usual = lengths(20, 1.0)
    odd = [
        segment("b" * 100, "é" * 230),
        segment("b" * 100, "é" * 210),
        segment("c" * 200, "é" * 88),
        segment("b" * 200, "ù" * 3),
        segment("b" * 10, "é" * 3),
    ]
    assert flags(usual + odd)[20:] == [["length_ratio"], [], ["length_ratio"], ["length_ratio"], []]


def test_short_texts_may_differ_more_in_length() -> None:
    # Mean length 36: three deviations are 3 sqrt(6.8 / 36) = 1.30 in the logarithm, a factor 3.7.
    rows = [*lengths(20, 1.0), segment("b" * 16, "é" * 56), segment("c" * 14, "é" * 58), segment("d" * 48, "ù" * 168)]
    assert flags(rows)[20:] == [[], ["length_ratio"], ["length_ratio"]]


def test_a_site_of_free_translations_shows_a_wider_spread() -> None:
    # All of 100 letters to 50 or 200: the deviation a letter, .69 * 1.48 * 11 = 11, is four times the usual one.
    free = [segment("a" * 100 + "xy"[n % 2] * n, "é" * (200 if n % 2 else 50), position=n) for n in range(20)]
    assert flags([*free, segment("b" * 20, "é" * 120)])[-1] == []
    assert flags([*lengths(20, 1.0), segment("b" * 20, "é" * 120)])[-1] == ["length_ratio"]


def test_usual_is_learnt_for_each_language_pair() -> None:
    english_welsh = lengths(20, 0.25, tgt_lang="cy")
    rows = lengths(20, 1.0) + english_welsh
    assert flags(rows) == [[]] * 40
    rows += [segment("d" * 80, "é" * 21), segment("d" * 80, "é" * 81, tgt_lang="cy")]
    rows += [segment("d" * 20, "é" * 2, tgt_lang="cy")]
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
    assert flag_segments(empty).equals(FLAGGED_SCHEMA.empty_table())
    assert clean(empty).equals(empty)


def test_clean_keeps_what_only_warns() -> None:
    rows = [
        segment("Yes", "Oui"),
        segment("Call +49 30 1234567", "Appelez +49 30 1234567"),
        segment("Yes", ""),
        segment("same", "same"),
        segment("No", "Non", flags=["of another"]),
    ]
    flagged = flag_segments(table(rows))
    assert clean(flagged)["src"].to_pylist() == ["Yes", "Call +49 30 1234567", "No"]
    assert clean(pa.concat_tables([flagged.slice(2), flagged.slice(0, 2)])).num_rows == 3


def test_every_flag_has_its_meaning() -> None:
    names = [flag.name for flag in FLAGS]
    assert len(set(names)) == len(names)
    assert all(flag.meaning and flag.meaning[0].islower() and not flag.meaning.endswith(".") for flag in FLAGS)
    warning = {"corrected", "judged_partly", "judged_right", "personal_data", "too_short"}
    assert set(names) - EXCLUDED >= warning


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


@settings(max_examples=12)
@given(rows_of_any_kind)
def test_what_holds_of_all(rows: list[dict[str, Any]]) -> None:
    before = table(rows)
    after = flag_segments(before)
    assert after.schema == FLAGGED_SCHEMA
    untouched = [name for name in SEGMENT_SCHEMA.names if name not in ("flags", "src", "tgt")]
    assert after.select(untouched).equals(before.select(untouched))
    assert flag_segments(after).equals(after)
    for old, new in zip(before["flags"].to_pylist(), after["flags"].to_pylist(), strict=True):
        assert set(old) <= set(new)
        assert new == sorted(new)
    # One copy of each pair of texts is left, and it has the best score.
    best: dict[tuple[str, ...], float] = {}
    kept: dict[tuple[str, ...], list[float]] = {}
    for row in after.to_pylist():
        if row["src"] and row["tgt"]:
            key = (row["tgt_lang"], same_text_key(row["src"]), same_text_key(row["tgt"]))
            best[key] = max(best.get(key, 0), row["score"])
            kept.setdefault(key, []).extend([] if "duplicate" in row["flags"] else [row["score"]])
    assert kept == {key: [score] for key, score in best.items()}


@settings(max_examples=6)
@given(rows_of_any_kind.filter(lambda rows: len({str(row) for row in rows}) == len(rows)), st.randoms())
def test_the_order_of_rows_does_not_matter(rows: list[dict[str, Any]], random: Any) -> None:
    # Rows alike in all that decides between copies may take each other's place.
    deciding = ("src_url", "tgt_lang", "position", "score")
    if len({tuple(row[name] for name in deciding) for row in rows}) < len(rows):
        return
    shuffled = random.sample(rows, len(rows))
    found = dict(zip(map(str, shuffled), flags(shuffled), strict=True))
    assert [found[str(row)] for row in rows] == flags(rows)


def test_a_sure_text_without_a_symbol_before_it_is_the_best_copy() -> None:
    decorated = segment("🌰 Cinnamon", "🌰 Kayu manis", score=0.9, src_url="a")
    for text, score, is_best in (("Cinnamon", 0.5, True), ("Cinnamon", 0.4, False), ("★ Cinnamon", 0.8, False)):
        rows = [segment(text, "Kayu manis", score=score, src_url="b"), decorated]
        expected = [[], ["near_duplicate"]] if is_best else [["near_duplicate"], []]
        assert flags(rows, min_score=0.5) == expected, text
    # One Unicode form of the same two texts: one of the two is kept.
    assert flags([segment("№ x 5", "№ y 5", score=0.9), segment("No x 5", "No y 5")]) == [["duplicate"], []]
    # Before a number it may be a minus.
    assert flags([segment("−5 x", "−5 y", score=0.9), segment("5 x", "5 y")]) == [[], ["near_duplicate"]]


def test_nearly_the_same_is_told_from_the_same() -> None:
    rows = [
        segment("Save the file", "Enregistrez le fichier", score=0.9, src_url="a"),
        segment("Save the file.", "Enregistrez le fichier.", score=0.8, src_url="b"),
        segment("save the file", "enregistrez le fichier", score=0.7, src_url="c"),
        segment("Save the file 2", "Enregistrez le fichier 2", score=0.6, src_url="d"),
    ]
    found = flag_segments(table(rows))
    assert found["flags"].to_pylist() == [[], ["near_duplicate"], ["duplicate"], []]
    assert found["other_src_urls"].to_pylist() == [["b", "c"], [], [], []]
    assert found["other_tgt_urls"].to_pylist() == [["t", "t"], [], [], []]
    one, other, third, *others = near_text_keys(["Été", "ete", "été2", "कि", "का", "?!", "!?"])
    assert one == other != third
    assert len(set(others)) == 4


def test_of_conflicting_translations_the_best_supported_stays() -> None:
    rows = [
        segment("Open the image", "Ouvrir l'image", score=0.8, src_url="a"),
        segment("Open the image", "Ouvrir l'image", score=0.8, src_url="b"),
        segment("Open the image", "Ouvrez le dessin", score=0.89, src_url="c"),
        segment("Open the image", "Open the image", score=1.0, src_url="d"),
        segment("Open the image", "Abrir la imagen", tgt_lang="es"),
    ]
    assert flags(rows, but=()) == [[], ["duplicate"], ["conflict"], ["identical"], []]
    # Odds of 1.5 for each of two copies, 2.25 together, are less than odds of 8.
    doubtful = [row | {"score": 0.6} if row["score"] == 0.8 else row for row in rows]
    assert flags(doubtful, but=()) == [["conflict"], ["duplicate"], [], ["identical"], []]
    # Lengths give no odds: their scores are added.
    assert flags(doubtful, but=(), probabilities=False)[2] == ["conflict"]


def test_converted_units_only_warn() -> None:
    rows = [segment("The board is 10 inches wide", "Das Brett ist 25 cm breit")]
    rows += [segment("The shelf is 10 inches wide", "Das Regal ist 35 cm breit")]
    assert flags(rows) == [["units"], ["numbers"]]


@pytest.mark.parametrize(("score", "flag"), [(0.99, "alternative"), (0.98, "conflict")])
def test_a_sure_second_translation_stays_beside_a_better_supported_one(score: float, flag: str) -> None:
    rows = [
        segment("Open the image", "Ouvrir l'image", score=0.995, src_url="a"),
        segment("Open the image", "Ouvrez le dessin", score=score, src_url="b"),
    ]
    assert flags(rows, but=()) == [[], [flag]]
    # A length says nothing sure of a translation.
    assert flags(rows, but=(), probabilities=False) == [[], ["conflict"]]


@pytest.mark.parametrize(
    ("tgt", "places", "flag"),
    [
        ("kurze Hose", 3, "conflict"),
        ("kurze Hose", 2, "alternative"),
        # The second translation of a text in other words, and one that shares a word with the better supported text.
        ("knapper Fummel", 3, "alternative"),
        ("schwarzes Kleid, lang", 3, "alternative"),
    ],
)
def test_texts_with_translations_on_other_pages_do_not_belong_together(tgt: str, places: int, flag: str) -> None:
    products = [("black dress", "schwarzes Kleid"), ("short trousers", "kurze Hose")]
    rows = [
        segment(src, its, score=0.99, src_url=f"{src} {place}", tgt_url=f"{its} {place}")
        for src, its in products
        for place in range(places)
    ]
    # Each page lists other products at random.
    rows.append(segment("black dress", tgt, score=0.99, src_url="at random", tgt_url="zufällig"))
    found = flags(rows, but=("too_short", "duplicate"))
    assert found == [*[[]] * 2 * places, [flag]]


@pytest.mark.parametrize(
    ("src", "tgt", "flag"),
    [
        ("The file is kept in memory", "Le fichier est gardÃ© en mÃ©moire", "mojibake"),
        ("The file is kept in memory", "Le fichier est gard\ufffd en m\ufffdmoire", "mojibake"),
        ("The file - is kept in memory", "Le fichier &mdash; est gardé en mémoire", "mojibake"),
        ("The file&#8217;s kept in memory", "Le fichier est gardé en mémoire", "mojibake"),
        ("Write to me at jo@example.org", "Écrivez-moi à jo@example.org", "personal_data"),
        ("My account is GB82 WEST 1234 5698 7654 32", "Mein Konto ist", "personal_data"),
        ("My card is 4111 1111 1111 1111 today", "Ma carte est ici", "personal_data"),
        ("Oh damn this is late", "Oh mince, c'est tard", "offensive"),
    ],
)
def test_a_flag_of_its_own_text(src: str, tgt: str, flag: str) -> None:
    assert flag in flags([segment(src, tgt)], offensive=frozenset({"damn"}))[0]


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        ("It was kept in memory", "Il a été gardé en mémoire, à Noël"),
        ("From 1998 to 2003, 12 345 678 visitors", "Von 1998 bis 2003, 12.345.678 Besucher"),
        ("ISBN 978-0-13-110362-7 is a book", "ISBN 978-0-13-110362-7 ist ein Buch"),
        ("Account XX82 WEST 1234 5698 7654 32 is none", "Account XX82 WEST 1234 5698 7654 32 ist keins"),
        ("Card 4111 1111 1111 1112 is none", "Karte 4111 1111 1111 1112 ist keine"),
        ("The dam is damned", "Der Damm"),
    ],
)
def test_a_text_that_only_looks_so(src: str, tgt: str) -> None:
    found = flags([segment(src, tgt)], offensive=frozenset({"damn"}))[0]
    assert not {"mojibake", "personal_data", "offensive"} & set(found)


def test_personal_data_are_masked_alike_on_both_sides() -> None:
    rows = [segment("Call +49 30 1234567 now", "Rufen Sie +49 30 1234567 an")]
    found = flag_segments(table(rows), Cleaning(personal_data="mask"))
    assert (found["src"][0].as_py(), found["tgt"][0].as_py()) == ("Call <phone> now", "Rufen Sie <phone> an")
    assert flag_segments(found, Cleaning(personal_data="mask")).equals(found)
    assert flags(rows, personal_data="off") == [[]]


def test_a_page_that_a_machine_translated() -> None:
    rows = [segment("Good morning to you", "Bonjour à vous", src_url="a"), segment("Good night", "Bonne nuit")]
    # The share in the note on machine translation is of segments with two sides.
    rows.append(segment("A sentence without a translation", "", src_url="a"))
    found = flag_segments(table(rows), pages=PageFacts(machine_translated=frozenset({"a"})))
    assert found["flags"].to_pylist() == [["machine_translated"], ["too_short"], ["unaligned"]]


GERMAN = "Der schnelle braune Fuchs springt über den faulen Hund und läuft dann in den Wald zurück."
ENGLISH = "The quick brown fox jumps over the lazy dog and then runs back into the dark forest again."


def test_a_side_in_another_language() -> None:
    rows = [
        segment(ENGLISH, GERMAN, tgt_lang="de"),
        segment(ENGLISH, ENGLISH.replace("fox", "dog"), tgt_lang="de"),
        segment("Home page", "Home", tgt_lang="de"),
        segment(ENGLISH, "Brza smeđa lisica skače preko lijenog psa i onda bježi natrag u šumu.", tgt_lang="sr"),
    ]
    assert ["wrong_language" in each for each in flags(rows)] == [False, True, False, False]


def test_variants_are_told_where_the_text_shows_them() -> None:
    rows = [
        segment("Nothing", "這個國家的語言很難學會", tgt_lang="zh"),
        segment("Something", "这个国家的语言很难学会", tgt_lang="zh"),
        segment("Anything", "你好", tgt_lang="zh"),
        segment("Everything", "Ово је једна реченица", tgt_lang="sr"),
        segment("One thing", "Uma frase", tgt_lang="pt", tgt_url="br"),
        segment("Two things", "Uma frase", tgt_lang="pt"),
    ]
    found = flag_segments(table(rows), pages=PageFacts(declared_lang={"br": "pt-BR"}))
    assert found["tgt_variant"].to_pylist() == ["zh-Hant", "zh-Hans", "", "sr-Cyrl", "pt-BR", ""]


def test_the_choice_of_flags_that_exclude() -> None:
    assert excluded_flags(["numbers"], ["too_short"]) == (EXCLUDED - {"numbers"}) | {"too_short"}
    with pytest.raises(UsageError, match="no flag 'nombers'; did you mean numbers\\? There are: added_end, "):
        excluded_flags(["nombers"])
    with pytest.raises(UsageError, match="both name numbers"):
        excluded_flags(["numbers"], ["numbers"])


def test_of_conflicting_translations_none_below_the_floor_is_preferred() -> None:
    """Four copies of .7 have more support than one of .89, and would be left out for their score."""
    rows = [segment("Home page", "Rien du tout", score=0.7, src_url=f"s{n}") for n in range(4)]
    rows += [segment("Home page", "La page d'accueil", score=0.89), segment("Home page", "Une page", score=0.2)]
    repeated = [["duplicate"]] * 3
    assert flags(rows, but=("too_short",)) == [[], *repeated, ["conflict"], ["conflict"]]
    assert flags(rows, but=("too_short",), min_score=0.75) == [["conflict"], *repeated, [], ["conflict"]]


def test_what_is_left_out_is_counted_once() -> None:
    """Under the first flag by name, repeats last; the score counts for what no flag has taken."""
    rows = [
        segment("a", "b", flags=["boilerplate", "duplicate", "numbers"], score=0.1),
        segment("a", "b", flags=["boilerplate", "duplicate"]),
        segment("a", "b", flags=["duplicate", "too_short"]),
        segment("a", "b", flags=["near_duplicate"]),
        segment("a", "b", flags=["too_short"], score=0.49),
        segment("a", "b", flags=["too_short"], score=0.5),
        segment("a", "b", flags=["mojibake", "numbers"]),
    ]
    flagged = table(rows)
    once = {"mojibake": 1, "numbers": 1, "boilerplate": 1, "duplicate": 1, "near_duplicate": 1}
    assert count_left_out(flagged, EXCLUDED, 0.5) == (once, 1)
    assert count_left_out(flagged, EXCLUDED, 0.0) == (once, 0)
    assert clean(flagged, min_score=0.5)["score"].to_pylist() == [0.5]
