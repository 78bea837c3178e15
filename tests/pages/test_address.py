"""One spelling for all addresses that are equal by RFC 3986, and one key for the variants of an address."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diglot.pages.address import address_key, is_web_address, normalise_address


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        # The example of RFC 3986, 6.2.2, with a scheme of the web.
        ("HTTP://EXAMPLE.com/a/./b/../b/%63/%7bfoo%7d", "http://example.com/a/b/c/%7Bfoo%7D"),
        ("http://a.example/%75rl", "http://a.example/url"),
        ("http://a.example/x%2Ehtml", "http://a.example/x.html"),
        ("http://a.example/%c3%a9?q=%c3%a9", "http://a.example/%C3%A9?q=%C3%A9"),
        ("http://a.example/é", "http://a.example/%C3%A9"),
        ("http://a.example/%7Euser/%2d%5F", "http://a.example/~user/-_"),
        ("http://a.example", "http://a.example/"),
        ("http://a.example:80", "http://a.example/"),
        ("https://a.example:443/x", "https://a.example/x"),
        ("http://a.example:/x", "http://a.example/x"),
        ("http://a.example:0080/x", "http://a.example/x"),
        ("https://a.example:80/x", "https://a.example:80/x"),
        ("http://a.example?q=/../b", "http://a.example/?q=/../b"),
        ("http://a.example/x?", "http://a.example/x"),
        ("http://a.example/a/..", "http://a.example/"),
        ("http://a.example/a/b/.", "http://a.example/a/b/"),
        ("http://a.example/../../x", "http://a.example/x"),
        ("http://a.example/a//../x", "http://a.example/a/x"),
        ("http://a.example/a/%2e%2E/x", "http://a.example/x"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        # 253 and 254 characters: no name of a host is longer.
        (f"http://ü.{'a.' * 122}example/", f"http://xn--tda.{'a.' * 122}example/"),
        (f"http://üü.{'a.' * 122}example/", f"http://%C3%BC%C3%BC.{'a.' * 122}example/"),
        ("<http://a.example/x#top>", "http://a.example/x"),
        # Reserved characters say something else when they are escaped.
        ("http://a.example/a%2Fb%3fc%26", "http://a.example/a%2Fb%3Fc%26"),
        ("http://a.example/%2575rl", "http://a.example/%2575rl"),
        ("http://a.example/100%", "http://a.example/100%25"),
        ("http://a.example/%%375", "http://a.example/%2575"),
        ("http://a.example/A/.well-known/..x", "http://a.example/A/.well-known/..x"),
        ("http://a.example/%E9", "http://a.example/%E9"),
        # For the address guard to judge as written.
        ("http://Anna@A.example:80/x", "http://Anna@A.example:80/x"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("http://%31.example/x", "http://%31.example/x"),
        ("http://a.example:99999/%75", "http://a.example:99999/%75"),
        ("http://[::1/", "http://[::1/"),
        ("docs/%75rl.html", "docs/%75rl.html"),
        ("mailto:a@a.example", "mailto:a@a.example"),
    ],
)
def test_an_address_has_one_normal_form(text: str, normal: str) -> None:
    assert normalise_address(text) == normal


ADDRESSES = st.builds(
    "{}://{}{}/{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["a.example", "A.Example", "b_c.example"]),
    st.sampled_from(["", ":80", ":443", ":8080"]),
    st.text(st.sampled_from([*string.ascii_letters, *"/.%?&=;~-_é#2eEfF5"]), max_size=30),
)


@given(ADDRESSES)
@example("http://a.example/%2")
@example("http://a.example/%%375")
@example("http://a.example/?")
def test_the_normal_form_is_a_fixed_point_and_ascii(text: str) -> None:
    normal = normalise_address(text)
    assert is_web_address(normal)
    assert normal.isascii()
    assert normalise_address(normal) == normal


UNRESERVED = string.ascii_letters + string.digits + "-._~"


@given(st.text(st.sampled_from(UNRESERVED), min_size=1, max_size=12), st.data())
def test_escapes_of_unreserved_characters_say_nothing(name: str, data: st.DataObject) -> None:
    escaped = "".join(
        data.draw(st.sampled_from([char, f"%{ord(char):02x}", f"%{ord(char):02X}"]), label=char) for char in name
    )
    assert normalise_address(f"http://a.example/x{escaped}") == f"http://a.example/x{name}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://a.example/x?a=1&b=2", "http://A.example/x?b=2&a=1"),
        ("https://a.example/x?id=1", "https://a.example/x?id=1&PHPSESSID=77&utm_source=mail&fbclid=Xy"),
        ("https://a.example/x", "https://a.example/x;jsessionid=0A1B2C"),
        ("https://a.example/x", "https://a.example/x?sid=8f14e45fceea167a5a36dedd4bea2543"),
        ("https://a.example/x?c=red", "https://a.example/x?c=red&c=red"),
        ("https://a.example/page.aspx", "https://a.example/(S(lit3py55t21z5v55vlm25s55))/page.aspx"),
        ("https://a.example", "https://a.example/"),
    ],
)
def test_one_page_under_two_addresses(first: str, second: str) -> None:
    assert address_key(first) == address_key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://a.example/x?id=1", "https://a.example/x?id=2"),
        ("https://a.example/x?lang=en", "https://a.example/x?lang=fr"),
        ("https://a.example/x?sid=12", "https://a.example/x?sid=13"),
        ("https://a.example/x?key=about", "https://a.example/x?key=contact"),
        ("https://a.example/x?a=", "https://a.example/x"),
        ("https://a.example/x", "https://b.example/x"),
        ("https://a.example/8f14e45fceea167a", "https://a.example/9f14e45fceea167a"),
    ],
)
def test_two_pages(first: str, second: str) -> None:
    assert address_key(first) != address_key(second)


def test_each_escape_has_one_form() -> None:
    for first in string.hexdigits:
        for second in string.hexdigits:
            char = chr(int(first + second, 16))
            expected = char if char in UNRESERVED else f"%{first}{second}".upper()
            assert normalise_address(f"http://a.example/b%{first}{second}c?%{first}{second}") == (
                f"http://a.example/b{expected}c?{expected}"
            )
