"""No run takes the place of another unasked, and nothing stays that other options have made."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from diglot.cli import main
from diglot.errors import DiglotError, RecipeError, RunFolderError, UsageError
from diglot.harvesting import align_run, clean_run, harvest, pair_run
from diglot.results.run import Run, open_run
from diglot.results.run_report import report_run
from diglot.verifying import verify_run
from made_website import as_lett


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    harvest(as_lett(folder / "site.lett"), "en,fr", folder / "run", jobs=1)
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A finished run of a test's own."""
    return Path(shutil.copytree(finished / "run", tmp_path / "run"))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*.*")) if not path.name.startswith("journal")}


def test_a_run_of_other_files_or_languages_is_not_replaced(finished: Path, run: Path, tmp_path: Path) -> None:
    before = tree(run)
    shutil.copy(finished / "site.lett", tmp_path / "other.lett")
    with pytest.raises(
        RunFolderError, match=r"run: holds a run of site\.lett; choose another folder, or say overwrite=True"
    ):
        harvest(tmp_path / "other.lett", "en,fr", run, jobs=1)
    with pytest.raises(RunFolderError, match="holds a run in en, fr, not en, de; choose another folder"):
        harvest(finished / "site.lett", "en,de", run, jobs=1)
    with pytest.raises(RunFolderError, match=r"holds a run of files, not a crawl of https://garden\.example/"):
        harvest("https://garden.example/", "en,fr", run, jobs=1)
    (tmp_path / "site.lett").write_bytes((finished / "site.lett").read_bytes()[:-1])
    with pytest.raises(RunFolderError, match=r"site\.lett has changed since, or is another file of this name"):
        harvest(tmp_path / "site.lett", "en,fr", run, jobs=1)
    assert tree(run) == before
    harvest(finished / "site.lett", "en,fr", run, jobs=1)
    assert harvest(finished / "site.lett", "fr,en", run, jobs=1, overwrite=True).settings.langs == ("fr", "en")


def test_a_folder_of_other_things_is_not_written_into(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "htdocs").mkdir()
    (tmp_path / "htdocs" / "index.html").write_text("<title>Home</title>")
    for source in (str(finished / "site.lett"), "https://garden.example/"):
        with pytest.raises(RunFolderError, match="htdocs: is not empty, and no run folder; choose another folder"):
            harvest(source, "en,fr", tmp_path / "htdocs", jobs=1)
    assert [path.name for path in (tmp_path / "htdocs").iterdir()] == ["index.html"]
    with pytest.raises(UsageError, match="out=-: a run is a folder"):
        harvest(finished / "site.lett", "en,fr", "-", jobs=1)


def test_options_are_refused_before_anything_is_read(finished: Path, run: Path, tmp_path: Path) -> None:
    before = tree(run)
    with pytest.raises(RecipeError, match="option point: 'exact' is none of precise, balanced, recall"):
        harvest(finished / "site.lett", "en,fr", tmp_path / "new", options={"point": "exact"}, jobs=1)
    with pytest.raises(RecipeError, match="option point"):
        pair_run(run, options={"point": "exact"})
    with pytest.raises(UsageError, match="max_pages=: for a crawl, and no source is a web address"):
        harvest(finished / "site.lett", "en,fr", tmp_path / "new", crawl={"max_pages": 3}, jobs=1)
    assert not (tmp_path / "new").exists()
    assert tree(run) == before


