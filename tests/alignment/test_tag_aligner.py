"""LibTagAligner: cases worked by hand with the published weights, the band against a full matrix, large pages."""

import math
import random
import time

import numpy as np
import pytest

from diglot.alignment import tags as tag_aligner
from diglot.alignment.beads import Bead, format_bead
from diglot.alignment.tags import (
    PUBLISHED,
    DocumentView,
    TagStream,
    TagWeights,
    align_documents,
    tag_stream,
    token_alignment,
)
from diglot.documents.html.tags import TAG_CLASSES, end_code, start_code


def page(*parts: str, blocks: list[int] | None = None) -> DocumentView:
    """A page of "<p>", "</p>" and texts; ``blocks``: chunks a block, one each where not given."""
    tokens, chunks = [], []
    for part in parts:
        if part.startswith("</"):
            tokens.append(end_code(part[2:-1]))
        elif part.startswith("<"):
            tokens.append(start_code(part[1:-1]))
        else:
            tokens.append(len(part))
            chunks.append(part)
    ends = np.cumsum(blocks if blocks is not None else [1] * len(chunks))
    return DocumentView(np.array(tokens, np.int32), chunks, ends.astype(np.int32), np.zeros(len(ends), np.int8))


def cost(src: DocumentView, tgt: DocumentView) -> float:
    return token_alignment(tag_stream(src), tag_stream(tgt))[0]


def ladder(beads: list[Bead]) -> list[str]:
    return [format_bead(bead) for bead in beads]


def test_renamed_paragraph_by_hand() -> None:
    src = page("<p>", "x" * 100, "</p>", "<h1>", "y" * 20, "</h1>")
    tgt = page("<div>", "x" * 110, "</div>", "<h1>", "y" * 20, "</h1>")
    # <p> -> <div> 1.5, text 0.01 * |100 - 110| = 0.1, </p> -> </div> 1.5, the heading 0
    assert cost(src, tgt) == pytest.approx(3.1)
    beads = align_documents(src, tgt)
    assert ladder(beads) == ["[0]:[0]", "[1]:[1]"]
    # ratio 130 / 120: common length min(100, 110 / 1.0833) of 100 and 101.54
    assert beads[0].score == pytest.approx(2 * 100 / (100 + 110 * 120 / 130))


def test_dropped_bold_by_hand() -> None:
    src = page("<p>", "x" * 50, "<b>", "y" * 10, "</b>", "z" * 40, "</p>", blocks=[3])
    tgt = page("<p>", "w" * 105, "</p>")
    # delete <b> and </b> 0.75 each; match 50 with 105: 0.55; delete the texts of 10 and 40: 0.5
    assert cost(src, tgt) == pytest.approx(1.5 + 0.55 + 0.5)
    assert ladder(align_documents(src, tgt)) == ["[0]:[0]"]


def test_content_tags_stand_only_for_themselves() -> None:
    assert cost(page("<img>"), page("<p>")) == pytest.approx(1.25 + 1)
    assert cost(page("<img>"), page("<input>")) == pytest.approx(2.5)
    assert cost(page("<img>"), page("<img>")) == 0
    assert cost(page("<b>"), page("<p>")) == pytest.approx(1.75)  # equal to delete + insert: 0.75 + 1
    assert cost(page("<b>"), page("<i>")) == pytest.approx(0.4)


def test_a_tag_never_stands_for_a_text() -> None:
    assert cost(page("<p>"), page("abc")) == pytest.approx(1.03)


def test_irrelevant_tags_join_the_texts_beside_them() -> None:
    view = page("one ", "<a>", "two", "</a>", "<p>", "three", "<br>")
    stream = tag_stream(view)
    assert TAG_CLASSES["a"] == "irrelevant"
    assert stream.codes.tolist() == [0, start_code("p"), 0]
    assert stream.lengths.tolist() == [7, 0, 5]
    assert stream.first_chunks.tolist() == [0, 2, 2]
    assert stream.end_chunks.tolist() == [2, 2, 3]


def test_lines_between_breaks_are_linked_by_length() -> None:
    src = page("x" * 100, "<br>", "y" * 20, "<br>", "z" * 60)
    tgt = page("x" * 102, "<br>", "y" * 21, "<br>", "z" * 58)
    assert ladder(align_documents(src, tgt)) == ["[0]:[0]", "[1]:[1]", "[2]:[2]"]


def test_a_block_more_stays_alone() -> None:
    both = ["<h1>", "x" * 30, "</h1>", "<p>", "y" * 90, "</p>"]
    src, tgt = page(*both, "<ul>", "n" * 9, "</ul>", *both), page(*both, *both)
    assert ladder(align_documents(src, tgt)) == ["[0]:[0]", "[1]:[1]", "[2]:[]", "[3]:[2]", "[4]:[3]"]
    assert ladder(align_documents(tgt, src)) == ["[0]:[0]", "[1]:[1]", "[]:[2]", "[2]:[3]", "[3]:[4]"]


def test_weights_without_a_class_of_tags() -> None:
    texts_only = TagWeights({}, {"text": 0.01}, {"text": 0.01}, {("text", "text"): 0.01})
    src, tgt = page("<p>", "a" * 10, "<b>", "b" * 10), page("<p>", "c" * 25)
    assert token_alignment(tag_stream(src, texts_only), tag_stream(tgt, texts_only), texts_only)[0] == 0.05
    assert ladder(align_documents(src, tgt, texts_only)) == ["[0, 1]:[0]"]


