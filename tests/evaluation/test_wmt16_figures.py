"""Figures of the WMT16 task: the one-to-one rule, and a paper's counts put together again."""

from pathlib import Path

import pytest

from diglot.errors import SourceError
from diglot.evaluation.wmt16 import (
    MethodCounts,
    Proposal,
    first_of_each_page,
    read_reference,
    score_wmt16,
    texts_needed,
    webdomain_host,
)


def test_an_address_counts_once_on_whichever_side() -> None:
    lines = [
        Proposal("a", "b", "m"),
        Proposal("b", "c", "m"),  # b was seen, on the other side
        Proposal("c", "d", "m"),  # c was seen only in a dropped line, so it is free
        Proposal("x", "d", "m"),
        Proposal("e", "e", "m"),
        Proposal("f", "a", "m"),
        Proposal("b", "a", "m"),
    ]
    assert [(each.src_url, each.tgt_url) for each in first_of_each_page(lines)] == [("a", "b"), ("c", "d")]


def test_the_first_proposal_wins_and_either_order_is_right() -> None:
    reference = [frozenset(("e1", "f1")), frozenset(("e2", "f2"))]
    wrong_first = [Proposal("e1", "f2", "a"), Proposal("f1", "e1", "b"), Proposal("f2", "e2", "b")]
    assert score_wmt16(wrong_first, reference).found_count == 0
    assert score_wmt16(wrong_first[1:], reference).found_count == 2


def test_the_counts_of_the_ilsp_paper_add_up() -> None:
    """Papavassiliou et al. 2016, section 3: 2,402 reference pairs, 2,040 found; of 362 misses 182 are duplicates."""
    methods = {"links": 180, "URL": 987, "images/digits": 791, "structure": 82}
    reference = [frozenset((f"e{n}", f"f{n}")) for n in range(2402)]
    proposals, texts, number = [], {}, 0
    for method, found in methods.items():
        proposals += [Proposal(f"e{n}", f"f{n}", method) for n in range(number, number + found)]
        number += found
    for n in range(number, number + 182):  # a copy of the French page was proposed
        proposals.append(Proposal(f"e{n}", f"copy{n}", "URL"))
        texts |= {f"f{n}": f"text {n}", f"copy{n}": f"text {n}"}
    proposals.append(Proposal("e0", "f2401", "structure"))  # an address used again

    scores = score_wmt16(proposals, reference, texts)
    assert (scores.found_count, scores.reference - scores.found_count) == (2040, 182 + 180)
    assert (scores.proposal_count, scores.kept_count) == (2040 + 182 + 1, 2040 + 182)
    assert [each.found for each in scores.by_method] == [180, 987, 791, 82]
    assert [round(100 * each.found / scores.found_count, 2) for each in scores.by_method] == [8.82, 48.38, 38.77, 4.02]
    assert round(100 * scores.recall, 2) == 84.93
    assert scores.soft_found == 2222
    assert scores.soft_recall is not None
    assert round(100 * scores.soft_recall, 1) == 92.5
    assert texts_needed(proposals, reference) == set(texts)
    assert scores.by_method[-1] == MethodCounts("structure", proposed=83, kept=82, found=82)


def test_nothing_proposed() -> None:
    scores = score_wmt16([], [frozenset("ab")], {})
    assert (scores.recall, scores.soft_recall, scores.by_method) == (0, 0, ())
    assert score_wmt16([], [frozenset("ab")]).as_dict()["soft_recall"] is None


def test_reference_pairs(tmp_path: Path) -> None:
    path = tmp_path / "train.pairs"
    path.write_text("http://a.example/e#top\t<http://a.example/f>\nhttp://a.example/f\thttp://a.example/e\tmore\n\n")
    assert read_reference(path) == [frozenset(("http://a.example/e", "http://a.example/f"))]
    assert webdomain_host("http://a.example/e") == "a.example"
    assert webdomain_host("x@7") == ""


@pytest.mark.parametrize("line", ["http://a.example/e", "e\tf", "http://a.example/e\thttp://a.example/e"])
def test_a_reference_line_that_is_no_pair_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "train.pairs"
    path.write_text(f"http://a.example/1\thttp://a.example/2\n{line}\n")
    with pytest.raises(SourceError, match=r"train\.pairs line 2: expected two web addresses"):
        read_reference(path)


def test_an_empty_reference_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.pairs"
    path.write_text("\n")
    with pytest.raises(SourceError, match="holds no pair"):
        read_reference(path)
