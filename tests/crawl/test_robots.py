"""Verdicts of RFC 9309, delays, sitemaps, and files made to tire a parser."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from robots_verdicts import VERDICTS

from diglot.crawl.rules import ROBOTS_MAX_BYTES, Verdict, read_robots, robot_name

SITE = "https://a.example"


@pytest.mark.parametrize(("shown", "robots", "agent", "allowed", "forbidden"), VERDICTS, ids=[v[0] for v in VERDICTS])
def test_verdicts(shown: str, robots: bytes, agent: str, allowed: str, forbidden: str) -> None:
    rules = read_robots(robots)
    assert [path for path in allowed.split() if not rules.verdict(SITE + path, agent).allowed] == []
    assert [path for path in forbidden.split() if rules.verdict(SITE + path, agent).allowed] == []


def test_there_are_verdicts_enough() -> None:
    assert sum(len(f"{allowed} {forbidden}".split()) for *_, allowed, forbidden in VERDICTS) >= 120


def test_a_verdict_names_its_line() -> None:
    rules = read_robots(b"# ours\nUser-agent: *\nDisallow: /a\nAllow: /a/b # but\n")
    assert rules.verdict(SITE + "/a/b/c", "x") == Verdict(True, "line 4, Allow: /a/b")
    assert rules.verdict(SITE + "/a/c", "x") == Verdict(False, "line 3, Disallow: /a")
    assert rules.verdict(SITE + "/c", "x") == Verdict(True)
    escaped = read_robots(b"User-agent: *\nDisallow: /\x1b[31m").verdict(SITE + "/%1B[31m", "x")
    assert not escaped.allowed
    assert re.fullmatch("[ -~]+", escaped.line)


def test_delay_is_that_of_our_group_the_longest_asked_for() -> None:
    rules = read_robots(
        b"User-agent: x\nCrawl-delay: 30\nDisallow:\n\nUser-agent: diglot\nCrawl-delay: 2.5\nDisallow: /a\n"
        b"User-agent: *\nCrawl-delay: 10\nDisallow: /b\nUser-agent: diglot\ncrawl-delay:4"
    )
    assert rules.delay_s("Diglot/1.0") == 4.0
    assert rules.delay_s("other") == 10.0
    assert rules.delay_s("x") == 30.0


@pytest.mark.parametrize("value", [b"soon", b"-5", b"nan", b"inf", b"", b"1e9"])
def test_a_delay_that_is_no_number_of_seconds(value: bytes) -> None:
    assert read_robots(b"User-agent: *\nCrawl-delay: " + value).delay_s("x") in (0.0, 1.0)


def test_sitemaps_belong_to_nobody() -> None:
    rules = read_robots(
        b"Sitemap: https://a.example/1.xml\nUser-agent: x\nSITEMAP:/2.xml\nsitemap: https://a.example/1.xml\n"
    )
    assert rules.sitemaps == ("https://a.example/1.xml", "/2.xml")


def test_500_kib_are_read_and_a_line_cut_there_is_not() -> None:
    head = b"User-agent: *\nDisallow: /last\n"
    filler = b"#" * (ROBOTS_MAX_BYTES - len(head) - len(b"\nDisallow: /") - 1) + b"\n"
    rules = read_robots(b"User-agent: *\n" + filler + b"Disallow: /last\nDisallow: /cut/here\n")
    assert not rules.verdict(SITE + "/last", "x").allowed
    assert rules.verdict(SITE + "/other", "x").allowed


def test_hostile_files_take_no_time() -> None:
    hostile = [
        b"User-agent: *\nDisallow: /" + b"*a" * 200_000 + b"$",
        b"User-agent: *\n" + b"Disallow: /a*b*c*d$\n" * 20_000,
        b"".join(b"User-agent: a%d\n" % n for n in range(15_000)) + b"Disallow: /a\nCrawl-delay: 2\n" * 10_000,
        b"a:x" + b" " * 400_000 + b"y",
        b"\n" * 500_000,
    ]
    began = time.process_time()
    for robots in hostile:
        rules = read_robots(robots)
        assert rules.verdict(SITE + "/" + "ab" * 2000, "x").allowed
    assert time.process_time() - began < 10


@given(
    rules=st.lists(st.tuples(st.booleans(), st.text("ab/*.", max_size=6)), max_size=6),
    path=st.text("ab/.", max_size=8),
)
def test_as_protego_on_what_both_read_alike(rules: list[tuple[bool, str]], path: str) -> None:
    text = "User-agent: *\n" + "".join(f"{'Allow' if allow else 'Disallow'}: /{rest}\n" for allow, rest in rules)
    assert read_robots(text.encode()).verdict(f"{SITE}/{path}", "x").allowed == Protego.parse(text).can_fetch(
        f"{SITE}/{path}", "x"
    )


@given(body=st.binary(max_size=300), url=st.text(max_size=30))
def test_no_bytes_are_too_much(body: bytes, url: str) -> None:
    rules = read_robots(body)
    assert rules.verdict("https://a.example/" + url.replace("[", ""), "x").allowed in (True, False)
    assert rules.delay_s("x") >= 0


def test_robot_names() -> None:
    assert robot_name("Diglot/1.0 (+https://a.example)") == "diglot"
    assert robot_name("  My-Bot_2.0 x") == "my-bot_2.0"
    assert robot_name("") == ""


def test_a_delay_is_for_the_names_before_it() -> None:
    robots = read_robots(b"User-agent: a\nCrawl-delay: 5\nUser-agent: b\nCrawl-delay: 3\nUser-agent: c\nDisallow: /x\n")
    assert [robots.delay_s(name) for name in "abc"] == [5.0, 3.0, 0.0]


@pytest.mark.parametrize(("more", "allowed"), [(0, False), (1, True)])
def test_the_last_line_counts_of_a_file_of_just_the_size_that_is_read(more: int, allowed: bool) -> None:
    """A longer file is cut, and its last line may be half a path."""
    rule = b"Disallow: /private"
    head = b"User-agent: *\n"
    filling = b"#" * (ROBOTS_MAX_BYTES - len(head) - len(rule) - 1) + b"\n"
    robots = read_robots(head + filling + rule + b"x" * more)
    assert ROBOTS_MAX_BYTES == 512_000
    assert robots.verdict("https://a.example/private", "Diglot").allowed is allowed
