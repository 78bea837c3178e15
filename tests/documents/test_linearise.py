"""Linearising: cases worked by hand, and no visible letter lost on pages spoilt at random."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_pages import PAGE, scraps, spoilt_pages
from selectolax.lexbor import LexborHTMLParser

from diglot.documents.html.hostile import MAX_NESTING, deepest_nesting, regrown_bytes, reopened_bytes
from diglot.documents.html.linearise import Linear, take_out_hidden, take_out_never_shown, without_noscript
from diglot.documents.html.server_code import without_server_code
from diglot.documents.html.symbols import is_symbol
from diglot.documents.html.tags import TAGS, end_code, start_code
from diglot.documents.parse import parse_page
from diglot.reasons import Reason
from diglot.records import BlockKind, Drop, Page
from linearised import block_texts, linearise

URL = "http://a.example/dir/page.html"


def kinds(html: str) -> list[tuple[str, BlockKind]]:
    return list(zip(block_texts(html), map(BlockKind, linearise(html, URL).blocks.kinds), strict=True))


def spelt(tokens: Iterable[int]) -> list[str | int]:
    """Tokens with tags by name: ``p`` and ``/p``."""
    names = {start_code(name): name for name in TAGS}
    names |= {end_code(name): f"/{name}" for name in list(names.values())}
    return [names[token] if token < 0 else token for token in tokens]


def letters(text: str) -> str:
    """The text without blanks; an entity that was escaped twice counts as its character."""
    return "".join(unescape(text).split())


def check_invariants(linear: Linear) -> None:
    tokens, chunks, ends = linear.chunks.tokens.tolist(), linear.chunks.texts().to_pylist(), linear.blocks.ends.tolist()
    assert [token for token in tokens if token >= 0] == [len(chunk.strip()) for chunk in chunks]
    assert all(chunk.strip() == " ".join(chunk.split()) for chunk in chunks)
    assert all(len(chunk) - len(chunk.strip()) <= 2 for chunk in chunks)
    assert ends == sorted(set(ends))
    assert (ends or [0])[-1] == len(chunks)
    assert 0 not in ends
    assert linear.blocks.chars.sum() == sum(token for token in tokens if token >= 0)
    assert (linear.blocks.link_chars <= linear.blocks.chars).all()
    of_blocks = (linear.blocks.kinds, linear.blocks.aside, linear.blocks.link_chars)
    assert {len(column) for column in of_blocks} == {len(linear.blocks.ends)}
    of_links = (linear.links.anchors, linear.links.hreflangs, linear.links.alternate)
    assert {len(column) for column in of_links} == {len(linear.links.urls)}
    starts = sum(token % 2 for token in tokens if token < 0)
    assert starts >= sum(1 - token % 2 for token in tokens if token < 0)


def test_the_example_of_strand() -> None:
    """Resnik & Smith 2003, figure 4; they count characters without white space, we with it, and head is implied."""
    html = "<HTML><TITLE>Emergency Exit</TITLE><BODY><H1>Emergency Exit</H1>If seated at an exit and"
    linear = linearise(html, URL)
    assert spelt(linear.chunks.tokens.tolist()) == [
        *("html", "head", "title", 14, "/title", "/head"),
        *("body", "h1", 14, "/h1", 24, "/body", "/html"),
    ]
    assert linear.chunks.texts().to_pylist() == ["Emergency Exit", "Emergency Exit", "If seated at an exit and"]


def test_void_and_unknown_elements() -> None:
    html = "<p>a<br>b<br/>c<blink>d</blink><wbr>e"
    tokens = ["html", "head", "/head", "body", "p", 1, "br", 1, "br", 1, "unknown", 1, "/unknown"]
    found = linearise(html, URL)
    assert spelt(token for token in found.chunks.tokens.tolist() if token != start_code("wbr")) == [
        *tokens,
        *(1, "/p", "/body", "/html"),
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>to<b>mat</b>es", ["tomates"]),
        ("<p>a <b>b</b> c", ["a b c"]),
        ("<p>a<b> b </b>c", ["a b c"]),
        ("<p>a <b> b </b> c", ["a  b  c"]),
        ("<p>a<b> </b>c", ["a c"]),
        ("<p>a<b>&nbsp;</b>c", ["a c"]),
        ("<p>a&nbsp;c", ["a c"]),
        ("<p>a<span></span>c", ["ac"]),
        ("<p>a<i>b</i><i>c</i>", ["abc"]),
        ("<p>a\n<b>b</b>\t\nc", ["a b c"]),
        ("<p>su<wbr>per", ["super"]),
        ("<p>a<img src=i>b", ["a b"]),
        ("<p>a<br>b", ["a", "b"]),
        ("<p>a<br><br>b", ["a", "b"]),
        ("<p>a<div>b</div>c", ["a", "b", "c"]),
        ("a<hr>b", ["a", "b"]),
        ("<ul><li>a<ul><li>b</li><li>c</ul>d<li>e</ul>", ["a", "b", "c", "d", "e"]),
        ("<ol><li><p>a</p><p>b</p></ol>", ["a", "b"]),
        ("<dl><dt>a<dd>b<dt>c</dl>", ["a", "b", "c"]),
        ("<table><caption>t<tr><th>a<td>b<tr><td colspan=2>c</table>d", ["t", "a", "b", "c", "d"]),
        ("<table><tr><td>a<table><tr><td>b</table>c</table>", ["a", "b", "c"]),
        ("<table>lost?<tr><td>a</table>", ["lost?", "a"]),
        ("<select><option>a<option>b</select>", ["a", "b"]),
        ("<title>a &amp; b</title>c", ["a & b", "c"]),
        ("<title>a <b>b</b></title>c", ["a <b>b</b>", "c"]),
        ("<textarea>a <b>b</b> </textarea>c", ["a <b>b</b>", "c"]),
        ("<pre>a\n  b</pre>", ["a b"]),
        ("<p>a &lt;b&gt; c", ["a <b> c"]),
        ("<p>&amp;lt;&amp;nbsp;", ["&lt;&nbsp;"]),
        # Escaped twice beside letters or digits; texts about markup name entities by themselves.
        ("<title>l&amp;#x27;eau</title><p>d&amp;eacute;j&amp;agrave; 25&amp;#39;920", ["l'eau", "déjà 25'920"]),
        ("<p>à&amp;nbsp;là&amp;mdash;ça", ["à là—ça"]),
        ("<p>a&amp;lt;b&amp;#60;c&amp;quot;d&amp;amp;e", ["a&lt;b&#60;c&quot;d&amp;e"]),
        ("<p>a&amp;bogus;b or &amp;#39; and (&amp;eacute;).", ["a&bogus;b or &#39; and (&eacute;)."]),
        ("<p>a < b > c", ["a < b > c"]),
        ("<p>a<3", ["a<3"]),
        ("<p>&eacute;&#233;&#xe9;&copy", ["ééé©"]),
        ("<p>&#0;a&#xD800;b", ["\ufffda\ufffdb"]),
        ("<p>a\x00b", ["ab"]),
        ("<p>a<!-- > -->b", ["ab"]),
        ("<p>a<!-- <p> -- > c -->b", ["ab"]),
        ("<p>a<!-->b", ["ab"]),
        ("<p>a<!--->b", ["ab"]),
        ("<p>a<!--x--!>b", ["ab"]),
        ("<p>a<!DOCTYPE x>b", ["ab"]),
        ("<p>a<![CDATA[x]]>b", ["ab"]),
        ("<p>a<?php echo 1 ?>b", ["ab"]),
        ("<p>a</>b", ["ab"]),
        ("<p>a<!-- never closed b", ["a"]),
        ("<p title='a>b'>c", ["c"]),
        ('<p title="a<b>">c', ["c"]),
        ("<p title='\"'>c", ["c"]),
        ('<p title="&quot;>">c', ["c"]),
        ("<p a\"b='1' c>d", ["d"]),
        ('<p a"b>c', ["c"]),
        ('<p ="x y">c', ["c"]),
        ("<p =x =>c", ["c"]),
        ("<p a==b>c", ["c"]),
        ("<p a<b=1>c", ["c"]),
        ("<p a\u00a0=b>c", ["c"]),
        ("<p a\u2003=b \u3000c='x y'>c", ["c"]),
        ("<i\u3000c=i.png alt='d'>c", ["c"]),
        ("<p\x0ca='\n'>c", ["c"]),
        ("<p/x/>c", ["c"]),
        ("<P><B>a</B></P>", ["a"]),
        ("<x-y z>a</x-y>", ["a"]),
        ('<a"b>c', ["c"]),
        ("<p>x</p><plaintext>a<b></div></html>", ["x", "a<b></div></html>"]),
        ("<p>x<xmp>a <b></div> &amp;</xmp>y", ["x", "a <b></div> &amp;", "y"]),
        ("<listing>a\nb</listing>", ["a b"]),
        ("<p>a<ruby>漢<rt>kan</ruby>", ["a漢kan"]),
        ("<p>ما <b>هذا</b>", ["ما هذا"]),
        ("<p>日本\u3000語", ["日本 語"]),
        ("<p>\U0001f600", ["\U0001f600"]),
        ("", []),
        ("<p> \n&nbsp; </p>", []),
        ("<frameset><frame src=a.html><noframes>x</noframes></frameset>", []),
    ],
)
def test_text_of_blocks(html: str, expected: list[str]) -> None:
    assert block_texts(html) == expected
    check_invariants(linearise(html, URL))


def test_kinds_of_blocks() -> None:
    html = (
        "<title>t</title><h2>h <i>i</i></h2>p<ul><li>l<p>q</p></ul><table><caption>c<tr><td>d<p>e</table>"
        "<pre>f</pre><form><label>g</label><button>b</button></form><blockquote>k</blockquote><figcaption>m</figcaption>"
    )
    assert kinds(html) == [
        ("t", BlockKind.TITLE),
        ("h i", BlockKind.HEADING),
        ("p", BlockKind.PARAGRAPH),
        ("l", BlockKind.LIST_ITEM),
        ("q", BlockKind.LIST_ITEM),
        ("c", BlockKind.CAPTION),
        ("d", BlockKind.TABLE_CELL),
        ("e", BlockKind.PARAGRAPH),
        ("f", BlockKind.PREFORMATTED),
        ("g", BlockKind.CONTROL),
        ("b", BlockKind.CONTROL),
        ("k", BlockKind.PARAGRAPH),
        ("m", BlockKind.CAPTION),
    ]


def test_navigation_and_link_text_are_told() -> None:
    linear = linearise("<nav>a<ul><li>b</ul></nav><p>cc <a href=x>dd</a><footer>e</footer><p>f", URL)
    assert linear.blocks.aside.tolist() == [True, True, False, True, False]
    assert linear.blocks.link_chars.tolist() == [0, 0, 2, 0, 0]


def test_the_area_of_an_image_map_is_no_open_link() -> None:
    linear = linearise("<map><area href=x alt='The moon'></map><p>text<p><a href=y>link</a>", URL)
    assert linear.blocks.link_chars.tolist() == [0, 4]
    assert linear.links.anchors == ["The moon", "link"]


@pytest.mark.parametrize(
    ("html", "lang"),
    [
        ("<html lang=fr>", "fr"),
        ("<HTML LANG=' pt-BR '>", "pt-BR"),
        ("<html xml:lang=de>", "de"),
        ("<html lang='' xml:lang=de>", "de"),
        ("<meta http-equiv=Content-Language content=es>", "es"),
        ("<html lang=fr><meta http-equiv=content-language content=es>", "fr"),
        ("<p lang=fr>", ""),
    ],
)
def test_declared_language(html: str, lang: str) -> None:
    assert linearise(html, URL).links.declared_lang == lang


LINK_TO_ITSELF = re.compile(r"""<a href=[\s\0"']*#""")
"""A link of a page to a place of its own."""


