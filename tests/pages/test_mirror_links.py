"""Links of an HTTrack mirror, led back from files to addresses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from diglot.pages import open_sources, read
from diglot.pages.mirror_links import MirrorLinks
from diglot.records import Page

ADDRESSES = {
    "index.html": "http://a.example/",
    "index4b3c.html": "http://a.example/?lang=fr&id=3",
    "fr/à propos/index.html": "http://a.example/fr/%C3%A0-propos/",
    "fr/rock & roll.html": "http://a.example/fr/rock",
}


@pytest.mark.parametrize(
    ("written", "led_back"),
    [
        ('<a href="../../index.html">', '<a href="http://a.example/">'),
        ("<A HREF='index.html#top'>", "<A HREF='http://a.example/fr/%C3%A0-propos/#top'>"),
        ('<a href="../../index4b3c.html?lang=fr&amp;id=3">', '<a href="http://a.example/?lang=fr&amp;id=3">'),
        ('<a href="../%C3%A0%20propos/">', None),
        ('<link hreflang="fr" href="../%C3%A0%20propos/index.html" />', '<link hreflang="fr" href="ADDRESS" />'),
        ('<a class=x href="../rock%20&amp;%20roll.html">', '<a class=x href="http://a.example/fr/rock">'),
        ('<frame src="../../index.html">', '<frame src="http://a.example/">'),
        ('<a href="../index.html">', None),  # no page has this file
        ('<a href="../../../index.html">', None),
        ('<a href="photo.jpg">', None),
        ('<a href="http://b.example/index.html">', None),
        ('<a href="//b.example/index.html">', None),
        ('<a href="mailto:me@a.example">', None),
        ('<a href="#top">', None),
        ('<a href="">', None),
        ('<option value="index.html">', None),
        ("<p>href=index.html</p>", None),
    ],
)
def test_a_link_to_the_file_of_a_page_leads_to_its_address(written: str, led_back: str | None) -> None:
    expected = (led_back or written).replace("ADDRESS", ADDRESSES["fr/à propos/index.html"])
    found = MirrorLinks(ADDRESSES).lead_back(written.encode(), "fr/à propos/index.html")
    assert found.decode() == expected


def test_pages_of_a_mirror_name_each_other_by_address(tmp_path: Path) -> None:
    """A page before the other in the folder, and one behind it; a page without the comment keeps its links."""
    comment = b"<!-- Mirrored from %s by HTTrack Website Copier/3.x [XR&CO'2014], Sat, 01 Jun 2024 12:00:00 GMT -->"
    page = b"<html>" + comment + b"%s<p>text</p></html>"
    files = {
        "en/index.html": page % (b"a.example/en/", b'<a href="../fr/index.html">'),
        "fr/index.html": page % (b"a.example/fr/", b'<a href="../en/index.html">'),
        "other.html": b'<html><a href="en/index.html">to it</a></html>',
    }
    for name, body in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(body)
    [source] = open_sources([str(tmp_path)], base_url="http://b.example")
    links = {each.url: re.findall(rb'href="(.*?)"', each.body) for each in read(source) if isinstance(each, Page)}
    assert links == {
        "http://a.example/en/": [b"http://a.example/fr/"],
        "http://a.example/fr/": [b"http://a.example/en/"],
        "http://b.example/other.html": [b"en/index.html"],
    }
