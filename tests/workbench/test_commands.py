"""What people type and tick becomes words of a command, and nothing that they did not mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.crawl import options as options_of_a_crawl
from diglot.errors import UsageError
from diglot.workbench import commands
from diglot.workbench.commands import (
    Pairs,
    full_address,
    harvest_words,
    option_words,
    other_scheme,
    pairs_of,
    plain_message,
    update_words,
)


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("www.example.org", "https://www.example.org"),
        (" example.org/fr/ ", "https://example.org/fr/"),
        ("http://example.org", "http://example.org"),
        ("127.0.0.1:8000", "https://127.0.0.1:8000"),
    ],
)
def test_an_address_as_people_type_it(typed: str, address: str) -> None:
    assert full_address(typed) == address


@pytest.mark.parametrize(
    "typed",
    [
        *("", "  ", "file:///etc/passwd", "ftp://example.org", "https://", "http://[", "//"),
        *("not an address", "C:\\sites\\x.html", "www.exa mple.org", '"www.example.org"'),
    ],
)
def test_what_is_no_address(typed: str) -> None:
    with pytest.raises(UsageError):
        full_address(typed)


@pytest.mark.parametrize("typed", ["ann@example.org", " mailto:ann@example.org"])
def test_a_mail_address_is_no_website(typed: str) -> None:
    with pytest.raises(UsageError, match=r"ann@example\.org is a mail address; paste the address of a website"):
        full_address(typed)


def test_a_typed_scheme_is_meant() -> None:
    assert other_scheme("example.org") == "http://example.org"
    assert other_scheme("https://example.org") == ""


def test_pairs_with_one_language_in_common_have_a_pivot() -> None:
    assert pairs_of([["en", "fr"]], ["en", "fr"]) == Pairs(("en", "fr"), "")
    assert pairs_of([["en", "de"], ["en", "fr"]], ["en", "fr", "de"]) == Pairs(("en", "fr", "de"), "en")
    assert pairs_of([["en", "de"], ["en", "fr"], ["fr", "de"]], ["en"]) == Pairs(("en", "de", "fr"), "")


@pytest.mark.parametrize("ticked", [None, [], [["en"]], [["en", "en"]], [["en", "--out"]], ["en"], [["en", 3]], {}])
def test_what_is_no_pair(ticked: object) -> None:
    with pytest.raises(UsageError):
        pairs_of(ticked, [])


def test_a_switch_has_no_value() -> None:
    assert option_words({"split_pages": "yes", "max_pages": "5"}) == ["--split-pages", "--max-pages=5"]
    assert option_words({"split_pages": ""}) == []


def test_a_value_is_never_an_option() -> None:
    words = harvest_words(
        ["https://a.example"], Pairs(("en", "fr"), ""), Path("/r"), {"include": "--overwrite"}, ["h:1"]
    )
    assert words == [
        *("harvest", "-l", "en,fr", "-o", "/r", "--json"),
        *("--include=--overwrite", "--allow-host=h:1", "--", "https://a.example"),
    ]


@pytest.mark.parametrize("options", [{"overwrite": "1"}, {"proxy": "x"}, {"include": "a\nb"}, {"agent": "x" * 301}])
def test_other_options_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        option_words(options)


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ({"agent": "Jörg (mailto:j@example.org)"}, "Your name and contact: "),
        ({"max_time": "soon"}, "Time at most: "),
        ({"max_time": "30"}, "Time at most: "),
        ({"base_url": "example.org"}, "Address that the pages come from: "),
        ({"max_pages": "501"}, "Above 500 pages, "),
        ({"max_pages": "501", "agent": "Ann"}, "Above 500 pages, "),
        ({"max_pages": "9" * 5_000}, "Above 500 pages, "),
    ],
)
def test_what_the_harvest_would_refuse_is_said_in_the_form(options: dict[str, str], begins: str) -> None:
    with pytest.raises(UsageError) as refused:
        harvest_words(["https://a.example"], Pairs(("en", "fr"), ""), Path("/r"), options, [])
    assert str(refused.value).startswith(begins)
    assert str(refused.value).endswith(".")


def test_what_the_harvest_takes_is_taken() -> None:
    options = {
        "agent": "Ann (mailto:ann@example.org)",
        "max_time": "1.5h",
        "max_pages": "501",
        "base_url": "http://a/b",
    }
    words = option_words(options)
    assert words == [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    assert harvest_words(["a"], Pairs(("en", "fr"), ""), Path("/r"), options, [])[-2:] == ["--", "a"]
    assert commands.PAGES_WITHOUT_CONTACT == options_of_a_crawl.PAGES_WITHOUT_CONTACT


def test_an_update_takes_a_limit_and_a_contact_and_says_its_progress() -> None:
    options = {"max_pages": "501", "agent": "Ann (mailto:ann@example.org)"}
    words = ["update", "/r", "--json", "--max-pages=501", "--agent=Ann (mailto:ann@example.org)", "--believe"]
    assert update_words(Path("/r"), options, [], believe=True) == words
    assert update_words(Path("/r"), {"max_pages": "501"}, ["h:1"], believe=False)[3:] == ["--max-pages=501"]


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ({"delay": "0"}, "an update has no option delay"),
        ({"max_pages": "501"}, "Above 500 pages, "),
        ({"agent": "Jörg"}, "Your name and contact: "),
    ],
)
def test_what_an_update_would_refuse_is_said_in_the_form(options: dict[str, str], begins: str) -> None:
    with pytest.raises(UsageError) as refused:
        update_words(Path("/r"), options, [], believe=False)
    assert str(refused.value).startswith(begins)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        (
            "diglot: x.example: cannot be fetched: no such host; check the address",
            "x.example: cannot be fetched: no such host; check the address.",
        ),
        (
            "not connected to: loopback; --allow-host HOST:PORT lets one host through",
            "Not connected to: loopback; to let one host through, start the workbench by "
            "`diglot ui --allow-host HOST:PORT`.",
        ),
        ("r: holds a run; choose another folder, or say --overwrite", "r: holds a run."),
        ("http://127.0.0.1:8/: cannot be fetched", "http://127.0.0.1:8/: cannot be fetched."),
        ("a b\nand a funnel", "A b."),
        ("/home/ann/a b: 9 pages are gone; run `diglot update` again", "9 pages are gone."),
        ("3 pages are lost; where everything went:\npages 3", "3 pages are lost."),
        ("cut short; free memory and run the same command again", "Cut short; free memory, then go on."),
        ("a: no space left; free space, then the same command goes on", "a: no space left; free space, then go on."),
        (
            "stopped at --max-pages 20, with 5 addresses waiting; give more to fetch them; run `diglot harvest`",
            "Stopped at max pages 20, with 5 addresses waiting; give more to fetch them.",
        ),
        (
            "a and b differ in keep (x and y); both need the same; run `diglot clean b`",
            "A and b differ in keep (x and y); both need the same.",
        ),
        (
            "diglot: /home/ann/a b/pages: no HTML file and no document in this folder, and no archive; name another",
            "No page and no document can be read here; a file may be empty or damaged; save it again.",
        ),
        (
            "diglot: /home/ann/files/x/a.WARC.gz: neither WARC nor .lett, ARC, WACZ or a CDXJ index; "
            "for a single page name the folder it is in",
            "a.WARC.gz: neither WARC nor .lett, ARC, WACZ or a CDXJ index; it may be damaged, so fetch it again; "
            "drop a single page as .html.",
        ),
        ("/home/ann/a.wacz: the ZIP is cut; fetch it again", "a.wacz: the ZIP is cut; fetch it again."),
        ("/b.warc.zst: the file is empty; copy it again", "b.warc.zst: the file is empty; copy it again."),
        ("2 of 2 sources cannot be read:\na.warc: the file is empty", "2 of 2 sources cannot be read."),
        ("/home/a.warc/run: 9 pages are gone", "9 pages are gone."),
        ("the crawler died 3 times; the same command goes on from what is in r", "The crawler died 3 times."),
    ],
)
def test_advice_on_options_stays_out(said: str, plain: str) -> None:
    assert plain_message(said) == plain
