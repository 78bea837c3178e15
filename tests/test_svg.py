"""Pictures for notebooks: lengths worked by hand, and text that never becomes markup."""

import re

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from diglot.svg import Text, bars, table, waterfall


def spans(picture: str) -> list[tuple[float, float]]:
    """Beginning and length of each bar, in percent."""
    return [
        (float(start), float(length)) for start, length in re.findall(r"margin-left:([\d.]+)%;width:([\d.]+)%", picture)
    ]


def test_a_waterfall_goes_on_where_it_was() -> None:
    # 0 -> 4 -> 1 -> 3 between 0 and 4: a quarter of the width is 1.
    picture = waterfall([("words", 4.0), ("length", -3.0), ("links", 2.0)])
    assert spans(picture) == [(0, 100), (25, 75), (25, 50), (0, 75)]
    assert [cell.text for cell in html.fromstring(picture).xpath("//tr/td[3]")] == ["+4.0", "-3.0", "+2.0", "+3.0"]


def test_a_waterfall_below_zero() -> None:
    # 0 -> -2 -> -1: the sum is drawn from -1 to 0.
    assert spans(waterfall([("a", -2.0), ("b", 1.0)])) == [(0, 100), (0, 50), (50, 50)]


def test_bars_are_parts_of_the_largest() -> None:
    assert spans(bars([("a", 10, "10"), ("b", 5, "5")])) == [(0, 100), (0, 50)]
    assert spans(bars([("a", 0, "0")])) == [(0, 0.2)]


def test_a_text_stands_in_its_direction() -> None:
    cells = html.fromstring(table(("ar", "en"), [(Text("نص", "ar"), Text("text", "en"))])).xpath("//td")
    assert [(cell.get("lang"), cell.get("dir")) for cell in cells] == [("ar", "rtl"), ("en", "ltr")]


@given(st.text(alphabet="<>&\"'ab/ =", min_size=1))
def test_what_is_shown_is_never_markup(text: str) -> None:
    for picture in (
        table((text,), [(text, Text(text, "en"))], below=text),
        bars([(text, 1, text)], title=text),
        waterfall([(text, 1.0)], title=text, below=text),
    ):
        names = {element.tag for element in html.fromstring(f"<div>{picture}</div>").iter()}
        assert names <= {"div", "table", "thead", "tbody", "tr", "th", "td"}
