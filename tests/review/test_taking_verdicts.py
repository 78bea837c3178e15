"""Verdicts that count: what is judged wrong is in no output, corrections are in all, and both last."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from diglot.cli import main
from diglot.cli.review import verdicts_text
from diglot.corpus.formats.tmx import read_tmx
from diglot.corpus.verdicts import segment_id
from diglot.disk.folder import RunFolder
from diglot.errors import NothingFound, RunFolderError, SourceError, UsageError
from diglot.evaluation.calibration import wilson_interval
from diglot.harvesting import align_run, clean_run, harvest
from diglot.merging import merge
from diglot.results.delta import LAST, UPDATE
from diglot.results.drawing import sample
from diglot.results.run import Run
from diglot.results.stats import stats
from diglot.results.take_verdicts import VerdictsTaken, judgement_lines, take_verdicts
from diglot.run import JUDGED_FILE
from diglot.run.judgements import Judgement, read_judgements, strike_judgements, write_judgements
from diglot.verifying import verify_run
from made_website import HOST, as_folder
from slow_cases import slow_but

HEAD = ["id", "verdict", "src", "tgt", "src_lang", "tgt_lang", "src_url", "tgt_url", "corrected_src", "corrected_tgt"]
NEW = "This sentence is new in the mirror."
CORRECTED = "Le chat dort \u00e0 l\u2019ombre"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run by learnt words, so that scores are probabilities; not to be changed."""
    folder = tmp_path_factory.mktemp("judging")
    harvest(as_folder(folder / "site"), "en,fr", folder / "run", base_url=HOST, jobs=1)
    return folder / "run"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy to judge."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


def units(run: Path) -> set[tuple[str, str]]:
    """Both texts of each unit of the memory."""
    return {tuple(each.text for each in unit.variants) for unit in read_tmx(run / "out" / "en-fr.tmx")}  # type: ignore[misc]


def rows(run: Path) -> list[dict[str, Any]]:
    """All segments of a run."""
    return Run(run).segments("en", "fr").table.to_pylist()


def kept_rows(run: Path) -> list[dict[str, Any]]:
    return Run(run).segments("en", "fr").kept_rows().to_pylist()  # type: ignore[no-any-return]