def kept_letters(text: str, html: str) -> str:
    """The letters of a text, without symbols and separators: some dress a text (test_symbols.py, test_link_rows.py).
    A sign is a heading anchor and no text (test_heading_anchors.py) if it stands in a link of
    the page to itself: on a page with such a link signs do not count, nor do format characters beside them."""
    found = "".join(char for char in letters(text) if char not in "/\\–—-*" and not is_symbol(char))
    if not LINK_TO_ITSELF.search(html):
        return found
    return "".join(char for char in found if char != "#" and unicodedata.category(char) != "Cf")


def reference_text(html: str) -> str:
    """The parser's own text of the page, without what is taken out on purpose."""
    markup = without_noscript(without_server_code(html.encode("utf-8", "replace")))
    tree = LexborHTMLParser(markup)
    take_out_never_shown(tree, markup)
    take_out_hidden(tree, markup)
    return tree.root.text(deep=True) if tree.root is not None else ""


@given(spoilt_pages())
def test_no_visible_letter_is_lost_on_spoilt_pages(html: str) -> None:
    linear = linearise(html, URL)
    check_invariants(linear)
    assert kept_letters("".join(linear.chunks.texts().to_pylist()), html) == kept_letters(reference_text(html), html)


@given(scraps())
def test_no_visible_letter_is_lost_in_thrown_together_markup(html: str) -> None:
    linear = linearise(html, URL)
    check_invariants(linear)
    assert kept_letters("".join(linear.chunks.texts().to_pylist()), html) == kept_letters(reference_text(html), html)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="<&\x00"), min_size=1), max_size=5))
