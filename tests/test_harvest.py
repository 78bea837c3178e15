"""The whole way on a small site: from a folder, an archive or a .lett file to the same pairs and segments."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import diglot.errors
import diglot.run
from diglot.corpus.formats.check import check_tmx
from diglot.disk.folder import RunFolder
from diglot.engines.pool import LocalEngine
from diglot.errors import NothingFound, RecipeError, RunFolderError
from diglot.harvesting import align_run, harvest, pair_run, read_sources
from diglot.outputs.corpus_files import command_again
from diglot.results.run import Run, open_run
from diglot.run.read import load_records
from made_website import COUNT, HOST, as_folder, as_lett, website
from pages.made_warcs import http, member, record

EXPECTED = {(f"{HOST}/en/chapter{n}.html", f"{HOST}/fr/chapter{n}.html") for n in range(1, COUNT + 1)}
TEXTS = ["pairs.en-fr.tsv", "segments.en-fr.tsv"]


def warc_records() -> list[bytes]:
    pages = [
        member(record(http(body, fields={"Content-Type": "text/html; charset=utf-8"}), url=f"{HOST}/{name}"))
        for name, body in website().items()
    ]
    moved = member(record(http(b"<p>gone", status="404 Not Found"), url=f"{HOST}/gone.html"))
    image = member(record(http(b"GIF89a", fields={"Content-Type": "image/gif"}), url=f"{HOST}/i.gif"))
    again = member(record(http(website()["en/chapter1.html"]), url=f"{HOST}/en/chapter1.html"))
    return [*pages, moved, image, again]


def as_warc(path: Path, seed: int = 0) -> Path:
    records = warc_records()
    random.Random(seed).shuffle(records)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(records))
    return path


def out_files(run: Path) -> dict[str, bytes]:
    """The files in ``out`` but for the summary, which holds times."""
    return {path.name: path.read_bytes() for path in (run / "out").iterdir() if path.name != "summary.json"}


def summary_without_times(run: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((run / "out" / "summary.json").read_text())
    del summary["seconds"]
    return summary


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The archive and the folder of a run that is not to be changed."""
    folder = tmp_path_factory.mktemp("harvest")
    warc = as_warc(folder / "site.warc.gz")
    harvest(warc, "en,fr", folder / "run", jobs=1)
    return warc, folder / "run"


def pairs_of(run: Path) -> set[tuple[str, str]]:
    lines = (run / "out" / "pairs.en-fr.tsv").read_text().splitlines()
    assert lines[0] == "src_url\ttgt_url\tprobability\tmethod"
    rows = [line.split("\t") for line in lines[1:]]
    assert [float(row[2]) for row in rows] == sorted((float(row[2]) for row in rows), reverse=True)
    return {(row[0], row[1]) for row in rows}


def test_the_pairs_are_right_and_the_memory_is_valid(finished: tuple[Path, Path]) -> None:
    _, run = finished
    assert pairs_of(run) == EXPECTED
    report = check_tmx(run / "out" / "en-fr.tmx")
    assert report.ok, report.problems
    assert report.languages == ("en", "fr")
    summary = summary_without_times(run)
    assert report.units == summary["kept"]["en-fr"] > 100
    assert summary["pages"] == len(website()) + 3
    assert summary["used"] == 2 * COUNT
    assert summary["dropped"] == {
        "http_status": 1,
        "no_partner": 1,
        "not_html": 1,
        "other_language": 1,
        "repeated_address": 1,
    }
    assert summary["documents_by_language"] == {"de": 1, "en": COUNT + 1, "fr": COUNT}


def test_segments_translate_each_other(finished: tuple[Path, Path]) -> None:
    _, run = finished
    segments = open_run(run).segments("en", "fr").clean()
    found = {(row.src, row.tgt) for row in segments}
    chapter = "(chapter 3).", "(chapitre 3)."
    sure = [(src, tgt) for src, tgt in found if src.startswith("Tickets") and src.endswith(chapter[0])]
    assert all(tgt.startswith("Les billets") and tgt.endswith(chapter[1]) for _, tgt in sure)
    numbers = [(src.rpartition(" ")[2], tgt.rpartition(" ")[2]) for src, tgt in found if src.endswith(").")]
    assert sum(first == second for first, second in numbers) > 0.95 * len(numbers)


