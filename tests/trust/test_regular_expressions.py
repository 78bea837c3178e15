"""Regular expressions take time in proportion to a line, whatever stands in it."""

from __future__ import annotations

import pkgutil
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pattern_attacks import BOUNDED, MADE, Rule, attack_lines, inline_patterns, rules, run, worst

from diglot.corpus.flags.numbers import _MIXED_PART
from diglot.documents.html.refresh import refresh_target
from diglot.features.language_markers import _SEPARATORS_AT_BORDER, _SEPARATORS_BESIDE_DOT
from diglot.lexicons import _without_remarks

LENGTHS = (30, 300, 1500)
"""Short first: a rule whose time grows with a high power of the length is found before it takes for ever."""
ENOUGH_S = 0.002
LINES = 120
ALLOWED_S_A_CHAR = 1.5e-6
"""Ten times what the dearest linear rule takes, on a machine with other things to do; 1,500 squared costs 10 ms."""


@pytest.fixture(scope="module")
def all_rules() -> list[Rule]:
    """Found when they are tested: to look for them takes seconds, which every process of a test session would spend."""
    return rules()


@pytest.mark.slow
def test_time_in_proportion_to_the_line(all_rules: list[Rule]) -> None:
    too_dear = {}
    for rule in all_rules:
        for length in LENGTHS:
            enough_s = max(ENOUGH_S, ALLOWED_S_A_CHAR * length)
            taken_s, method, line = worst(rule, min(length, rule.longest or length), enough_s=enough_s, lines=LINES)
            if taken_s > enough_s:
                too_dear[rule.name] = (taken_s, method, line[:60], length)
                break
    assert not too_dear


def test_no_pattern_is_overlooked(all_rules: list[Rule]) -> None:
    assert inline_patterns() == set(MADE)
    assert len(all_rules) > 150


def test_each_cut_is_made_in_a_function_and_bounds_a_pattern(all_rules: list[Rule]) -> None:
    for begin, cut in BOUNDED.items():
        assert any(rule.name.startswith(begin) for rule in all_rules), begin
        if cut.place:
            assert callable(pkgutil.resolve_name(cut.place)), cut.place


@pytest.mark.parametrize("known_bad", [r"(?:^|[.!?])[\W_]*$", r"(\d+(?:[.,]\d+)?) ?([十百]+)", r"\s*\d*\s*x\s*y"])
def test_the_attack_finds_what_is_bad(known_bad: str) -> None:
    rule = Rule("bad", re.compile(known_bad), ("search",))
    assert any(worst(rule, length, enough_s=ENOUGH_S)[0] > ENOUGH_S for length in LENGTHS)


def test_lines_are_made_of_what_a_pattern_matches() -> None:
    lines = list(attack_lines(re.compile(r"(?:ab|[c-f]{2})+x"), 40))
    assert any(line.startswith("abab") for line in lines)
    assert any("cccc" in line for line in lines)
    assert run(Rule("", re.compile("a"), ()), "search", "b") < 1


# -- rules that were written anew match what they matched ------------------------------------------------

separated = st.text(alphabet="ab/_.-?&=:", max_size=30)
bracketed = st.text(alphabet="ab<>[](){} ", max_size=40)
counted = st.text(alphabet="10., 十万x", max_size=30)


@given(separated)
def test_separators_at_a_border(text: str) -> None:
    was = re.sub(r"[_.-]+(?=[/?&]|$)|(?<=[/?&=])[_.-]+|(?<=/)[_.-]+", "", text)
    assert _SEPARATORS_AT_BORDER.sub("", text) == was
    assert _SEPARATORS_BESIDE_DOT.sub("", text) == re.sub(r"[_-]+(?=\.)|(?<=\.)[_.-]+", "", text)


@given(bracketed)
def test_remarks_in_a_gloss(text: str) -> None:
    assert _without_remarks(text) == re.sub(r"<[^>]*>|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}", " ", text)


@given(counted)
def test_parts_of_a_mixed_number(text: str) -> None:
    assert _MIXED_PART.findall(text) == re.findall(r"(\d+(?:[.,]\d+)?) ?([十百千万亿億萬]+)", text)


@given(st.from_regex(r"\s*\d*[.]?\d*\s*[;,]?\s*(URL|url)\s*=\s*[\"']?\s*[a-z:/.]+", fullmatch=True))
def test_where_a_refresh_leads(content: str) -> None:
    was = re.compile(r"\s*\d*(?:\.\d*)?\s*[;,]?\s*(?:url\s*=\s*)?[\"']?\s*([^\"'\s]+)", re.IGNORECASE).fullmatch(
        content
    )
    assert was is not None
    assert refresh_target(content) == was[1]
