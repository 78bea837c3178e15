"""The end of a line in the markup is no blank between ideographs and kana; everywhere else it is."""

import pytest

from diglot.documents.html.pieces import JOINED_LINES
from diglot.words import is_within
from linearised import block_texts


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("主\n要產品", "主要產品"),
        ("主\r\n\t  要產品", "主要產品"),
        ("カタ\nカナと\nひらがな", "カタカナとひらがな"),
        ("東京、\n大阪，\n京都", "東京、大阪，京都"),
        ("<b>日\n本</b>の<i>地\n図</i>", "日本の地図"),
    ],
)
def test_the_end_of_a_line_is_no_blank(html: str, text: str) -> None:
    assert block_texts(f"<p>{html}") == [text]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("主 要產品", "主 要產品"),
        ("主\t要產品", "主 要產品"),
        ("東京大学 \n  柏", "東京大学 柏"),  # a blank that somebody typed, where an editor broke the line
        ("日\n\n本", "日 本"),  # a paragraph that somebody typed
        ("東京。\n大阪：\n（京都）", "東京。 大阪： （京都）"),
        ("主&nbsp;\n要，主\n&nbsp;要，主\u3000\n要，主\n\u3000要", "主 要，主 要，主 要，主 要"),
        ("한\n국, 漢\n국", "한 국, 漢 국"),
        ("CNC\n車床，車床\nCNC，第\n2", "CNC 車床，車床 CNC，第 2"),
        ("one\ntwo, да\nда, ก\nข, “a”\n“b”", "one two, да да, ก ข, “a” “b”"),
        # Links of a menu may stand in lines of their own.
        ("<a href=1>首頁</a>\n<a href=2>關於</a>\n我們", "首頁 關於 我們"),
        ("𠀀\n𠀁", "𠀀 𠀁"),  # beyond the characters of three bytes
    ],
)
def test_other_white_space_is_a_blank(html: str, text: str) -> None:
    assert block_texts(f"<p>{html}") == [text]


@pytest.mark.parametrize(
    "kept",
    [
        "<pre>一\n二</pre>",
        "<pre><b>一\n二</b></pre>",
        "<textarea>一\n二</textarea>",
        "<div style='white-space: pre-line'>一\n二</div>",
        "<div style='white-space:break-spaces'>一\n二</div>",
        "<div class='whitespace-pre-wrap'>一\n二</div>",
    ],
)
def test_elements_that_keep_their_lines(kept: str) -> None:
    assert block_texts(f"{kept}<p>End") == ["一 二", "End"]


def test_lines_behind_such_elements() -> None:
    assert block_texts("</pre><pre>一\n二</pre><p>三\n四</p>") == ["一 二", "三四"]
    assert block_texts("<div style='white-space: nowrap'>三\n四</div>") == ["三四"]


def test_all_characters() -> None:
    chars = [chr(code) for code in range(0x100, 0xD800) if not chr(code).isspace()] + ["ﬁ", "豈", "！", "，", "－", "￯"]
    (text,) = block_texts("<p>" + "".join(f"a{char}\n語" for char in chars))
    assert text == "".join(f"a{char}{'' if is_within(char, JOINED_LINES) else ' '}語" for char in chars)
