"""Beads and their ladder format; what reads it is tested with the scores of beads."""

from diglot.alignment.beads import Bead, format_bead
from diglot.evaluation.bead_scores import read_beads


def test_lines_of_the_ladder_format() -> None:
    beads = [Bead((0, 1), (0, 2)), Bead((1, 1), (2, 3)), Bead((1, 3), (3, 3))]
    lines = [format_bead(bead) for bead in beads]
    assert lines == ["[0]:[0, 1]", "[]:[2]", "[1, 2]:[]"]
    assert read_beads(lines, "lines") == [((0,), (0, 1)), ((), (2,)), ((1, 2), ())]
    assert [bead.kind for bead in beads] == ["1-2", "0-1", "2-0"]