def test_folder_archive_and_lett_give_the_same(finished: tuple[Path, Path], tmp_path: Path) -> None:
    _, run = finished
    harvest(as_folder(tmp_path / "site"), "en,fr", tmp_path / "folder", base_url=HOST, jobs=1)
    harvest(as_lett(tmp_path / "site.lett"), ["en", "fr"], tmp_path / "lett", jobs=1)
    for other in ("folder", "lett"):
        files = out_files(tmp_path / other)
        assert {name: files[name] for name in TEXTS} == {name: out_files(run)[name] for name in TEXTS}


def test_two_processes_give_the_same_bytes(finished: tuple[Path, Path], tmp_path: Path) -> None:
    warc, run = finished
    harvest(warc, "en,fr", tmp_path / "run", jobs=2)
    assert out_files(tmp_path / "run") == out_files(run)
    assert summary_without_times(tmp_path / "run") == summary_without_times(run)
    for path in sorted(run.glob("*/*.parquet")):
        assert (tmp_path / "run" / path.relative_to(run)).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("seed", [1])
def test_the_order_of_the_archive_does_not_matter(seed: int, finished: tuple[Path, Path], tmp_path: Path) -> None:
    shuffled = as_warc(tmp_path / "site.warc.gz", seed)
    assert shuffled.read_bytes() != finished[0].read_bytes()
    harvest(shuffled, "en,fr", tmp_path / "run", jobs=1)
    assert out_files(tmp_path / "run") == out_files(finished[1])


