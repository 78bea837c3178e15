"""The model of languages as it is kept: the same numbers, made again where what is kept is of no use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from py3langid.modelio import load_model, save_model

from diglot.documents import identifier_model
from diglot.documents.automaton import pack
from diglot.documents.identifier_model import SOURCE, Model, read_model


def small_model(path: Path, seed: int) -> Path:
    """A model of 2 languages, 3 features and 5 states."""
    drawn = np.random.default_rng(seed)
    weights, prior = drawn.random((3, 2)).astype(np.float16), drawn.random(2).astype(np.float32)
    moves = drawn.integers(0, 5, 4 * 256)
    save_model(path, (weights, prior, ["ab", "cde"], moves, [0, 1, 2, 3, 0], [-1, 0, 1, 2, -1]))
    return path


def are_same(found: Model, expected: Model) -> bool:
    columns = ((*model[:3], *model.automaton) for model in (found, expected))
    return all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(*columns, strict=True))


def unpacked(source: Path) -> Model:
    weights, prior, languages, *moves = load_model(source)
    return Model(weights, prior, languages, pack(*moves))


@pytest.fixture
def keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled modules may be written."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


@pytest.mark.usefixtures("keeping")
def test_what_is_kept_is_the_model_that_ships(tmp_path: Path) -> None:
    kept, expected = tmp_path / "kept.arrow", unpacked(SOURCE)
    assert are_same(read_model(SOURCE, kept), expected)
    again = read_model(SOURCE, kept)
    assert are_same(again, expected)
    assert again.weights.dtype == expected.weights.dtype


@pytest.mark.usefixtures("keeping")
def test_the_file_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, kept = small_model(tmp_path / "model", 1), tmp_path / "kept.arrow"
    expected = read_model(source, kept)
    monkeypatch.delattr(identifier_model, "load_model")
    assert are_same(read_model(source, kept), expected)


@pytest.mark.usefixtures("keeping")
def test_a_copy_with_other_columns_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the version before left one."""
    source, kept = small_model(tmp_path / "model", 1), tmp_path / "kept.arrow"
    expected = read_model(source, kept)
    with monkeypatch.context() as before:
        before.setattr(identifier_model, "_COLUMNS", tuple(f"old {name}" for name in identifier_model._COLUMNS))
        read_model(source, kept)
    assert are_same(read_model(source, kept), expected)


@pytest.mark.usefixtures("keeping")
def test_another_file_or_a_damaged_copy_is_unpacked_anew(tmp_path: Path) -> None:
    source, kept = small_model(tmp_path / "model", 1), tmp_path / "kept.arrow"
    read_model(source, kept)
    small_model(source, 2)
    os.utime(source, ns=(1, 1))
    assert are_same(read_model(source, kept), unpacked(source))
    whole = kept.read_bytes()
    for content in (b"", b"ARROW1", whole[: len(whole) // 2]):
        kept.write_bytes(content)
        assert are_same(read_model(source, kept), unpacked(source))
        assert kept.read_bytes() == whole


def test_nothing_is_kept_where_python_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = small_model(tmp_path / "model", 1)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    read_model(source, tmp_path / "kept.arrow")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").write_text("no folder")
    assert are_same(read_model(source, tmp_path / "file" / "kept.arrow"), unpacked(source))
    assert not (tmp_path / "kept.arrow").exists()
