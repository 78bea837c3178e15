"""Texts side by side: divided where a browser shows a gap, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linearised import block_texts, linearise


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href=1>Home</a><a href=2>About</a> us", "Home About us"),
        ("<a href=1>home</a><a href=2>about</a><a href=3>2</a>", "home about 2"),
        ("<span><a href=1>home</a></span><span><a href=2>about</a></span>", "home about"),
        ("<b class=flex><a href=1>ホーム</a><a href=2>会社</a></b> 1", "ホーム 会社 1"),
        ("<a href=1>मेनू</a><a href=2>घर</a> 1", "मेनू घर 1"),
        ("<a href=1>home</a><i></i><a href=2>about</a>", "home about"),
        (
            "<span>organization</span><span>Share feedback</span><span>Verify</span>",
            "organization Share feedback Verify",
        ),
        ("<strong>Name</strong><span>Länge</span>", "Name Länge"),
        ("<x-tab>one</x-tab><x-tab>Two</x-tab>", "one Two"),
        ("<b><i>organization</i></b><b><i>Share</i></b>", "organization Share"),
        ("<span role=tab>one</span><span role=tab>two</span>", "one two"),
        (
            "<time datetime=2024-02-19>19/02/2024</time><time datetime=2024-06-11>11/06/2024</time>",
            "19/02/2024 11/06/2024",
        ),
        ("<time datetime=08:00>8</time>h", "8h"),
        ("<span class='flex gap-2'><span>one</span><span>two</span></span>", "one two"),
        ("<span class='d-md-flex'>one<b>two</b></span>", "one two"),
        ("<span style='display: Flex'><b>一</b><b>二</b></span>", "一 二"),
        ("<b class='inline-block px-2'>one</b><b>two</b>", "one two"),
        ("<b style='color:red;display:inline-block'>one</b><b>two</b>", "one two"),
        ("one<b style='display:block'>two</b>three", "one two three"),
        ("<b class=block>one</b>two", "one two"),
        ("one<svg><text>no</text><path d=x /></svg>two", "one two"),
        ("one<b><svg aria-hidden=true></svg></b>two", "one two"),
        ("one<math><mi>x</mi></math>two", "one two"),
        ("one<input>two<video src=x></video>three", "one two three"),
        ("<a href=1>one<img src=x></a>two", "one two"),
        ("Inbox<span class='badge badge-info'>4</span>", "Inbox 4"),
        ("<li>A walk by the sea.<a class='btn' href='/sea'>More</a></li>", "A walk by the sea. More"),
        ("<li>Go to www.<b>example</b>.<a href='/'>org</a></li>", "Go to www.example.org"),
        ("wolf<span class=note>The word</span>", "wolf The word"),
        ("<b>TVK</b><span class=x-stage-pill>active</span>", "TVK active"),
        ("Rows<a role=button>edit</a>", "Rows edit"),
        ("日本<span class=label>新</span>", "日本 新"),
        ("<b>USD</b><strong>Planned</strong>", "USD Planned"),
        ("<span>Research</span><small>4 families</small>", "Research 4 families"),
        ("<strong>10+</strong><span>years of experience</span>", "10+ years of experience"),
        ("<a href=1><span>01</span>Metod</a>", "01 Metod"),
        ("<b>10</b>Learners a cohort", "10 Learners a cohort"),
        ("<span>06</span><strong>O projektu</strong>", "06 O projektu"),
        ("<span>01</span>فنی", "01 فنی"),
        ("<span>150+</span><span>Élèves</span>", "150+ Élèves"),
        ("<b>45%</b><span>დროის დაზოგვა</span>", "45% დროის დაზოგვა"),
        ("10+<span style='display:block'>years</span>", "10+ years"),
        ("<span class='breadcrumb'><b><a href=1>Home</a></b>Doctors</span>", "Home Doctors"),
        ("<span class='nav Breadcrumbs'><a href=1>ホーム</a>医師</span>", "ホーム 医師"),
        ("<b typeof='v:Breadcrumb'><a href=1>home</a></b>doctors", "home doctors"),
        (
            "<b itemscope itemtype='https://schema.org/BreadcrumbList'><a href=1>home</a>doctors<i>eyes</i></b>",
            "home doctors eyes",
        ),
        ("Baker St. 2<a href=/map>View on map</a>", "Baker St. 2 View on map"),
        ("the year of the<b><a href=/c>Challenge</a></b>", "the year of the Challenge"),
        ("ул. Мира, д. 2<a href=/map>На карте</a>", "ул. Мира, д. 2 На карте"),
        ("<strong>This means they will:</strong>work with you", "This means they will: work with you"),
        ("<b><u>Fonds&nbsp;:</u></b>dons", "Fonds : dons"),
        ("Email:<a href='mailto:a@b.example'>a@b.example</a>", "Email: a@b.example"),
        ("<b>Email</b>:<i>Anna</i>", "Email: Anna"),
        ("Write to us:<a href=1>here</a>, Fonds&nbsp;:<i>dons</i>", "Write to us: here, Fonds : dons"),
        ("<span><b><u>Label:</u></b></span>word, <i><strong>Label:</strong></i>word", "Label: word, Label: word"),
        ("<b>Published:</b>inside, <b>Lage:</b>innenstadtnah", "Published: inside, Lage: innenstadtnah"),
        ("<b>Q:</b>A dog? <b>Q:</b>a dog?", "Q: A dog? Q: a dog?"),
        ("<b>Step 2:</b>Έλεγχος", "Step 2: Έλεγχος"),
    ],
)
def test_a_gap_is_a_space(html: str, text: str) -> None:
    assert block_texts(f"<p>{html}") == [text]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("un<b>believ</b>able", "unbelievable"),
        ("H<sub>2</sub>O<sup>a</sup>", "H2Oa"),
        ("<a href=1>foo</a>s", "foos"),
        ("<a name=1>foo</a><a name=2>bar</a>", "foobar"),
        ("foo<a name=1></a><a href=2>bar</a>", "foobar"),
        ("由於一些<a href=1>原因</a><a href=2>這些行為</a>", "由於一些原因這些行為"),
        ("<a href=1>foo</a>, <a href=2>bar</a>", "foo, bar"),
        ("<a href=1>foo</a><a href=2>(bar)</a>", "foo(bar)"),
        ("<b>O</b><span>nce</span>", "Once"),
        ("<span>Hel</span><span>lo</span>", "Hello"),
        ("<b>O</b><b>Neill</b>, <b>i</b><b>Phone</b>", "ONeill, iPhone"),
        ("text<b>Word</b>", "textWord"),
        ("un<b class=notes>believ</b>able", "unbelievable"),
        ("un<b class=stage>believ</b>able", "unbelievable"),
        ("<code>a<b class=tag>b</b></code>", "ab"),
        ("<b>USD</b><b>PLN</b>", "USDPLN"),
        ("<b>mp</b><i>3</i> <b>mp</b><i>3-player</i>", "mp3 mp3-player"),
        ("<b>X</b><i>4 families</i>", "X4 families"),
        ("Research<small>4 families</small>", "Research4 families"),
        ("10<sup>18</sup> bytes, 10<sup>−3</sup> m", "10^18 bytes, 10^−3 m"),
        ("10<sup>1800</sup> of 10<sub>18</sub> in m<sup>2</sup>", "101800 of 1018 in m2"),
        ("1999<sup><a href=#n>2</a></sup>, 5<sup>th</sup>", "19992, 5th"),
        ("<code>get</code><b>Name</b><var>ab</var><var>C</var>", "getNameabC"),
        ("<code><b>get</b><b>Name</b></code>", "getName"),
        ("<span>get</span><wbr><span>Name</span>", "getName"),
        ("<span>日本</span><span>語</span><img src=x>で", "日本語で"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>Ji</rt></ruby>", "漢(kan)字Ji"),
        ("<ruby><rb>abc</rb><rt>Def</rt></ruby>", "abcDef"),
        ("see <a href=1>Wiki<svg></svg></a>, text", "see Wiki, text"),
        ("<span class='inline flexible'>foo<b>bar</b></span>", "foobar"),
        ("<span style='display:inline'>foo</span><b style='x-display:block'>bar</b>", "foobar"),
        ("foo<b style='display:inline-block'>bar</b>", "foobar"),
        ("foo<svg hidden></svg>.", "foo."),
        ("<span class=flex></span>foo<b>bar</b>", "foobar"),
        ("<b>100%</b>ig, 100%<b>ig</b>", "100%ig, 100%ig"),
        ("Na<sup>+</sup><i>ion</i>, <b>a+</b><i>b</i>", "Na+ion, a+b"),
        ("<b>50%</b><b>的人</b>, <b>3+</b><b>4</b>", "50%的人, 3+4"),
        ("<b>10</b>km", "10km"),
        ("<b>3</b>D", "3D"),
        ("<b>3</b>D-Modell", "3D-Modell"),
        ("<b>3</b><i>D</i> models", "3D models"),
        ("<b>7</b>O clock", "7O clock"),
        ("<b>Q4</b>Pro", "Q4Pro"),
        ("4Learners", "4Learners"),
        ("H<sub>2</sub>Oxid", "H2Oxid"),
        ("<b class='breadcrumb-trailing'>un<i>believ</i>able</b>", "unbelievable"),
        ("<b class='has-breadcrumbs'>un<i>believ</i>able</b>", "unbelievable"),
        ("<b itemtype='https://schema.org/ListItem'>un<i>believ</i>able</b>", "unbelievable"),
        ("i<a href=1>Phone</a>, Mc<a href=1>Donald</a>, Mac<a href=1>OS</a>", "iPhone, McDonald, MacOS"),
        ("re<a href=1>read</a>, D<a href=1>Day</a>, 3<a href=1>D</a>", "reread, DDay, 3D"),
        ("4<a href=1>GB</a>, 5<a href=1>th</a>, 2<a href=1>10</a>", "4GB, 5th, 210"),
        ("textlink<a name=1>Word</a>, <code>get<a href=1>Name</a></code>", "textlinkWord, getName"),
        ("אתר<a href=1>Wiki</a>, 漢字<a href=1>Wiki</a>", "אתרWiki, 漢字Wiki"),
        ("<b>std::</b>string, <b>12:</b>30, <b>http:</b>//a.example", "std::string, 12:30, http://a.example"),
        ("<code>xml:<b>lang</b></code>, <code>xml:</code>lang", "xml:lang, xml:lang"),
        ("Schüler:<b>innen</b>", "Schüler:innen"),
        ("re:<i>publica</i>", "re:publica"),
        ("doi:<a href=1>abc</a>", "doi:abc"),
        ("xml:<em>lang</em>", "xml:lang"),
        ("Liebe Schüler:<b>innen</b>", "Liebe Schüler:innen"),
        ("Ein Lehrer:<i>in</i>", "Ein Lehrer:in"),
        ("<b>Schüler:</b>innen-Rat, <strong>Lehrer:</strong>in", "Schüler:innen-Rat, Lehrer:in"),
        ("<b>Email</b>:<i>anna</i>, <i>xml:</i>lang, <b>my re:<i>p</i></b>", "Email:anna, xml:lang, my re:p"),
        ("S:<b>t</b> Erik, N:<b>o</b> 4", "S:t Erik, N:o 4"),
        ("<b>地址:</b>北京, <b>邮箱:</b>mail, mail:<b>邮箱</b>", "地址:北京, 邮箱:mail, mail:邮箱"),
        ("Note:<!-- -->read, a <b>note</b>:read", "Note:read, a note:read"),
    ],
)
def test_texts_that_touch_stay_one(html: str, text: str) -> None:
    assert block_texts(f"<p>{html}") == [text]


@pytest.mark.parametrize("divided", ["<br>", "<button>x</button>", "<select><option>x</select>", "<li>x</li>"])
def test_blocks_need_no_space(divided: str) -> None:
    assert [text for text in block_texts(f"<div>one{divided}two") if text != "x"] == ["one", "two"]


@given(
    st.lists(st.sampled_from(["a", "Bc", "日", " ", "<b>", "</b>", "<a href=x>", "</a>", "<img>", "<svg>", "</svg>"]))
)
def test_a_gap_adds_no_more_than_a_space(scraps: list[str]) -> None:
    linear = linearise(f"<p>{''.join(scraps)}", "http://a.example/")
    texts = linear.chunks.texts().to_pylist()
    assert [len(text.strip()) for text in texts] == [token for token in linear.chunks.tokens.tolist() if token > 0]
    assert not any("  " in text for text in texts)


def test_pictures_leave_no_token() -> None:
    with_pictures = linearise("<p>one<svg><text>x</text></svg>two<math>y</math><object>z</object>", "http://a.example/")
    without = linearise("<p>one<b></b>two", "http://a.example/")
    kept = [token for token in without.chunks.tokens.tolist() if token > 0]
    assert [token for token in with_pictures.chunks.tokens.tolist() if token > 0] == kept
    assert len(with_pictures.chunks.tokens) == len(without.chunks.tokens) - 2


def rows(row: str, *pairs: tuple[str, str]) -> list[str]:
    """Texts of a page with a row for each pair, put into ``row`` in place of 1 and 2."""
    # The link keeps label and value from being blocks of their own.
    cells = (f"<div>{row.replace('1', one).replace('2', two)} <a href=/>edit</a></div>" for one, two in pairs)
    return [text.removesuffix(" edit") for text in block_texts("".join(cells))]


SHEET = ("Average age", "23,5 years"), ("Sample", "all adults"), ("Points", "2019-20"), ("Scale", "(four)")


@pytest.mark.parametrize(
    "row",
    [
        "<span class=key>1</span><span class=val>2</span>",
        "<b class=key>1</b><i>2</i>",
        "<span><span class=key><b>1</b></span><span class=val>2</span></span>",
    ],
)
def test_rows_of_two_elements_that_a_style_sheet_tells_apart_have_gaps(row: str) -> None:
    assert rows(row, *SHEET) == ["Average age 23,5 years", "Sample all adults", "Points 2019-20", "Scale(four)"]


@pytest.mark.parametrize(
    ("row", "pairs"),
    [
        ("<span class=key>1</span><span class=val>2</span>", SHEET[:2]),  # twice may be chance
        ("<span class=a>1</span><span class=a>2</span>", SHEET),  # nothing tells them apart
        ("<span>1</span><span>2</span>", SHEET),
        ("<span class=a>1</span><span class=b>2</span>", [("tube", "web")] * 4),  # a name, on each page
        ("<span class=a>1</span><span class=b>2</span>", [("b", "onjour"), ("l", "undi"), ("u", "n"), ("e", "t")]),
        ("text <span class=a>1</span><span class=b>2</span>", SHEET),  # a sentence in pieces
        # An editor cuts texts at any place, mostly beside a blank.
        ("<span class=a>1</span><span class=b>2</span>", [*SHEET, ("one ", "text")]),
        ("<span class=a>1</span><span class=b>2</span>", [*SHEET, ("one", " text")]),
        ("<code><span class=a>1</span><span class=b>2</span></code>", SHEET),
        ("<span class=a>1</span><span class=b>2</span>", [("年齢", "歳"), ("人数", "人"), ("期間", "年")]),
    ],
)
def test_what_is_no_row_of_two_boxes_stays_joined(row: str, pairs: list[tuple[str, str]]) -> None:
    found = rows(row, *pairs)
    assert [text.removeprefix("text ") for text in found] == [one + two for one, two in pairs]
