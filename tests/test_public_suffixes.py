"""Registered names, as tldextract finds them by the same list."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tldextract import TLDExtract

from diglot import public_suffixes
from diglot.public_suffixes import UNLISTED_PLATFORMS, _rules, registered_name


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("www.example.org", "example.org"),
        ("example.org.", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("co.uk", ""),
        ("localhost", ""),
        ("", ""),
        ("...", ""),
        ("1.2.3.4", ""),
        ("::1", ""),
        ("a.b.c.ck", "b.c.ck"),  # *.ck
        ("c.ck", ""),
        ("www.ck", "www.ck"),  # !www.ck
        ("a.www.ck", "www.ck"),
        ("例え。テスト。みんな", "テスト.みんな"),
        ("xn--r8jz45g.xn--q9jyb4c", "xn--r8jz45g.xn--q9jyb4c"),
        ("xn--.com", "xn--.com"),
        ("no.such-suffix", ""),
    ],
)
def test_names_by_hand(host: str, name: str) -> None:
    assert registered_name(host, platforms=True) == name
    assert registered_name(host.upper(), platforms=True).lower() == name


@pytest.mark.parametrize("platforms", [False, True])
def test_every_rule_gives_the_names_of_tldextract(platforms: bool) -> None:
    listed = TLDExtract(
        suffix_list_urls=(),
        cache_dir=None,
        include_psl_private_domains=platforms,
        extra_suffixes=UNLISTED_PLATFORMS if platforms else (),
    )
    assert {*_rules(platforms).rules} == {*listed.tlds}
    assert len(listed.tlds) > 5_000
    for rule in listed.tlds:
        # Both below wildcards and beside them.
        plain = rule.lstrip("*.!")
        for host in (plain, rule.replace("*", "a").lstrip("!"), f"b.{plain}", f"c.b.a.{rule}"):
            assert registered_name(host, platforms=platforms) == listed(host).top_domain_under_public_suffix, host


def test_neither_tldextract_nor_requests_is_loaded() -> None:
    program = "import sys; from diglot.site import registered_domain as of; assert of('http://a.b.org/') == 'b.org'"
    program += "; print(*{'tldextract', 'requests', 'urllib3'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "\n"


@pytest.mark.parametrize("platforms", [False, True])
def test_a_list_that_is_kept_elsewhere_is_asked_for(platforms: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = public_suffixes._read_list(platforms)
    monkeypatch.setattr(public_suffixes, "_SNAPSHOT", "elsewhere")
    assert public_suffixes._read_list(platforms) == listed
    assert len(listed) > 5_000
