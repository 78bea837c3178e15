"""Numbers as two languages write them."""

import time

import pytest

from diglot.corpus.flags.numbers import are_units_converted, numbers_agree


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234,567 people", "1 234 567 personnes"),  # no-break space
        ("1.234.567", "1\u202f234\u202f567"),
        ("CHF 12'500", "CHF 12’500"),
        ("3.14", "3,14"),
        ("٣ كتب", "3 books"),
        ("२०२४", "2024"),
        ("２０２４年", "in 2024"),
        ("on 03/07", "7.3."),
        ("5 m²", "5 m2"),
    ],
)
def test_the_same_numbers(one: str, other: str) -> None:
    assert numbers_agree(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1,234", "1,235"), ("1,234", "1, 234"), ("page 12", "page 1 2"), ("12345", "1234")],
)
def test_other_numbers(one: str, other: str) -> None:
    assert not numbers_agree(one, other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("15 de Setembro, 2000", "15/9/00", True),
        ("15 September 2005", "15.9.05", True),
        ("3 March 1999", "3-3-99", True),
        ("15 de Setembro, 2001", "15/9/00", False),
        ("14 de Setembro, 2000", "15/9/00", False),
        ("15 de Setembro, 2000", "9/00", False),  # no date
        ("15 de Setembro, 2000", "15/9/001", False),
        ("15 de Setembro, 2000", "15/9-00", False),
        ("令和元年5月1日", "May 1, 2019", True),
        ("平成元年", "1989", True),
        ("平成元年", "1990", False),
        ("元年", "1989", False),  # of no era
        ("令和5年", "2023", True),
        ("令和5年", "2024", False),
        ("after 22:00", "μετά τις 10 μ.μ.", True),
        ("after 22:00", "μετά τις 9 μ.μ.", False),
        ("after 22:00", "μετά τις 10", False),  # nothing says that it is an hour
        ("after 22:00", "sau 10:00 CH", True),
        ("after 22:00", "sau 10:00 Ch", False),
        ("at 21:30", "في 9:30 م", True),
        ("Born 1990, aged 17", "ولد عام 1990 م وعمره 5", False),  # AD
        ("Published 15/9/98.", "Published 15/9/98. Revised in 1998.", False),
    ],
)
def test_dates_eras_and_hours_in_other_forms(one: str, other: str, expected: bool) -> None:
    assert numbers_agree(one, other) == numbers_agree(other, one) == expected


