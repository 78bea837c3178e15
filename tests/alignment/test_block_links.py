"""Beads from links: size limit, stray links, coverage."""

from hypothesis import given
from hypothesis import strategies as st

from diglot.alignment.beads import format_bead
from diglot.alignment.tags import MAX_BEAD_BLOCKS, BlockLink, beads_from_links, links_of_match


def ladder(links: list[BlockLink], src_blocks: int, tgt_blocks: int) -> list[str]:
    beads = beads_from_links(links, [10.0] * src_blocks, [10.0] * tgt_blocks)
    return [format_bead(bead) for bead in beads]


def test_two_blocks_that_share_one() -> None:
    assert ladder([BlockLink(0, 0, 10), BlockLink(1, 0, 5), BlockLink(2, 1, 9)], 3, 2) == ["[0, 1]:[0]", "[2]:[1]"]


def test_a_stray_link_glues_nothing() -> None:
    links = [BlockLink(0, 0, 10), BlockLink(0, 1, 1), BlockLink(1, 1, 10)]
    assert ladder(links, 2, 2) == ["[0]:[0]", "[1]:[1]"]


def test_blocks_between_are_taken_in() -> None:
    assert ladder([BlockLink(0, 0, 10), BlockLink(2, 0, 5)], 3, 1) == ["[0, 1, 2]:[0]"]


def test_no_bead_is_larger_than_three() -> None:
    links = [BlockLink(0, t, 10.0 - t) for t in range(5)]
    assert ladder(links, 1, 5) == ["[0]:[0, 1, 2]", "[]:[3]", "[]:[4]"]


def test_of_links_too_many_for_a_bead_the_strongest_count() -> None:
    links = [BlockLink(0, t, 1.0 + t) for t in range(5)]
    assert ladder(links, 1, 5) == ["[]:[0]", "[]:[1]", "[0]:[2, 3, 4]"]


def test_no_links() -> None:
    assert ladder([], 1, 1) == ["[0]:[]", "[]:[0]"]


def test_overlaid_texts() -> None:
    assert links_of_match([(4, 32.0)], [(7, 8.0), (8, 24.0)]) == [BlockLink(4, 7, 8.0), BlockLink(4, 8, 24.0)]
    assert links_of_match([(4, 10.0)], [(7, 2.0), (8, 3.0), (9, 5.0)]) == [
        BlockLink(4, 7, 2.0), BlockLink(4, 8, 3.0), BlockLink(4, 9, 5.0)
    ]  # fmt: skip
    assert links_of_match([(4, 0.0)], [(7, 5.0)]) == [BlockLink(4, 7, 0.0)]
    assert links_of_match([], [(7, 5.0)]) == []


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.floats(0, 10)), max_size=30), st.integers(1, 4))
def test_every_block_is_in_one_bead(steps: list[tuple[int, int, float]], spare: int) -> None:
    links, s, t = [], 0, 0
    for down, right, weight in steps:
        s, t = s + down, t + right
        links.append(BlockLink(s, t, weight))
    src_blocks, tgt_blocks = s + spare, t + spare
    beads = beads_from_links(links, [10.0] * src_blocks, [10.0] * tgt_blocks)
    assert [b for bead in beads for b in range(*bead.src)] == list(range(src_blocks))
    assert [b for bead in beads for b in range(*bead.tgt)] == list(range(tgt_blocks))
    assert all(bead.src[1] - bead.src[0] <= MAX_BEAD_BLOCKS for bead in beads)
    assert all(bead.tgt[1] - bead.tgt[0] <= MAX_BEAD_BLOCKS for bead in beads)
