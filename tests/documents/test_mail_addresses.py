"""Addresses of mail hidden by Cloudflare are read; what hides no address stays as it is."""

import pytest

from linearised import block_texts


def hidden(value: str) -> str:
    span = f"<span class=__cf_email__ data-cfemail={value}>[email&#160;protected]</span>"
    return f"<p>Write to <a href='/cdn-cgi/l/email-protection#00'>{span}</a> now"


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("5435143620", "a@bt"),  # 0x54 ^ 0x35 is 0x61, "a"
        ("5435143620".upper(), "a@bt"),
        ("5435723614312c35392438317a3b2633", "a&b@example.org"),
        ("2042e39c524f604558414d504c450e4f5247", "büro@example.org"),
    ],
)
def test_a_hidden_address_is_read(value: str, address: str) -> None:
    assert block_texts(hidden(value)) == [f"Write to {address} now"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("543514362", "odd number of digits"),
        ("54351436xy", "no digits"),
        ("54", "a key alone"),
        ("204e4f0041444452455353", "no address"),
        ("2041601c421e", "a@<b>"),
        ("2041602a42", "a line feed"),
        ("2041dc6042", "not UTF-8"),
    ],
)
def test_bad_digits_change_nothing(value: str, why: str) -> None:
    assert block_texts(hidden(value)) == ["Write to [email protected] now"], why


def test_a_link_that_is_itself_hidden() -> None:
    link = "<a href=/cdn-cgi/l/email-protection class=__cf_email__ data-cfemail=5435143620>[email&#160;protected]</a>"
    assert block_texts(f"<p>{link}, 12 Road") == ["a@bt, 12 Road"]