def test_text_comes_through_as_it_is(texts: list[str]) -> None:
    linear = linearise("".join(f"<p>{text}</p>" for text in texts), URL)
    expected = [" ".join(text.split()) for text in texts]
    assert [chunk.strip() for chunk in linear.chunks.texts().to_pylist()] == [text for text in expected if text]


@given(spoilt_pages())
def test_any_spoilt_page_is_parsed_or_dropped(html: str) -> None:
    parsed = parse_page(Page(URL, html.encode("utf-8", "replace")))
    if isinstance(parsed, Drop):
        assert parsed.reason in (Reason.NO_TEXT, Reason.UNDECODABLE)
    else:
        assert len(parsed["block_main"]) == len(parsed["block_ends"])
        assert parsed["block_ends"][-1] == len(parsed["chunks"])


def test_the_page_itself() -> None:
    assert block_texts(PAGE) == [
        *("Le jardin & la maison", "Accueil", "Plan", "Dedans", "Le jardin potager"),
        *("On y plante des tomates, des choux", "et des .", "Un second paragraphe sans fin", "un", "deux"),
        *("du <b>texte</b>", "oui", "non", "deux lignes", "Fin <ici> été €"),
    ]
    assert linearise(PAGE, URL).hidden_chars == len("secret") + len("caché")


