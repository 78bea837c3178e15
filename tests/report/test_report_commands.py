"""The report of a real run and the commands round it: `open`, `sample`, `judge`."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import pytest

from diglot.cli import main
from diglot.harvesting import harvest
from diglot.report import REPORT
from diglot.results.run import open_run
from made_website import HOST, as_folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    harvest(as_folder(folder / "site"), "en,fr", folder / "run", base_url=HOST, recipe="url_baseline", jobs=1)
    return folder / "run"


def test_a_harvest_writes_it_and_open_writes_the_same_again(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = (run / REPORT).read_bytes()
    (run / REPORT).unlink()
    assert main(["open", str(run), "--path"]) == 0
    assert capsys.readouterr().out == f"{run / REPORT}\n"
    assert (run / REPORT).read_bytes() == written
    assert b"seconds" not in written.split(b'id="headline-data">')[1].split(b"</script>")[0]


def test_page_pairs_are_told_in_full_where_that_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    harvest(as_folder(tmp_path / "site"), "en,fr", tmp_path / "run", base_url=HOST, jobs=1)
    opened = open_run(tmp_path / "run")
    worst = min(opened.pairs(), key=lambda pair: (pair.probability, pair.src_url, pair.tgt_url))
    assert main(["open", str(tmp_path / "run"), "--path", "--why", "2"]) == 0
    packed = (tmp_path / "run" / REPORT).read_text().split('id="segments-data">')[1].split("<")[0]
    pairs = json.loads(zlib.decompress(base64.b64decode(packed)))["pairs"]
    told = {
        (src, tgt): grounds
        for src, tgt, grounds in zip(pairs["src_url"], pairs["tgt_url"], pairs["grounds"], strict=True)
    }
    assert len([grounds for grounds in told.values() if grounds]) == 2
    grounds = told[worst.src_url, worst.tgt_url]
    said = str(worst.why())
    assert grounds["rival"]
    assert grounds["words_for"]
    assert grounds["rival"] in said
    assert all(f"{src or tgt}" in said for src, tgt, _ in grounds["words_for"])
    capsys.readouterr()


def test_a_sample_is_drawn_and_judged(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "sheet.tsv"
    assert main(["sample", str(run), "-n", "30", "-o", str(sheet), "-l", "en,fr"]) == 0
    head, *lines = sheet.read_text().splitlines()
    said = ["wrong"] * 2 + ["partly"] * 2 + ["right"] * 26
    judged = [line.replace("\t\t", f"\t{verdict}\t", 1) for line, verdict in zip(lines, said, strict=True)]
    sheet.write_text("\n".join([head, *judged]) + "\n")
    capsys.readouterr()
    assert main(["judge", str(run), str(sheet), "--json"]) == 0
    bands = json.loads(capsys.readouterr().out)["bands"]
    assert [sum(band[name] for band in bands) for name in ("judged", "partly", "wrong")] == [30, 2, 2]
    assert main(["judge", str(run), str(sheet)]) == 0
    assert "10.0%" in capsys.readouterr().out


def test_a_sheet_lies_in_the_run_where_no_place_is_named(run: Path) -> None:
    assert main(["sample", str(run), "-n", "5"]) == 0
    kept = open_run(run).segments("en", "fr").clean()
    assert len(kept) > 5
    page = (run / "sample.html").read_text(encoding="utf-8")
    assert page.count('"verdict":""') == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["open", "{folder}"], "not a run folder"),
        (["sample", "{folder}"], "not a run folder"),
        (["sample", "{run}", "-l", "en,ja"], "has no pair en-ja"),
        (["sample", "{run}", "-l", "en,fr,de"], "two languages"),
        (["sample", "{run}", "-n", "0"], "at least 1"),
        (["judge", "{run}", "{folder}/none.tsv"], "cannot be read"),
    ],
)
def test_wrong_use(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main([word.format(run=run, folder=tmp_path) for word in words]) == 2
    assert said in capsys.readouterr().err
