"""The flag ``gibberish``: words of one side that look like no others of the site."""

import pyarrow as pa
import pytest

from diglot.corpus.flags.context import Cleaning, Context, PageFacts
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.gibberish import is_gibberish
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment

ENGLISH = "the green house stands near an old river behind seven quiet hills where small children often play"
FRENCH = "la maison verte se trouve derrière une ancienne rivière entre sept collines calmes où jouent enfants"
RUSSIAN = "зелёный дом стоит возле старой реки позади семи тихих холмов где часто играют маленькие весело дети"


def _text(text: str, number: int) -> str:
    """Eight words of a text, other ones for each number."""
    words = text.split()
    return " ".join(words[(number * 5 + place * (1 + number % 3)) % len(words)] for place in range(8))


ORDINARY = [(_text(ENGLISH, number), _text(FRENCH, number)) for number in range(60)]
KNOWN = ORDINARY[7][0]


def _found(*pairs: tuple[str, str], ordinary: list[tuple[str, str]] = ORDINARY, langs: str = "en-fr") -> list[bool]:
    """Whether each of the pairs is found beside the ordinary ones."""
    rows = [made_segment(src, tgt, page=n, langs=langs) for n, (src, tgt) in enumerate([*ordinary, *pairs])]
    segments = pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA)
    found = is_gibberish(Context(segments, Cleaning(), PageFacts(), sure=segments["score"].to_numpy() > 0)).tolist()
    assert not any(found[: len(ordinary)])
    return found[len(ordinary) :]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zqxwvkjpy zqjxkvwyz", True),  # a word of nine letters has eight parts with its bounds: 16
        ("zqxwvkjpy zqjxkvwy", False),  # 15
        ("zqxwvkjpy zqjxkvwyz maison trouve", True),  # 16 of 26 parts are new
        ("zqxwvkjpy zqjxkvwyz maison trouve ancienne", False),  # 16 of 33
        (ORDINARY[9][1], False),
    ],
)
def test_words_of_new_parts(text: str, expected: bool) -> None:
    assert _found((KNOWN, text)) == [expected]
    turned = [(tgt, src) for src, tgt in ORDINARY]
    assert _found((text, KNOWN), ordinary=turned, langs="fr-en") == [expected]


def test_new_words_on_both_sides_are_a_new_subject() -> None:
    assert _found(("zqxwvkjpy zqjxkvwyz", "wqkzjvxpy wkvjzxqyw")) == [False]


def test_words_of_both_sides_do_not_count() -> None:
    assert _found((f"{KNOWN} zqxwvkjpy zqjxkvwyz", f"{ORDINARY[7][1]} zqxwvkjpy zqjxkvwyz")) == [False]


def test_parts_of_two_texts_are_not_new() -> None:
    assert _found((KNOWN, "zqxwvkjpy zqjxkvwyz"), (ORDINARY[8][0], "zqjxkvwyz zqxwvkjpy")) == [False, False]


def test_a_small_site_has_mostly_new_words() -> None:
    assert _found((KNOWN, "zqxwvkjpy zqjxkvwyz"), ordinary=ORDINARY[:1]) == [False]


def test_latin_words_in_a_cyrillic_text_do_not_count() -> None:
    ordinary = [(src, _text(RUSSIAN, number)) for number, (src, _) in enumerate(ORDINARY)]
    pairs = (KNOWN, "zqxwvkjpy zqjxkvwyz дом стоит возле старой реки"), (KNOWN, "щзъфжцшэы щъжзцфэшы")
    assert _found(*pairs, ordinary=ordinary, langs="en-ru") == [False, True]


def test_scripts_without_blanks_are_not_judged() -> None:
    ordinary = [(src, _text("家 川 山 子 木 石 田", number)) for number, (src, _) in enumerate(ORDINARY)]
    assert _found((KNOWN, "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"), ordinary=ordinary, langs="en-zh") == [False]