NAMES = [f"a{i}" for i in range(40_000)]


@pytest.mark.parametrize(
    "html",
    [
        "<p " + " ".join(f"{name}=x" for name in NAMES) + ">x",
        "<p " + " ".join(NAMES) + ">x",
        "<p " + " ".join(f'{name}=">"' for name in NAMES) + ">x",
        "<p " + " ".join(f"{name}='<p>'" for name in NAMES) + ">x",
        "<p " + "".join(f'{name}=""' for name in NAMES) + ">x",
        '<p x="' + " ".join(NAMES) + ">x",
        '<p x="' + " ".join(NAMES) + '" ' + " ".join(NAMES) + ">x",
        "<p x=\"'" + " ".join(f"{name}='\"'" for name in NAMES) + "'\">x",
    ],
    ids=["values", "names", "quoted", "markup", "unspaced", "no end of a quote", "behind a value", "mixed quotes"],
)
def test_too_many_attributes_are_hostile(html: str) -> None:
    started = time.process_time()
    parsed = parse_page(Page(URL, html.encode()))
    assert isinstance(parsed, Drop)
    assert parsed.reason is Reason.HOSTILE_MARKUP
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "html",
    [
        "<p " + " ".join(f"{name}=x" for name in NAMES[:1500]) + ">x",
        "<script>for (i = 0; i<n; i++) " + "x = y ; " * 5_000 + "</script><p>x",
        "<p>" + "a = b, c = 'd' and \"e\" " * 5_000,
        "<p>x " + "".join(f"<p title={name}>" for name in NAMES),
    ],
    ids=["1500", "script", "text", "one each"],
)
def test_large_but_honest_markup_is_not_hostile(html: str) -> None:
    assert not isinstance(parse_page(Page(URL, html.encode())), Drop)


