"""Notes on a language without a page: what the site tells of its versions in the language."""

from __future__ import annotations

from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from loopback import page_handler, running

from diglot.errors import NothingFound
from diglot.harvesting import harvest
from diglot.outputs.missing_versions import _versions
from diglot.outputs.sampled_pages import SampledPage
from made_sites import SENTENCES

COOKIE = (
    "no page is in French (fr). Pages link to {site}set/fr as their version in fr, and the server leads on from there "
    "(302 to /1). Sites that keep the language in a cookie do so; a crawl sends no cookies, and a browser shows its "
    "cookies after a click on that link. Fetch the site once for each language, into a folder of its own, for example "
    "`wget -r --no-cookies --header 'Cookie: NAME=VALUE' -P site/fr {site}`; then "
    "`diglot harvest site --base-url {site} -l ...`"
)
HEADER = (
    "no page is in French (fr). The server says that it chooses the language by the header Accept-Language, which a "
    "crawl does not send. Fetch the site once for each language, into a folder of its own, for example "
    "`wget -r --header 'Accept-Language: fr' -P site/fr {site}`; then `diglot harvest site --base-url {site} -l ...`"
)
ELSEWHERE = "`diglot languages SOURCE` shows what is there. If pages in French were"


def english_page(number: int, links: str) -> bytes:
    text = "".join(f"<p>{sentence} {number}</p>" for sentence in SENTENCES["en"])
    return f'<html lang="en"><a href="/1">1</a> <a href="/2">2</a> {links}{text}</html>'.encode()


@pytest.mark.parametrize(
    ("links", "instead", "said"),
    [
        ('<a href="/set/en">EN</a> <a href="/set/fr">Français</a>', {"/set/fr": (302, {"Location": "/1"})}, COOKIE),
        ("", {"/1": (200, {"Vary": "Accept-Encoding, Accept-Language"})}, HEADER),
        # A link to a third language tells nothing, nor what a page behind the start says.
        pytest.param(
            '<a href="/set/de">Deutsch</a>',
            {"/2": (200, {"Vary": "Accept-Language"})},
            ELSEWHERE,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_site_with_one_address_for_all_languages_says_so(
    tmp_path: Path, links: str, instead: dict[str, tuple[int, dict[str, str]]], said: str
) -> None:
    pages = {f"/{number}": english_page(number, links) for number in (1, 2)}
    server = ThreadingHTTPServer(("127.0.0.1", 0), page_handler(pages.get, instead))
    site = f"http://127.0.0.1:{server.server_port}/"
    crawl: Any = {"delay_s": 0.0, "allow_hosts": (f"127.0.0.1:{server.server_port}",)}
    with running(server), pytest.raises(NothingFound) as found:
        harvest(f"{site}1", "en,fr", tmp_path / "run", crawl=crawl, jobs=1)
    notes = [note for note in found.value.summary["notes"] if note.startswith("no page is in French (fr). ")]
    assert len(notes) == 1
    assert said.format(site=site) in notes[0]


@pytest.mark.parametrize(
    ("anchor", "hreflang", "is_version"),
    [
        ("", "zh-TW", True),
        ("", "zh", True),
        ("中文", "", True),
        ("中文", "x-default", True),
        ("", "zh-CN", False),
        ("中文", "zh-CN", False),
    ],
)
def test_a_version_is_in_the_script_that_its_code_names(anchor: str, hreflang: str, is_version: bool) -> None:
    page = SampledPage(["x"], 0.0, [(anchor, hreflang, "/2")])
    assert _versions(page, "zh-Hant") == ["/2"] * is_version


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ('<a href="/1?lang=fr">FR</a>', "https://a.example/1?lang=fr as their version in fr, which the source "),
        # Of several addresses the shortest, mostly the first page of a version.
        (
            '<a href="/2.html" hreflang="fr">2</a><a href="/fr/2" hreflang="fr">2</a>',
            "https://a.example/fr/2 as their version in fr, which the source does not have; fetch that version, too",
        ),
        (
            '<a href="/2.html">français</a>',
            "/2.html as their version in fr, and the page there was taken for English (en)",
        ),
        (
            '<a href="/fr/">français</a>',
            "/fr/ as their version in fr, and the page https://a.example/fr/index.html was taken for English (en). If",
        ),
        ('<a href="/2">français</a>', "/2 as their version in fr, and the page https://a.example/2.html was taken for"),
        ('<a href="/fr/index.htm">fr</a>', "/fr/index.htm as their version in fr, and the page https://a.example/fr/"),
        ('<a href="/fr/3">fr</a>', "/fr/3 as their version in fr, which the source does not have"),
        ('<a href="/note.txt">fr</a>', "and the page there was left out: neither HTML nor a document that"),
    ],
)
def test_a_version_that_the_source_lacks_is_named(tmp_path: Path, links: str, said: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for number in (1, 2):
        (site / f"{number}.html").write_bytes(english_page(number, links))
    (site / "fr").mkdir()
    (site / "fr" / "index.html").write_bytes(english_page(3, links))
    (site / "note.txt").write_text("A note.")
    with pytest.raises(NothingFound) as found:
        harvest(site, "en,fr", tmp_path / "run", base_url="https://a.example", jobs=1)
    assert said in found.value.summary["notes"][0]
