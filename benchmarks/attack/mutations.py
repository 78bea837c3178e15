"""Ways to spoil a page, each a function of a random draw, the page, other pages and the size of what it may add."""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Sequence

Mutation = Callable[[random.Random, bytes, Sequence[bytes], int], bytes]

TAGS = (
    b"a abbr article aside b base blockquote body br button caption cite code col colgroup dd details dialog div dl dt "
    b"em embed fieldset figcaption figure font footer form frame frameset h1 h2 h6 head header hr html i iframe img "
    b"input ins isindex label legend li link listing main map marquee math menu meta mglyph mi mtext nav nobr noembed "
    b"noframes noscript object ol optgroup option p param plaintext portal pre q rb rp rt rtc ruby script search "
    b"section select slot small source span strike strong style sub summary sup svg table tbody td template textarea "
    b"tfoot th thead title tr track tt u ul var video wbr xmp x-own foreignObject annotation-xml desc image"
).split()
RAW = (b"script", b"style", b"textarea", b"title", b"xmp", b"plaintext", b"noscript", b"template", b"iframe", b"svg")
BREAKS = (
    b"<", b">", b"</", b"<!", b"<!--", b"-->", b"--!>", b"<!-->", b"<?", b"<![CDATA[", b"]]>", b'"', b"'", b"=", b"/>",
    b"&", b"&#", b"&#x", b"\0", b"\r", b"\x1a", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"</p>", b"<p", b"<a href=", b"</script", b"</title", b"<!DOCTYPE html [",
)  # fmt: skip
ENTITIES = (
    b"&#xD800;", b"&#xDFFF;", b"&#xD83D;&#xDE00;", b"&#0;", b"&#x110000;", b"&#99999999999999999999;", b"&#x80;", b"&;",
    b"&amp", b"&ampamp;amp;", b"&notin;", b"&CounterClockwiseContourIntegral;", b"&nbsp", b"&#x200B;", b"&#x202E;",
    b"&#xFFFE;", b"&#x0A;", b"&lt;script&gt;", b"&NotEqualTilde;", b"&fjlig;", b"&#x1F468;&#x200D;&#x1F469;", b"&#-1;",
)  # fmt: skip
SIGNS = (
    "\u0301", "\u20e3", "\u200b", "\u200d", "\u00ad", "\u202e", "\u2066", "\u200f", "\ufeff", "\ufdfd", "\u0e4d", "ﷺ",
    "\U000e0041", "\U0001f468\u200d", "\u1100\u1161", "\u3099", "ß", "İ", "\u2028", "\x0b", "\U0010ffff", "a\u0334\u0335",
)  # fmt: skip
CHARSETS = [
    "utf-8",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "utf-32",
    "utf-7",
    "windows-1252",
    "iso-8859-1",
    "iso-8859-8-i",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "gbk",
    "big5",
    "big5-hkscs",
    "euc-kr",
    "koi8-r",
    "x-user-defined",
    "replacement",
    "hz-gb-2312",
    "x-mac-cyrillic",
    "none",
    "utf8mb4",
    "unicode-1-1-utf-8",
    "idna",
    "punycode",
    "rot13",
    "hex",
    "zlib",
    "base64",
    "raw_unicode_escape",
    "unicode_escape",
    "mbcs",
    "undefined",
]