PATH = " ".join(f"{n}.{n % 7} {n * 3 % 997}.4" for n in range(5_000))
"""Coordinates as editors write them into a traced logo."""
LONG_VALUES = {
    "path": f'<svg><path style="fill: red" d="M {PATH} Z" stroke-linecap="round"/></svg>',
    "classes": f"<div class='{PATH}'>",
    "data": f'<div data-points = "{PATH}" id=a>',
    "several": f'<svg><path d="{PATH}" data-d="{PATH}"/><path d="{PATH}"/></svg>',
}


@pytest.mark.parametrize("markup", LONG_VALUES.values(), ids=LONG_VALUES)
def test_words_of_a_quoted_value_are_no_attributes(markup: str) -> None:
    parsed = parse_page(Page(URL, f"<p>before<a href=/a title=b>the link</a>{markup}<p>behind".encode()))
    assert not isinstance(parsed, Drop)
    assert " ".join(parsed["chunks"].to_pylist()).split() == ["before", "the", "link", "behind"]
    assert parsed["link_urls"] == ["http://a.example/a"]


def test_names_that_only_seem_to_stand_in_a_value_reach_no_parser() -> None:
    """The first ">" is in a value, so the two quotes around the words end one value and begin another."""
    started = time.process_time()
    parse_page(Page(URL, f'<p x="><p y=" {" ".join(NAMES)} z=">x'.encode()))
    assert time.process_time() - started < 1


@pytest.mark.parametrize("opening", ["<div>", "<div><p>", "<b>", "<span hidden>", "<table><tr><td>", "<a><p>"])
def test_deep_nesting_is_parsed_in_time(opening: str) -> None:
    started = time.process_time()
    assert not isinstance(parse_page(Page(URL, ("<p>x" + opening * (MAX_NESTING - 100)).encode())), Drop)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "opening", ["<div>", "<DIV\n><p>", "<section><div>", "</b><div a='/>'>", "<x-y/>", "<svg></svg><g/>"]
)
def test_deeper_nesting_than_any_real_is_hostile(opening: str) -> None:
    started = time.process_time()
    parsed = parse_page(Page(URL, ("<p>x" + opening * 90_000).encode()))
    assert isinstance(parsed, Drop)
    assert (parsed.reason, parsed.detail) == (Reason.HOSTILE_MARKUP, f"more than {MAX_NESTING} elements nested")
    assert time.process_time() - started < 1


PIECES = "a text in very many pieces, between tags that make no element"
REPEATED = "a long tag without an end, repeated in very many blocks"
LONG = f"<a title='{'>' * 2_000}'>"
"""A tag of 2,012 bytes, with marks of an end inside its value."""
CROWDED = {
    "paragraphs": ("<p>x" * 2_600_000, "more than 300000 tags"),
    "links": ("<a href=/a>x</a>" * 600_000, "more than 300000 tags"),
    "options": ("<select size=5>" + "<OPTION selected>x" * 80_000, "more than 15000 options"),
    "paragraphs in spans": ("<span>" * 9_990 + "<p>x</p>" * 100_000, "9990 elements nested and 209990 tags"),
    "rt": ("<rt>" * 60_000, "more than 10000 elements nested"),
    "forms": ("<template>" + "<form>" * 60_000, "more than 10000 elements nested"),
    "headings": ("<h1><a>" * 60_000, "more than 10000 elements nested"),
    "comments in a table": ("<table>" + "<!-->\ufeff" * 64_000, PIECES),
    "cells in a select": ("<select>" + ("<td colspan=9>" + "x" * 500) * 9_000, PIECES),
    "cells without a table": (("<td colspan=9>" + "x" * 500) * 9_000, PIECES),
    "a link without an end": (LONG + "<p>x" * 200_000, REPEATED),
}


@pytest.mark.parametrize(("html", "detail"), CROWDED.values(), ids=CROWDED)
def test_more_tags_than_any_real_page_has_are_hostile(html: str, detail: str) -> None:
    started = time.process_time()
    parsed = parse_page(Page(URL, html.encode()))
    assert isinstance(parsed, Drop)
    assert (parsed.reason, parsed.detail) == (Reason.HOSTILE_MARKUP, detail)
    assert time.process_time() - started < 1.5