def test_the_vowels_of_burmese_are_no_latin_words() -> None:
    """Signs of vowels are marks, and more than the letters: the names in Latin letters would be the words judged."""
    burmese = "အိမ်စိမ်းသည် မြစ်ဟောင်းအနီးတွင် တောင်ကုန်းများ၏ နောက်ကွယ်၌ ရှိပြီး ကလေးငယ်များ မကြာခဏ ကစားကြသည်"
    ordinary = [(src, f"{burmese} {tgt}") for src, tgt in ORDINARY]
    assert _found((KNOWN, f"{burmese} zqxwvkjpy zqjxkvwyz"), ordinary=ordinary, langs="en-my") == [False]


def test_a_korean_part_has_two_syllables() -> None:
    korean = "초록색집은 조용한언덕 뒤에있는 오래된강가에 서있고 아이들이 자주놀아요 일곱개의"
    ordinary = [(src, _text(korean, number)) for number, (src, _) in enumerate(ORDINARY)]
    # A word of seven syllables has eight parts with its bounds.
    pairs = (KNOWN, "뷁뛟쫽꿻뙓쀍쨃 쬰뀾쒥뾂뵱꽯뜺"), (KNOWN, "뷁뛟쫽꿻뙓쀍쨃 쬰뀾쒥뾂뵱꽯")
    assert _found(*pairs[:1], ordinary=ordinary, langs="en-ko") == [True]
    assert _found(*pairs[1:], ordinary=ordinary, langs="en-ko") == [False]


GARBAGE = ["zqxwvkjpy zqjxkvwyz", "wqkzjvxpy wkvjzxqyw", "kxzzqwvvy kqyyxzwwj"]


@pytest.mark.parametrize(("texts", "expected"), [(3, True), (2, False)])
def test_the_flag_asks_for_three_texts_and_each_pair_of_languages_is_judged_by_itself(
    texts: int, expected: bool
) -> None:
    pairs = [*ORDINARY, *((ORDINARY[n][0], GARBAGE[n]) for n in range(texts))]
    rows = [made_segment(src, tgt, page=n) for n, (src, tgt) in enumerate(pairs)]
    others = [{**row, "tgt_lang": "de", "tgt_url": f"{row['tgt_url']}/de"} for row in rows]
    for some in (rows, rows + others):
        flags = flag_segments(pa.Table.from_pylist(some, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
        assert ["gibberish" in each for each in flags[60:62]] == [expected, expected]


def _flagged(srcs: list[str], score: float) -> list[bool]:
    """Whether garbage beside each of three texts gets the flag, in a run that keeps scores of one half."""
    rows = [made_segment(src, tgt, page=n) for n, (src, tgt) in enumerate(ORDINARY)]
    pairs = zip(srcs, GARBAGE, strict=True)
    rows += [made_segment(src, tgt, page=n, score=score) for n, (src, tgt) in enumerate(pairs)]
    segments = pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA)
    flags = flag_segments(segments, Cleaning(min_score=0.5))["flags"].to_pylist()
    return ["gibberish" in each for each in flags[len(ORDINARY) :]]


def test_three_wordings_of_one_text_are_no_failing_machine() -> None:
    texts = [src for src, _ in ORDINARY[:3]]
    assert any(_flagged(texts, 0.9))
    assert not any(_flagged(texts[:1] * 3, 0.9))


@pytest.mark.parametrize(("page", "found"), [(500, False), (502, True)])
def test_two_pages_on_a_new_subject_are_no_failing_machine(page: int, found: bool) -> None:
    rows = [made_segment(src, tgt, page=n) for n, (src, tgt) in enumerate(ORDINARY)]
    pages = zip((500, 501, page), ORDINARY, GARBAGE, strict=False)
    rows += [made_segment(src, text, page=number) for number, (src, _), text in pages]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
    assert any("gibberish" in each for each in flags) == found


def test_texts_that_do_not_belong_together_are_not_judged() -> None:
    texts = [src for src, _ in ORDINARY[:3]]
    assert (any(_flagged(texts, 0.5)), any(_flagged(texts, 0.4))) == (True, False)
