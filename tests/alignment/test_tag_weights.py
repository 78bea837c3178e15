"""TagAligner's weights: the published set and what a user's file may get wrong."""

import math
from pathlib import Path

import pytest

from diglot.alignment.tags.weights import PUBLISHED, load_weights
from diglot.errors import RecipeError

GOOD = """
unit = "words"
[categories]
structural = ["p", "div", "h1"]
format = ["b"]
[insert]
structural = 1
format = 0.75
text = 0.02
[delete]
structural = 1.5
format = 0.7
text = 0.03
[substitute]
structural-structural = 1.5
structural-format = inf
format-format = 0.4
text-text = 0.01
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "weights.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file(tmp_path: Path) -> None:
    weights = load_weights(written(tmp_path, GOOD))
    assert weights.unit == "words"
    assert weights.classes == ("format", "structural")
    assert weights.categories == {"p": "structural", "div": "structural", "h1": "structural", "b": "format"}
    assert weights.insert["text"] == 0.02
    assert weights.delete == {"structural": 1.5, "format": 0.7, "text": 0.03}
    assert weights.substitute["format", "structural"] == math.inf


def test_the_published_set() -> None:
    assert PUBLISHED.classes == ("content", "format", "structural")
    assert PUBLISHED.insert == PUBLISHED.delete
    assert PUBLISHED.insert == {"structural": 1, "format": 0.75, "content": 1.25, "text": 0.01}
    assert PUBLISHED.substitute["format", "structural"] == 1.75
    assert all(cost == math.inf for pair, cost in PUBLISHED.substitute.items() if "content" in pair)
    assert PUBLISHED.unit == "characters"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"words"', '"bytes"', "unit"),
        ("[delete]", "[remove]", "remove"),
        ("[insert]\n", "[insert]\nsemantic = 1\n", "'semantic' names no class"),
        ("format = 0.75\n", "", "[insert] has no weight for 'format'"),
        ("structural-format = inf\n", "", "[substitute] has no weight for 'format-structural'"),
        ("text = 0.02", "text = -0.02", "[insert] text = -0.02"),
        ("text = 0.03", "text = inf", "[delete] text = inf"),
        ("format = 0.7\n", "format = nan\n", "[delete] format = nan"),
        ("format = 0.7\n", "format = true\n", "[delete] format = True"),
        ("format-format = 0.4", 'format-format = "low"', "'low'"),
        ("text-text = 0.01", "text-text = 0.01\nformat-structural = 1", "twice"),
        ('["b"]', '["b", "p"]', "'p' stands in 'structural' and in 'format'"),
        ('["b"]', '["bold"]', "'bold' is not a tag"),
        ('format = ["b"]', 'text = ["b"]', "'text' cannot name a class"),
        ('["b"]', '"b"', "list of tag names"),
        ("unit =", "unit ", "not TOML"),
    ],
)
def test_a_bad_file_is_told_what_is_wrong(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(RecipeError) as error:
        load_weights(path)
    assert told in str(error.value)
    assert "weights.toml" in str(error.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"absent\.toml"):
        load_weights(tmp_path / "absent.toml")
    with pytest.raises(RecipeError, match="cannot be read"):
        load_weights(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecipeError, match="not TOML"):
        load_weights(tmp_path / "binary.toml")
