"""Cutting markup into pieces: what no parser would serialise is got over too, and nothing outside is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.documents.html.gaps import find_gaps
from diglot.documents.html.pieces import TEXT_PIECE, Elements, cut_pieces, find_elements, fold_chunks
from diglot.documents.html.tags import ATTRIBUTES, SLOTS, TAGS, end_code, start_code

SCRAPS = ["<", ">", "</", "<!--", "-->", "--", "<?", "?>", " ", '="', '"', "=", "/", "a", "img", " href", " src", "é"]


def cut(markup: str) -> list[tuple[int, str]]:
    data = markup.encode()
    pieces = cut_pieces(np.frombuffer(data, np.uint8))
    spans = zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)
    return [(code, data[i:j].decode()) for code, (i, j) in zip(pieces.codes.tolist(), spans, strict=True)]


def elements(markup: str) -> Elements:
    data = np.frombuffer(markup.encode(), np.uint8)
    return find_elements(data, cut_pieces(data))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<p a="1" b>x</p>', [(start_code("p"), ' a="1" b'), (TEXT_PIECE, "x"), (end_code("p"), "")]),
        ("<!-- <p> --><b>", [(start_code("b"), "")]),
        ("<!----><b>", [(start_code("b"), "")]),
        ("<?x <p?><b>", [(start_code("b"), "")]),
        ('<b c=">">', [(start_code("b"), ' c=">"')]),
        ("<figcaption><blockquotes><x-y><hé>", [(start_code(n), "") for n in ("figcaption", *["unknown"] * 3)]),
        ("a<", [(TEXT_PIECE, "a")]),
        ("<b", [(TEXT_PIECE, "b")]),
        ("<!-- a", [(TEXT_PIECE, "!-- a")]),
        ("<b c=d>e", [(TEXT_PIECE, "b c=d>e")]),
        ('<b c="d', [(TEXT_PIECE, 'b c="d')]),
        ("< b>", [(TEXT_PIECE, " b>")]),
        ("", []),
    ],
)
def test_pieces(markup: str, expected: list[tuple[int, str]]) -> None:
    assert cut(markup) == expected


def test_every_name_is_known() -> None:
    for name in TAGS[:-1]:
        assert cut(f"<{name}></{name}>") == [(start_code(name), ""), (end_code(name), "")], name
        assert cut(f"<{name}x>") in ([(start_code("unknown"), "")], [(start_code(f"{name}x"), "")]), name


def test_values_of_attributes() -> None:
    markup = '<p href="0"><a class="b" hreflang="fr" href="x y"></a><img alt="" src="é"><link href rel="r">'
    found = elements(markup)
    assert found.codes.tolist() == [start_code("a"), end_code("a"), start_code("img"), start_code("link")]
    values = [[markup.encode()[i:j].decode() if i >= 0 else None for i, j in row] for row in found.values.tolist()]
    assert values == [["x y", "fr", None, None], [None] * 4, ["é", "", None, None], [None, None, "r", None]]
    assert found.values.shape == (4, SLOTS, 2)
    assert list(ATTRIBUTES) == sorted(set(ATTRIBUTES))


@given(st.lists(st.sampled_from(SCRAPS), max_size=30).map("".join) | st.text(max_size=20))
def test_any_markup_is_cut_within_its_bounds(markup: str) -> None:
    data = np.frombuffer(markup.encode("utf-8", "replace"), np.uint8)
    pieces = cut_pieces(data)
    assert (pieces.starts <= pieces.ends).all()
    assert (pieces.starts[1:] >= pieces.ends[:-1]).all()
    assert ((pieces.starts >= 0) & (pieces.ends <= len(data))).all()
    values = find_elements(data, pieces).values
    assert ((values[..., 0] <= values[..., 1]) & (values[..., 1] <= len(data))).all()
    chunks = fold_chunks(data, pieces, find_gaps(data.tobytes(), pieces))
    assert chunks.offsets[-1] == len(chunks.text) <= len(data)
    assert (np.diff(chunks.before) >= 0).all()
    assert "  " not in bytes(chunks.text[: chunks.offsets[1] if len(chunks.offsets) > 1 else 0]).decode()
