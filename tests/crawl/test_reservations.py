"""Reservations of mining (TDMRep) and robots directives, wherever they are said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.crawl.rules import Reservation, TdmRule, page_reservation, read_tdmrep, site_reservation

# The example of the report, 6.1: mining reserved in one folder and with a policy in another, free elsewhere.
WELL_KNOWN_FILE = json.dumps(
    [
        {"location": "/directory-a/", "tdm-reservation": 1, "tdm-policy": "https://provider.example/policies/p.json"},
        {"location": "/directory-b/html/*.jpg$", "tdm-reservation": 1},
        {"location": "/directory-b/html/", "tdm-reservation": 0},
        {"location": "*", "tdm-reservation": 1},
    ]
).encode()


@pytest.mark.parametrize(
    ("path", "reserved", "policy"),
    [
        ("/directory-a/x.html", True, "https://provider.example/policies/p.json"),
        ("/directory-b/html/a.html", False, ""),
        ("/directory-b/html/a.jpg", True, ""),
        ("/directory-b/html/a.jpg?x=1", False, ""),
        ("/", True, ""),
    ],
)
def test_well_known_file(path: str, reserved: bool, policy: str) -> None:
    rule = site_reservation(read_tdmrep(WELL_KNOWN_FILE), f"https://a.example{path}")
    assert rule is not None
    assert (rule.reserved, rule.policy) == (reserved, policy)


def test_an_address_that_no_rule_is_for() -> None:
    assert site_reservation([TdmRule("/a/", True)], "https://a.example/b") is None


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[1, null, {}]", b"\xff", b"<html>", b"[" * 100_000, b'[{"location": 5, "tdm-reservation": 1}]'],
)
def test_files_that_say_nothing(body: bytes) -> None:
    assert read_tdmrep(body) == []


@pytest.mark.parametrize(
    ("fields", "metas", "expected"),
    [
        ([], [], Reservation()),
        ([("TDM-Reservation", "1")], [], Reservation(tdm=True)),
        ([("tdm-reservation", "0")], [], Reservation(tdm=False)),
        ([("tdm-reservation", "1"), ("tdm-policy", "https://a.example/p")], [],
         Reservation(tdm=True, tdm_policy="https://a.example/p")),
        ([], [("TDM-reservation", " 1 ")], Reservation(tdm=True)),
        ([("tdm-reservation", "1")], [("tdm-reservation", "0")], Reservation(tdm=False)),
        ([("tdm-reservation", "0")], [("tdm-reservation", "1")], Reservation(tdm=True)),
        ([("tdm-reservation", "yes")], [], Reservation(tdm=False)),
        ([], [("robots", "NOINDEX, nofollow")], Reservation(noindex=True, nofollow=True)),
        ([], [("robots", "none")], Reservation(noindex=True, nofollow=True)),
        ([], [("robots", "index,follow"), ("robots", "noindex")], Reservation(noindex=True)),
        ([], [("diglot", "nofollow")], Reservation(nofollow=True)),
        ([], [("googlebot", "noindex")], Reservation()),
        ([("X-Robots-Tag", "noindex")], [], Reservation(noindex=True)),
        ([("X-Robots-Tag", "diglot: noindex, nofollow")], [], Reservation(noindex=True, nofollow=True)),
        ([("X-Robots-Tag", "otherbot: noindex")], [], Reservation()),
        ([("X-Robots-Tag", "otherbot: nofollow, diglot: noindex")], [], Reservation(noindex=True)),
        ([("X-Robots-Tag", "diglot: noindex, otherbot: nofollow")], [], Reservation(noindex=True)),
        ([("X-Robots-Tag", "otherbot: noindex, nofollow")], [], Reservation()),
        ([("X-Robots-Tag", "noindex, otherbot: nofollow")], [], Reservation(noindex=True)),
        ([("X-Robots-Tag", "otherbot: noarchive, noindex,Diglot :nofollow,max-snippet: 0,noindex")], [],
         Reservation(noindex=True, nofollow=True)),
        ([("X-Robots-Tag", "otherbot: max-snippet: 0, unavailable_after: Tue, 25 Jun 2030 15:00:00 PST, noindex")], [],
         Reservation()),
        ([("X-Robots-Tag", "otherbot: noindex"), ("X-Robots-Tag", "nofollow")], [], Reservation(nofollow=True)),
        ([("X-Robots-Tag", "unavailable_after: Tue, 25 Jun 2030 15:00:00 PST, noindex")], [],
         Reservation(noindex=True)),
        ([("X-Robots-Tag", "unavailable_after: 25 Jun 2030 15:00:00 PST, noindex")], [], Reservation(noindex=True)),
        ([("X-Robots-Tag", "noarchive"), ("x-robots-tag", "nofollow")], [], Reservation(nofollow=True)),
        ([("X-Robots-Tag", "noindexing")], [], Reservation()),
    ],
)  # fmt: skip
def test_what_a_page_asks_for(
    fields: list[tuple[str, str]], metas: list[tuple[str, str]], expected: Reservation
) -> None:
    assert page_reservation(fields, metas, "diglot") == expected


def test_the_page_goes_before_the_site() -> None:
    reserved = TdmRule("/", True, "https://a.example/p")
    assert page_reservation([], [], "x", reserved) == Reservation(tdm=True, tdm_policy="https://a.example/p")
    assert page_reservation([("tdm-reservation", "0")], [], "x", reserved) == Reservation(tdm=False)


KEYS = st.sampled_from(["location", "tdm-reservation", "tdm-policy"])
SCALARS = st.none() | st.booleans() | st.integers(-1, 2) | st.text(max_size=5)


@given(rules=st.lists(st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=2)) | SCALARS, max_size=4))
def test_no_json_is_too_much(rules: list[object]) -> None:
    for rule in read_tdmrep(json.dumps(rules).encode()):
        rule.matches("/a/b")
