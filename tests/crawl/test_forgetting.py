"""What is forgotten is gone: from every file of the run, after any kill, and for good."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from made_runs import EXPORTS, LANGS, PAGE, SITE, WORD, Killed, crawl, made_site, outputs

from diglot import forgetting
from diglot.cli import main
from diglot.corpus.formats import WITH_CARD
from diglot.crawl import archive
from diglot.crawl.queue.frontier import FAILED, Frontier, NewAddress
from diglot.disk.folder import RunFolder
from diglot.errors import RunFolderError, UsageError
from diglot.forgetting import Forgotten, forget
from diglot.forgetting.target import choose
from diglot.pages import open_sources, read
from diglot.results.run import Run, open_run
from diglot.results.take_verdicts import take_verdicts
from diglot.run.judgements import read_judgements
from diglot.run.log import LOG, write_line
from packed_files import contents, holding
from slow_cases import slow_but

NAME = PAGE.removeprefix("http://")


@pytest.fixture(scope="module")
def undisturbed(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after one page was forgotten; not to be changed."""
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    shutil.copytree(whole, out)
    forget(out, url=PAGE, jobs=1)
    return out


@pytest.fixture(scope="module")
def undisturbed_few(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of the run with few exports."""
    out = tmp_path_factory.mktemp("undisturbed-few") / "run"
    shutil.copytree(finished, out)
    forget(out, url=PAGE, jobs=1)
    return out


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy to forget from, with few exports."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def test_the_page_was_in_every_kind_of_file(whole: Path) -> None:
    names = holding(whole, WORD)
    files = ["jsonl", "parquet", "xlf", "xlsx", "tmx", "en", "en.vert"]
    assert {f"out/en-fr.{file}" for file in files} | {"out/segments.en-fr.tsv", "report.html"} <= names
    assert {"sample.html", "sheet.tsv", "out/.en-fr.jsonl.17.part", "for-anna/en-fr.jsonl"} <= names
    assert any(name.startswith("out/cesalign.en-fr/") for name in names)


def test_its_texts_are_in_no_file_and_its_address_only_where_others_link_to_it(undisturbed: Path) -> None:
    assert holding(undisturbed, WORD) == set()
    assert {name.split("/")[0] for name in holding(undisturbed, NAME)} <= {"documents"}
    assert not list(undisturbed.rglob("*.part"))
    sources = open_sources(sorted(map(str, (undisturbed / "warc").glob("*.warc.gz"))))
    assert not any(NAME in record.url or "old5" in record.url for source in sources for record in read(source))


@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_is_made_again_as_if_it_were_new(
    name: str, whole: Path, undisturbed: Path, tmp_path: Path
) -> None:
    # The card describes all files of the folder that it is for.
    written = open_run(undisturbed).export(WITH_CARD if name in WITH_CARD else [name], tmp_path)
    for path in written:
        mine = undisturbed / "out" / path.relative_to(tmp_path)
        assert contents(mine) == contents(path)
    assert {path.name for path in (undisturbed / "out").iterdir()} <= {path.name for path in (whole / "out").iterdir()}


@pytest.mark.slow
def test_the_log_is_begun_anew_and_does_not_say_what_was_forgotten(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_line(run / LOG, f"error     {PAGE}: what an earlier command said")
    monkeypatch.setattr("sys.argv", ["diglot", "forget", str(run), "--url", PAGE])
    monkeypatch.setattr("diglot.engines.is_own_program", True)
    forget(run, url=PAGE, jobs=1)
    log = (run / LOG).read_text(encoding="utf-8")
    assert NAME not in log
    assert f"command   diglot forget {run} --url ... " in log


@pytest.mark.slow
def test_sheets_lose_their_lines_and_keep_their_verdicts(run: Path) -> None:
    sheet = run / "sheet.tsv"
    lines = sheet.read_text(encoding="utf-8").splitlines()
    judged = [lines[0], *("\t".join([line.split("\t")[0], "right", *line.split("\t")[2:]]) for line in lines[1:])]
    sheet.write_text("\n".join(judged) + "\n", encoding="utf-8")
    forget(run, url=PAGE, jobs=1)
    assert sheet.read_text(encoding="utf-8").splitlines() == [line for line in judged if PAGE not in line]


@pytest.mark.slow
def test_a_sheet_that_is_copied_into_the_run_later_loses_its_lines(run: Path) -> None:
    before = {name: (run / name).read_bytes() for name in ("sheet.tsv", "sample.html")}
    forget(run, url=PAGE, jobs=1)
    after = {name: (run / name).read_bytes() for name in before}
    for name, content in before.items():
        (run / name).write_bytes(content)
    (run / "mine.txt").write_text(PAGE)
    assert forget(run, url=PAGE, jobs=1).left == [run / "mine.txt"]
    assert {name: (run / name).read_bytes() for name in before} == after != before


SPELT = ["https://docs.example.org:443/en/chapter5.html", "HTTP://Docs.Example.ORG/en/chapter5.html#x", f" {PAGE}"]


@pytest.mark.parametrize("spelt", slow_but(SPELT[:1], SPELT))
def test_an_address_is_matched_as_it_was_crawled(run: Path, spelt: str) -> None:
    assert forget(run, url=spelt, jobs=1).addresses == 2  # and the one that redirected to it
    assert holding(run, WORD) == set()


def test_the_page_that_a_forgotten_address_led_to_stays_and_is_named(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["forget", str(run), "--url", f"{SITE}/en/old5.html", "--jobs", "1"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if "led" in line]
    assert told == [f"note      {PAGE} is where the address led, and stays: diglot forget {run} --url {PAGE}"]
    assert PAGE in {url for pair in open_run(run).pairs() for url in (pair.src_url, pair.tgt_url)}


def test_only_pages_of_the_run_are_named_as_where_addresses_led(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = SITE.removeprefix("http://")
    target_of = {
        "not-followed": "http://elsewhere.example/, which is not of this site",
        "long": f"{SITE}/{'x' * 200}",  # the journal keeps the beginning
        "gone": f"{SITE}/no-page",
        "in-two-steps": f"{SITE}/step",
        "step": PAGE,
        "again": f"{SITE}/again",
    }
    with Frontier(run / "journal.db") as frontier, frontier.transaction():
        for name, target in target_of.items():
            url = f"{SITE}/{name}"
            frontier.add([NewAddress(url, host)])
            columns = {"status": 301, "reason": "http_status", "detail": f"301 to {target}"}
            frontier.finish(*frontier.ids_of([url]), FAILED, **columns)
        frontier.add([NewAddress(f"{SITE}/no-page", host)])
        frontier.finish(*frontier.ids_of([f"{SITE}/no-page"]), FAILED, status=404, reason="http_status", detail="404")
    with RunFolder(run, create=False) as folder:
        led = {name: choose(folder, f"{host}/{name}", of_host=False).targets for name in target_of}
    assert {name: pages for name, pages in led.items() if pages} == {"in-two-steps": [PAGE], "step": [PAGE]}
    monkeypatch.setattr(forgetting, "MAX_NAMED", 0)
    assert forget(run, url=f"{SITE}/step", jobs=1).targets == []


def test_a_forgotten_host_names_no_page_that_its_addresses_led_to(run: Path) -> None:
    with Frontier(run / "journal.db") as frontier, frontier.transaction():
        frontier.add([NewAddress("http://old.example.org/", "old.example.org")])
        (entry_id,) = frontier.ids_of(["http://old.example.org/"])
        frontier.finish(entry_id, FAILED, status=301, reason="http_status", detail=f"301 to {PAGE}")
    assert forget(run, host="old.example.org", jobs=1).targets == []


@pytest.fixture
def forgetful(undisturbed_few: Path, tmp_path: Path) -> Path:
    """A copy from which the page was forgotten."""
    return Path(shutil.copytree(undisturbed_few, tmp_path / "run"))


def test_what_is_forgotten_is_never_asked_for_again(forgetful: Path) -> None:
    run = forgetful
    frontier = Frontier(run / "journal.db")
    frontier.ask_again()
    frontier.close()
    site = made_site()
    crawl(site, run)
    assert f"{SITE}/fr/chapter5.html" in site.asked
    assert not {PAGE, f"{SITE}/en/old5.html"} & set(site.asked)
    assert NAME.encode() not in (run / "journal.db").read_bytes()


def test_a_second_time_nothing_is_left_to_do(forgetful: Path) -> None:
    run = forgetful
    before = outputs(run)
    assert forget(run, url=PAGE, jobs=1).addresses == 0
    assert outputs(run) == before
    with pytest.raises(UsageError, match="does not know "):
        forget(run, url=f"{SITE}/en/nowhere.html")


@pytest.mark.parametrize("host", ["docs.example.org", "HTTP://Docs.example.org/"])
def test_a_host_goes_with_all_of_its_pages(run: Path, host: str) -> None:
    done = forget(run, host=host, jobs=1)
    assert done.addresses > 12
    assert done.left == []
    assert holding(run, "docs.example.org") == set()
    assert holding(run, WORD) == set()
    frontier = Frontier(run / "journal.db")
    assert frontier.hosts() == []
    assert frontier.is_forgotten("docs.example.org")
    frontier.close()


def test_files_that_diglot_did_not_make_are_named_and_left(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = next(row.src for row in open_run(run).segments(*LANGS) if WORD in row.src)
    (run / "notes.txt").write_text("<b>Look</b>: " + text.replace(" ", "\n"), encoding="utf-8")
    (run / "out" / "link.md").write_text(f"see {PAGE}.")
    (run / "out" / "other.md").write_text(f"see {PAGE}?x=1 and {SITE}/en/chapter50.html")
    shutil.copy(run / "out" / "en-fr.xlsx", run / "mine.xlsx")
    shutil.copy(run / "report.html", run / "old report.html")
    assert main(["forget", str(run), "--url", PAGE, "--jobs", "1", "--quiet"]) == 1
    told = capsys.readouterr().err.splitlines()
    names = ("mine.xlsx", "notes.txt", "old report.html", "out/link.md")
    assert [line.split(": ")[1] for line in told] == [str(run / name) for name in names]
    assert (run / "notes.txt").exists()


def test_exports_elsewhere_and_translations_are_named_and_stay(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client, opened = run.parent / "client", open_run(run)
    (pair,) = [pair for pair in opened.pairs() if pair.src_url == PAGE]
    opened.export(["csv"], client)
    opened.export(["moses"], run.parent / "gone")
    shutil.rmtree(run.parent / "gone")
    before = (client / "en-fr.csv").read_bytes()
    assert main(["forget", str(run), "--url", PAGE, "--jobs", "1"]) == 0
    told = capsys.readouterr().out
    held = [line for line in told.splitlines() if " still holds it" in line]
    advice = "still holds it and is not changed; export it again, or delete it"
    assert held == [f"note      {client / 'en-fr.csv'} {advice}"]
    translated = [line for line in told.splitlines() if " is a translation of it" in line]
    advice = f"is a translation of it and stays: diglot forget {run} --url {pair.tgt_url}"
    assert translated == [f"note      {pair.tgt_url} {advice}"]
    assert (client / "en-fr.csv").read_bytes() == before


def test_an_export_of_languages_that_the_run_has_no_more_is_deleted_and_told(run: Path) -> None:
    stale = run / "out" / "fr-en.jsonl"
    with RunFolder(run) as folder:
        known = folder.recall("export", "jsonl out")
        folder.remember("export", "jsonl out", {**known, "pairs": [*known["pairs"], ["fr", "en"]]})
    stale.write_text(WORD)
    assert forget(run, url=PAGE, jobs=1).unmade == [stale]
    assert not stale.exists()


def test_options_of_an_export_hold_when_it_is_made_again(run: Path) -> None:
    open_run(run).export(["jsonl"], min_score=0.999)
    forget(run, url=PAGE, jobs=1)
    mine = (run / "out" / "en-fr.jsonl").read_bytes()
    open_run(run).export(["jsonl"], min_score=0.999)
    assert (run / "out" / "en-fr.jsonl").read_bytes() == mine


STEPS: list[tuple[Any, str]] = [
    (RunFolder, "begin_task"),
    (forgetting, "clear_outputs"),
    (forgetting, "strike_lines"),
    (RunFolder, "clear"),
    (archive, "_rewrite"),
    (forgetting, "forget_records"),
    (Frontier, "strike_out"),
    (forgetting, "write_fetches"),
    (forgetting, "harvest_into"),
    (Run, "write_exports"),
    (RunFolder, "compact"),
    (RunFolder, "end_task"),
]


QUICK_STEPS = [STEPS[8]]
"""The stages are made again."""


@pytest.mark.parametrize(("home", "name"), slow_but(QUICK_STEPS, STEPS))
def test_a_kill_closes_the_run_until_the_same_command_has_finished(
    home: Any, name: str, run: Path, undisturbed_few: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    step = getattr(home, name)

    def killed(*values: Any, **named: Any) -> None:
        step(*values, **named)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(home, name, killed)
        with pytest.raises(Killed):
            forget(run, url=PAGE, jobs=1)
    if name != "end_task":
        for command in (lambda: open_run(run).export(["jsonl"], tmp_path / "x"), lambda: RunFolder(run)):
            with pytest.raises(RunFolderError, match=f"`diglot forget {run} --url {PAGE}` was not finished"):
                command()
        with pytest.raises(RunFolderError, match="was not finished"):
            forget(run, host="docs.example.org")
    done = forget(run, url=PAGE, jobs=1)
    assert isinstance(done, Forgotten)
    assert holding(run, WORD) == set()
    assert {file.split("/")[0] for file in holding(run, NAME)} <= {"documents"}
    assert outputs(run) == outputs(undisturbed_few)


def test_who_opened_a_run_before_writes_nothing_of_it_any_more(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    early = open_run(run)
    assert early.segments(*LANGS).kept_rows().num_rows

    def killed(*_: Any, **_options: Any) -> None:
        raise Killed

    monkeypatch.setattr(forgetting, "clear_outputs", killed)
    with pytest.raises(Killed):
        forget(run, url=PAGE, jobs=1)
    with pytest.raises(RunFolderError, match="was not finished"):
        early.export(["jsonl"])


def test_the_next_command_removes_what_a_killed_one_left(run: Path) -> None:
    mine = run / "out" / ".hidden.part"
    mine.write_text("not made by Diglot")
    assert (run / "out" / ".en-fr.jsonl.17.part").exists()
    with RunFolder(run) as folder, folder.lock():
        assert [path.name for path in run.rglob("*.part")] == [mine.name]


def test_verdicts_on_a_page_go_with_it_and_those_on_others_hold(run: Path) -> None:
    kept = open_run(run).segments(*LANGS).kept_rows().to_pylist()
    mine = next(row for row in kept if PAGE in (row["src_url"], row["tgt_url"]))
    other = next(row for row in kept if PAGE not in (row["src_url"], row["tgt_url"]))
    head = ("verdict", "src", "tgt", "src_url", "tgt_url", "corrected_src")
    lines = ["\t".join(head)]
    for row, verdict, correction in ((mine, "partly", f"{WORD} mended"), (other, "wrong", "")):
        lines.append("\t".join([verdict, *(row[name] for name in head[1:5]), correction]))
    sheet = run.parent / "judged.tsv"
    sheet.write_text("\n".join(lines), encoding="utf-8")
    take_verdicts(run, [sheet])
    assert {"judgements.jsonl", "out/en-fr.tmx"} <= holding(run, f"{WORD} mended")
    forget(run, url=PAGE, jobs=1)
    assert holding(run, "mended") == set()
    assert holding(run, WORD) == set()
    assert [each.src for each in read_judgements(run).values()] == [other["src"]]
    left = open_run(run).segments(*LANGS).kept_rows().select(["src", "tgt"]).to_pylist()
    assert {"src": other["src"], "tgt": other["tgt"]} not in left
