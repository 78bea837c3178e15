"""Which hosts are of a site, and how addresses are spelt."""

from __future__ import annotations

import pytest

from diglot.crawl.queue.site_scope import SiteScope


def _scope(start: str = "www.site.org", scheme: str = "https") -> SiteScope:
    scope = SiteScope(("en", "fr"))
    scope.admit(start, scheme)
    return scope


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://WWW.Site.org:443/a/../b?x=1#top", "https://www.site.org/b?x=1"),
        ("http://www.site.org", "https://www.site.org/"),
        ("https://www.site.org/é a", "https://www.site.org/%C3%A9%20a"),
        ("https://www.site.org/%7Ea/%c3%a9/%75rl%2E", "https://www.site.org/~a/%C3%A9/url."),
        ("http://other.org:8080/x", "http://other.org:8080/x"),
        ("mailto:a@site.org", ""),
        ("http://[::1/", ""),
        ("http://www.site.org:99999/", ""),
    ],
)
def test_an_address_has_one_spelling(url: str, canonical: str) -> None:
    assert _scope().canonical(url) == canonical


@pytest.mark.parametrize(
    ("host", "inside"),
    [
        ("www.site.org", True),
        ("site.org", True),
        ("fr.site.org", True),
        ("www.en.site.org", True),
        ("de.site.org", False),
        ("blog.site.org", False),
        ("site.fr", False),
        ("evilsite.org", False),
        ("www.site.org.evil.org", False),
    ],
)
def test_hosts_that_differ_by_a_wanted_language_belong(host: str, inside: bool) -> None:
    assert _scope().belongs(f"https://{host}/x") is inside


def test_globs_are_of_the_path_unless_they_hold_a_scheme() -> None:
    scope = SiteScope((), include=["/docs/*", "http://a.org/x*"], exclude=["*.php"])
    kept = ("http://a.org/docs/a", "http://a.org/xy", "http://b.org/xy", "http://b.org/docs/a.php")
    assert [scope.exclusion_reason(url) for url in kept] == ["", "", "not_included", "excluded"]
    assert SiteScope(()).exclusion_reason("http://a.org/a.PDF") == "not_html"
    assert SiteScope((), documents=True).exclusion_reason("http://a.org/a.PDF") == ""


@pytest.mark.parametrize(
    ("start", "host", "inside"),
    [
        ("alice.github.io", "bob.github.io", False),
        ("alice.github.io", "github.io", False),
        ("alice.github.io", "fr.alice.github.io", True),
        ("en.github.io", "fr.github.io", False),
        ("blog.wordpress.com", "www.wordpress.com", False),
    ],
)
def test_owners_on_a_platform_are_strangers(start: str, host: str, inside: bool) -> None:
    scope = _scope(start)
    assert scope.belongs(f"https://{host}/x") is inside
    assert not scope.same_name(f"https://{start}/", "https://bob.github.io/")