def test_years_of_the_hebrew_calendar_in_both_forms_of_their_last_letter() -> None:
    units, tens = ["", *"אבגדהוזחט"], ["", *"יכלמנסעפצ"]
    for year in range(5700, 5800):
        # 15 and 16 are written 9 + 6 and 9 + 7.
        behind = {15: "טו", 16: "טז"}.get(year % 100, tens[year // 10 % 10] + units[year % 10])
        plain = f"תש{behind}"
        for last in {plain[-1], plain[-1].translate(str.maketrans("כמנפצ", "ךםןףץ"))}:
            for mark in '"״':
                text = f"החוק משנת {plain[:-1]}{mark}{last} תקף"
                assert numbers_agree(f"the law of {year}", text), text
                assert not numbers_agree("the law of 5811", text), text


def test_years_beside_a_number_are_not_joined() -> None:
    assert numbers_agree("in 2010 300 people", "300, in 2010")
    assert numbers_agree("in 2010 300,000 people", "300.000, in 2010")
    assert not numbers_agree("in 2010 300 people", "in 2010300")
    assert numbers_agree("version 1.2.345", "345, 2 and 1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two of 347", "2 von 347"),
        ("a hundred men in 1984", "100 Mann 1984"),
        ("1.5 million", "1.500.000"),
        ("$140 million", "1.4亿美元"),
        ("£125m", "1億2,500万ポンド"),
        ("15,000 dollars", "1 万 5 千ドル"),
        ("15,000 dollars", "1萬5千美元"),
        ("12,000 dollars", "一萬二千美元"),
        ("the 19th century", "le XIXe siècle"),
        ("in the 1700s", "au 18e siècle"),
        ("the 1990s", "die 90er Jahre"),
        ("at 3 p.m.", "à 15 h"),
        ("7–9 صباحاً، 5–7 مساءً", "Pico (7–9h, 17–19h)"),
        ("सुबह 7–9, शाम 5–7", "7–9, 17–19"),  # hours of a range differ by twelve together
        ("14:00", "下午2点"),
        ("Saturday, January 4, 2025, 2:00PM", "2025년 1월 4일 (토) 오후 2시"),
        ("July 26, 2025, 7:00 PM – 8:30 PM", "２０２５年７月２６日午後７時～午後８時３０分"),
        ("July 26, 7:00 PM – 8:00 PM", "7月26日 午後7時～8時"),
        ("le 4 janvier à 19h00", "1月4日の午後7時"),
        ("Five of us at 10:00", "5 von uns um 10.00 Uhr"),
        ("In 3 rooms at 10:00", "세 방에서 10시 00분"),
        ("9 people at 10:00:00", "九人が10時"),
        ("around 60% of them", "6割程度"),
        ("95%", "9.5割"),
        ("100%", "10割"),
        ("95%", "9割5分"),
        ("24% of them", "２割４分"),
        ("about 20-30%", "約2〜3割"),
        ("80 to 100%", "８～１０割"),
        ("Tel. 023 381 957", "Tel:+385 23 381 957"),
        ("Tel. 023 381 957", "Tel. 00385 23/381-957"),
        ("Tel. 052-348-2278, 098 642 713", "Tel. +385 98 642713, +972 52 348 2278"),
        ("023 381 957", "+385 (0)23 381 957"),
        ("the Law, 5741-1981", 'תשמ"א-1981'),
        ("5771 and 5708", 'תשע״א, תש"ח'),
        ("At 8 in the evening", "Nach 20 Uhr"),
        ("Abends um 8", "à 20 h"),
        ("a photograph of 2005", "photographema anni MMV"),
        ("in 1749", "anno MDCCXLIX"),
        ("25 people", "二十五人"),
        ("On 11/3/1998", "Am 3.11.1998"),
        ("1st and 2nd", "1er et 2e"),
        ("½ litre", "1/2 litre"),
        ("1½ spaces", "1 ½ Zeilen"),
        ("68.4 m²", "68,40 m²"),
        ("€20.40 and €5.00", "20,4 € und 5,0 €"),
        ("2½ hours", "2,5 Stunden"),
        ("A - B ½-½", "A - B 0.5-0.5"),
        ("3½-½", "3.5-0.5"),
        ("½ litre", "0,5 l"),
        ("2 1/2 cups", "2½ Tassen"),
        ("3 3/4 cups", "3,75 Tassen"),
        ("2⅓ cups", "2 1/3 Tassen"),
        ("room 2 3/2", "Raum 2 3/2"),
        ("on 5 1/2/1999", "am 5 1.2.1999"),
        ("a phone of 12 128 GB", "12 और 128 GB"),
        ("12 128 people", "12.128 Leute"),
        ("in 12 128", "in 12 128"),
        ("1만 5천 명", "15,000 people"),
        ("3억 5천만", "350 million"),
        ("10¹⁸ bytes", "10^18 Byte"),
        ("10^18 bytes", "1,000,000,000,000,000,000 Byte"),
        ("6 × 10²⁹", "6 × 10^29"),
        ("in 1998²", "en 1998"),
        ("Copyright © 2009, 2011 A. Person", "© 2009, 2011, 2014 A. Person, traduction 2014 B. Personne"),
    ],
)
def test_numbers_that_can_be_the_same(one: str, other: str) -> None:
    assert numbers_agree(one, other)
    assert numbers_agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In 1999", "En 1998"),
        ("3 of them", "4 davon"),
        ("347 men", "Männer"),
        ("at 3 a.m. on the 5th", "am 6. um 3 Uhr"),
        ("at 14 p.m.", "um 26 Uhr"),  # no hour of a day
        ("on 06/01/2015 at 22:00", "le 06/01/2015, 22:10"),  # minutes on both sides
        ("18:00, room 4", "18h, Raum 0h05"),
        ("January 4, 2:00 and 0", "1월 4일 2시"),  # a nought that is no minute
        ("Room 5 at 10:00", "Zimmer 0 um 10 Uhr"),
        ("Raum 0 um 10 Uhr", "Room 5 at 10h00"),
        ("At 10:00, 5 of 9", "Um 10 Uhr 0 von 9"),
        ("20230 people", "2023割"),
        ("60%", "7割"),
        ("96%", "9割5分"),
        ("20-30%", "2〜4割"),
        ("20-40%", "3〜4割"),
        ("30%, 5", "3割5分"),
        ("120 to 30%", "12〜3割"),
        ("Tel. 023 381 957", "Tel. +385 23 381 958"),
        ("Tel. 023 381 957", "Tel. 0385 23 381 957"),  # no code of a country
        ("Tel. 023 381 957", "Tel. +385 99 23 381 957"),  # a longer number
        ("Tel. 023 381 957 and 023 381 957", "Tel. +385 23 381 957"),
        ("the Law 5742", 'תשמ"א'),
        ("the Law 5706", 'תשט"ז'),
        ("the Law 5721", 'תש"ך'),
        ("the Law 5401", 'ת"א'),  # Tel Aviv
        ("the Law 5701", 'ת"ש'),
        ("the Law 1991", 'תש"ן'),
        ("the Law 741", 'תשמ"א'),
        ("Nach 20 Uhr", "At 9 in the evening"),
        ("5 people", "17 Leute"),  # no clock
        ("4 × 4 squares", "16 × 16 Felder"),
        ("verse 5:17", "Vers 17:17"),
        ("3 PM - 6 PM", "19h - 22h"),
        ("5 to 7 of 20", "17 bis 18 von 20"),
        ("a photograph of 2006", "photographema anni MMV"),
        ("10 people", "100 Leute"),
        ("a phone of 12 128 GB", "12 और 129 GB"),
        ("12 128 people", "12.129 Leute"),
        ("1만 5천 명", "16,000 people"),
        ("10¹⁸ bytes", "1018 Byte"),
        ("10^18 bytes", "10^17 Byte"),
        ("68.4 m²", "68,41 m²"),
        ("release 11.10", "release 11.100"),  # a version
        ("release 1.120", "release 1.12, part 7"),
        ("2½ hours", "2,25 Stunden"),
        ("½ litre", "0,25 l"),
        ("2½ hours", "21 1/2 Stunden"),
        ("10^30 bytes", "10^31 Byte"),  # more zeros than anybody writes out: no power is worked out
        ("1.5 million", "1.600.000"),
        ("Copyright © 2009, 2011 A. Person", "Copyright © 2009, 2012 A. Person"),
        ("Copyright 2009, 347 copies", "Copyright 2009"),
        ("In 2009 and 2011 there was copyright", "En 2009 il y avait"),
        ("all 50 states", "L'UCITA dans 90 États"),  # no Roman fifty
        ("under III(I)(3)", "sous III(I)(1)"),  # numerals that both sides hold
    ],
)
def test_numbers_that_cannot(one: str, other: str) -> None:
    assert not numbers_agree(one, other)
    assert numbers_agree(one, other) == numbers_agree(other, one)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("11 September 2001", "11 กันยายน พ.ศ. 2544", True),
        ("11 September 2001", "11 กันยายน พ.ศ. 2545", False),
        ("in 1907", "ໃນປີ 2450", True),
        ("in 2019 of 2,562", "2562 von 2019", True),  # the same numbers
        ("in 2019", "im Jahr 2562", False),
        ("999 men", "1542 คน", False),  # no year that a site writes of
        ("1000", "ปี 1543", True),
        ("2199", "ปี 2742", True),
        ("2200", "ปี 2743", False),
        ("spring 2019", "بهار ۱۳۹۸", True),
        ("February 2020", "بهمن ۱۳۹۸", True),
        ("in 2021", "۱۳۹۸", False),
        ("2023", "١٤٤٥ هـ", True),
        ("in 1970", "سنة ١٣٩٠", True),
        ("in 2021 and 2019", "民國110年、108年", True),
        ("Date: December 13th, 2020", "日期:109年12月13日", True),
        ("Date: December 13th, 2020", "日期:109年 12月13日", True),
        ("Date: December 13th, 2019", "日期:109年12月13日", False),
        ("in October 2008", "97年10月", True),
        ("in October 1920", "9年10月", False),
        ("in October 2921", "1010年10月", False),
        ("in 2011", "100年", False),  # a hundred years
        ("2021", "民国109年", False),
        ("Published in 2021", "令和３年", True),
        ("April 4, 1945", "昭和20年4月4日", True),
        ("4 April 1926", "大正15年4月", True),
        ("1868", "明治1年", True),
        ("page 5", "平成5年", True),
        ("page 5", "平成6年", False),
    ],
)
def test_years_of_other_eras(one: str, other: str, expected: bool) -> None:
    assert numbers_agree(one, other) == numbers_agree(other, one) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("10 inches wide", "25 cm breit", True),
        ("100 inches", "267 cm", True),  # 254 is .049 of 267 off
        ("100 inches", "268 cm", False),
        ("100 inches", "242 cm", True),
        ("100 inches", "241 cm", False),
        ("100 inchworms", "254 cm", False),
        ('a 5" disk', "eine Diskette, 127 mm", True),
        ("a 7-foot pole", "eine 2,1 m lange Stange", True),
        ("3.5 miles or 30 mph", "5,6 km oder 48 km/h", True),
        ("3.5 miles in 347 days", "5,6 km in 349 Tagen", False),
        ("3.5 miles", "3,5 Meilen", False),  # the same numbers
        ("Padua (22 mi.)", "Padova (35 km)", True),
        ("22 miss", "35 km", False),
        ("mi 22", "35 km", False),
        ("20 square miles", "52 km²", True),
        ("1,000 acres", "405 Hektar", True),
        ("8 oz. and 2.5 lb", "227 g und 1134 g", True),
        ("20 gallons", "75 Liter", True),
        ("3 pints", "1,4 Liter", True),
        ("100 yards", "91 m", True),
        ("70°F", "22 °C", True),  # 21.1
        ("70°F", "23 °C", False),
        ("at 14 °F", "bei -10 °C", True),
        ("1.2.3 inches", "3.0.5 cm", False),  # no numbers to convert
        ("10 apples", "25 cm", False),
    ],
)
def test_numbers_of_units_that_are_converted(one: str, other: str, expected: bool) -> None:
    assert are_units_converted(one, other) == are_units_converted(other, one) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Total: 32 000 RSD", "Итого: __TODO RSD", False),
        ("800-3 000 RSD/m", "800-__TODO RSD/м", False),
        ("from 500 to 3000RSD", "от 500 до __ RSD", False),
        ("for RSD 100", "за RSD", False),
        ("for € 100", "für €", False),
        ("for $2,000", "für $", False),
        ("for 2000 €", "für €", False),
        ("for 20 €", "für zwanzig €", True),
        ("Cushion (80% polyester, 20 % cotton)", "Kissen", False),
        ("80% of men, 20% of women", "男性の八割、女性の二割", True),
        ("80% of men, 20% of women", "男性八成，女性两成", True),
        ("80% of men, 20% of women", "男性、女性", False),
        ("Cushion (80% polyester, 20% cotton)", "20% Baumwolle", True),  # one may be spelt out
        ("50% here, 50% there", "halb und halb", True),
        ("80 to 90%", "achtzig bis neunzig Prozent", True),
        ("100 PDF files", "hundert PDF-Dateien", True),
        ("In the USA 1000 people died.", "In den USA starben tausend Menschen.", True),
        ("$100 or $100", "100 $", True),
        ("20 PDF files", "zwanzig PDF-Dateien", True),
        ("for 2000 €", "für zweitausend Euro", True),
        ("for 2000 €", "für zweitausend $", True),
        ("2000 men for RSD", "zweitausend Mann für RSD", True),
        ("for 2 million RSD", "за 2,000,000 RSD", True),
        ("at CSS2020", "bei der CSS", True),  # a name
        ("in 2000 SPACES", "im Jahr zweitausend SPACES", True),
        ("in 2000 XRSD", "zweitausend RSD", True),
    ],
)
def test_a_price_is_not_spelt_out_beside_the_code_of_its_currency(one: str, other: str, expected: bool) -> None:
    assert numbers_agree(one, other) == numbers_agree(other, one) == expected