def test_empty_pages() -> None:
    empty, one = page(), page("<p>", "text", "</p>")
    assert align_documents(empty, empty) == []
    assert ladder(align_documents(one, empty)) == ["[0]:[]"]
    assert ladder(align_documents(empty, one)) == ["[]:[0]"]


def least_cost(src: TagStream, tgt: TagStream) -> float:
    """Equations 6-9 over the full matrix, in plain Python."""
    names = PUBLISHED.classes

    def leave_out(stream: TagStream, k: int, weights: dict[str, float]) -> float:
        is_text = stream.classes[k] < 0
        return weights["text"] * stream.lengths[k] if is_text else weights[names[stream.classes[k]]]

    def change(i: int, j: int) -> float:
        k1, k2 = src.classes[i], tgt.classes[j]
        if (k1 < 0) != (k2 < 0):
            return math.inf
        if k1 < 0:
            return 0.01 * abs(src.lengths[i] - tgt.lengths[j])
        if src.codes[i] == tgt.codes[j]:
            return 0.0
        return PUBLISHED.substitute[tuple(sorted((names[k1], names[k2])))]  # type: ignore[index]

    best = {(0, 0): 0.0}
    for i in range(len(src.codes) + 1):
        for j in range(len(tgt.codes) + 1):
            ways = [best.get((i, j), math.inf)]
            if i:
                ways.append(best[i - 1, j] + leave_out(src, i - 1, dict(PUBLISHED.delete)))
            if j:
                ways.append(best[i, j - 1] + leave_out(tgt, j - 1, dict(PUBLISHED.insert)))
            if i and j:
                ways.append(best[i - 1, j - 1] + change(i - 1, j - 1))
            best[i, j] = min(ways)
    return best[len(src.codes), len(tgt.codes)]


def random_parts(rng: random.Random, size: int) -> list[str]:
    kinds = ["<p>", "</p>", "<div>", "<b>", "</b>", "<i>", "<img>", "<a>", "<li>"]
    return [rng.choice(kinds) if rng.random() < 0.6 else "x" * rng.randint(1, 200) for _ in range(size)]


def test_equals_the_full_matrix_on_random_pages() -> None:
    rng = random.Random(5)
    for _ in range(300):
        src, tgt = page(*random_parts(rng, rng.randint(0, 12))), page(*random_parts(rng, rng.randint(0, 12)))
        assert cost(src, tgt) == pytest.approx(least_cost(tag_stream(src), tag_stream(tgt)))
        beads = align_documents(src, tgt)
        assert [b for bead in beads for b in range(*bead.src)] == list(range(len(src.block_ends)))
        assert [b for bead in beads for b in range(*bead.tgt)] == list(range(len(tgt.block_ends)))
        assert all(0 <= bead.score <= 1 for bead in beads)
        assert all(max(bead.src[1] - bead.src[0], bead.tgt[1] - bead.tgt[0]) <= 3 for bead in beads)


def test_a_narrow_band_widens_to_the_full_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag_aligner, "narrow_width", lambda rows, columns: 4)
    rng = random.Random(11)
    for gap in (0, 10, 30):
        parts = random_parts(rng, 110)
        edited = [part if rng.random() < 0.95 else "<ul>" for part in parts[:20] + parts[20 + gap :]]
        src, tgt = page(*parts), page(*edited)
        assert cost(src, tgt) == pytest.approx(least_cost(tag_stream(src), tag_stream(tgt)))


def test_five_thousand_blocks_in_a_moment() -> None:
    rng = random.Random(1)
    parts: list[str] = []
    for _ in range(5_000):
        parts += ["<p>", "x" * rng.randint(20, 200), "</p>", "<hr>"]
    src, tgt = page(*parts), page(*parts[: 4 * 2_000], *parts[4 * 2_300 :])
    cost(page("a"), page("b"))  # compiles
    started = time.process_time()
    total, _ = token_alignment(tag_stream(src), tag_stream(tgt))
    assert time.process_time() - started < 8  # about 1 s
    # what is left out: 300 times <p>, </p>, <hr>, and the texts
    gone = sum(len(text) for text in parts[4 * 2_000 : 4 * 2_300] if text[0] != "<")
    assert total == pytest.approx(300 * 3 + 0.01 * gone)
    assert sum(bead.kind == "1-1" for bead in align_documents(src, tgt)) > 4_600


def test_views_must_fit_together() -> None:
    tokens = np.array([-1, 4, -2], np.int32)
    with pytest.raises(ValueError, match="1 text tokens, 0 chunks"):
        DocumentView(tokens, [], np.array([], np.int32), np.array([], np.int8))
    with pytest.raises(ValueError, match="1 blocks, 0 kinds"):
        DocumentView(tokens, ["text"], np.array([1], np.int32), np.array([], np.int8))


def test_the_published_set() -> None:
    assert PUBLISHED.classes == ("content", "format", "structural")
    assert PUBLISHED.insert == PUBLISHED.delete
    assert PUBLISHED.insert == {"structural": 1, "format": 0.75, "content": 1.25, "text": 0.01}
    assert PUBLISHED.substitute["format", "structural"] == 1.75
    assert all(cost == math.inf for pair, cost in PUBLISHED.substitute.items() if "content" in pair)
