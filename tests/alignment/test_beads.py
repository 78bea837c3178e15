"""Beads and their ladder format."""

import pytest

from diglot.alignment.beads import Bead, format_bead, parse_beads
from diglot.errors import SourceError


def test_lines_of_the_ladder_format() -> None:
    beads = [Bead((0, 1), (0, 2)), Bead((1, 1), (2, 3)), Bead((1, 3), (3, 3))]
    lines = [format_bead(bead) for bead in beads]
    assert lines == ["[0]:[0, 1]", "[]:[2]", "[1, 2]:[]"]
    assert list(parse_beads(lines)) == beads
    assert [bead.kind for bead in beads] == ["1-2", "0-1", "2-0"]


def test_what_other_tools_write_is_read() -> None:
    assert list(parse_beads(["[0,1]:[0]:0.2537\n", "\n", " [2] : [1] "])) == [
        Bead((0, 2), (0, 1)),
        Bead((2, 3), (1, 2)),
    ]


@pytest.mark.parametrize("line", ["0:0", "[0]", "[a]:[0]", "[0, 2]:[0]", "[1, 0]:[0]", "[0,]:[0]"])
def test_a_line_that_is_no_bead_is_named(line: str) -> None:
    with pytest.raises(SourceError, match="line 2"):
        list(parse_beads(["[0]:[0]", line]))
