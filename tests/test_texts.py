"""Two plain texts aligned and written as beads, TSV and TMX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from diglot.cli import main
from diglot.corpus.formats.check import check_tmx
from diglot.disk import atomic
from diglot.errors import SourceError, UsageError
from diglot.texts import TextOptions, align, align_files, note_on_order
from made_sites import SENTENCES

ENGLISH, FRENCH = list(SENTENCES["en"]), list(SENTENCES["fr"])


def written(folder: Path, src: str, tgt: str, *, to: str = "beads", split: bool = False, newline: str = "\n") -> str:
    for name, text in (("src.txt", src), ("tgt.txt", tgt)):
        (folder / name).write_bytes(text.replace("\n", newline).encode())
    align_files(
        folder / "src.txt", folder / "tgt.txt", TextOptions(langs="en,fr", split=split, to=to), out=folder / "out"
    )
    return (folder / "out").read_text(encoding="utf-8")


def lines(sentences: list[str]) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)


def test_beads_cover_both_texts_in_order(tmp_path: Path) -> None:
    said = written(tmp_path, lines(ENGLISH), lines(FRENCH))
    assert said == "".join(f"[{n}]:[{n}]\n" for n in range(10))
    merged = [*FRENCH[:3], f"{FRENCH[3]} {FRENCH[4]}", *FRENCH[5:]]
    assert "[3, 4]:[3]\n[5]:[4]\n" in written(tmp_path, lines(ENGLISH), lines(merged))


def test_texts_of_another_order_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = Random(1)
    words = ["".join(draw.choices("abdegilmnorstu", k=draw.randint(4, 9))) for _ in range(200)]
    src = [" ".join(draw.choices(words, k=draw.randint(4, 25))) for _ in range(60)]
    tgt = [text[::-1] for text in src]

    def told(tgt: list[str], *options: str) -> str:
        (tmp_path / "src.txt").write_text(lines(src))
        (tmp_path / "tgt.txt").write_text(lines(tgt))
        assert main(["align", str(tmp_path / "src.txt"), str(tmp_path / "tgt.txt"), "-l", "en,fr", *options]) == 0
        return capsys.readouterr().err

    assert told(tgt) == told(tgt[::-1], "--aligner", "gale_church") == ""
    for other in (tgt[::-1], tgt[30:] + tgt[:30]):
        assert "of the sentences have no likely translation: one text has another order" in told(other)


def test_the_note_counts_sentences_of_both_sides() -> None:
    likely, unlikely, left = (0.5, 3, 3), (0.49, 1, 1), (1.0, 2, 0)
    assert note_on_order([likely, unlikely]).startswith("25% of the sentences")  # 2 of 8
    assert note_on_order([likely, left]).startswith("25% of the sentences")
    assert note_on_order([likely, (1.0, 1, 0)]) == note_on_order([]) == ""  # 1 of 7


@pytest.mark.parametrize("ending", ["", "\n"])
def test_the_last_line_may_end_or_not(ending: str, tmp_path: Path) -> None:
    said = written(tmp_path, "One.\nTwo." + ending, "Un.\nDeux." + ending)
    assert said.splitlines()[-1] in ("[1]:[1]", "[0, 1]:[0, 1]")


def test_paragraphs_are_cut_into_sentences(tmp_path: Path) -> None:
    said = written(tmp_path, " ".join(ENGLISH), " ".join(FRENCH), split=True)
    assert said == "".join(f"[{n}]:[{n}]\n" for n in range(10))


def test_tsv(tmp_path: Path) -> None:
    header, first, *rest = written(tmp_path, "\ufeff" + lines(ENGLISH), lines(FRENCH), to="tsv").splitlines()
    assert header == "src\ttgt\tscore\tbead"
    src, tgt, score, bead = first.split("\t")
    assert (src, tgt, bead) == (ENGLISH[0], FRENCH[0], "1-1")
    assert 0 <= float(score) <= 1
    assert len(rest) == 9


def test_tmx(tmp_path: Path) -> None:
    written(tmp_path, lines(ENGLISH), lines(FRENCH), to="tmx")
    report = check_tmx(tmp_path / "out")
    assert (report.ok, report.units, report.languages) == (True, 10, ("en", "fr"))


@pytest.mark.parametrize("to", ["beads", "tsv", "tmx"])
def test_texts_in_the_wrong_order_are_refused(tmp_path: Path, to: str) -> None:
    with pytest.raises(UsageError, match=r"src\.txt is in fr and tgt\.txt in en; name them in the order of -l"):
        written(tmp_path, lines(FRENCH), lines(ENGLISH), to=to)
    assert not (tmp_path / "out").exists()
    assert written(tmp_path, "Accueil\nOui, merci\n", "Home\nYes, please\n", to=to)
    with pytest.raises(
        UsageError, match=r"src\.txt is in French \(fr\), and -l names .*; name a text in English \(en\)"
    ):
        written(tmp_path, lines(FRENCH), lines(FRENCH[:-1]), to=to)


def test_the_ending_of_the_file_names_the_format(tmp_path: Path) -> None:
    files = tmp_path / "a.txt", tmp_path / "b.txt"
    for path, texts in zip(files, (ENGLISH, FRENCH), strict=True):
        path.write_text(lines(texts))
    align_files(*files, TextOptions(langs="en,fr"), out=tmp_path / "x.TMX")
    assert check_tmx(tmp_path / "x.TMX").units == 10
    align_files(*files, TextOptions(langs="en,fr", to="beads"), out=tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_text().startswith("[0]:[0]")


def test_windows_line_ends_are_no_text(tmp_path: Path) -> None:
    said = written(tmp_path, lines(ENGLISH), lines(FRENCH), to="tsv", newline="\r\n")
    assert said.splitlines()[1].split("\t")[:2] == [ENGLISH[0], FRENCH[0]]


def test_a_missing_text(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.txt: cannot be read \(No such file"):
        align_files(tmp_path / "none.txt", tmp_path / "none.txt", TextOptions(langs="en,fr"))


def test_from_python() -> None:
    assert [(bead.src, bead.tgt) for bead in align(ENGLISH, FRENCH, "en", "fr")] == [
        ((n, n + 1), (n, n + 1)) for n in range(10)
    ]
    assert align([], [], "en", "fr") == []


def test_sentences_are_columns_of_arrow_as_well() -> None:
    table = pa.table({"en": pa.chunked_array([ENGLISH[:4], ENGLISH[4:]]), "fr": FRENCH})
    beads = align(ENGLISH, FRENCH, "en", "fr")
    assert align(table["en"], table["fr"], "en", "fr") == beads
    assert align(pa.array(ENGLISH), pa.array(FRENCH), "en", "fr") == beads
    with pytest.raises(UsageError, match="None is no text"):
        align(pa.array(["One.", None]), FRENCH, "en", "fr")


def test_tables_dicts_and_sets_are_no_lists_of_sentences() -> None:
    table = pa.table({"en": ENGLISH})
    for wrong in (table, table.to_batches()[0], Frame(), dict.fromkeys(ENGLISH), set(ENGLISH), frozenset(ENGLISH)):
        name = type(wrong).__name__
        with pytest.raises(UsageError, match=f"a {name} is no list of sentences; give a list, or one column"):
            align(wrong, FRENCH, "en", "fr")


class Frame:
    """A data frame of pandas or polars, as far as it is looked at."""

    columns = ("en", "fr")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


def test_evidence_is_named_or_a_function(tmp_path: Path) -> None:
    made = tmp_path / "made.tsv"
    made.write_text("".join(f"{src}\t{tgt}\n" for src, tgt in zip(ENGLISH, FRENCH, strict=True)), encoding="utf-8")

    def counted(texts: Sequence[str]) -> list[list[float]]:
        return [[text.count(letter) + 0.1 for letter in "aeiou"] for text in texts]

    for evidence in (f"translations:{made}", [f"translations:{made}", counted], counted, None):
        beads = align(ENGLISH, FRENCH, "en", "fr", evidence=evidence)
        assert [bead.kind for bead in beads] == ["1-1"] * 10
    with pytest.raises(UsageError, match="gale_church takes no evidence"):
        align(ENGLISH, FRENCH, "en", "fr", aligner="gale_church", evidence="embed")
    with pytest.raises(UsageError, match="evidence magic: give one of embed"):
        align(ENGLISH, FRENCH, "en", "fr", evidence="magic")


@pytest.mark.parametrize("to", ["beads", "tsv", "tmx"])
def test_the_file_is_told_and_another_file_in_its_place_is_kept(
    to: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("en.txt", lines(ENGLISH)), ("fr.txt", lines(FRENCH)), ("out", "precious")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    src, tgt, out = (str(tmp_path / name) for name in ("en.txt", "fr.txt", "out"))
    told = False
    for _ in range(2):
        monkeypatch.setattr(atomic, "_elsewhere", atomic.Keeper())  # as in another process
        assert main(["align", src, tgt, "-l", "en,fr", "--to", to, "-o", out]) == 0
        said = capsys.readouterr()
        assert f"wrote     {out}" in said.out
        kept = f"kept      {out}: was there before, and may be yours; it is out.yours now" in said.err
        assert kept == ((tmp_path / "out.yours").exists() and not told)
        told = True
    assert (tmp_path / "out.yours").read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {"en.txt", "fr.txt", "out", "out.yours"}


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that align two texts in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("en.txt", lines(ENGLISH)), ("fr.txt", lines(FRENCH))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return ["align", "en.txt", "fr.txt", "-l", "en,fr"]


@pytest.mark.parametrize("to", ["beads", "tsv", "tmx"])
def test_a_dash_is_the_standard_output(to: str, texts: list[str], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    said = []
    for words in ([], ["-o", "-"], ["--out=-"]):
        assert main([*texts, "--to", to, *words]) == 0
        said.append(capfdbinary.readouterr().out)
    assert said[0] == said[1] == said[2] != b""
    assert not Path("-").exists()
    assert main([*texts, "--to", "memory", "-o", "-"]) == 2
    assert b"name a folder for them" in capfdbinary.readouterr().err


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("a.tsv", "src\t"),
        ("a.TMX", "<?xml"),
        ("a.align", "[0]:[0]\n"),
        ("a.txt", "[0]:[0]\n"),
        ("a", "[0]:[0]\n"),
        ("a.docx", ""),
        ("a.xliff", ""),
        ("v1.2", ""),
    ],
)
def test_an_ending_that_names_no_format_is_refused(
    name: str, begin: str, texts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*texts, "-o", name]) == (0 if begin else 2)
    if begin:
        assert Path(name).read_text(encoding="utf-8").startswith(begin)
        return
    said = f"diglot: {name}: its ending names no format; name it .tsv, .tmx, .align, .txt, or say --to FORMAT\n"
    assert capsys.readouterr().err == said
    assert not Path(name).exists()
    assert main([*texts, "-o", name, "--to", "tsv"]) == 0
    assert Path(name).read_text(encoding="utf-8").startswith("src\t")