def flip_bytes(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    spoilt = bytearray(page or b"x")
    for _flip in range(1 + int(draw.expovariate(0.1))):
        spoilt[draw.randrange(len(spoilt))] = draw.randrange(256)
    return bytes(spoilt)


def flip_bits(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    spoilt = bytearray(page or b"x")
    for _flip in range(1 + int(draw.expovariate(0.1))):
        spoilt[draw.randrange(len(spoilt))] ^= 1 << draw.randrange(8)
    return bytes(spoilt)


def truncate(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    return page[: draw.randrange(len(page) + 1)]


def behead(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    return page[draw.randrange(len(page) + 1) :]


def splice(draw: random.Random, page: bytes, others: Sequence[bytes], _: int) -> bytes:
    other = draw.choice(others)
    return page[: draw.randrange(len(page) + 1)] + other[draw.randrange(len(other) + 1) :][: 2 * len(page) + 4096]


def cut_out(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    start, end = sorted(draw.randrange(len(page) + 1) for _end in range(2))
    return page[:start] + page[end:]


def repeat_piece(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    start = draw.randrange(len(page) + 1)
    piece = page[start : start + 1 + int(draw.expovariate(0.005))] or b"<p>"
    return page[:start] + piece * max(1, size // len(piece)) + page[start:]


def swap_pieces(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    a, b, c = sorted(draw.randrange(len(page) + 1) for _end in range(3))
    return page[:a] + page[b:c] + page[a:b] + page[c:]


def _inserted(draw: random.Random, page: bytes, piece: bytes) -> bytes:
    """The page with a piece somewhere, more often between tags than within."""
    place = draw.randrange(len(page) + 1)
    if draw.random() < 0.7:
        place = page.find(b">", place) + 1 or place
    return page[:place] + piece + page[place:]


def _times(unit: bytes, size: int) -> bytes:
    return unit * max(1, size // len(unit))


def break_markup(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    for _break in range(draw.randint(1, 8)):
        page = _inserted(draw, page, draw.choice(BREAKS))
    return page


def break_flood(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    unit = b"".join(draw.choice(BREAKS) for _part in range(draw.randint(1, 3)))
    return _inserted(draw, page, _times(unit, size))


def nest_one(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    return _inserted(draw, page, _times(b"<" + draw.choice(TAGS) + b">", size))


def nest_many(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    unit = b"".join(b"<" + draw.choice(TAGS) + b">" for _tag in range(draw.randint(2, 12)))
    return _inserted(draw, page, _times(unit, size))


def close_flood(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    return _inserted(draw, page, _times(b"</" + draw.choice(TAGS) + b">", size))


def formatting_flood(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    """What the adoption agency of HTML 5 takes longest over: misnested formatting."""
    units = (b"<b><i><p></b>", b"<a><table><a>", b"<font><nobr><div></font>", b"<b><table><tr><i>", b"<nobr><p>")
    return _inserted(draw, page, _times(draw.choice(units), size))


def attributes(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    if draw.random() < 0.5:
        flood = b" ".join(b"a%d=%d" % (n, n) for n in range(max(1, size // 12)))
    else:
        flood = _times(draw.choice((b" a", b" =", b" a=b", b' "', b" href=x", b" id=x class=y", b"/")), size)
    return _inserted(draw, page, b"<" + draw.choice(TAGS) + b" " + flood + b">x")


def long_attribute(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    name = draw.choice((b"href", b"src", b"lang", b"hreflang", b"alt", b"title", b"content", b"class", b"id", b"style"))
    unit = draw.choice((b"x", b"../", b"%2e/", b"a b ", b"-", b"&amp;", b"#", b"?a=b&", b"//", b"\n", "é".encode()))
    tag = draw.choice((b"a", b"img", b"link rel=alternate", b"meta name=description", b"html", b"p", b"base"))
    return _inserted(draw, page, b"<" + tag + b" " + name + b'="' + _times(unit, size) + b'">x')


def entities(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    unit = b"".join(draw.choice(ENTITIES) for _entity in range(draw.randint(1, 4)))
    return _inserted(draw, page, _times(unit, size if draw.random() < 0.5 else 1))


def signs(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    """Floods of combining, invisible, joining and turning characters."""
    unit = "".join(draw.choice(SIGNS) for _sign in range(draw.randint(1, 3))) + draw.choice(("", "", "a", " "))
    return _inserted(draw, page, _times(unit.encode(), size))


def no_spaces(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    unit = draw.choice(
        ("a", "ab1", "的", "0", "1.", "A.b", "...", "a-", "ア", "ก", "x'", "@a.b", "1,", "_", "a/", "Ωω")
    )
    return _inserted(draw, page, b"<p>" + _times(unit.encode(), size))


def many_sentences(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    unit = draw.choice(("A. ", "No. 1 ", "Is it? ", "。", "a! ", "e.g. ", "1) ", "\n", "M. X. ", "«a» ", "A B. c "))
    return _inserted(draw, page, b"<p>" + _times(unit.encode(), size))


def many_links(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    links = (
        b"<a href=/%d.html hreflang=%s>%d</a>" % (n, draw.choice((b"fr", b"x", b"")), n) for n in range(size // 40)
    )
    return _inserted(draw, page, b"".join(links))


def bad_links(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    bad = ("http://[", "//[::1", "http://a:99999999/", "http:///", "javascript:x", "\0", "http://\u2100.com", "?", "#",
           "http://%zz/", "data:,", "http://xn--a/", "HTTP://A/../..", "//", "http://a@b@c", "mailto:")  # fmt: skip
    tags = ('<a href="{}">x</a>', '<base href="{}">', '<link rel=alternate hreflang=fr href="{}">', '<img src="{}">',
            '<link rel=canonical href="{}">', '<meta http-equiv=refresh content="0;url={}">')  # fmt: skip
    unit = draw.choice(tags).format(draw.choice(bad)).encode()
    return _inserted(draw, page, _times(unit, size if draw.random() < 0.3 else 1))


def languages(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    tag = draw.choice(
        ("", "x", "en-" * 50, "zh-Hant-x-a", "\u202e", "a" * 400, "und", "i-klingon", "*", "fr\0", "é", "-")
    )
    unit = draw.choice(('<p lang="{}">', '<html lang="{}">', '<a hreflang="{}" href=b>c</a>', '<div xml:lang="{}">'))
    return _inserted(draw, page, _times(unit.format(tag).encode(), size if draw.random() < 0.3 else 1))


def table(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    cell = draw.choice((b"<td>1", b"<td colspan=99999999 rowspan=99999999>1", b"<th>a</th>", b"<table><tr><td>"))
    row = b"<tr>" + cell * draw.randint(1, 20)
    return _inserted(draw, page, b"<table>" + _times(row, size))


def unclosed(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    start = draw.choice((b"<!--", b"<![CDATA[", b"<!DOCTYPE ", b"<?xml ", b'<a title="', b"<a href='", b"<!", b"</"))
    return _inserted(draw, page, _times(start, size if draw.random() < 0.5 else 1))


def raw_text(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    tag = draw.choice(RAW)
    near = draw.choice((b"</" + tag, b"</" + tag[:-1], b"<!--<script>", b"<script", b"</script ", b"<" + tag + b">"))
    return _inserted(draw, page, b"<" + tag + b">" + _times(near, size if draw.random() < 0.5 else 1))


def foreign(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    """SVG, MathML and templates within one another, where parsers change their rules."""
    parts = (b"<svg>", b"<math>", b"<template>", b"<foreignObject>", b"<annotation-xml encoding=text/html>", b"<desc>",
             b"<mtext>", b"<mglyph>", b"<title>", b"<style>", b"</svg>", b"</math>", b"<p>", b"<table>")  # fmt: skip
    unit = b"".join(draw.choice(parts) for _part in range(draw.randint(2, 8)))
    return _inserted(draw, page, _times(unit, size if draw.random() < 0.5 else 1))


def nul_bytes(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    if draw.random() < 0.3:
        return page.replace(b" ", b"\0")
    return _inserted(draw, page, _times(draw.choice((b"\0", b"\0<", b"a\0", b"\x0c", b"\x1b$B")), size))


def charset_lie(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    return _inserted(draw, page[:0], f'<meta charset="{draw.choice(CHARSETS)}">'.encode()) + page


def recode(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    codec = draw.choice(("utf-16", "utf-16-be", "utf-32", "utf-7", "shift_jis", "gb18030", "cp037", "iso2022_jp", "hz"))
    return page.decode("utf-8", "replace").encode(codec, "ignore")


def escape_text(draw: random.Random, page: bytes, _: Sequence[bytes], __: int) -> bytes:
    return _inserted(draw, page, html.escape(page.decode("utf-8", "replace")).encode("utf-8", "replace"))


def newlines(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    if draw.random() < 0.5:
        return page.replace(b"\n", b"\r")
    return _inserted(draw, page, _times(draw.choice((b"\n", b" ", b"\t", b"\r\n", b"<br>", b"&nbsp;", b"<wbr>")), size))


def noise(draw: random.Random, page: bytes, _: Sequence[bytes], size: int) -> bytes:
    return _inserted(draw, page, draw.randbytes(size))


MUTATIONS: tuple[Mutation, ...] = (
    flip_bytes, flip_bits, truncate, behead, splice, cut_out, repeat_piece, swap_pieces, break_markup, break_flood,
    nest_one, nest_many, close_flood, formatting_flood, attributes, long_attribute, entities, signs, no_spaces,
    many_sentences, many_links, bad_links, languages, table, unclosed, raw_text, foreign, nul_bytes, charset_lie,
    recode, escape_text, newlines, noise,
)  # fmt: skip


def mutated(draw: random.Random, page: bytes, others: Sequence[bytes], size: int) -> tuple[bytes, str]:
    """A page spoilt in one to four ways, and their names; ``size``: bytes that a flood adds."""
    chosen = draw.choices(MUTATIONS, k=draw.choice((1, 1, 2, 3, 4)))
    for mutation in chosen:
        page = mutation(draw, page, others, size)
    return page, "+".join(mutation.__name__ for mutation in chosen)


def content_type(draw: random.Random) -> str:
    """What the server says of a page: mostly the truth, else a charset that is none or another."""
    if draw.random() < 0.6:
        return "text/html; charset=utf-8"
    return draw.choice(("", "text/html", f"text/html; charset={draw.choice(CHARSETS)}", "text/html; charset=\x00"))
