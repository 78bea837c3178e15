"""Translations made elsewhere: files, a program, similarities by hand, and what half of them are worth."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from diglot.alignment.beads import Similarity
from diglot.alignment.evidence.sources import require_known, similarities, sources_by_pair
from diglot.alignment.evidence.translations import (
    apertium_translations,
    known_side,
    read_translations,
    translation_similarity,
)
from diglot.alignment.lexical import align_texts
from diglot.alignment.lexical.units import ParallelText
from diglot.errors import LanguageError, SourceError, UsageError


def beads(*rows: tuple[int, int, int, int]) -> npt.NDArray[np.int64]:
    return np.array(rows, np.int64)


def test_words_shared_with_the_translation_by_hand() -> None:
    src = ["Das  Haus brennt.", "Niemand weiss es."]
    tgt = ["La maison brûle.", "Personne ne le sait.", "Un chat."]
    similarity = translation_similarity(src, tgt, "fr", {"Das Haus brennt.": "La maison brûle"})
    found = similarity(beads((0, 1, 0, 1), (0, 1, 1, 2), (1, 2, 1, 2), (0, 1, 0, 2)))
    # three of three; none of three beside four; nothing known; three, with seven on the target side
    assert found[[0, 1, 3]] == pytest.approx([1.0, -0.2 * 3 / 4, 3 / 7])
    assert np.isnan(found[2])


def test_of_a_side_that_is_translated_in_part_nothing_is_known() -> None:
    src, tgt = ["abcdef", "ghijkl"], ["one two", "three four"]
    similarity = translation_similarity(src, tgt, "en", {"abcdef": "one two"})
    found = similarity(beads((0, 2, 0, 2), (0, 1, 0, 2)))
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(0.5)


def test_a_file_of_translations(tmp_path: Path) -> None:
    path = tmp_path / "made.tsv"
    path.write_text("\ufeffEins.\tOne.\tmore\r\n\n zwei \t two \nno tab\n\tnothing\n", encoding="utf-8")
    assert read_translations(path) == {"Eins.": "One.", "zwei": "two"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"\xff\xff", "not UTF-8"),
        (b"no tab\n", "no line of source"),
        (
            b'<tmx version="1.4">\n',
            "made.tsv: a translation memory; give lines of source<TAB>translation, as `diglot ex",
        ),
    ],
)
def test_a_file_that_is_none(content: bytes | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "made.tsv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match=said):
        read_translations(path)


def test_a_file_may_go_either_way_but_must_be_of_this_text(tmp_path: Path) -> None:
    path = tmp_path / "made.tsv"
    path.write_text("Un chat.\tEine Katze.\n", encoding="utf-8")
    (back,) = similarities(f"translations:{path}", [(["Ein Hund.", "Eine Katze."], ["Un chat."])], ("de", "fr"))
    assert back(beads((1, 2, 0, 1), (0, 1, 0, 1))) == pytest.approx([1.0, -0.2])
    with pytest.raises(SourceError, match="none of the sentences is in its first column"):
        require_known(f"translations:{path}", [(["Ja."], ["Oui."])])
    require_known(f"translations:{path}", [(["Ja."], ["Oui."]), (["Nein."], ["Un  chat."])])


@pytest.mark.parametrize(
    ("src", "tgt", "side"), [("abx", "cd", 0), ("a", "bc", 1), ("ab", "cd", 0), ("x", "c", 1), ("x", "y", None)]
)
def test_the_side_that_is_known_better_is_translated_the_source_where_both_are_alike(
    src: str, tgt: str, side: int | None
) -> None:
    assert known_side(dict.fromkeys("abcd", "made"), [(src, ""), ("", tgt)]) == side


def program(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program named apertium, first on the PATH."""
    path = folder / "apertium"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_apertium_is_given_each_sentence_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, 'test "$1 $2" = "-u deu-fra" && sed "s/^/<&/"', monkeypatch)
    found = apertium_translations("deu-fra", ["Ja.", "Nein,\nnie.", "", "Ja."])
    assert found == {"Ja.": "<Ja.", "Nein, nie.": "<Nein, nie."}


def test_apertium_is_tried_without_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As before a run; it gives a line back for every line it gets, an empty one too."""
    program(tmp_path, 'test "$1 $2" = "-u deu-fra" && cat', monkeypatch)
    assert apertium_translations("deu-fra", []) == {}
    served = sources_by_pair(["apertium:deu-fra"], [("de", "fr"), ("de", "en")])
    assert served.sources == {("de", "fr"): ("apertium:deu-fra",), ("de", "en"): ()}


@pytest.mark.parametrize(
    ("script", "said"),
    [("cat >/dev/null; echo no such mode >&2; exit 1", "apertium failed .no such mode"), ("echo one; echo", "2 lines")],
)
def test_apertium_that_fails(script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, script, monkeypatch)
    with pytest.raises(UsageError, match=said):
        similarities("apertium:deu-fra", [(["Ja."], ["Oui."])], ("de", "fr"))


def test_apertium_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="no program apertium"):
        similarities("apertium:deu-fra", [(["Ja."], ["Oui."])], ("de", "fr"))


@pytest.mark.parametrize(
    ("mode", "error"),
    [("eng-spa", LanguageError), ("deu", UsageError), ("-d-x", UsageError), ("fr-de_x;y", UsageError)],
)
def test_a_mode_must_name_the_two_languages(mode: str, error: type[UsageError]) -> None:
    with pytest.raises(error, match=f"evidence apertium:{mode}"):
        similarities(f"apertium:{mode}", [(["Ja."], ["Oui."])], ("de", "fr"))


@pytest.mark.parametrize("source", ["", "embed:x", "dictionary:", "translations", "magic:1"])
def test_another_source_is_refused(source: str) -> None:
    with pytest.raises(UsageError, match="give one of embed, dictionary:PATH"):
        similarities(source, [(["Ja."], ["Oui."])], ("de", "fr"))


def test_true_translations_of_half_the_sentences_help() -> None:
    draw = random.Random(3)

    def sentence(letters: str) -> str:
        return " ".join("".join(draw.choices(letters, k=6)) for _ in range(6))

    src, made = ([sentence(letters) for _ in range(100)] for letters in ("abdegilmnopr", "cfhjkqstuvwxyz"))
    kept = [n for n in range(100) if n % 5]
    tgt = [made[n] for n in kept]
    known = {src[n]: made[n] for n in range(0, 100, 2)}
    similarity = translation_similarity(src, tgt, "fr", known)

    def right(evidence: list[Similarity]) -> int:
        (found,) = align_texts([ParallelText(src, tgt, evidence=evidence)])
        return sum(bead.kind == "1-1" and kept[bead.tgt[0]] == bead.src[0] for bead in found)

    assert right([similarity]) >= right([]) + 20
