"""Segments against gold: by hand, and as the scorer of the evaluation data counts."""

import gzip
import importlib.util
import os
import random
from pathlib import Path
from typing import Any

import pytest

from diglot.errors import SourceError, UsageError
from diglot.evaluation.segments import evaluate_segments, read_pivot_segments, read_segments

SCORER = Path(os.environ.get("DIGLOT_DATA", "/nonexistent"), "score.py")


def test_by_hand() -> None:
    gold = [
        ("The cat sleeps here.", "Le chat dort ici."),
        ("A dog barks loudly.", "Un chien aboie fort."),
        ("Yes.", "Oui."),
        ("Never found at all.", "Jamais vu."),
        ("the CAT sleeps here", "le chat dort ici!"),  # the first again
        ("***", "---"),  # nothing to compare
    ]
    predicted = [
        ("the cat sleeps here", "LE CHAT DORT ICI"),
        ("It rains. A dog barks loudly.", "Il pleut. Un chien aboie fort."),
        ("Yes, of course it is.", "Oui, bien sûr."),  # "yes" is too short to be looked for inside
        ("Never found at all.", "Autre chose."),
        ("Unknown to the gold.", "Inconnu."),
        ("One side only", ""),
    ]
    scores = evaluate_segments(predicted, gold)
    assert (scores.gold, scores.predicted, scores.exact, scores.contained, scores.covered) == (4, 5, 1, 2, 2)
    assert (scores.exact_recall, scores.contained_recall, scores.precision) == (0.25, 0.5, 0.5)
    assert scores.f1 == pytest.approx(1 / 3)
    assert scores.as_dict()["f1"] == 0.3333


def test_both_sides_must_be_inside_the_same_pair() -> None:
    gold = [("twelve letters or more", "zwölf Buchstaben")]
    apart = [("x twelve letters or more", "anderes"), ("something else", "zwölf Buchstaben y")]
    assert evaluate_segments(apart, gold).contained == 0


def test_nothing_against_nothing() -> None:
    for predicted, gold in (([], []), ([("a", "b")], []), ([], [("a", "b")])):
        scores = evaluate_segments(predicted, gold)
        assert (scores.exact_recall, scores.contained_recall, scores.precision, scores.f1) == (0, 0, 0, 0)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "segments.en-fr.tsv"
    path.write_text("src\ttgt\tscore\tbead\tflags\nHello\tBonjour\t0.9\t1-1\t\nAlone\t\t0\t1-0\t\n")
    assert list(read_segments(path)) == [("Hello", "Bonjour"), ("Alone", "")]
    path.write_text("src\ttgt\nHello\tBonjour\nno tab here\n")
    with pytest.raises(SourceError, match=r"segments\.en-fr\.tsv line 3"):
        list(read_segments(path))


PIVOT_ROWS = "p1\tde\tOne\tEins\np1\tfr\tOne\tUn\np1\tde\tOne\tEine\np2\tfr\tTwo\tDeux\np2\tpt-BR\tTwo\tDois\n"


def test_several_languages_joined_by_a_pivot(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv.gz"
    path.write_bytes(gzip.compress(PIVOT_ROWS.encode()))
    assert list(read_pivot_segments(path, "en", "fr")) == [("One", "Un"), ("Two", "Deux")]
    assert list(read_pivot_segments(path, "de", "en")) == [("Eins", "One")]
    assert list(read_pivot_segments(path, "fr", "de")) == [("Un", "Eins")]
    assert list(read_pivot_segments(path, "pt-br", "fr")) == [("Dois", "Deux")]
    with pytest.raises(UsageError, match=r"nothing in ja; it has: en, de, fr, pt-br"):
        list(read_pivot_segments(path, "en", "ja"))
    (tmp_path / "bad.tsv").write_text("p1\tde\tOne\n")
    with pytest.raises(SourceError, match=r"bad\.tsv line 1"):
        list(read_pivot_segments(tmp_path / "bad.tsv", "en", "de"))


def test_the_same_figures_as_the_scorer(tmp_path: Path) -> None:
    if not SCORER.exists():
        pytest.skip("the scorer of the evaluation data is not at hand")
    spec = importlib.util.spec_from_file_location("score_segments", SCORER)
    assert spec is not None
    assert spec.loader is not None
    scorer: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    rng = random.Random(5)

    def text() -> str:
        return " ".join(rng.choice(["ab", "cde", "fghi,", "Ä", "_", "jkl!"]) for _ in range(rng.randrange(1, 9)))

    for _ in range(30):
        rows = [(f"p{rng.randrange(4)}", rng.choice(["de", "fr"]), text(), text()) for _ in range(60)]
        gold = tmp_path / "gold.tsv"
        gold.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
        for langs in ("en-fr", "fr-en", "de-fr"):
            src, tgt = langs.split("-")
            wanted = list(read_pivot_segments(gold, src, tgt))
            given = [pair for pair in wanted if rng.random() < 0.4]
            given += [(f"{text()} {s}", f"{t} {text()}") for s, t in wanted if rng.random() < 0.4]
            given += [(text(), text()) for _ in range(20)]
            given = [pair for pair in given if all(any(map(str.isalnum, side)) for side in pair)]
            pred = tmp_path / "pred.tsv"
            pred.write_text("".join("\t".join(pair) + "\n" for pair in given), encoding="utf-8")
            # The scorer has no pair whose second language is the pivot: it is told the other way round.
            turned = src != "en" and tgt == "en"
            ours = evaluate_segments([(t, s) for s, t in given] if turned else given, _turn(wanted, turned)).as_dict()
            if turned:
                pred.write_text("".join(f"{t}\t{s}\n" for s, t in given), encoding="utf-8")
            theirs = scorer.score_segs(str(gold), str(pred), f"en-{src}" if turned else langs)
            figures = ("gold", "predicted", "exact", "exact_recall", "contained_recall")
            assert {name: ours[name] for name in figures} == {name: theirs[name] for name in figures}


def _turn(pairs: list[tuple[str, str]], turned: bool) -> list[tuple[str, str]]:
    return [(t, s) for s, t in pairs] if turned else pairs