def sheet(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    """A judged file of these rows; what they do not say is empty."""
    text = "".join(
        "\t".join(str(line.get(name, "")) for name in HEAD) + "\n" for line in [{name: name for name in HEAD}, *lines]
    )
    path.write_text(text, encoding="utf-8")
    return path


def judged(run: Path, *lines: dict[str, Any], **options: Any) -> VerdictsTaken:
    return take_verdicts(run, [sheet(run.parent / "judged.tsv", lines)], **options)


def everywhere(run: Path, text: str) -> set[str]:
    """The files of a run, exports among them, that hold a text."""
    Run(run).export(["tmx", "moses", "jsonl", "xliff"], run.parent / "exported")
    files = [*(run / "out").iterdir(), *(run.parent / "exported").iterdir()]
    return {path.name for path in files if text in path.read_text(encoding="utf-8").replace("&apos;", "'")}


def test_twenty_verdicts_and_three_corrections(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a drawn sheet to the memory, the interval and the new scores, as a person does it."""
    before = {(row["src"], row["tgt"]) for row in kept_rows(run)}
    path = tmp_path / "sheet.tsv"
    assert main(["sample", str(run), "-n", "25", "-o", str(path)]) == 0
    head, *lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    said = ["wrong"] * 4 + ["partly"] * 2 + ["right"] * 14 + [""] * 5
    corrections = {1: f"{CORRECTED} 1", 4: f"{CORRECTED} 4", 19: f"{CORRECTED} 19"}
    for number, line in enumerate(lines):
        line[1] = said[number]
        line.append(corrections.get(number, ""))
    path.write_text("\n".join("\t".join(line) for line in [[*head, "corrected_tgt"], *lines]) + "\n", encoding="utf-8")
    # The same command once more must not lose what was filled in.
    filled_in = path.read_bytes()
    assert main(["sample", str(run), "-n", "25", "-o", str(path)]) == 0
    path = tmp_path / "sheet.tsv.yours"
    assert path.read_bytes() == filled_in
    main(["export", str(run), "--to", "jsonl"])
    capsys.readouterr()

    assert main(["judge", str(run), str(path), "--json"]) == 0
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert "removed jsonl of earlier verdicts" in printed.err
    assert not (run / "out" / "en-fr.jsonl").exists()
    assert (told["taken"], told["open"], told["corrected"], told["foreign"]) == (20, 5, 3, 0)
    right = told["right"]
    assert right["population"] == len(before)
    size = 20 * (len(before) - 1) / (len(before) - 20)  # 15 of 20, out of not very many
    assert (right["share"], right["low"], right["high"]) == pytest.approx((0.75, *wilson_interval(0.75 * size, size)))
    assert told["applied"]
    assert told["recalibration"]["found"] == 15
    assert told["recalibration"]["after"] < told["recalibration"]["before"]

    texts = [(line[2], line[3]) for line in lines]
    out_of_it = {texts[0], texts[2], texts[3]}
    put_in = {(texts[number][0], text) for number, text in corrections.items()}
    memory = units(run)
    assert put_in <= memory
    assert not memory & (out_of_it | {texts[number] for number in corrections})
    assert {text for number, text in enumerate(texts[:20]) if number not in (0, 1, 2, 3, 4, 19)} <= memory
    mean_before = sum(row["score"] for row in Run(run).segments("en", "fr").table.to_pylist()) / len(rows(run))
    take_verdicts(run, recalibrate=False)
    assert sum(row["score"] for row in rows(run)) / len(rows(run)) > mean_before  # 75% right: scores had gone down


def test_a_verdict_outlives_other_commands_and_is_undone_without_a_trace(whole: Path, run: Path) -> None:
    segment, other, third = kept_rows(run)[:3]
    judged(run, {**segment, "verdict": "n"}, {**other, "corrected_tgt": CORRECTED}, {**third, "verdict": "p"})
    wrong, mended = (segment["src"], segment["tgt"]), (other["src"], CORRECTED)

    def holds() -> None:
        assert wrong not in units(run)
        assert mended in units(run)
        flags = {(row["src"], row["tgt"]): row["flags"] for row in rows(run)}
        assert "judged_wrong" in flags[wrong]
        assert "corrected" in flags[mended]
        assert "judged_partly" in flags[third["src"], third["tgt"]]
        assert {"en-fr.tmx", "segments.en-fr.tsv", "en-fr.fr", "en-fr.jsonl", "en-fr.xlf"} == everywhere(run, CORRECTED)
        assert "judged_wrong" in (run / "out" / "segments.en-fr.tsv").read_text(encoding="utf-8")

    holds()
    clean_run(run, drop=("personal_data",))
    holds()
    clean_run(run, drop=())
    align_run(run, jobs=1)
    holds()
    harvest(whole.parent / "site", "en,fr", run, base_url=HOST, jobs=1)
    holds()
    assert take_verdicts(run, clear=True).weighing is None
    assert not verify_run(run).faults, "the file of judgements is gone, and on no list"
    assert not (run / JUDGED_FILE).exists()
    for name in ("out/en-fr.tmx", "out/segments.en-fr.tsv", "report.html"):
        assert (run / name).read_bytes() == (whole / name).read_bytes()


def test_a_merge_has_what_was_judged_in_its_runs_and_is_judged_itself(whole: Path, run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(whole, tmp_path / "other"))
    first, second = kept_rows(run)[:2]
    merge([run, other], tmp_path / "merged")
    assert (first["src"], first["tgt"]) in units(tmp_path / "merged")
    for each in (run, other):
        judged(each, {**first, "verdict": "wrong"})
    merge([run, other], tmp_path / "merged")
    assert (first["src"], first["tgt"]) not in units(tmp_path / "merged")
    judged(tmp_path / "merged", {**second, "verdict": "wrong", "corrected_tgt": CORRECTED})
    assert (second["src"], CORRECTED) in units(tmp_path / "merged")
    merge([run, other], tmp_path / "merged")
    assert (second["src"], CORRECTED) in units(tmp_path / "merged")


def test_what_is_right_comes_in_but_no_copy(run: Path) -> None:
    table = rows(run)
    doubted = next(row for row in table if "conflict" in row["flags"] or row["flags"][:1] == ["identical"])
    copy = next(row for row in table if row["flags"] == ["duplicate"])
    count = len(kept_rows(run))
    judged(run, {**doubted, "verdict": "right"}, {**copy, "verdict": "right"})
    assert (doubted["src"], doubted["tgt"]) in {(row["src"], row["tgt"]) for row in kept_rows(run)}
    assert len(kept_rows(run)) == count + 1
    assert len(Run(run).segments("en", "fr", min_score=1).kept_rows()) >= 2  # whatever their score


def test_a_verdict_on_a_copy_is_one_on_the_segment_kept_for_it(run: Path) -> None:
    copy = next(row for row in rows(run) if row["flags"] == ["duplicate"])
    texts = copy["src"], copy["tgt"]
    assert texts in units(run)
    judged(run, {**copy, "verdict": "wrong"})
    assert texts not in units(run)
    judged(run, {**copy, "verdict": "right"})
    assert texts in units(run)


def test_later_verdicts_win_and_are_on_the_text_that_is_shown(run: Path) -> None:
    segment = kept_rows(run)[0]
    texts, mended = (segment["src"], segment["tgt"]), (segment["src"], CORRECTED)
    shown = {**segment, "tgt": CORRECTED}  # as it stands in what is exported after the correction
    assert judged(run, {**segment, "verdict": "partly", "corrected_tgt": CORRECTED}).replaced == 0
    assert judged(run, {**shown, "verdict": "right"}).replaced == 0  # the same as before
    assert mended in units(run)
    (kept,) = read_judgements(run).values()
    assert (kept.verdict, kept.corrected_tgt) == ("partly", CORRECTED)  # what was aligned is no better for it
    assert judged(run, {**shown, "corrected_tgt": f"{CORRECTED}."}).replaced == 1
    assert (segment["src"], f"{CORRECTED}.") in units(run)
    judged(run, {**shown, "tgt": f"{CORRECTED}.", "verdict": "wrong"})
    assert not {texts, mended} & units(run)
    taken = judged(run, {**segment, "verdict": "right"})
    assert "replaced  1 earlier verdict, which said something else" in verdicts_text(taken, run)
    assert texts in units(run)
    assert judged(run, {**segment, "verdict": "right"}).kept is None  # nothing was new
    assert len(judgement_lines(run)) == 2


def test_chosen_segments_tell_no_share_unless_they_may_stand_for_others(run: Path) -> None:
    some = kept_rows(run)[:12]
    lines = [{**row, "verdict": "wrong" if number < 3 else "right"} for number, row in enumerate(some)]
    found = judged(run, *lines)
    assert found.weighing is not None
    assert found.weighing.right is None
    assert found.weighing.recalibration is None
    found = judged(run, *lines, as_random=True)
    assert found.weighing is not None
    assert found.weighing.right is not None
    assert not found.weighing.drawn
    assert found.weighing.right.low < 0.75 < found.weighing.right.high
    assert found.weighing.recalibration is not None


def test_a_workbook_counts_as_lines_do(run: Path) -> None:
    segment = kept_rows(run)[0]
    path = run.parent / "judged.xlsx"
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        for column, name in enumerate(HEAD):
            page.write_string(0, column, name)
            page.write_string(1, column, {**segment, "verdict": "n", "corrected_src": "A mended source"}.get(name, ""))
    take_verdicts(run, [path])
    assert ("A mended source", segment["tgt"]) in units(run)


def test_a_text_that_was_changed_in_its_own_column_is_told(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = ["right", "right", "", "partly"]
    kept = zip(kept_rows(run), verdicts, strict=False)
    lines = [{**row, "id": segment_id(row), "verdict": verdict} for row, verdict in kept]
    lines[1]["tgt"] += " Une phrase de plus."
    lines[2]["src"] += " One more."
    lines[3] |= {"tgt": "Autre chose", "corrected_tgt": "Autre chose"}  # taken
    lines[0] |= {"src": lines[0]["src"].replace(" ", "  "), "src_url": lines[0]["src_url"] + "#part"}  # the same text
    taken = judged(run, *lines)
    assert (taken.taken, taken.open, taken.foreign, taken.edited) == (3, 1, 0, 2)
    assert "Autre chose" in {tgt for _, tgt in units(run)}
    assert "Une phrase de plus" not in str(units(run))
    assert main(["judge", str(run), str(run.parent / "judged.tsv")]) == 0
    assert "was changed in 2 rows, and is not taken; write it into corrected_src" in capsys.readouterr().out
    # A corrected segment is shown as corrected: its row has the text of the run.
    corrected = next(row for row in kept_rows(run) if row["tgt"] == "Autre chose")
    again = {**corrected, "id": segment_id(corrected), "verdict": "right"}
    assert judged(run, again).edited == 0
    # Rows of another run are no edits, and sheets without texts have none.
    assert judged(run, {"id": "0", "src": "a", "tgt": "b", "verdict": "right"}, again).edited == 0
    monkeypatch.setattr(sys.modules[__name__], "HEAD", ["id", "verdict", "src_url", "tgt_url"])
    assert judged(run, again).edited == 0


def test_verdicts_on_texts_that_are_gone_are_told_and_those_on_moved_pages_hold(run: Path) -> None:
    moved, gone, *_ = kept_rows(run)
    judged(run, {**moved, "verdict": "wrong"}, {**gone, "verdict": "right"})
    notes = Run(run).summary()["notes"]
    known = list(read_judgements(run).values())
    elsewhere = replace(known[0], src_url="https://a.example/moved"), replace(known[1], tgt=f"{gone['tgt']} Autre.")
    write_judgements(run, {each.id: each for each in elsewhere})
    clean_run(run, min_score=0.01)
    told = "1 of 2 verdicts are on segments that the run does not hold now; they hold again if the same texts come back"
    assert Run(run).summary()["notes"] == [*notes, told]
    assert (moved["src"], moved["tgt"]) not in units(run)
    third = kept_rows(run)[0]
    check = judged(run, {**third, "verdict": "right"}).weighing.check
    # The page of the second verdict moved: the run keeps its texts, but not on the page that was judged.
    assert (check.whole.judged, check.foreign, check.missing) == (1, 1, 1)


def test_what_is_wrong_changes_nothing(whole: Path, run: Path, tmp_path: Path) -> None:
    segment = kept_rows(run)[0]
    good = sheet(tmp_path / "good.tsv", [{**segment, "verdict": "wrong"}])
    for lines, kind, said in (
        ([{**segment, "verdict": "maybe"}], SourceError, "verdict 'maybe'"),
        ([{"id": "0", "verdict": "right"}], UsageError, "were they of another run"),
        ([{**segment, "verdict": ""}], UsageError, "no row has a verdict yet"),
        ([{**segment, "id": segment_id(segment), "tgt": "Autre"}], UsageError, "in 1 the text of src or tgt was"),
    ):
        files = [good] if kind is SourceError else []
        with pytest.raises(kind, match=said):
            take_verdicts(run, [*files, sheet(tmp_path / "bad.tsv", lines)])
    assert not (run / JUDGED_FILE).exists()
    assert (run / "out" / "en-fr.tmx").read_bytes() == (whole / "out" / "en-fr.tmx").read_bytes()
    assert main(["judge", str(run), "--list", "--clear"]) == 2


def test_a_kill_between_leaves_outputs_that_are_known_to_be_old(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = kept_rows(run)[0]
    with monkeypatch.context() as patch:
        patch.setattr("diglot.results.take_verdicts.finish_stage", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            judged(run, {**segment, "verdict": "wrong"})
    assert (segment["src"], segment["tgt"]) in units(run)
    with pytest.raises(RunFolderError, match="the last command was not finished, and out is of earlier verdicts"):
        Run(run).summary()
    judged(run, {**segment, "verdict": "wrong"})
    assert (segment["src"], segment["tgt"]) not in units(run)


KILLED_AT = ["diglot.outputs.finish.write_report", "diglot.results.take_verdicts.write_last_deltas"]


@pytest.mark.parametrize("step", slow_but(KILLED_AT[:1], KILLED_AT))
def test_after_a_kill_the_same_verdicts_write_what_is_missing(
    step: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunFolder(run) as folder:
        folder.remember(UPDATE, LAST, {})  # as after an update that found all segments new
    segment = kept_rows(run)[0]
    outputs = (run / "report.html", run / "out" / "delta" / "en-fr.tmx")
    judged(run, {**kept_rows(run)[1], "verdict": "right"})
    before = [path.read_bytes() for path in outputs]
    with monkeypatch.context() as patch:
        patch.setattr(step, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            judged(run, {**segment, "verdict": "wrong"})
    judged(run, {**segment, "verdict": "wrong"})
    after = [path.read_bytes() for path in outputs]
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert segment["src"] not in outputs[1].read_text(encoding="utf-8")
    # Once they are whole, the same verdicts write nothing.
    outputs[0].unlink()
    judged(run, {**segment, "verdict": "wrong"})
    assert not outputs[0].exists()


def test_where_all_is_judged_wrong_the_outputs_are_whole(run: Path) -> None:
    with RunFolder(run) as folder:
        folder.remember(UPDATE, LAST, {})
    wrong = [{**row, "verdict": "wrong"} for row in rows(run)]
    with pytest.raises(NothingFound):
        judged(run, *wrong)
    assert not list(read_tmx(run / "out" / "delta" / "en-fr.tmx"))
    judged(run, *wrong)  # nothing is left to write, and nothing is raised again


def test_forgotten_addresses_take_their_verdicts_along(run: Path) -> None:
    first = kept_rows(run)[0]
    second = next(row for row in kept_rows(run) if row["src_url"] != first["src_url"])
    judged(run, {**first, "verdict": "right"}, {**second, "verdict": "right"})
    strike_judgements(run, lambda url: url == first["tgt_url"])
    assert [each.src for each in read_judgements(run).values()] == [second["src"]]


def test_judgements_are_read_as_they_were_written(run: Path) -> None:
    odd = Judgement("right", "a\u2028b", "\u00e9\t\"'", "en", "fr", "http://a.example/", "http://b.example/", drawn="x")
    (run / JUDGED_FILE).write_text("{}\n")
    with pytest.raises(UsageError, match="judge again"):
        read_judgements(run)
    write_judgements(run, {odd.id: odd})
    assert read_judgements(run) == {odd.id: odd}


def drawn_sheet(run: Path, verdicts: dict[int, str]) -> Path:
    """A sheet of 40 segments drawn at random, with verdicts by row."""
    path = run.parent / "sheet.tsv"
    if not path.exists():
        sample(run, 40, out=path)
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    for row, verdict in verdicts.items():
        lines[row][1] = verdict
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_person_who_strikes_only_what_is_wrong_loses_nothing_else(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = len(kept_rows(run))
    scores = [row["score"] for row in rows(run)]
    assert main(["judge", str(run), str(drawn_sheet(run, {4: "n", 9: "n", 31: "n"}))]) == 0
    said = capsys.readouterr().out
    assert "row 1 of the sheet has no verdict, rows below it have" in said
    assert f"kept      {before - 3} segments, {before} before; 3 fewer: 3 judged wrong\n" in said
    assert "37 rows without a verdict" in said
    assert [row["score"] for row in rows(run)] == scores
    assert len(kept_rows(run)) == before - 3
    assert main(["judge", str(run)]) == 0
    told = capsys.readouterr().out
    # What was asked for is told even if quiet; -q leaves out what a command did.
    assert main(["judge", str(run), "-q"]) == 0
    assert capsys.readouterr().out == told
    assert main(["judge", str(run), "--keep-scores", "-q"]) == 0
    assert main(["judge", str(run), str(drawn_sheet(run, {4: "n", 9: "n", 31: "n"})), "-q"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["judge", str(run), "--clear"]) == 0
    assert f"kept      {before} segments, {before - 3} before; 3 more that were left out before\n" in (
        capsys.readouterr().out
    )


def test_verdicts_from_the_top_give_new_scores_once_they_are_enough(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {row: "wrong" if row % 4 == 0 else "right" for row in range(1, 20)}
    found = take_verdicts(run, [drawn_sheet(run, said)])
    assert found.weighing is not None
    assert (found.weighing.applied, found.weighing.skipped) == (False, 0)  # 19 are too few
    before = len(kept_rows(run))
    assert main(["judge", str(run), str(drawn_sheet(run, {**said, 20: "unsure", 21: "wrong", 22: "wrong"}))]) == 0
    assert "recalibrated: " in (shown := capsys.readouterr().out)
    assert ("--keep-scores` takes those" in shown) == ("below the least score" in shown)
    after = len(kept_rows(run))
    assert f"kept      {after} segments, {before} before; {before - after} fewer: 2 judged wrong" in shown


def test_commands_name_a_folder_with_a_blank_as_one_word(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "a run"))
    assert main(["sample", str(run), "-n", "1"]) == 0
    said = f"1 segment to judge; open it in a browser, judge, save; then `diglot judge '{run}' FILE.tsv`"
    assert said in capsys.readouterr().out
    found = take_verdicts(run, [drawn_sheet(run, dict.fromkeys(range(1, 21), "right"))])
    assert found.weighing is not None
    moved = replace(found, below=1, weighing=replace(found.weighing, applied=True))
    assert f"`diglot judge '{run}' --keep-scores` takes those" in verdicts_text(moved, run)
    assert main(["pair", str(run), "--recipe", "url_baseline"]) == 0
    assert f"next      diglot align '{run}'  # segments and outputs are missing" in capsys.readouterr().out


def test_a_run_of_changed_files_is_made_again_as_update_says_and_keeps_verdicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site, run = as_folder(tmp_path / "site"), tmp_path / "a run"
    harvest(site, "en,fr", run, base_url=HOST, min_score=0.25, jobs=1)
    row = kept_rows(run)[0]
    judged(run, {"id": segment_id(row), "verdict": "wrong", "src": row["src"], "tgt": row["tgt"]})
    others = (each for each in (site / "en").rglob("*.html") if row["src"] not in each.read_text())
    page = max(others, key=os.path.getsize)
    page.write_text(page.read_text().replace("<p>", f"<p>{NEW} ", 1))
    assert main(["update", str(run)]) == 2
    command = capsys.readouterr().err.split("`")[1]
    assert main([*shlex.split(command)[1:], "--jobs", "1", "-q"]) == 0
    assert (row["src"], row["tgt"]) not in units(run)
    assert stats(run)["left_out"]["judged_wrong"] == 1
    assert Run(run).settings.min_score == 0.25
    assert any(NEW in row["src"] for row in rows(run))


def test_copies_left_out_already_are_not_counted_as_judged_wrong(run: Path) -> None:
    copy = next(row for row in rows(run) if row["flags"] == ["duplicate"])
    duplicates = stats(run)["left_out"]["duplicate"]
    taken = judged(run, {**copy, "verdict": "wrong"})
    assert (taken.left_out, taken.below, taken.flagged, taken.added) == (1, 0, 0, 0)
    assert taken.kept_before == taken.kept + 1  # type: ignore[operator]
    found = stats(run)["left_out"]
    assert (found["judged_wrong"], found["duplicate"]) == (1, duplicates)
