"""Odd command lines and odd values of settings: never a traceback, always one of the exit codes that are told."""

from __future__ import annotations

import dataclasses
import math
import os
import random
import webbrowser
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_lines import ODD, commands, odd_lines, plain_line
from odd_place import made_place

from diglot.cli import main
from diglot.cli.looking import NO_HIT
from diglot.crawl.wire.address_guard import read_allow_hosts
from diglot.errors import UsageError
from diglot.recipes import RECIPES
from diglot.recipes.recipe import MAX_WHOLE_NUMBER, PerPair

LINES = int(os.environ.get("ODD_LINES", "100"))
"""`make odd-lines` tries 20,000."""
EXIT_CODES = {0, 2, 3}
NOT_AS_ASKED = NO_HIT
"""Nothing is found, or a file is not as it was written."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd_lines")
    return made_place(folder)


def test_odd_command_lines(
    place: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    seed = int(os.environ.get("ODD_SEED", "20261123"))
    for line in islice(odd_lines(place, random.Random(seed)), LINES):
        code = main(line)
        said = capfd.readouterr()
        assert code in EXIT_CODES or (code == NOT_AS_ASKED and {"search", "verify"} & {*line}), line
        assert "Traceback" not in said.err + said.out, line


def test_every_command_is_tried(place: Path) -> None:
    assert all(plain_line(name, place) for name in commands())


@pytest.mark.parametrize("port", ["0", "65536", "9" * 50, "9" * 5000, "-1", "x", "", "００８０"])
def test_ports_that_are_none(port: str) -> None:
    with pytest.raises(UsageError, match="is not HOST:PORT"):
        read_allow_hosts([f"127.0.0.1:{port}"])


numbers = st.one_of(st.integers(), st.integers(min_value=10**18, max_value=10**30), st.floats()).map(str)
odd_values = st.one_of(st.sampled_from(ODD), numbers, numbers.map("{}%".format), st.text(max_size=8))


@given(st.data())
def test_every_setting_takes_a_value_of_its_type_or_refuses_it(data: st.DataObject) -> None:
    recipe = RECIPES[data.draw(st.sampled_from(sorted(RECIPES)))]
    option = data.draw(st.sampled_from(dataclasses.fields(recipe.options)))
    text, usual = data.draw(odd_values), getattr(recipe.options, option.name)
    try:
        value = getattr(recipe.with_options({option.name: text}).options, option.name)
    except UsageError:
        return
    assert type(value) is type(usual)
    for number in [value.default, *dict(value.exceptions).values()] if isinstance(value, PerPair) else [value]:
        if isinstance(number, int):
            assert 0 <= number <= MAX_WHOLE_NUMBER
        elif isinstance(number, float):
            assert number >= 0
            assert math.isfinite(number) or text.strip().lower() in ("none", "off", "inf") or isinstance(value, PerPair)


@pytest.mark.parametrize(
    "text", ["1.5", str(10**22), "-1", "nan", "inf", "none", "50%", "1e3", "true", "", "٣", "9" * 5000]
)
def test_what_is_no_seed(text: str) -> None:
    with pytest.raises(UsageError, match="seed"):
        RECIPES["fused"].with_options({"seed": text})
    assert RECIPES["fused"].with_options({"seed": str(MAX_WHOLE_NUMBER)}).options.seed == MAX_WHOLE_NUMBER