def test_outputs_of_other_pairs_go_with_them(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_run(run).export(["moses"])
    assert (run / "out" / "en-fr.en").is_file()
    assert main(["pair", str(run), "--recipe", "url_baseline"]) == 0
    told = capsys.readouterr()
    assert "removed moses of earlier options; `diglot export` makes them anew" in told.err
    assert f"next      diglot align {run}" in told.out
    assert list((run / "out").iterdir()) == []
    assert not (run / "report.html").exists()
    with pytest.raises(RunFolderError, match="holds no segments yet; run `diglot align "):
        open_run(run).export(["tmx"])
    align_run(run, jobs=1)
    assert ">url_baseline|" in (run / "out" / "en-fr.tmx").read_text()


def test_a_run_without_outputs_names_the_command_of_the_missing_stage(finished: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(finished / "run", tmp_path / "a run"))
    pair_run(run, recipe="url_baseline")
    with pytest.raises(RunFolderError, match=re.escape(f"holds no segments yet; run `diglot align '{run}'` first")):
        open_run(run).summary()
    align_run(run, jobs=1)
    (run / "out" / "summary.json").unlink()
    with pytest.raises(RunFolderError, match=re.escape(f"the run is not finished, run `diglot clean '{run}'`")):
        open_run(run).summary()
    clean_run(run)
    assert open_run(run).summary()["recipe"].startswith("url_baseline|")


def test_what_is_not_typed_again_stays(finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    harvest(finished / "site.lett", "en,fr", tmp_path / "run", pii="mask", min_score=0.25, jobs=1)
    assert main(["clean", str(tmp_path / "run"), "--drop", "too_short"]) == 0
    settings = open_run(tmp_path / "run").settings
    assert (settings.pii, settings.min_score, settings.drop) == ("mask", 0.25, ("too_short",))
    told = capsys.readouterr()
    assert f"wrote     {tmp_path / 'run' / 'out'}" in told.out
    assert main(["clean", str(tmp_path / "run"), "--drop", "", "--pii", "flag"]) == 0
    settings = open_run(tmp_path / "run").settings
    assert (settings.pii, settings.min_score, settings.drop) == ("flag", 0.25, ())


def test_options_that_no_longer_hold_are_named(finished: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = ["harvest", str(finished / "site.lett"), "-l", "en,fr", "-o", str(run), "--jobs", "1"]

    def told(command: list[str]) -> str:
        capsys.readouterr()
        assert main(command) == 0
        return capsys.readouterr().err

    cleaned = ["clean", str(run), "--min-score", "0.25", "--drop", "too_short,units"]
    assert ", as before" not in told(cleaned)
    typed = " ".join(cleaned[2:])
    lines = told(again)
    assert f"options   {typed} of the earlier run no longer hold; `diglot {' '.join(cleaned)}` sets them again" in lines
    assert not any(line.startswith("clean ") and "as before" in line for line in lines.splitlines())
    assert "no longer" not in told(again)
    told(cleaned)
    # What is typed anew is known, and an unfinished run has nothing to lose.
    assert "no longer" not in told([*again, "--min-score", "0.3", "--drop", "units"])
    main(["pair", str(run), "--recipe", "fused", "--set", "point=recall"])
    assert "no longer" not in told(again)
    told([*again, "--set", "point=recall", "--pii", "mask"])
    lines = told(again)
    assert "--set point=recall --pii mask of the earlier run no longer hold; add them to this command" in lines
    told([*again, "--set", "point=recall"])
    assert "--set point=recall of the earlier run no longer holds; add it to this command" in told(again)


def test_stages_that_are_as_before_say_so(finished: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harvest", str(finished / "site.lett"), "-l", "en,fr", "-o", str(run), "--jobs", "1"]) == 0
    lines = capsys.readouterr().err.splitlines()
    again = [line.split()[0] for line in lines if line.endswith(", as before")]
    assert again == ["read", "resolve", "pair", "align", "clean"]
    assert [line.split()[0] for line in lines[len(again) :]] == ["write", "report"]  # these are made anew each time


def test_a_file_says_by_which_options_it_was_exported(run: Path, tmp_path: Path) -> None:
    open_run(run).export(["tmx"], tmp_path / "all")
    open_run(run).export(["tmx"], tmp_path / "best", min_prob=0.5, min_score=0.75, excluded=frozenset({"too_short"}))
    signature = "aligner=lexical|diglot:0.1.0"
    assert f"{signature}</prop>" in (tmp_path / "all" / "en-fr.tmx").read_text()
    assert (
        f"{signature}|min_prob=0.5|min_score=0.75|without=too_short</prop>"
        in (tmp_path / "best" / "en-fr.tmx").read_text()
    )


def test_a_sheet_is_a_page_or_lines(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", str(run), "-o", str(run / "s.xlsx")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"diglot: {run / 's.xlsx'}: a sheet is a page or lines; name it .html or .tsv; ")
    assert not (run / "s.xlsx").exists()


def test_the_latest_word_on_a_flag_counts_and_the_least_score_goes_back(run: Path) -> None:
    assert main(["clean", str(run), "--drop", "too_short,numbers", "--min-score", "0.9", "-q"]) == 0
    assert main(["clean", str(run), "--keep", "too_short", "--min-score", "default", "-q"]) == 0
    settings = Run(run).settings
    assert (settings.keep, settings.drop, settings.min_score) == (("too_short",), ("numbers",), None)
    assert main(["clean", str(run), "--drop", "", "-q"]) == 0
    assert main(["clean", str(run), "--keep", "numbers", "--drop", "numbers", "-q"]) == 2
    settings = Run(run).settings
    assert (settings.keep, settings.drop) == (("too_short",), ())


def test_an_align_that_did_not_end_leaves_nothing_of_before(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> str:
        raise DiglotError("planted")

    monkeypatch.setattr("diglot.harvesting.align_stage", fail)
    (run / "words.tsv").write_text("bread\tpain\n")
    with pytest.raises(DiglotError, match="planted"):
        align_run(run, evidence=[f"dictionary:{run / 'words.tsv'}"], jobs=1)
    with pytest.raises(RunFolderError, match="holds no segments yet"):
        clean_run(run)


def test_outputs_stay_until_the_new_ones_are_written(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = open_run(run)
    opened.export(["csv"])
    best = max(segment.score for segment in opened.segments())
    before, kept = tree(run / "out"), opened.summary()["kept"]

    def look_and_fail(*_arguments: object, **_options: object) -> set[Path]:
        assert tree(run / "out") == before
        assert opened.summary()["kept"] == kept
        with pytest.raises(RunFolderError, match="another command is at work on this run; wait for it"):
            opened.segments()
        raise DiglotError("planted")

    with monkeypatch.context() as patched:
        patched.setattr("diglot.outputs.finish.write_outputs", look_and_fail)
        with pytest.raises(DiglotError, match="planted"):
            clean_run(run, min_score=best)
    assert tree(run / "out") == before
    for read in (opened.summary, opened.segments, lambda: report_run(run)):
        with pytest.raises(RunFolderError, match="the last command was not finished, and out is of earlier options"):
            read()
    assert main(["verify", str(run)]) == 1
    assert "the run is not finished" in capsys.readouterr().out
    clean_run(run, min_score=best)
    assert (run / "out" / "en-fr.tmx").read_bytes() != before[str(run / "out" / "en-fr.tmx")]
    # What is no longer an output is removed in the end.
    assert {*before} - {*tree(run / "out")} == {str(run / "out" / "en-fr.csv")}
    assert main(["verify", str(run)]) == 0


def test_a_killed_change_is_not_undone_by_the_options_of_before(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(run / "out")

    def fail(*_arguments: object, **_options: object) -> None:
        raise DiglotError("planted")

    with monkeypatch.context() as patched:
        patched.setattr("diglot.outputs.finish.write_summary", fail)
        with pytest.raises(DiglotError, match="planted"):
            clean_run(run, min_score=0.6)
    assert not verify_run(run).is_finished
    clean_run(run, min_score=None)
    same = tree(run / "out")
    for each in (before, same):
        each.pop(str(run / "out" / "summary.json"))  # it tells the seconds
    assert same == before
    assert verify_run(run).is_finished


def test_a_run_without_outputs_is_not_finished(run: Path) -> None:
    shutil.rmtree(run / "out")
    assert not verify_run(run).is_finished


def spoil(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9] + b"otherwise")


def pair_again(run: Path) -> None:
    pair_run(run, recipe="ilsp")


def align_again(run: Path) -> None:
    words = run.parent / "words.tsv"
    words.write_text("garden\tjardin\n")
    align_run(run, evidence=[f"dictionary:{words}"], jobs=1)


def clean_again(run: Path) -> None:
    clean_run(run, min_score=0.6)


@pytest.mark.parametrize(
    ("stage", "commands"),
    [
        ("documents", [pair_again, align_again, clean_again]),
        ("resolved", [pair_again, align_again, clean_again]),
        ("pairs", [align_again, clean_again]),
        ("segments", [clean_again]),
    ],
)
@pytest.mark.parametrize("damage", [Path.unlink, spoil])
def test_nothing_goes_that_cannot_be_made_anew(
    run: Path, stage: str, commands: list[Callable[[Path], object]], damage: Callable[[Path], object]
) -> None:
    for path in (run / stage).iterdir():
        damage(path)
    before = tree(run)
    for command in commands:
        with pytest.raises(RunFolderError, match=rf"{stage}/.*the command that made the run"):
            command(run)
        assert tree(run) == before


def test_nothing_goes_before_damaged_pages_are_deleted(finished: Path, run: Path) -> None:
    (pages,) = (run / "documents").iterdir()
    spoil(pages)
    before = tree(run)
    with pytest.raises(RunFolderError, match="a stage file is damaged"):
        harvest(finished / "site.lett", "en,fr", run, min_score=0.6, jobs=1)
    assert tree(run) == before
    pages.unlink()
    assert harvest(finished / "site.lett", "en,fr", run, min_score=0.6, jobs=1).pairs()
