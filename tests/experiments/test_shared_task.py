"""The WMT16 task in one command, on webdomains made here."""

import gzip
import json
from pathlib import Path

import pytest

from diglot.cli import main
from diglot.errors import SourceError
from diglot.experiments.shared_task import open_task
from made_sites import address, lett_line, lett_site, page_html

A, B = "a.example", "b.example"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two webdomains; the reference names a duplicate, a page that is not there, and an unknown host."""
    copy = lett_line("fr", f"http://{A}/fr/zz-print.html", page_html("fr", 0))
    (tmp_path / "lett").mkdir()
    (tmp_path / "lett" / f"{A}.lett.gz").write_bytes(gzip.compress(lett_site(A, range(4)) + copy + b"broken line\n"))
    (tmp_path / "lett" / f"{B}.lett").write_bytes(lett_site(B, range(10, 13)))
    pairs = [(address(A, "en", n), address(A, "fr", n)) for n in range(1, 4)]
    pairs += [(address(A, "en", 0), f"http://{A}/fr/zz-print.html"), (address(B, "fr", 10), address(B, "en", 10))]
    pairs += [(address(B, "en", 11), f"http://{B}/fr/gone.html"), ("http://c.example/en", "http://c.example/fr")]
    (tmp_path / "train.pairs").write_text("".join("\t".join(pair) + "\n" for pair in pairs))
    return tmp_path


def test_the_figures_of_the_task(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "wmt16", str(folder), "--recipe", "url_baseline", "--json", "--quiet"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["webdomains"], figures["records"], figures["unreadable"]) == (2, 16, 1)
    assert (figures["reference"], figures["not_covered"]) == (6, 1)
    assert (figures["proposed"], figures["after_one_to_one"]) == (7, 7)
    assert (figures["found"], figures["soft_found"]) == (4, 5)  # soft: the copy stands for the page
    assert (figures["recall"], figures["soft_recall"]) == (0.6667, 0.8333)
    assert sum(each["found"] for each in figures["by_method"]) == 4
    assert figures["recipe"].startswith("url_baseline|")


def test_the_same_as_text_from_the_run_folders_of_the_first_time(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", "wmt16", str(folder / "lett"), "--pairs", str(folder / "train.pairs")]
    command += ["--recipe", "url_baseline", "--quiet", "-o", str(tmp_path / "runs")]
    texts = []
    for _ in range(2):
        assert main(command) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert "recall of 6 reference pairs (1 more are on hosts without a page here): 66.67%, soft 83.33% (5)" in texts[0]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [A, B]


def test_two_files_of_one_name_get_a_folder_each(folder: Path, tmp_path: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / f"{B}.lett").write_bytes(lett_site("www.b.example", range(20, 22)))
    command = ["evaluate", "wmt16", str(folder), "--recipe", "url_baseline", "--quiet", "-o", str(tmp_path / "runs")]
    assert main(command) == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [A, f"{B}-2", f"{B}-3"]


def test_a_recipe_without_what_it_needs_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "wmt16", str(folder), "--recipe", "pwcc"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "lexicon" in line


def test_what_is_missing_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.pairs").write_text("x")
    (folder / "empty").mkdir()
    for arguments, message in (
        ([str(folder / "none")], "none: not there; name the folder"),
        ([str(folder / "empty")], "no .lett or .lett.gz file"),
        ([str(folder / "lett")], "no *.pairs file"),
        ([str(folder)], "2 lists of pairs (other.pairs, train.pairs ...); give --pairs FILE"),
        ([str(folder), "--pairs", str(folder / "other.pairs")], "other.pairs line 1: expected two web addresses"),
    ):
        assert main(["evaluate", "wmt16", *arguments]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line


def test_a_folder_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none: not there; name the folder with the task's data"):
        open_task(tmp_path / "none")
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match=r"file: a file; name the folder"):
        open_task(tmp_path / "file")
