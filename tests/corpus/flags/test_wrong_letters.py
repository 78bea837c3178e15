"""The flag ``wrong_letters``: the text of a PDF that is not what its page shows."""

import pyarrow as pa
import pytest

from diglot.corpus.flags.context import Cleaning, Context, PageFacts
from diglot.corpus.flags.wrong_letters import has_wrong_letters
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment

PLAIN = ("The attacker uses a tool", "El atacante usa una herramienta")


def _found(*pairs: tuple[str, str], langs: str = "en-es", pages: tuple[int, int] = (0, 1)) -> list[bool]:
    """Whether each of the pairs of texts is found; all are of one page pair, whose target is a PDF."""
    numbers = dict(zip(("src_page", "tgt_page"), pages, strict=True))
    rows = [made_segment(src, tgt, position=place, langs=langs) | numbers for place, (src, tgt) in enumerate(pairs)]
    segments = pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA)
    return has_wrong_letters(Context(segments, Cleaning(), PageFacts(), segments["score"].to_numpy() > 0)).tolist()


@pytest.mark.parametrize(
    ("langs", "wrong", "right"),
    [
        ("en-es", "El atacante u=liza el camino", "El atacante = el camino, a = b"),
        ("en-es", "Son muy di|ciles de ver", "Son muy difíciles | de ver"),
        ("en-zh", "确保所᳝的参数在使用前被验证过", "确保所有的参数在使用前被验证过"),
        ("en-zh", "任何用户信息输入都必须被严Ḑ的检查", "越南语用 Ḑ 和 ᳝ 写，α波"),
        ("en-ja", "この文書ᰃ正しくありません", "この文書は正しくありません"),
        ("en-ko", "어플리케이션이 취약핚가", "어플리케이션이 취약한가"),
    ],
)
def test_three_texts_with_a_sign_are_left_out_and_two_are_not(langs: str, wrong: str, right: str) -> None:
    others = [PLAIN] * 13
    assert _found(*[("It is so", wrong)] * 3, *others, langs=langs) == [True] * 3 + [False] * 13
    assert not any(_found(*[("It is so", wrong)] * 2, *others, langs=langs))
    assert not any(_found(*[("It is so", right)] * 15, langs=langs))


def test_a_page_of_html_has_the_letters_that_it_shows() -> None:
    assert not any(_found(*[("It is so", "El atacante u=liza el camino")] * 9, pages=(1, 0)))
    assert all(_found(*[("El atacante u=liza el camino", "It is so")] * 9, pages=(1, 0)))


def test_code_stands_on_both_sides() -> None:
    assert not any(_found(*[("Set color=red here", "Pon color=rojo aquí mismo")] * 9))


@pytest.mark.parametrize(("signed", "expected"), [(3, True), (2, False)])
def test_a_fifth_of_the_long_texts_takes_the_whole_document(signed: int, expected: bool) -> None:
    wrong = ("Data, kept or sent", "Dane) przechowywane lub przesyłane")
    plain = ("The first rule", "Pierwsza zasada jest taka)(")
    assert _found(*[wrong] * signed, *[plain] * 12, langs="en-pl") == [expected] * (signed + 12)


def test_less_than_a_fifth_takes_nothing_where_the_sign_may_be_another_thing() -> None:
    wrong = ("Data, kept or sent", "Dane) przechowywane lub przesyłane")
    assert not any(_found(*[wrong] * 3, *[PLAIN] * 13, langs="en-pl"))


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        ("First, take the lid", "1) Zdejmij pokrywkę z garnka"),
        ("Take the lid, please", "Zdejmij pokrywkę, proszę :-)"),
        ("the lid of the pot)", "pokrywkę z tego garnka)"),
        ("Take the lid, please", "Zdejmij (proszę) pokrywkę"),
    ],
)
def test_brackets_of_lists_smileys_and_torn_sentences(src: str, tgt: str) -> None:
    assert not any(_found(*[(src, tgt)] * 9, langs="en-pl"))


@pytest.mark.parametrize(
    ("langs", "text", "expected"),
    [
        ("en-ar", "حنتاج اىل سياسة حنتاج اىل", True),  # an ending letter inside of a word
        ("en-ar", "نحتاج إلى سياسة على الخوادم", False),  # at its end
        ("en-ar", "تجربة\u064bاستغلال\u064bالثغرة\u064bهي\u064bالطريقة", True),  # a tanwin for each blank
        ("en-ar", "قال شكر\u064bا لكم، وهد\u064bى للناس، كتابا\u064b", False),  # at the end of a word
        ("en-ug", "حنتاج اىل سياسة حنتاج اىل", False),  # Uighur writes a vowel with the same letter
    ],
)
def test_letters_that_only_end_an_arabic_word(langs: str, text: str, expected: bool) -> None:
    assert _found(*[("We need a policy", text)] * 4, langs=langs) == [expected] * 4


def test_short_texts_do_not_count_for_the_share() -> None:
    wrong = ("Data, kept or sent", "Dane) przechowywane lub przesyłane")
    assert all(_found(*[wrong] * 3, *[("a", "b" * 19)] * 13, langs="en-pl"))
    assert not any(_found(*[wrong] * 3, *[("a", "b" * 20)] * 13, langs="en-pl"))