@pytest.mark.parametrize(
    "text",
    ["9" * 400 + "万", "一" * 5_000, "一" + "万" * 1_500, "9" * 400 + "." + "9" * 400 + "億", "1万" * 5_000],
    ids=["digits before a scale", "digits of Han", "scales of Han", "fractions", "mixed parts"],
)
def test_rows_of_characters_that_are_no_number_end_nothing(text: str) -> None:
    assert numbers_agree(text, text)
    assert numbers_agree(f"57 {text}", f"{text} 57")
    assert not numbers_agree(f"571 {text}", f"{text} 593")


def test_the_longest_numerals_still_count() -> None:
    assert numbers_agree("999999999999", "九千九百九十九亿九千九百九十九万九千九百九十九")
    assert numbers_agree("123,450,000", "一亿二千三百四十五万")
    assert numbers_agree("1,234,500,000,000", "一万二千三百四十五亿")
    assert not numbers_agree("1,234,510,000", "一亿二千三百四十五万")
    assert numbers_agree("1234567890123450000", "123456789012345万")


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        ("é" + "9" * 20_000, "5"),
        (" x ".join(map(str, range(1_001, 9_001, 2))), " x ".join(map(str, range(1_002, 9_002, 2)))),
        (" x ".join(map(str, range(1_001, 9_001))), " x ".join(map(str, reversed(range(1_001, 9_001))))),
        ("1000 x USD " * 20_000, "USD " * 20_000),
    ],
    ids=["a long row of digits", "many that differ", "many that agree", "many prices"],
)
def test_time_grows_with_the_text_and_not_with_its_square(src: str, tgt: str) -> None:
    started = time.process_time()
    numbers_agree(src, tgt)
    assert time.process_time() - started < 2  # in its square: half a minute


def test_a_table_of_numbers_with_some_scaled_ones_agrees() -> None:
    rows = [str(n) for n in range(1_001, 4_001)]
    assert numbers_agree(" x ".join([*rows, "1,500,000"]), " x ".join([*reversed(rows), "1.5 million"]))
    assert not numbers_agree(" x ".join([*rows, "1,500,000"]), " x ".join([*reversed(rows), "1.6 million"]))
