"""Numbers in a text, and whether two texts have the same numbers in the spelling of their languages."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from decimal import Decimal
from functools import partial

from diglot.corpus.flags.personal import find_telephones

# This finds 1,234,567 and 1.234.567 and 1 234 567 and 1'234'567: groups have three digits, no digit stands beside the
# whole, and it is not the end of a version such as 1.2.345.
_GROUPED = re.compile(r"(?<!\d)(?<!\d\.)\d{1,3}(?:[., '’٬]\d{3})+(?!\d)", re.ASCII)
_GROUPED_BY_BLANKS = re.compile(r"(?<!\d)(?<!\d\.)\d{1,3}(?: \d{3})+(?!\d)", re.ASCII)
_GROUP = re.compile(r"\d[., '’٬]\d{3}", re.ASCII)
"""Part of any number in groups: a search for it takes less than a search for the whole, which begins anywhere."""
_SEPARATOR = re.compile(r"[., '’٬]")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]")
_SUPERSCRIPT = re.compile(r"(?<=\d)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_MIXED_FRACTION = re.compile(r"(?<=\d)(?: ?([¼½¾])| ([13][/⁄][24])(?![\d/⁄]))")
_FRACTION_SIGN = re.compile("[¼½¾/⁄]")
_LONE_FRACTION = re.compile(r"(?<!\d)(?<!\d )[¼½¾]")
_DECIMALS = {"½": ".5", "1/2": ".5", "¼": ".25", "1/4": ".25", "¾": ".75", "3/4": ".75"}
"""Decimals of the fractions that languages write in either way: *2½ hours*, 2,5 Stunden."""
_TENTHS = re.compile(r"(?<![\d.])([1１][0０]|\d)(?:割(?:(\d)分)?|(?=[〜～~](?:[1１][0０]|\d)割))")
"""A number of tenths in Japanese, 6割 for 60%, with hundredths (9割5分), or the lower end of a range (2〜3割).
9.5割 and 95% have the same digits."""
_HAN_TENTHS = re.compile("[一二两兩三四五六七八九][割成]")
"""A number of tenths in letters: 八割 in Japanese, 八成 in Chinese."""
_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
# Nobody writes out more zeros than these.
_POWER_OF_TEN = re.compile(r"(?<![\d.,])10\^([1-9]|[12]\d)(?!\d)", re.ASCII)
_DIGIT = re.compile(r"(?![0-9])\d")
_DIGITS = re.compile(r"\d+", re.ASCII)
_WHOLE = re.compile(r"\d+(?:[.,٫]\d+)*", re.ASCII)
_DECIMAL = re.compile(r"\d+(?:[.,٫]\d+)?", re.ASCII)
_DECIMAL_MARK = re.compile("[,٫]")
_COPYRIGHT = re.compile(r"©|\(c\)|\bcopyright\b", re.IGNORECASE)
_CURRENCIES = (
    "AED AUD BAM BGN BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MKD MXN MYR NOK NZD PLN RON RSD "
    "RUB SAR SEK SGD THB TWD UAH USD VND ZAR"
)
"""Codes of currencies (ISO 4217), those that are no word in capitals (TRY) and no name (PHP)."""
_SIGN, _CODE = "[$¢-¥֏؋৲৳৻฿៛₠-⃏]", rf"(?<![^\W\d_])(?:{_CURRENCIES.replace(' ', '|')})(?![^\W\d_])"
_CODES = re.compile(f"{_SIGN}|{_CODE}")
_PRICE = re.compile(
    rf"({_SIGN}(?= ?[0-9])|{_CODE}(?= [0-9])) ?([0-9]{{3,}}+)|(?<![0-9])([0-9]{{3,}}+) ?({_SIGN}|{_CODE})"
)
"""A price: a sign or code of a currency with a number. Numbers of one or two digits are often spelt out."""
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
_SHARE = re.compile(r"(?<![\d.,])([1-9]\d{0,2}) ?%", re.ASCII)
_CLOCK = re.compile(
    r"\d ?(?:[ap]\. ?m\.|[ap]m\b|h\b|Uhr\b|[点點時时시]|[πμ]\.? ?μ\b|[قب]\.? ?ظ|[pm]\.d\.|(?-i:SA|CH)\b)"
    r"|:\d\d ?[صم]\b|午[前后後]|[上下]午|오[전후]|पूर्वाह्न|अपराह्न",
    re.IGNORECASE,
)
"""Signs of an hour of the day; ``:`` is none, as it stands in verses and results, too. The halves of the day are those
of CLDR for languages whose speakers count to twelve: μ.μ. in Greek, م in Arabic behind minutes (it is AD and metre,
too), ب.ظ. in Persian, m.d. in Albanian, CH in Vietnamese, अपराह्न in Hindi."""
_SHORT_DATE = re.compile(r"(?<![\d./-])(\d{1,2}([./-])\d{1,2}\2)(\d\d)(?![./-]?\d)", re.ASCII)
_CENTURIES = ("20", "19")
_FIRST_YEAR = re.compile("(?<=令和|平成|昭和|大正|明治|民國|民国)元(?=年)")
"""The first year of an era, which has no digit."""
_FULL_HOUR = re.compile(r"(?<=\d)[:h]00(?!\d)", re.ASCII)
"""The minutes of a full hour, which one language writes (2:00 PM) and another does not (오후 2시)."""
_MINUTES = re.compile(r"\d[:h]\d|(?<![\d.,])00(?!\d)", re.ASCII)
"""Minutes, also of a full hour in other signs (10時00分). 10.00 is a decimal number, and matches 10 by its scale."""
LEAST_HOURS = 2
"""Without a sign of an hour in either text, numbers that differ by 12 (5 and 17) match only if at least this many
different numbers of the source do, such as both ends of a range."""

_ROMAN = re.compile(r"\b(?=[IVXLCDM])M{0,3}(?:C[MD]|D?C{0,3})(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})(?![^\W_]|['’])")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
# A row of more digits than fifteen is no count of 万.
_MYRIAD = re.compile("[万亿億萬千만억천]")
_MIXED = re.compile(r"(?:(?<!\d)\d{1,15}(?:[.,]\d+)? ?[十百千천]?[万亿億萬千만억천] ?)+")
_MIXED_PART = re.compile(r"(?<!\d)(\d++(?:[.,]\d++)?) ?([十百千万亿億萬천만억]+)")
# The years from 1940 to 2039 in the letters of the Hebrew calendar, תשמ"א for 5741.
# Whole decades, which end in a letter of tens in either of its forms (תש"כ, תש"ך), may be spelt out as any decade may.
_HEBREW_YEAR = re.compile(r"(?<![^\W\d_])(תש[טיכלמנסעפצ]?)[\"״]([א-ט])(?![^\W\d_])")
_HEBREW_VALUES = dict(
    zip("אבגדהוזחטיכלמנסעפצקרשת", (*range(1, 10), *range(10, 91, 10), *range(100, 401, 100)), strict=True)
)
_HAN = "[〇零一二三四五六七八九十百千万萬亿億两兩]"
# 九千九百九十九億九千九百九十九万九千九百九十九 is the longest; a longer row of these characters is no number.
_HAN_NUMERAL = re.compile(rf"(?<!{_HAN}){_HAN}{{1,23}}(?!{_HAN})")
_HAN_DIGITS = dict(zip("〇零一二两兩三四五六七八九", map(int, "0012223456789"), strict=True))
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_SCALES = _HAN_SCALES | {"천": 1_000, "만": 10_000, "억": 100_000_000}

UNITS = {
    r"inch(es)?|″|\d\"": (2.54, 25.4, 0.0254),  # cm, mm, m
    r"foot|feet|ft": (0.3048, 30.48),  # m, cm
    r"square (foot|feet)|sq\.? ?ft": (0.0929,),  # m²
    r"yards?": (0.9144,),  # m
    r"miles?|mph|\d\s?mi": (1.609,),  # km, km/h
    r"square miles?|sq\.? ?mi": (2.59,),  # km²
    r"acres?": (0.4047, 4047),  # ha, m²
    r"ounces?|oz": (28.35, 29.57),  # g, ml
    r"pounds?|lbs?": (0.4536, 453.6),  # kg, g
    r"gallons?": (3.785,),  # l
    r"pints?|quarts?": (0.473, 473, 0.946),  # l, ml
    r"°\s?F|Fahrenheit": (math.nan,),  # °C, by a formula of its own
}
"""Size of English units (RE2) in metric units. Other languages write metric units in words of their own."""
UNIT = rf"(?i)(?:^|\PL)(?:{'|'.join(UNITS)})(?:\PL|$)"
_UNITS = {re.compile(rf"(?<![^\W\d_])(?:{unit})(?![^\W\d_])", re.IGNORECASE): ratios for unit, ratios in UNITS.items()}
ERAS = {
    r"[\u0e01-\u0e5b\u0e81-\u0edf\u1780-\u17ff]": (543,),  # Buddhist, beside Thai, Lao and Khmer letters
    r"[\u0621-\u06d3]": (-622, -621, *range(-582, -576)),  # solar in Persian; lunar in Arabic, 1390 to 1457 since 1970
    "民[國国]": (-1911,),
    "令和": (-2018,),
    "平成": (-1988,),
    "昭和": (-1925,),
    "大正": (-1911,),
    "明治": (-1867,),
    # Minguo, as Taiwan writes its dates. Without a month, 100年 may be a hundred years.
    r"(?<!\d)\d{2,3}年 ?\d{1,2}月": (-1911,),
}
"""Differences of years, an era less the common era, by letters of texts in this era."""
_ERAS = {re.compile(sign): years for sign, years in ERAS.items()}
UNIT_TOLERANCE, DEGREE_TOLERANCE = 0.05, 1.0
"""Most that a converted number may be off, as a part of it, and in degrees: it is rounded to two digits or more."""

LEAST_SHARES = 2
"""Least different percentages that make a list, *80% cotton, 20% wool*, which few spell out but as tenths."""
MOST_SPELT_DIGITS = 2
"""Most digits, zeros behind them not counted, of a number that may be spelt out in letters."""
LEAST_SCALE_ZEROS = 2
"""Least zeros that a word such as *hundred*, *million* or 万 takes the place of."""
MOST_CODE_DIGITS = 4
"""Most digits of the code of a country, three, and of the zero that some write behind it: +385 (0) 23."""
MOST_COMPARED = 40_000
"""Most pairs of unmatched numbers to be compared one by one, a thousand in some milliseconds. With more, texts
differ."""


def numbers_agree(src: str, tgt: str) -> bool:
    """Whether two texts can have the same numbers.

    Separators, scripts of digits and order do not count. A missing number is forgiven if it may be spelt out in letters
    (:data:`MOST_SPELT_DIGITS`) and is no price and no list of percentages, is in Roman, Chinese or Hebrew numerals on
    the other side alone, has lost zeros to a word (1.5 million), is a year without its century or of another era
    (:data:`ERAS`), an hour of the other half of the day, the minutes of a full hour, or a year in one of two copyright
    notices. Telephone numbers match with and without the code of their country. Two numbers without a counterpart, one
    on each side, are never forgiven. A blank between digits may stand within a number or between two.

    >>> numbers_agree("On 3/11/1998, 1,500 of 20 men", "Am 11.3.1998 1500 von zwanzig Mann"), numbers_agree("4", "5")
    (True, False)
    """
    if _agree(src, tgt, ()):
        return True
    given = src, tgt
    src, tgt = _with_decimals(src), _with_decimals(tgt)
    rewritten = _without_telephones(_with_centuries(src, tgt), _with_centuries(tgt, src))
    return rewritten != given and _agree(*rewritten, ())


def _with_centuries(text: str, other: str) -> str:
    """A text whose dates have years of four digits if the other text has such a year, and not the same short date:
    15/9/00 beside September 2000."""
    if not _SHORT_DATE.search(text):
        return text
    years, short = set(_YEAR.findall(other)), {date[0] for date in _SHORT_DATE.finditer(other)}

    def long_date(date: re.Match[str]) -> str:
        if date[0] in short:
            return date[0]
        return date[1] + next((century + date[3] for century in _CENTURIES if century + date[3] in years), date[3])

    return _SHORT_DATE.sub(long_date, text)


def _with_decimals(text: str) -> str:
    # ½ is 1/2 in one language and 0.5 in another.
    halves = _LONE_FRACTION.sub(lambda found: f"0{_DECIMALS[found[0]]}", text)
    return _TENTHS.sub(lambda found: f"{found[1]}{found[2] or 0}%", halves)


def _without_telephones(src: str, tgt: str) -> tuple[str, str]:
    """Both texts without the telephone numbers that both have, however they group the digits."""
    src, tgt = _with_ascii_digits(src), _with_ascii_digits(tgt)
    ours, theirs = ([found[0] for found in find_telephones(text)] for text in (src, tgt))
    if len(ours) * len(theirs) > MOST_COMPARED:
        return src, tgt
    for number in ours:
        other = next((each for each in theirs if _is_same_line(number, each)), None)
        if other is not None:
            theirs.remove(other)
            src, tgt = src.replace(number, " ", 1), tgt.replace(other, " ", 1)
    return src, tgt


def _is_same_line(number: str, other: str) -> bool:
    """Whether two telephone numbers are one, with and without the code of its country: +385 23 381 957, 023 381 957."""
    national, full = sorted((number, other), key=lambda each: len(_all_digits(each)))
    code = len(_all_digits(full)) - len(_all_digits(national))
    is_international = full.startswith(("+", "00")) and code <= MOST_CODE_DIGITS
    return _all_digits(full).endswith(_all_digits(national)) and (not code or is_international)


def are_units_converted(src: str, tgt: str) -> bool:
    """Whether two texts have different numbers because units differ: one names an English unit (:data:`UNITS`), and its
    numbers converted are those of the other.

    >>> are_units_converted("10 inches wide", "25 cm breit"), are_units_converted("10 inches", "35 cm")
    (True, False)
    """
    factors = [factor for unit, ratios in _UNITS.items() if unit.search(src) or unit.search(tgt) for factor in ratios]
    return bool(factors) and not numbers_agree(src, tgt) and _agree(src, tgt, factors)


def _agree(src: str, tgt: str, factors: Sequence[float]) -> bool:
    """Whether the numbers agree in one of their readings. ``factors``: of :data:`UNITS`."""
    return any(_are_same(one, other, factors) for one in _readings(src) for other in _readings(tgt))


def _readings(text: str) -> list[str]:
    """The text with its numbers in plain digits.

    If blanks may be thousands separators, as in "12 128 GB", also a second reading with the blanks between numbers.
    """
    ascii_digits = _with_ascii_digits(text)
    readings = [_join_groups(ascii_digits)]
    if _GROUP.search(ascii_digits) and _GROUPED_BY_BLANKS.search(ascii_digits):
        readings.append(
            _join_groups(_GROUPED_BY_BLANKS.sub(lambda number: number[0].replace(" ", " ; "), ascii_digits))
        )
    return readings


def _are_same(src: str, tgt: str, factors: Sequence[float]) -> bool:
    src, tgt = _without_full_hours(src, tgt), _without_full_hours(tgt, src)
    if Counter(_groups([src])) == Counter(_groups([tgt])):
        return True
    left, right = _cancel_equal(_WHOLE.findall(src), _WHOLE.findall(tgt), _all_digits)
    if len(left) * len(right) > MOST_COMPARED:
        return False
    if factors:
        left, right = _cancel(left, right, partial(_is_converted, factors=factors))
    left, right = _cancel(left, right, _differ_by_scale)
    left, right = _cancel(left, right, _differ_by_last_zero)
    left, right = _cancel_equal(_groups(left), _groups(right), str)
    src_numerals, tgt_numerals = Counter(_numerals(src)), Counter(_numerals(tgt))
    left, _ = _cancel_equal(left, list((tgt_numerals - src_numerals).elements()), str)
    right, _ = _cancel_equal(right, list((src_numerals - tgt_numerals).elements()), str)
    for alike in (_is_year_without_century, _is_century):
        left, right = _cancel(left, right, alike)
    earlier, later = _cancel(left, right, _is_half_a_day_apart)
    if len({*left} - {*earlier}) >= LEAST_HOURS or _CLOCK.search(src) or _CLOCK.search(tgt):
        left, right = earlier, later
    if left and right:
        shifts = {shift for sign, years in _ERAS.items() if sign.search(src) or sign.search(tgt) for shift in years}
        left, right = _cancel(left, right, partial(_is_of_other_era, shifts=shifts))
    if left and right:
        return False
    alone = [*left, *right]
    if _COPYRIGHT.search(src) and _COPYRIGHT.search(tgt):
        alone = [number for number in alone if not _YEAR.fullmatch(number)]
    lacks = any(_lacks_price(*each) or _lacks_shares(*each) for each in ((left, src, tgt), (right, tgt, src)))
    return all(map(_may_be_spelt_out, alone)) and not lacks


def _without_full_hours(own: str, other: str) -> str:
    """A text without the minutes of its full hours, where the other text writes no minutes."""
    return own if "00" not in own or _MINUTES.search(other) else _FULL_HOUR.sub("", own)


def _with_ascii_digits(text: str) -> str:
    # A superscript of a number is its power or the number of a note, not its last digit.
    raised = _SUPERSCRIPT.sub(lambda power: f"^{power[0]}", text) if _RAISED.search(text) else text
    mixed = _MIXED_FRACTION.sub(_decimals, raised) if _FRACTION_SIGN.search(raised) else raised
    # Else NFKC makes 21⁄3 of 2⅓.
    plain = unicodedata.normalize("NFKC", mixed if mixed.isascii() else _FRACTION.sub(" ", mixed))
    if plain.isascii():
        return plain
    return _FIRST_YEAR.sub("1", _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), plain))


def _decimals(fraction: re.Match[str]) -> str:
    """The decimals of the fraction behind a whole number; 3/2, which is none, stays."""
    return _DECIMALS.get((fraction[1] or fraction[2]).replace("⁄", "/"), fraction[0])


def _join_groups(plain: str) -> str:
    joined = _GROUPED.sub(lambda number: _SEPARATOR.sub("", number[0]), plain) if _GROUP.search(plain) else plain
    if "10^" in joined:
        joined = _POWER_OF_TEN.sub(lambda power: "1" + "0" * int(power[1]), joined)
    return _MIXED.sub(_mixed_value, joined) if _MYRIAD.search(joined) else joined


def _mixed_value(match: re.Match[str]) -> str:
    """1億2千万 -> 120000000, 1.5万 -> 15000."""
    total = Decimal()
    for number, scales in _MIXED_PART.findall(match[0]):
        total += Decimal(number.replace(",", ".")) * math.prod(_SCALES[scale] for scale in scales)
    return f"{round(total)} "


def _groups(plain: Iterable[str]) -> list[str]:
    return [group.lstrip("0") or "0" for text in plain for group in _DIGITS.findall(text)]


def _cancel(left: list[str], right: list[str], alike: Callable[[str, str], bool]) -> tuple[list[str], list[str]]:
    """Both lists without common members, taken away pair by pair; ``alike`` says whether two members are the same."""
    rest = list(right)
    lone = []
    for number in left:
        other = next((each for each in rest if alike(number, each)), None)
        if other is None:
            lone.append(number)
        else:
            rest.remove(other)
    return lone, rest


def _cancel_equal(left: list[str], right: list[str], key: Callable[[str], str]) -> tuple[list[str], list[str]]:
    """Both lists without the members matched by equal keys, in linear time."""
    shared = Counter(map(key, left)) & Counter(map(key, right))
    return _without(left, shared, key), _without(right, shared, key)


def _without(numbers: list[str], keys: Counter[str], key: Callable[[str], str]) -> list[str]:
    """The numbers without the first ``keys[k]`` of each key ``k``."""
    open_keys = Counter(keys)
    rest = []
    for number in numbers:
        own = key(number)
        if open_keys[own]:
            open_keys[own] -= 1
        else:
            rest.append(number)
    return rest


def _all_digits(number: str) -> str:
    return "".join(_DIGITS.findall(number)).lstrip("0") or "0"


def _differ_by_scale(number: str, other: str) -> bool:
    first, second = _all_digits(number), _all_digits(other)
    zeros = abs(len(first) - len(second))
    return zeros >= LEAST_SCALE_ZEROS and first.rstrip("0") == second.rstrip("0")


def _differ_by_last_zero(number: str, other: str) -> bool:
    """€20.40 and 20,4 €. One of the two has a comma: 1.1 and 1.10 may be versions, and no version has a comma."""
    if not (_DECIMAL.fullmatch(number) and _DECIMAL.fullmatch(other) and _DECIMAL_MARK.search(number + other)):
        return False
    one, two = (_DECIMAL_MARK.sub(".", each) for each in (number, other))
    return "." in one and "." in two and Decimal(one) == Decimal(two)


def _is_converted(number: str, other: str, factors: Sequence[float]) -> bool:
    if not (_DECIMAL.fullmatch(number) and _DECIMAL.fullmatch(other)):
        return False
    one, two = (float(_DECIMAL_MARK.sub(".", each)) for each in (number, other))
    return any(_is_one_converted(*values, factor) for values in ((one, two), (two, one)) for factor in factors)


def _is_one_converted(number: float, metric: float, factor: float) -> bool:
    if math.isnan(factor):
        return abs(abs(number - 32) / 1.8 - metric) <= DEGREE_TOLERANCE  # a sign is no part of a number
    return abs(number * factor - metric) <= UNIT_TOLERANCE * metric


def _is_year_without_century(number: str, other: str) -> bool:
    short, long = sorted((number, other), key=len)
    return len(short) == 2 and len(long) == 4 and long.endswith(short)


def _is_century(number: str, other: str) -> bool:
    """1700s and 18th century."""
    short, long = sorted((number, other), key=len)
    return len(short) == 2 and len(long) == 4 and long.endswith("00") and int(short) == int(long[:2]) + 1


def _is_half_a_day_apart(number: str, other: str) -> bool:
    if max(len(number), len(other)) > 2:
        return False
    early, late = sorted(map(int, (number, other)))
    return early + 12 == late <= 24


def _is_of_other_era(number: str, other: str, shifts: Set[int]) -> bool:
    if max(len(number), len(other)) > 4:
        return False
    one, two = int(number), int(other)
    return any(1000 <= common < 2200 and year - common in shifts for common, year in ((one, two), (two, one)))


def _may_be_spelt_out(number: str) -> bool:
    is_decade = len(number) == 4 and number.endswith("0")
    return is_decade or not number[MOST_SPELT_DIGITS:].strip("0")


def _lacks_price(missing: list[str], own: str, other: str) -> bool:
    """Whether one of a text's numbers ``missing`` in the other stands beside a currency that the other has, too.

    Codes of currencies stand beside digits: a number in letters has the name of the currency.
    """
    if not missing:
        return False
    codes, lacking = set(_CODES.findall(other)), set(missing)
    prices = ((left or right, one or two) for left, one, two, right in _PRICE.findall(own))
    return any(code in codes and _groups([digits])[0] in lacking and digits not in other for code, digits in prices)


def _lacks_shares(missing: list[str], own: str, other: str) -> bool:
    """Whether a text's percentages ``missing`` in the other are :data:`LEAST_SHARES` or more, and the other has no
    tenths."""
    if not missing or len({*_SHARE.findall(own)} & {*missing}) < LEAST_SHARES:
        return False
    return not _HAN_TENTHS.search(other)


def _numerals(plain: str) -> list[str]:
    """Values of the Roman and Chinese numerals of a text, and of its Hebrew years."""
    values = [_roman_value(match[0]) for match in _ROMAN.finditer(plain) if match[0]]
    values += [5_000 + sum(map(_HEBREW_VALUES.__getitem__, year[1] + year[2])) for year in _HEBREW_YEAR.finditer(plain)]
    values += [_han_value(match[0]) for match in _HAN_NUMERAL.finditer(plain)]
    return [str(value) for value in values]


def _roman_value(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))


def _han_value(numeral: str) -> int:
    if not any(char in _HAN_SCALES for char in numeral):
        return int("".join(str(_HAN_DIGITS[char]) for char in numeral))
    total = section = digit = 0
    for char in numeral:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif _HAN_SCALES[char] < 10_000:
            section, digit = section + (digit or 1) * _HAN_SCALES[char], 0
        elif total >= _HAN_SCALES[char] and section + digit:  # 一億二千万: the 万 counts what follows the 億
            total, section, digit = total + (section + digit) * _HAN_SCALES[char], 0, 0
        else:
            total, section, digit = (total + section + digit) * _HAN_SCALES[char], 0, 0
    return total + section + digit