@pytest.mark.parametrize(
    "html",
    [
        "<ruby>字<rt>a" * 9_000,
        "<form><p>x" * 20_000,
        "<select><option>one</option></select>" * 14_000,
        "<h2>a</h2><p>b</p>" * 50_000,
        "<p>x " + "<p=" * 170_000,
        "<p class='" + "x " * 250_000 + "'>" + "<a href=/a>x</a>" * 12_000,
        f"<a href='data:{'x' * 100_000}'>image</a>" + "<p>x" * 20_000,
    ],
    ids=["ruby", "forms", "selects", "headings", "one value", "one parent", "one link"],
)
def test_a_large_page_is_parsed_in_time(html: str) -> None:
    started = time.process_time()
    assert not isinstance(parse_page(Page(URL, html.encode())), Drop)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("html", "depth"),
    [
        ("<html><body><p>a<br><p>b<ul><li>c<li>d</ul>", 1),
        ("<div><span>a</span></div><div><span>b</span></div>", 2),
        ("<div></b></b></span><b>x</b>", 2),
        ("<svg><g/><path/><g/></svg>", 1),
        ("<div/><div/>", 2),
        ("a < b </ <1 <!-- <", 0),
        ("<", 0),
        ("<b", 1),
        ("<ruby>a<rt>b<rp>c<rt>d</ruby>", 1),
        ("<rt>a<rt>b<rp>c", 3),
        ("<form><form><template><form><form>", 3),
        ("<h1><a>x<h1><a>x", 2),
    ],
)
def test_depth_of_nesting(html: str, depth: int) -> None:
    assert deepest_nesting(html.encode()) == depth


@pytest.mark.parametrize(
    ("html", "copied"),
    [
        ("<p>ab<td a=b>c<td a=b>", 2 + 3),
        ("<p>ab<td>c<td>", 0),
        ("<table><tr a=b>ab<td a=b>c</table>", 0),
        ("<table></table><p>ab<td a=b>c", 2),
        ("<select><p a=b>ab<p a=b>c<p a=b>", 2 + 3),
        ("<select><p a=b>ab<option a=b>c<p a=b>", 1),
        ("<select>ab</select><p a=b>c<p a=b>", 0),
        ("<table><!---->ab<!---->c<!---->", 2 + 3),
        ("<table><td><!---->ab<!---->c<!---->", 0),
        ("<table><td></td><!---->ab<?x>c<!x>", 2 + 3),
        ("<p>ab<!---->c<!---->", 0),
        ("a < b <", 0),
        ("<", 0),
    ],
)
def test_bytes_of_a_text_that_grows_in_pieces(html: str, copied: int) -> None:
    assert regrown_bytes(html.encode()) == copied


@pytest.mark.parametrize(
    ("html", "repeated"),
    [
        (LONG + "<p>a<p>b", 2 * 2_012),
        (LONG + "<p>a</a><p>b", 2_012),
        (LONG + "<b><p>a</b></p><i>", 3 * 2_012),
        (LONG + "<a><p>a</a><p>b", 3 * 2_012),
        ("<p>a" + LONG + "</a><p>b" * 9, 0),
        (LONG.replace("<a", "<div") + "<p>a<p>b", 0),
        (f"<a title='{'x' * 989}'><p>", 1_001),
        (f"<a title='{'x' * 987}'><p>", 0),
        ("a < b <", 0),
        (LONG[:500], 0),
    ],
)
def test_bytes_of_long_tags_without_an_end(html: str, repeated: int) -> None:
    assert reopened_bytes(html.encode()) == repeated


@pytest.mark.parametrize("text", ["abcdef", "éàüöäß", "日本語の文章", "𠀀𠀁𠀂𠀃𠀄𠀅", "a日𠀀éb語"])
@pytest.mark.parametrize("most", [0, 1, 4, 9])
def test_the_beginning_of_a_text_is_counted_in_characters_of_any_script(text: str, most: int) -> None:
    chunks = linearise(f"<p>before</p><p>{text}</p><p>behind</p>", URL).chunks
    assert chunks.beginning(1, 2, most) == text[:most]