def test_the_same_command_again_does_nothing_twice(
    finished: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warc, run = finished
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run" / "out" / "en-fr.tmx").unlink()

    def no_work(*_: object, **__: object) -> None:
        raise AssertionError("work done twice")

    monkeypatch.setattr(LocalEngine, "map", no_work)
    monkeypatch.setattr(diglot.run.pair, "run_cascade", no_work)
    harvest(warc, "en,fr", tmp_path / "run", jobs=1)
    assert out_files(tmp_path / "run") == out_files(run)


def test_a_stopped_run_goes_on_at_the_first_missing_shard(
    finished: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards of 10 records; the third is not written the first time, so only records from 20 on are parsed again."""
    warc, run = finished
    monkeypatch.setattr(diglot.run.read, "SHARD_RECORDS", 10)
    monkeypatch.setattr(diglot.run.align, "SHARD_PAIRS", 5)
    parsed: list[int] = []
    page_tables = diglot.run.read._page_tables

    def counting(pages: list[Any]) -> Iterator[Any]:
        parsed.append(len(pages))
        if len(parsed) == 3:
            raise KeyboardInterrupt
        yield from page_tables(pages)

    monkeypatch.setattr(diglot.run.read, "_page_tables", counting)
    with pytest.raises(diglot.errors.Stopped, match="the same command goes on from"):
        harvest(warc, "en,fr", tmp_path / "run", jobs=1)
    assert len(list((tmp_path / "run" / "documents").iterdir())) == 2
    first, parsed[:] = parsed[2], [0] * 3
    harvest(warc, "en,fr", tmp_path / "run", jobs=1)
    assert parsed == [0] * 3 + [first]
    assert out_files(tmp_path / "run") == out_files(run)
    assert summary_without_times(tmp_path / "run") == summary_without_times(run)


def test_a_damaged_stage_file_is_named(finished: tuple[Path, Path], tmp_path: Path) -> None:
    warc, run = finished
    shutil.copytree(run, tmp_path / "run")
    [damaged] = (tmp_path / "run" / "documents").iterdir()
    damaged.write_bytes(damaged.read_bytes()[:-100])
    with pytest.raises(RunFolderError, match="a stage file is damaged"):
        harvest(warc, "en,fr", tmp_path / "run", jobs=1)


@pytest.mark.slow
def test_another_recipe_in_the_same_folder_replaces_its_pairs(finished: tuple[Path, Path], tmp_path: Path) -> None:
    warc, run = finished
    shutil.copytree(run, tmp_path / "run")
    again = pair_run(tmp_path / "run", recipe="url_baseline")
    assert {(pair.src_url, pair.tgt_url) for pair in again.pairs()} == EXPECTED
    assert {pair.method for pair in again.pairs()} == {"url-own"}
    assert len(list((tmp_path / "run" / "pairs").iterdir())) == 1
    align_run(tmp_path / "run", jobs=1)
    harvest(warc, "en,fr", tmp_path / "other", recipe="url_baseline", jobs=1)
    assert out_files(tmp_path / "run") == out_files(tmp_path / "other")
    assert out_files(tmp_path / "run") != out_files(run)
    with pytest.raises(RecipeError):
        pair_run(tmp_path / "run", recipe="none such")


def test_stage_by_stage_is_the_same_as_all_at_once(finished: tuple[Path, Path], tmp_path: Path) -> None:
    warc, run = finished
    read_sources(warc, "en,fr", tmp_path / "run", jobs=1)
    with pytest.raises(RunFolderError, match="holds no pairs yet; run `diglot pair "):
        align_run(tmp_path / "run", jobs=1)
    # Whoever wants the outputs is told the command that makes them, as by `diglot verify`.
    again = command_again(open_run(tmp_path / "run").folder)
    assert again.startswith("diglot harvest --config ")
    with pytest.raises(RunFolderError, match=re.escape(f"holds no pairs yet; run `{again}`")):
        open_run(tmp_path / "run").summary()
    pair_run(tmp_path / "run")
    with pytest.raises(RunFolderError, match="holds no segments yet; run `diglot align "):
        open_run(tmp_path / "run").summary()
    align_run(tmp_path / "run", jobs=1)
    assert out_files(tmp_path / "run") == out_files(run)


def test_fewer_languages_leave_no_files_of_the_others(tmp_path: Path) -> None:
    lett = as_lett(tmp_path / "site.lett")
    harvest(lett, "en,fr,de", tmp_path / "run", jobs=1)
    assert {"en-de.tmx", "en-fr.tmx", "fr-de.tmx"} <= set(out_files(tmp_path / "run"))
    harvest(lett, "en,fr", tmp_path / "run", jobs=1, overwrite=True)
    assert set(out_files(tmp_path / "run")) == {"en-fr.tmx", *TEXTS, "conflicts.en-fr.tsv", "pages.tsv"}


def test_nothing_found_leaves_a_funnel(tmp_path: Path) -> None:
    lett = as_lett(tmp_path / "site.lett")
    with pytest.raises(NothingFound, match=r"no translations found in it, es; .*\npages +26 records: 0 used"):
        harvest(lett, "it,es", tmp_path / "run", jobs=1)
    assert summary_without_times(tmp_path / "run")["used"] == 0
    assert pairs_of_lines(tmp_path / "run" / "out" / "pairs.it-es.tsv") == 0


def pairs_of_lines(path: Path) -> int:
    return len(path.read_text().splitlines()) - 1


def test_the_fate_of_every_record_is_a_line(finished: tuple[Path, Path]) -> None:
    _, run = finished
    header, *lines = (run / "out" / "pages.tsv").read_text().splitlines()
    assert header == "url\tlang\tfate\treason\tdetail\tsource\tfetched\ttitle\tlicence"
    assert len(lines) == len(warc_records())
    fates = {line.split("\t")[0].removeprefix(HOST): line.split("\t")[2:4] for line in lines}
    assert fates["/en/chapter2.html"] == ["used", ""]
    assert fates["/en/credits.html"] == ["dropped", "no_partner"]
    assert fates["/gone.html"] == ["dropped", "http_status"]


def test_quotes_and_tabs_in_addresses_and_types_do_not_break_the_ledger(tmp_path: Path) -> None:
    odd = http(bytes(range(128, 256)) * 50, fields={"Content-Type": 'text/html; charset="no\tsuch"; x="'})
    records = [*warc_records(), member(record(odd, url=f'{HOST}/a"b?c="d".html'))]
    (tmp_path / 'si"te.warc.gz').write_bytes(b"".join(records))
    harvest(tmp_path / 'si"te.warc.gz', "en,fr", tmp_path / "run", jobs=1)
    lines = (tmp_path / "run" / "out" / "pages.tsv").read_text().splitlines()
    assert {line.count("\t") for line in lines} == {8}
    [line] = [line for line in lines if "undecodable" in line]
    assert line.startswith(f'{HOST}/a"b?c="d".html\t')


def test_a_mirror_in_a_folder_named_as_its_host_needs_no_address(tmp_path: Path) -> None:
    as_folder(tmp_path / "mirror" / "www.garden.org")
    read_sources(tmp_path / "mirror", "en,fr", tmp_path / "run", jobs=1)
    documents = load_records(RunFolder(tmp_path / "run"), RunFolder(tmp_path / "run").recall("run", "documents"))
    assert {urlsplit(url).netloc for url in documents["url"].to_pylist()} == {"www.garden.org"}


def test_a_file_in_the_place_of_the_outputs_is_named(finished: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(finished[1], tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "out")
    (tmp_path / "run" / "out").write_text("in the way")
    with pytest.raises(diglot.errors.UsageError, match="out"):
        harvest(finished[0], "en,fr", tmp_path / "run", jobs=1)


def test_why(finished: tuple[Path, Path]) -> None:
    explainer = Run(finished[1]).explainer
    en, fr = f"{HOST}/en/chapter2.html", f"{HOST}/fr/chapter2.html"
    sure = r"(0\.9\d\d|1\.000)"
    assert re.match(rf"{en}: paired with {fr} \({sure}, fused\)", explainer.page(en).line)
    assert explainer.page(en).evidence
    assert all(item.passes for item in explainer.pair(fr, en).evidence)
    assert re.match(rf"{en} and {fr}: a pair, {sure}", explainer.pair(en, fr).line)
    wrong = explainer.pair(en, f"{HOST}/fr/chapter3.html")
    assert "not a pair" in wrong.line
    assert wrong.evidence
    assert all(item.feature in str(wrong) for item in wrong.readings())
    # Weighed evidence that the pair does not have is not shown.
    assert any(isnan(item.value) for item in wrong.evidence)
    assert not re.search(r"\bnan\b", str(wrong))
    assert "never compared, they are in en and en" in explainer.pair(en, f"{HOST}/en/credits.html").line
    assert explainer.pair(en, en).line == f"{en}: the same page twice; name two pages"
    assert "dropped, the server did not answer" in explainer.page(f"{HOST}/gone.html").line
    assert "dropped, in none of the wanted languages" in explainer.page(f"{HOST}/de/index.html").line
    assert f"{HOST}/en/credits.html: no" in explainer.page(f"{HOST}/en/credits.html").line
    assert "paired with" in explainer.page(f"{HOST}/en/chapter1.html").line
    assert explainer.page(f" {en}#notes").line == explainer.page(en).line
    assert explainer.pair(f"{en}#notes", f"<{fr}>").line == explainer.pair(en, fr).line
    for unknown in ("http://nowhere.example/", ""):
        with pytest.raises(diglot.errors.UsageError, match=r"its addresses are in out/pages\.tsv"):
            explainer.page(unknown)


def test_why_of_an_address_with_a_broken_record_beside_the_used_one(tmp_path: Path) -> None:
    broken = member(record(http(b"", status="503 Busy"), url=f"{HOST}/en/chapter2.html"))
    (tmp_path / "site.warc.gz").write_bytes(b"".join([broken, *warc_records(), broken]))
    run = harvest(tmp_path / "site.warc.gz", "en,fr", tmp_path / "run", jobs=1)
    assert "paired with" in run.explainer.page(f"{HOST}/en/chapter2.html").line


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_program_says_so_and_goes_on(finished: tuple[Path, Path], tmp_path: Path) -> None:
    warc, run = finished
    command = [
        sys.executable,
        "-m",
        "diglot",
        "harvest",
        str(warc),
        "-l",
        "en,fr",
        "-o",
        str(tmp_path / "run"),
        "--jobs",
        "1",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (tmp_path / "run" / "diglot.toml").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode in (0, 130)
    assert "Traceback" not in said
    if process.returncode == 130:
        assert said.splitlines()[-1].startswith("diglot: stopped; the same command goes on from")
    harvest(warc, "en,fr", tmp_path / "run", jobs=1)
    assert out_files(tmp_path / "run") == out_files(run)
