"""Folders of HTML: which files are pages, and what address they get."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_warcs import drops_of, pages_of

from diglot.errors import SourceError
from diglot.pages import open_sources, read
from diglot.pages.address import is_web_address, normalise_address
from diglot.pages.folder import COMMENT_WITHIN_BYTES, file_address, host_address, mirrored_from, saved_from
from diglot.public_suffixes import is_host
from diglot.reasons import Reason
from diglot.records import Drop, Page

HTML = b"<html><body><p>text</p></body></html>"
MIRRORED = (
    b"<!DOCTYPE html>\n<html>\n"
    b"<!-- Mirrored from %s by HTTrack Website Copier/3.x [XR&CO'2014], Sat, 01 Jun 2024 12:00:00 GMT -->\n"
    b'<!-- Added by HTTrack --><meta http-equiv="content-type" content="text/html;charset=utf-8" />'
    b"<!-- /Added by HTTrack --><body>text</body></html>"
)
CHROME = b"<!DOCTYPE html>\n<!-- saved from url=(%04d)%s -->\n<html><body><p>text</p></body></html>"
BASE = "https://a.example"


def fill(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def read_all(root: Path, base_url: str = BASE, max_page_bytes: int = 10_000) -> list[Page | Drop]:
    [source] = open_sources([str(root)], base_url=base_url)
    return list(read(source, max_page_bytes=max_page_bytes))


@pytest.mark.parametrize("least", [0, 1, 500])
def test_a_limit_below_the_bytes_that_tell_html(least: int, tmp_path: Path) -> None:
    limit = len(HTML) + least
    files = {
        "fits.html": HTML,
        "long.html": HTML + bytes(5000),
        "just.html": HTML.ljust(limit),
        "over.html": HTML.ljust(limit + 1),
    }
    found = read_all(fill(tmp_path / "site", files), max_page_bytes=limit)
    told = {each.url.rpartition("/")[2]: each.reason if isinstance(each, Drop) else "" for each in found}
    assert told == {"fits.html": "", "just.html": "", "long.html": Reason.TOO_LARGE, "over.html": Reason.TOO_LARGE}


def test_addresses_are_base_and_path(tmp_path: Path) -> None:
    names = ["b/index.html", "a b.html", "100%.html", "é.htm", "x#y?z.php", "b/c/d.jsp", "plain"]
    found = read_all(fill(tmp_path / "site", dict.fromkeys(names, HTML)), "https://a.example/docs/")
    assert [page.url.removeprefix("https://a.example/docs/") for page in found] == [
        "100%25.html",
        "a%20b.html",
        "plain",
        "x%23y%3Fz.php",
        "%C3%A9.htm",
        "b/index.html",
        "b/c/d.jsp",
    ]
    first = found[0]
    assert isinstance(first, Page)
    assert (first.body, first.source, first.fetched, first.content_type) == (HTML, "site/100%.html", "", "")


@pytest.mark.parametrize("base", ["https://a.example", "https://a.example/"])
def test_a_base_without_path(base: str) -> None:
    assert file_address(base, "fr/index.html") == "https://a.example/fr/index.html"


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    with open(os.path.join(os.fsencode(fill(tmp_path, {"a.html": HTML})), b"\xe9.html"), "wb") as file:
        file.write(HTML)
    last = read_all(tmp_path)[-1]
    assert isinstance(last, Page)
    assert last.url == "https://a.example/%E9.html"
    assert last.source.encode("utf-8").endswith("/\ufffd.html".encode())


@pytest.mark.parametrize(
    ("stated", "address"),
    [
        (b"www.a.example/fr/page.php?id=3&l=fr", "http://www.a.example/fr/page.php?id=3&l=fr"),
        (b"https://a.example/", "https://a.example/"),
        (b"a.example/go.php?to=http://b.example/", "http://a.example/go.php?to=http://b.example/"),
        (b"a.example/caf\xe9", "http://a.example/caf%C3%A9"),
        (b"a.example/caf%E9", "http://a.example/caf%E9"),
        (b"file:///etc/passwd", ""),
    ],
)
def test_httrack_comments(stated: bytes, address: str) -> None:
    assert mirrored_from(MIRRORED % stated) == address


def test_a_mirror_needs_no_base(tmp_path: Path) -> None:
    files = {"a.example/fr.html": MIRRORED % b"a.example/?l=fr", "index.html": HTML}
    found = read_all(fill(tmp_path, files), "")
    assert list(pages_of(found)) == ["http://a.example/?l=fr"]
    assert [(drop.url, drop.reason) for drop in drops_of(found)] == [
        (f"{tmp_path.name}/index.html@0", Reason.NO_ADDRESS)
    ]


def test_the_comment_goes_before_the_base(tmp_path: Path) -> None:
    files = {"fr.html": MIRRORED % b"a.example/?l=fr", "index.html": HTML}
    assert list(pages_of(read_all(fill(tmp_path, files)))) == [
        "http://a.example/?l=fr",
        "https://a.example/index.html",
    ]


def saved(address: bytes) -> bytes:
    return CHROME % (len(address), address)


@pytest.mark.parametrize(
    "form",
    [
        b"<!DOCTYPE html>\n<!-- saved from url=(0023)%s -->\n<html><p>text",  # Chrome and Edge
        b"\n<!-- saved from url=(0023)%s -->\n<html><p>text",  # a page without doctype
        b"<!-- saved from url=(0023)%s -->\r\n<!DOCTYPE html>\r\n<html><p>text",  # Internet Explorer
        b"<!DOCTYPE html> <html lang=fr><!--\n Page saved with SingleFile \n url: %s \n saved date: Thu--><p>text",
        b"<!DOCTYPE html> <html><!--\n Archive processed by SingleFile \n url: %s \n saved date: Thu--><p>text",
        # saved again from the disk
        b"<!DOCTYPE html><!-- saved from url=(0015)file:///C:/a.html -->\n<!-- saved from url=(0023)%s --><html>",
    ],
)
def test_comments_of_browsers(form: bytes, tmp_path: Path) -> None:
    root = fill(tmp_path, {"Le village.html": form % b"https://a.example/fr?x=1&y"})
    assert list(pages_of(read_all(root, ""))) == ["https://a.example/fr?x=1&y"]


@pytest.mark.parametrize(
    ("stated", "address"),
    [
        (b"https://a.example", "https://a.example/"),
        (b"https://A.example/a/../fr#/top", "https://a.example/fr"),
        # Chrome escapes every second hyphen
        (b"http://www.xn-%2D8wvw7t.com/a-%2D-b", "http://www.xn--8wvw7t.com/a---b"),
        (b"https://a.example/caf\xe9", "https://a.example/caf%C3%A9"),
        (b"https://a.example/caf%C3%A9", "https://a.example/caf%C3%A9"),
        (b"https://a.example/#-->", "https://a.example/"),
        (b"file:///C:/a.html", ""),
        (b"about:internet", ""),
        (b"index.html", ""),
        (b"https://", ""),
        (b"", ""),
    ],
)
def test_addresses_in_the_comment_of_a_browser(stated: bytes, address: str) -> None:
    assert saved_from(saved(stated)) == address


@pytest.mark.parametrize(("blanks", "address"), [(0, "https://a.example/fr"), (1, "")])
def test_no_comment_is_cut(blanks: int, address: str) -> None:
    comment = saved(b"https://a.example/fr").partition(b"-->")[0]
    assert saved_from(comment.rjust(COMMENT_WITHIN_BYTES + blanks)) == address


def test_base_and_folder_and_httrack_go_before_the_comment_of_a_browser(tmp_path: Path) -> None:
    page = saved(b"https://b.example/template")
    root = fill(tmp_path, {"www.a.org/x.html": page, "www.a.org/y.html": page + MIRRORED % b"a.example/?l=fr"})
    assert list(pages_of(read_all(root))) == ["https://a.example/www.a.org/x.html", "http://a.example/?l=fr"]
    assert list(pages_of(read_all(root, ""))) == ["https://www.a.org/x.html", "http://a.example/?l=fr"]


PDF = b"%PDF-1.4\n1 0 obj <</Type/Catalog>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"


def test_documents_of_a_mirror_have_addresses_like_its_pages(tmp_path: Path) -> None:
    pages = {
        "index.html": MIRRORED % b"a.example/",
        "fr/b.html": MIRRORED % b"a.example/fr/b",
        "x.html": MIRRORED % b"b.example/y",
    }
    root = fill(tmp_path, pages | {"0 files/a b.pdf": PDF, "fr/c.html": HTML})
    found = read_all(root, "")
    assert "http://a.example/0%20files/a%20b.pdf" in pages_of(found)
    assert [drop.source for drop in drops_of(found)] == [f"{tmp_path.name}/fr/c.html"]


@pytest.mark.parametrize(
    ("file", "stated", "address"),
    [
        # A copy of en/a.html, made to be translated.
        ("ar/a.html", b"a.example/en/a", "http://a.example/ar/a.html"),
        # Pages of a former host in the same folder.
        ("fr/b.html", b"old.example/fr/b", "http://a.example/fr/b"),
        # A name that HTTrack made for a query, and a comment that no page at home has.
        ("index4b3c.html", b"a.example/?l=fr", "http://a.example/?l=fr"),
        ("c.html", b"a.example/en/c", "http://a.example/en/c"),
    ],
)
def test_the_address_of_a_page_in_a_mirror_that_somebody_worked_on(
    tmp_path: Path, file: str, stated: bytes, address: str
) -> None:
    files = {"en/a.html": b"a.example/en/a", "en/index.html": b"a.example/en/", file: stated}
    link = b'<a href="%s">' % os.path.relpath(file, "en").encode()
    root = fill(tmp_path, {name: MIRRORED % url + link for name, url in files.items()})
    pages = pages_of(read_all(root, ""))
    assert set(pages) == {"http://a.example/en/a", "http://a.example/en/", address}
    assert address.encode() in pages["http://a.example/en/a"]


def test_documents_of_a_mirror_whose_pages_have_other_names_have_no_address(tmp_path: Path) -> None:
    root = fill(tmp_path, {"a.html": MIRRORED % b"a.example/?id=3", "b.pdf": PDF})
    assert [drop.reason for drop in drops_of(read_all(root, ""))] == [Reason.NO_ADDRESS]


def test_most_pages_of_a_folder_tell_their_addresses(tmp_path: Path) -> None:
    root = fill(tmp_path, {f"{n}.html": saved(b"https://a.example/%d" % n) for n in range(2)} | {"c.html": HTML})
    found = read_all(root, "")
    assert list(pages_of(found)) == ["https://a.example/0", "https://a.example/1"]
    assert [(drop.url, drop.reason) for drop in drops_of(found)] == [(f"{tmp_path.name}/c.html@0", Reason.NO_ADDRESS)]
    fill(root, {"d.pdf": b"%PDF-1.4"})
    with pytest.raises(SourceError, match="no comment of a browser in most"):
        open_sources([str(root)])


def test_one_address_does_not_tell_several_pages(tmp_path: Path) -> None:
    template = saved(b"https://themes.example/demo")
    root = fill(tmp_path, dict.fromkeys(["a.html", "b.html", "c.html"], template))
    with pytest.raises(SourceError, match="do not say where they come from"):
        open_sources([str(root)])
    fill(root, {f"{n}.html": saved(b"https://a.example/%d" % n) for n in range(4)})
    # A page that was saved three times is read three times; the run keeps one.
    assert [page.url for page in read_all(root, "")][-3:] == ["https://themes.example/demo"] * 3


def test_frames_of_a_saved_page_are_no_pages(tmp_path: Path) -> None:
    frame = saved(b"https://ads.example/frame")
    frames = ["Le village_files/saved_resource(1).html", "Le village_files/a/b.html", "x/fr_files/c.html"]
    bare = [f"Le village_files/{n}.html" for n in range(4)]
    root = fill(
        tmp_path,
        {
            "Le village.html": saved(b"https://a.example/fr"),
            "x/fr.htm": saved(b"https://a.example/en"),
            # no page beside it
            "my_files/page.html": saved(b"https://a.example/my"),
            **dict.fromkeys(frames, frame),
            **dict.fromkeys(bare, HTML),
            "Le village_files/style.css": b"p {}",
            "Le village_files/script.js.download": b"var x = 1",
        },
    )
    found = read_all(root, "")
    assert sorted(pages_of(found)) == ["https://a.example/en", "https://a.example/fr", "https://a.example/my"]
    framed = [drop.url.removeprefix(f"{tmp_path.name}/") for drop in drops_of(found) if "frame" in drop.detail]
    assert sorted(framed) == sorted(f"{name}@0" for name in [*frames, *bare])
    # With a base all HTML files are pages, as in any folder.
    assert len(pages_of(read_all(root))) == 10


def test_what_is_no_page_says_why(tmp_path: Path) -> None:
    root = fill(
        tmp_path / "site",
        {
            "a.html": HTML,
            "b.png": b"\x89PNG",
            "c.html": b"\x89PNG\r\n",
            "d": b"no markup",
            "e.html": b"",
            "f.html": b"<p>" + b"x" * 10_000,
            "sub/x": HTML,
        },
    )
    secret = fill(tmp_path, {"secret.html": b"<html>secret</html>"}) / "secret.html"
    (root / "g.html").symlink_to(secret)
    (root / "h").symlink_to(tmp_path)
    (root / "i").symlink_to(root / "sub")
    (root / "j.html").symlink_to(root / "j.html")
    (root / "k.html").symlink_to(root / "a.html")
    os.mkfifo(root / "l.html")
    found = read_all(root)
    assert {drop.url.removeprefix(BASE + "/"): drop.reason for drop in drops_of(found)} == {
        "b.png": Reason.NOT_HTML,
        "c.html": Reason.NOT_HTML,
        "d": Reason.NOT_HTML,
        "e.html": Reason.NO_TEXT,
        "f.html": Reason.TOO_LARGE,
        "g.html": Reason.UNREADABLE_FILE,
        "h": Reason.UNREADABLE_FILE,
        "i": Reason.UNREADABLE_FILE,
        "j.html": Reason.UNREADABLE_FILE,
        "l.html": Reason.UNREADABLE_FILE,
    }
    assert pages_of(found) == {f"{BASE}/{name}": HTML for name in ("a.html", "k.html", "sub/x")}
    assert open_sources([str(root)], base_url=BASE)[0].fingerprint()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no HTML file and no document in this folder"),
        ({"a.png": b"\x89PNG"}, "no HTML file and no document in this folder"),
        ({"www.a.example/index.html": HTML}, "give base_url=https://HOST/PATH, the address"),
        ({"docs.v2/index.html": HTML, "a.html": HTML}, "no folder named as a host"),
        ({"www.a.org/index.html": HTML, "fr/index.html": HTML}, "give base_url"),
        ({"www.a.org.html": HTML}, "give base_url"),
        (
            {"x/a.html": HTML, "x/b.html": b"<link rel=canonical href=https://a.org/docs/x/b.html>"},
            "base_url=https://a.org/docs,",
        ),
        ({"a.html": b"<meta property='og:url' content='https://a.org/other.html'>"}, "base_url=https://HOST/PATH,"),
        # Addresses without index.html or .html. The first page leads to the default language.
        (
            {
                "index.html": b"<link rel=canonical href=https://a.org/docs/fr/>",
                "fr/index.html": b"<link rel=canonical href=https://a.org/docs/fr/>",
                "fr/b.html": b"<link rel=canonical href=https://a.org/docs/fr/b>",
                "fr/c/index.html": b"<link rel=canonical href=https://a.org/docs/fr/c>",
            },
            "base_url=https://a.org/docs,",
        ),
        ({"index.html": b"<link rel=canonical href=https://https://a.org/x/>"}, "base_url=https://HOST/PATH,"),
        # Links with whole addresses lead to files of the folder.
        (
            {
                "index.html": b"<a href='https://a.org/docs/fr/'>fr</a> <a href=https://b.org/fr/index.html>b</a>",
                "fr/index.html": b"<a href=https://a.org/docs/fr/c%20d.html?x=1#y>c</a>",
                "fr/c d.html": b"<a href=https://a.org/docs/>a</a>",
            },
            "base_url=https://a.org/docs,",
        ),
        # A single file linked there is chance.
        (
            {"index.html": HTML, "fr/index.html": b"<a href=https://b.org/fr/>b</a> <a href=https://b.org/fr>b</a>"},
            "base_url=https://HOST/PATH,",
        ),
    ],
)
def test_folders_that_cannot_be_read(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    with pytest.raises(SourceError, match=message):
        open_sources([str(fill(tmp_path, files))])


def test_a_folder_named_as_a_host_is_what_to_try(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"give base_url=https://www\.a\.org, the"):
        open_sources([str(fill(tmp_path / "www.A.org", {"index.html": HTML}))])


def test_folders_named_as_hosts_tell_the_addresses(tmp_path: Path) -> None:
    names = [
        "www.a.org/index.html",
        "WWW.b.co.uk/fr/a b.html",
        "c.org:8080/p.php?id=3&to=a?b%20",
        "a.org/caf%C3%A9%.html",
    ]
    found = read_all(fill(tmp_path / "mirror", dict.fromkeys([*names, "index.html", "robots.txt"], HTML)), "")
    assert set(pages_of(found)) == {
        "https://www.a.org/index.html",
        "https://www.b.co.uk/fr/a%20b.html",
        "https://c.org:8080/p.php?id=3&to=a?b%20",
        "https://a.org/caf%C3%A9%25.html",
    }
    assert {(drop.url, drop.reason) for drop in drops_of(found)} == {
        ("mirror/index.html@0", Reason.NO_ADDRESS),
        ("mirror/robots.txt@0", Reason.NOT_HTML),
    }


def test_a_base_and_a_comment_go_before_the_name_of_a_folder(tmp_path: Path) -> None:
    root = fill(tmp_path, {"www.a.org/x.html": HTML, "www.a.org/y.html": MIRRORED % b"a.example/?l=fr"})
    assert list(pages_of(read_all(root))) == ["https://a.example/www.a.org/x.html", "http://a.example/?l=fr"]
    assert list(pages_of(read_all(root, ""))) == ["https://www.a.org/x.html", "http://a.example/?l=fr"]


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("www.example.org", True),
        ("example.co.uk", True),
        ("xn--bcher-kva.de", True),
        ("owner.github.io", True),
        ("example.org:8080", True),
        ("a_b.example.com", True),
        ("co.uk", False),
        ("org", False),
        ("docs.v2", False),
        ("1.2.3", False),
        ("2024.01", False),
        ("lib.d", False),
        (".org", False),
        ("a..org", False),
        ("a b.org", False),
        ("node_modules", False),
    ],
)
def test_names_of_hosts(name: str, is_one: bool) -> None:
    assert is_host(name) == is_one


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="/\x00"), min_size=1), min_size=1, max_size=3))
def test_any_name_below_a_host_gives_an_address(names: list[str]) -> None:
    address = host_address(f"www.a.org/{'/'.join(names)}")
    assert is_web_address(address)
    assert normalise_address(address) == address
    assert address.startswith("https://www.a.org/")


@pytest.mark.parametrize(("files", "is_run"), [(("journal.db", "run.lock"), True), (("journal.db",), False)])
def test_a_run_in_the_folder_that_it_reads_is_no_part_of_it(
    tmp_path: Path, files: tuple[str, ...], is_run: bool
) -> None:
    root = fill(tmp_path / "site", {"en.html": HTML})
    [before] = open_sources([str(root)], base_url=BASE)
    mark = before.fingerprint()
    fill(root / "run", {"report.html": HTML, "out/pages.html": HTML, **dict.fromkeys(files, b"")})
    [after] = open_sources([str(root)], base_url=BASE)
    assert (after.fingerprint() == mark) is is_run
    assert (set(pages_of(read_all(root))) == {f"{BASE}/en.html"}) is is_run
