"""Pages to segments, on pages linearised from HTML."""

import numpy as np
import pytest

from diglot.alignment.segmenting import is_whole
from diglot.alignment.segments import AlignedSegment, align_pair, group_segments, sentence_groups
from diglot.alignment.tags import DocumentView
from diglot.errors import RecipeError
from diglot.records import BlockKind
from linearised import linearise

ENGLISH = """<title>Our garden</title><h1>Our garden. A guide</h1>
<p>The garden is <b>large</b> and old. It was laid out by Dr. Smith in 1890.</p>
<p>You may visit it on weekdays.</p><ul><li>Trees. Old.</li><li>Flowers</li></ul>"""
FRENCH = """<title>Notre jardin</title><h1>Notre jardin. Un guide</h1>
<p>Le jardin est <b>grand</b> et ancien. Il a été dessiné par M. Smith en 1890.</p>
<p>On peut le visiter en semaine.</p><ul><li>Arbres. Vieux.</li><li>Fleurs</li></ul>"""


def view(html: str) -> DocumentView:
    linear = linearise(html, "https://example.org/")
    return DocumentView(
        np.array(linear.chunks.tokens, np.int32),
        linear.chunks.texts().to_pylist(),
        np.array(linear.blocks.ends, np.int32),
        np.array(linear.blocks.kinds, np.int8),
    )


@pytest.mark.parametrize("aligner", ["lexical", "tags", "gale_church"])
def test_a_page_and_its_translation(aligner: str) -> None:
    segments = align_pair(view(ENGLISH), view(FRENCH), "en", "fr", aligner=aligner)  # type: ignore[arg-type]
    assert [(segment.src, segment.tgt) for segment in segments] == [
        ("Our garden", "Notre jardin"),
        ("Our garden. A guide", "Notre jardin. Un guide"),
        ("The garden is large and old.", "Le jardin est grand et ancien."),
        ("It was laid out by Dr. Smith in 1890.", "Il a été dessiné par M. Smith en 1890."),
        ("You may visit it on weekdays.", "On peut le visiter en semaine."),
        ("Trees. Old.", "Arbres. Vieux."),
        ("Flowers", "Fleurs"),
    ]
    assert {segment.bead for segment in segments} == {"1-1"}
    assert [segment.kind for segment in segments[:2]] == [BlockKind.TITLE, BlockKind.HEADING]
    assert all(0 < segment.score <= 1 for segment in segments)


def test_what_has_no_translation_is_kept_with_one_side_empty() -> None:
    longer = FRENCH.replace("<ul>", "<h2>Prix</h2><ul>")
    segments = align_pair(view(ENGLISH), view(longer), "en", "fr")
    assert AlignedSegment("", "Prix", "0-1", 0.0, BlockKind.HEADING, starts=(5, 5)) in segments
    assert " ".join(s.src for s in segments if s.src) == " ".join(view(ENGLISH).block_texts())


def test_groups_and_segments_are_two_steps() -> None:
    groups = sentence_groups(view(ENGLISH), view(FRENCH), "en", "fr")
    assert groups[2].src == ["The garden is large and old.", "It was laid out by Dr. Smith in 1890."]
    assert groups[2].src_kinds == [BlockKind.PARAGRAPH] * 2
    assert len(group_segments(groups[2])) == 2


def test_empty_and_one_sided_pages() -> None:
    assert align_pair(view(""), view(""), "en", "fr") == []
    assert [s.bead for s in align_pair(view("<p>One. Two.</p>"), view(""), "en", "fr")] == ["1-0", "1-0"]


def test_an_unknown_aligner_is_refused() -> None:
    with pytest.raises(RecipeError, match="tags and gale_church"):
        align_pair(view(ENGLISH), view(FRENCH), "en", "fr", aligner="magic")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "chars", "whole"),
    [
        (BlockKind.LIST_ITEM, 200, True),
        (BlockKind.LIST_ITEM, 201, False),
        (BlockKind.CAPTION, 200, True),
        (BlockKind.HEADING, 200, True),
        (BlockKind.HEADING, 201, False),
        (BlockKind.TITLE, 201, True),
        (BlockKind.PARAGRAPH, 1, False),
    ],
)
def test_headings_and_items_of_up_to_200_characters_are_one_segment_and_titles_of_any_length(
    kind: BlockKind, chars: int, whole: bool
) -> None:
    assert is_whole("x" * chars, kind) == whole
