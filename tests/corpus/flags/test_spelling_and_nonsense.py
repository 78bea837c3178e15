"""Letters of other scripts inside words, the script of a tag, and texts in which a machine got stuck."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.keeping import kept_mask
from diglot.corpus.flags.nonsense import are_nonsense, is_nonsense, may_repeat, repeated_share
from diglot.corpus.flags.nonsense_kernels import LETTER, MARK, OTHER, SPACE, are_periodic, count_parts, hash_words
from diglot.corpus.flags.spelling import with_own_letters
from diglot.corpus.flags.variants import has_other_ideographs
from diglot.records import SEGMENT_SCHEMA
from diglot.scripts import is_in_other_script
from made_segments import made_segment


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C\u043aачать", True),  # a Latin C
        ("Скачать", False),
        ("m\u0430il", True),  # a Cyrillic a
        ("CCC\u0420", True),  # the last letter is Cyrillic
        ("Укра\u00efна", True),  # a Latin i with two dots
        ("oo\u0436", False),  # the rarer letter is like no Latin one, however like Cyrillic ones the others are
        ("\u03b1\u03b2\u0436", False),  # Greek and Cyrillic are not compared
        ("SMSки", False),  # an abbreviation with an ending
        ("USBшный", False),
        ("~Aархив", False),  # a search term, then a translated name
        ("(-oфайл)", True),  # no option begins behind a bracket
        ("онлайн-cервис", True),
        ("C\u043a", False),  # two letters may be a symbol
        ("kΩ and Hα", False),
        ("5 µm", False),
        ("caf\u00e9 mail", False),
        ("HTMLです", False),
    ],
)
def test_a_letter_that_looks_like_one_of_the_word(text: str, expected: bool) -> None:
    own = with_own_letters(text)
    assert (own != text) == expected
    assert with_own_letters(f"one {text} two") == f"one {own} two"
    assert with_own_letters(own) == own


@pytest.mark.parametrize(
    ("tag", "text", "expected"),
    [
        ("sr-Latn", "Ово је реченица", True),
        ("sr-Latn", "abcd абвг", True),  # half of the letters
        ("sr-Latn", "abcde абвг", False),
        ("sr-Cyrl", "abcdefghi а", True),  # nine in ten
        ("sr-Cyrl", "abcdefgh а", False),
        ("sr-Cyrl", "Ово је реченица", False),
        ("sr", "Ово је реченица", False),
        ("ru", "abcd абвг", False),
        ("zh-Hant", "这是简体中文", False),  # not this test's
        ("sr-Latn", "123", False),
    ],
)
def test_a_text_in_another_script_than_the_tag_names(tag: str, text: str, expected: bool) -> None:
    assert is_in_other_script(pa.array([text]), tag).tolist() == [expected]


@pytest.mark.parametrize(
    ("tag", "text", "expected"),
    [
        ("zh-TW", "这是简体中文说明", True),
        ("zh-Hant", "這是繁體中文說明", False),
        ("zh-CN", "這是繁體中文說明", True),
        ("zh-Hans", "中文", False),
        ("zh-Hans", "說中文", False),  # one character may be a name's
        ("zh", "這是繁體中文說明", False),
        ("ja", "這是繁體中文說明", False),
    ],
)
def test_the_other_characters_of_chinese(tag: str, text: str, expected: bool) -> None:
    assert has_other_ideographs(pa.array([text]), tag).tolist() == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("आरईसीसीसीसी असफल", True),
        ("आरईसीसीसी असफल", False),  # three times
        ("blablablabla it is", True),
        ("blablabla it is", False),
        ("nooooooo", False),
        ("fill in xxxxxxxx", False),
        ("of the of the of the of the", True),
        ("of the of the of the", False),
        ("the, the, the, the end", True),
        ("5 5 5 5 5", False),
        ("---- ---- ---- ----", False),
        ("1010101010", False),
    ],
)
def test_the_same_over_and_over_on_one_side(text: str, expected: bool) -> None:
    assert is_nonsense("Begin your journey", text) == is_nonsense(text, "Begin your journey") == expected
    assert not is_nonsense(text, text)


CLAUSES = ["one had three million viewers", "two had two million viewers", "the last had half a million"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the green house stands on the hill. The green house stands on the hill", True),
        ("the green house stands on the hill. My green house stood on a hill", False),
        ("on the hill is a cat. On the hill is a cat.", True),  # 41 letters and blanks, .45
        ("on a hill is a cat. On a hill is a cat.", False),  # 37 of them
        ("on the hill is a cat. On the hill is a dog.", False),
        (", ".join(CLAUSES), False),
        ("isKeyPressed(Key), isKeyPressed(Key)", False),
    ],
)
def test_half_of_a_text_said_twice(text: str, expected: bool) -> None:
    plain = "Begin your journey with us on the lake today"
    assert is_nonsense(plain, text) == is_nonsense(text, plain) == expected
    assert not is_nonsense(text, text)


@pytest.mark.parametrize(("src", "expected"), [("28日と29日 8時と9時", False), ("28日 8時 朝", True)])
def test_a_timetable_repeats_its_words(src: str, expected: bool) -> None:
    tgt = "bus to the station at 8 on 28 November, bus to the station at 9 on 29 November"
    assert is_nonsense(src, tgt) == is_nonsense(tgt, src) == expected


def test_a_share_of_repeated_parts() -> None:
    assert repeated_share("ab" * 20) == 1 - 2 / 37
    assert repeated_share("ab" * 19 + "a") == 0.0  # 39 letters
    assert repeated_share("a" * 80) == 0.0
    assert repeated_share("the quick brown fox jumps over a lazy dog") == 0.0


PIECES = st.lists(
    st.sampled_from(["ab", "aab", "ß", "İ", "ई", "सी", "の", " ", " ", "\u00a0", ".", "-", "1", "the green"])
)
STUCK = st.builds(lambda head, unit, times, tail: head + unit * times + tail, PIECES, PIECES, st.integers(1, 6), PIECES)


@given(st.lists(st.tuples(STUCK.map("".join), STUCK.map("".join)), max_size=8))
@example([("the end " * 4, "a, a! a? a"), ("", "ab" * 20), ("ab", "ab" * 3), ("ß" * 2, "sss, sss, sss, sss")])
def test_a_quick_look_misses_no_nonsense(texts: list[tuple[str, str]]) -> None:
    values = [text for pair in texts for text in pair]
    sides = np.arange(len(values)).reshape(-1, 2).T
    found = are_nonsense(pa.array(values, pa.string()), sides)
    assert found.tolist() == [is_nonsense(src, tgt) for src, tgt in texts]


def test_a_quick_look_sees_that_most_texts_repeat_nothing() -> None:
    texts = ["Begin your journey with us on the lake today", "ha ha ha", "ab" * 20, "ein ein ein ein", "1010101010"]
    assert may_repeat(texts).tolist() == [False, False, True, True, True]
    assert may_repeat([]).tolist() == []


@pytest.mark.parametrize(("letters", "looked_at"), [(41, False), (42, True)])
def test_a_quick_look_sees_the_same_share_of_repeated_parts(letters: int, looked_at: bool) -> None:
    """Of 21 letters said twice 39 parts are 21 different ones, 18 / 39 repeated; without the last letter 17 / 38."""
    text = ("abcdefghijklmnopqrstu" * 2)[:letters]
    assert may_repeat([text]).tolist() == [looked_at] == [repeated_share(text) >= 0.45]


def test_periods_of_items() -> None:
    items = np.array([1, 1, 1, 1, 2, 1, 2, 1, 2, 1, 2, 3, 3, 3], np.uint32)
    ends = np.array([4, 11, 14])
    assert are_periodic(items, ends, (1, 1), 4).tolist() == [True, False, False]
    assert are_periodic(items, ends, (2, 2), 3).tolist() == [False, True, False]
    assert are_periodic(items, ends, (1, 2), 3).tolist() == [True, True, True]
    assert are_periodic(items, ends, (2, 4), 4).tolist() == [False, False, False]


def test_words_and_parts_of_texts() -> None:
    kind_of = {" ": SPACE, ".": MARK, "1": OTHER}
    joined = "".join(texts := ["to be. to 1 .", "abcdabcd", "aabb1 cc"])
    codes = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    kinds = np.array([kind_of.get(char, LETTER) for char in joined], np.uint8)
    words, ends = hash_words(codes, kinds, np.cumsum(list(map(len, texts))))
    assert ends.tolist() == [4, 5, 7]
    assert words[0] == words[2]
    assert len(set(words.tolist())) == 6
    # "to be to ", "abcdabcd" with the part abcd twice, and "ab c".
    chars, distinct = count_parts(codes, kinds, np.cumsum(list(map(len, texts))))
    assert chars.tolist() == [9, 8, 4]
    assert distinct.tolist() == [6, 4, 1]


def test_these_flags_leave_a_segment_out() -> None:
    texts = [
        ("Begin the journey", "в пути в пути в пути в пути", "ru"),
        ("This is a sentence", "Ово је једна реченица", "sr-Latn"),
        ("That is a sentence", "To je jedna rečenica", "sr-Latn"),
    ]
    rows = [made_segment(src, tgt, tgt_lang=lang, score=0.9) for src, tgt, lang in texts]
    found = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
    assert found == [["nonsense"], ["wrong_language"], []]


@given(st.text(st.sampled_from("aCсЦκΩ日本ü-~1 "), max_size=30))
def test_a_text_of_any_scripts_keeps_its_length_and_is_changed_once(text: str) -> None:
    own = with_own_letters(text)
    assert len(own) == len(text)
    assert with_own_letters(own) == own


def test_of_as_many_letters_of_each_script_the_first_letter_tells() -> None:
    assert with_own_letters("SP\u0410\u0420") == "SPAP"
    assert with_own_letters("\u0410\u0420SP") == "\u0410\u0420\u0405\u0420"


def test_a_letter_of_another_script_is_replaced_and_told_of() -> None:
    texts = [
        ("Download the file", "C\u043aачать файл", []),
        ("Download the book", "Скачать книгу", []),
        ("m\u0430il to us", "пишите нам", []),
        ("Download the page", "C\u043aачать страницу", ["corrected"]),
    ]
    rows = [made_segment(src, tgt, tgt_lang="ru", score=0.9, flags=flags) for src, tgt, flags in texts]
    flagged = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))
    assert flagged["tgt"].to_pylist() == ["Скачать файл", "Скачать книгу", "пишите нам", "C\u043aачать страницу"]
    assert flagged["src"][2].as_py() == "mail to us"
    assert flagged["flags"].to_pylist() == [["homoglyph"], [], ["homoglyph"], ["corrected"]]
    assert kept_mask(flagged).all()
    assert flag_segments(flagged).equals(flagged)
