"""Exit codes and one-line messages: whatever is typed, no traceback, and the line names the thing and what to try."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import diglot
from diglot import errors
from diglot.cli import _tell_failure, main
from diglot.cli.interrupts import say_stopped
from diglot.disk.folder import RunFolder
from diglot.disk.folder_list import LIST
from diglot.errors import DiglotError
from diglot.forgetting import Forgotten
from diglot.harvesting import harvest
from made_sites import address, lett_line, page_html
from made_website import HOST, as_folder, as_lett
from pages.made_warcs import http, member, record


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run and with everything a person may name by mistake."""
    folder = tmp_path_factory.mktemp("cli")
    as_lett(folder / "site.lett")
    as_folder(folder / "site")
    harvest(folder / "site.lett", "en,fr", folder / "run", jobs=1)
    (folder / "empty").write_bytes(b"")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (folder / "nothing").mkdir()
    (folder / "text.txt").write_text("One line.\n")
    (folder / "texte.txt").write_text("Une ligne.\n")
    (folder / "latin.txt").write_bytes(b"caf\xe9\n")
    (folder / "blank.txt").write_text("\n \n")
    (folder / "broken.tmx").write_text("<tmx><body><tu>")
    (folder / "gold.tsv").write_text(f"en\tfr\t{HOST}/en/chapter1.html\t{HOST}/fr/chapter1.html\n")
    (folder / "malformed.tsv").write_text("en\tfr\tonly three\n")
    (folder / "options.toml").write_text("max_edits = 3\n")
    (folder / "bad.toml").write_text("max_edits = = 3\n")
    (folder / "nested.toml").write_text("[recipe]\nmax_edits = 3\n")
    page = (
        "<html lang=en><title>T</title><p>The bakery opens early in the morning and sells bread to the people.</html>"
    )
    warc = b"".join(member(record(http(page.encode()), url=f"{HOST}/{n}")) for n in range(3))
    (folder / "english.warc.gz").write_bytes(warc)
    (folder / "cut.warc.gz").write_bytes(warc[:200])
    (folder / "half").mkdir()
    assert main(["read", str(folder / "site.lett"), "-l", "en,fr", "-o", str(folder / "half"), "--quiet"]) == 0
    return folder


def typed(place: Path, line: str) -> list[str]:
    """Words of a command line; ``@name`` is something in the folder."""
    return [word.replace("@", f"{place}/") for word in line.split()]


MISTAKES = [
    ("harvest @none.warc.gz -l en,fr -o @new", "none.warc.gz: no such file or folder; check the path"),
    ("harvest @empty -l en,fr -o @new", "empty: the file is empty"),
    ("harvest @picture.png -l en,fr -o @new", "picture.png: neither WARC nor .lett"),
    ("harvest @nothing -l en,fr -o @new", "nothing: no HTML file and no document in this folder"),
    ("harvest @site -l en,fr -o @new", "give --base-url"),
    ("harvest http://127.0.0.1:1/ @site -l en,fr -o @new", "site: its pages do not say where they come from"),
    ("read @site -l en,fr -o @new", "give --base-url https://HOST/PATH, the address the folder stands for"),
    ("harvest @site -l en,fr -o @new --base-url nowhere", "--base-url nowhere: not a plain web address"),
    ("harvest @site.lett -l en,fr -o @new --base-url http://a.example/", "no source is a folder: leave it out"),
    ("harvest @site.lett @site.lett -l en,fr -o @new", "given twice"),
    ("harvest http://localhost/ -l en,fr -o @new", "a name of local networks"),
    ("harvest @site.lett -l en,klingon -o @new", "'klingon' is not a language code; Klingon is tlh"),
    ("harvest @site.lett -l en -o @new", "give at least two, as in en,fr"),
    ("harvest @site.lett -l , -o @new", "give at least two, as in en,fr"),
    ("harvest @site.lett -l en,fr --pivot de -o @new", "the pivot de is not among the languages en,fr"),
    ("harvest @site.lett -l en,fr --recipe best -o @new", "no recipe 'best'; there are: url_baseline"),
    ("harvest @site.lett -l en,fr --set colour=red -o @new", "recipe fused: no option 'colour'; there are: aligner"),
    (
        "harvest @site.lett -l en,fr --recipe fusd -o @new",
        "no recipe 'fusd'; did you mean fused? There are: url_baseline",
    ),
    ("export @run --to tmxs", "no format 'tmxs'; did you mean tmx? There are: tmx"),
    ("harvest @site.lett -l en,fr --delay 3 -o @new", "--delay: for a crawl, and no source is a web address"),
    ("harvest @site.lett -l en,fr --set point=exact -o @new", "option point: 'exact' is none of precise"),
    (
        "harvest @site.lett -l en,fr --recipe bitextor2010 --set max_edits=many -o @new",
        "option max_edits: 'many' is not a value like",
    ),
    (
        "harvest @site.lett -l en,fr --recipe bitextor2010 --set max_edits=-1 -o @new",
        "option max_edits: '-1' is not a value like",
    ),
    (
        "harvest @site.lett -l en,fr --recipe bitextor2010 --set max_edits=nan -o @new",
        "option max_edits: 'nan' is not a value like",
    ),
    (
        "harvest @site.lett -l en,fr --recipe bitextor2010 --set end_tags=maybe -o @new",
        "option end_tags: 'maybe' is not a value like",
    ),
    ("harvest @site.lett -l en,fr --set aligner=guess -o @new", "no aligner 'guess'; there are: tags"),
    ("harvest @site.lett -l en,fr -o @new -q -v", "--quiet and --verbose contradict each other"),
    ("harvest @site.lett -l en,fr --set max_edits -o @new", "--set max_edits: write KEY=VALUE"),
    ("harvest @site.lett -l en,fr --config @none.toml -o @new", "none.toml: cannot be read as TOML"),
    ("harvest @site.lett -l en,fr --config @bad.toml -o @new", "bad.toml: cannot be read as TOML"),
    (
        "harvest @site.lett -l en,fr --config @picture.png -o @new",
        "picture.png: cannot be read as TOML (no text in UTF-8)",
    ),
    ("harvest @site.lett -l en,fr --config @nested.toml -o @new", "nested.toml: recipe is a table or list"),
    ("harvest @site.lett -l en,fr -o @text.txt", "text.txt: cannot be used as a run folder"),
    ("harvest @site.lett -l en,fr -o @text.txt/below", "cannot be used as a run folder"),
    ("read @site.lett -l en,fr -o /proc/new", "/proc/new: cannot be used as a run folder"),
    ("harvest example.org/page -l en,fr -o @new", "an address begins with https:// or http://"),
    ("harvest http://127.0.0.1:8/ -l en,fr -o @new", "--allow-host HOST:PORT lets one host through"),
    ("harvest @run -l en,fr -o @new", "run: a run folder and no source; `diglot harvest --config"),
    ("align @text.txt -l en,fr", "text.txt: one file; name its translation beside it: diglot align"),
    ("crawl https://www.example.org/ -o @new --max-time nan", "--max-time nan: give more than 0; without the option"),
    ("crawl https://www.example.org/ -o @new --max-time inf", "--max-time inf: give more than 0; without the option"),
    ("crawl https://www.example.org/ -o @new --max-time=-5s", "--max-time -5s: give more than 0; without the option"),
    ("crawl https://www.example.org/ -o @new --max-time 0s", "--max-time 0s: give more than 0; without the option"),
    ("crawl https://www.example.org/ -o @text.txt", "text.txt: cannot be used as a run folder"),
    ("harvest https://www.example.org/ -l en,fr -o @text.txt/below", "below: cannot be used as a run folder"),
    ("clean @run --pii all", "--pii all: give one of flag, mask, off"),
    (
        "clean @run --offensive @none.txt",
        "none.txt: cannot be read as UTF-8 text (not there; check the name); --offensive",
    ),
    ("clean @run --offensive .", "cannot be read as UTF-8 text (a folder; name a file)"),
    ("clean @run --drop every", "no flag 'every'"),
    ("pair @nothing", "nothing: not a run folder; name one that `diglot harvest"),
    ("pair @run --recipe best", "no recipe 'best'"),
    ("align @nothing", "nothing: not a run folder"),
    ("align @half", "holds no pairs yet; run `diglot pair "),
    ("align @text.txt @none.txt -l en,fr", "none.txt: cannot be read"),
    ("align @text.txt @latin.txt -l en,fr", "latin.txt: not UTF-8 at byte 3"),
    ("align @text.txt @blank.txt -l en,fr", "blank.txt: holds no text"),
    ("align @text.txt @texte.txt -l en", "give at least two"),
    ("align @text.txt @texte.txt", "name the languages of the two files: -l en,fr"),
    ("sample @run -n 0", "-n 0: give the number of segments to judge, at least 1"),
    ("merge @run @run -o @new", "run: named twice; name each run once"),
    ("harvest @site -l en,fr --base-url http://a.example/ -o @site", "site: is a source; name another folder"),
    ("harvest @site -l en,fr --base-url http://a.example/ -o @site --overwrite", "site: is a source; name another"),
    ("stats @site", "site: not a run folder; name one that `diglot harvest ... -o` made"),
    ("harvest @site.lett -lang en,de -o @new", "-lang: a long option has two dashes; write --lang or --langs"),
    ("harvest @site.lett -l en,fr -overwrite", "-overwrite: a long option has two dashes; write --overwrite"),
    ("export @run -out @new", "-out: a long option has two dashes; write --out"),
    ("export @run -to tmx -o @new", "-to: a long option has two dashes; write --to"),
    ("clean @run -min-score=0.8", "-min-score=0.8: a long option has two dashes; write --min-score"),
    ("evaluate pairs @run @gold.tsv -json", "-json: a long option has two dashes; write --json"),
    ("-version", "-version: a long option has two dashes; write --version"),
    ("export @run -lang en,de -o @new", "-lang: a long option has two dashes; write --langs"),
    ("harvest @site.lett -l en,fr --out=", "-o '': names no folder or file; give one"),
    ("export @run --out= --to tmx", "-o '': names no folder or file; give one"),
    ("compare @site.lett -l en,fr --html @nothing", "nothing: a folder; name a file to write"),
    ("align @run -o @new", "align takes a run folder, and no -l, --split, --to, --aligner or -o"),
    ("align @run --aligner gale_church", "run --set aligner=NAME` sets the aligner of a run"),
    ("evaluate pairs @run @gold.tsv --min-prob nan", "--min-prob nan: give a number between 0 and 1"),
    ("terms @run --least nan", "--least nan: give a number between 0 and 1"),
    ("export -help", "-help: a long option has two dashes; write --help"),
    ("align @text.txt @texte.txt -l en,fr,de", "two texts have two languages"),
    ("align @text.txt @texte.txt -l en,fr --to pdf", "--to pdf: give one of beads, tsv, tmx"),
    ("align @half --evidence guess", "evidence guess: give one of embed"),
    ("align @text.txt @texte.txt -l en,mi --evidence embed", "no encoder reads mi"),
    ("align @text.txt @texte.txt -l en,fr --evidence guess", "evidence guess: give one of embed"),
    ("align @text.txt @texte.txt -l en,fr --evidence dictionary:none.tsv", "none.tsv: No such file"),
    ("align @text.txt @texte.txt -l en,fr --evidence translations:none.tsv", "none.tsv: cannot be read"),
    ("align @text.txt @texte.txt -l en,fr --evidence apertium:eng-spa", "the texts are in en and fr"),
    ("align @text.txt @texte.txt -l en,fr -o @text.txt/x", "cannot"),
    ("align @text.txt @texte.txt -l en,fr --to tmx -o @text.txt/x", "cannot"),
    ("export @none", "none: not a run folder"),
    ("export @run --to xliff2", "no format 'xliff2'; did you mean xliff? There are: tmx"),
    ("export @run --to Excel", "no format 'Excel'; did you mean xlsx? There are: tmx"),
    ("clean @run --min-score 5", "--min-score 5: give a score between 0 and 1, or default"),
    ("clean @run --min-score high", "--min-score high: give a score between 0 and 1, or default"),
    ("export @run --to docx", "no format 'docx'; there are: tmx"),
    ("export @run --to ,", "no format"),
    ("export @run --to tmx -o @text.txt", "text.txt"),
    ("recipes best", "no recipe 'best'"),
    ("why @run http://nowhere.example/", "http://nowhere.example/: not an address of"),
    ("why @none http://nowhere.example/", "none: not a run folder"),
    ("check @none.tmx", "none.tmx"),
    ("check @nothing", "nothing"),
    ("evaluate pairs @run @malformed.tsv", "malformed.tsv line 1: expected lang1, lang2, url1, url2 divided by tabs"),
    ("evaluate pairs @run @none.tsv", "none.tsv"),
    ("evaluate pairs @nothing @gold.tsv", "nothing has no out/pairs"),
    ("evaluate pairs @picture.png @gold.tsv", "picture.png"),
]


@pytest.mark.parametrize("option", ["--max-pages", "--max-documents"])
def test_a_crawl_of_no_pages_is_refused(option: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(typed(place, f"crawl https://www.example.org/ -o @new {option} 0")) == 2
    assert f"'{option}': 0 is not in the range x>=1" in capsys.readouterr().err


@pytest.mark.parametrize(("line", "message"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_is_one_line_and_exit_code_2(
    line: str, message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed(place, line)) == 2
    said = capsys.readouterr().err
    assert said.startswith("diglot: ")
    assert message in said
    assert said.count("\n") == 1
    assert not (place / "new").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("harvest @site.lett -l en,fr --min-score 0,8 -o @new", "'0,8': give a number; write 0.8"),
        ("clean @run --min-score 0,8", "--min-score 0,8: give a score between 0 and 1, or default; write 0.8\n"),
        # It may be a thousand.
        ("export @run --min-score 1,000", "'1,000': give a number.\n"),
        ("clean @run --min-score 1,000", "--min-score 1,000: give a score between 0 and 1, or default\n"),
    ],
)
def test_a_number_with_a_decimal_comma_is_told_with_a_point(
    line: str, message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed(place, line)) == 2
    assert message in capsys.readouterr().err


def test_a_tilde_is_the_home_folder(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(tmp_path)
    assert main(["stats", "~/run"]) == 0
    assert main(["harvest", "~/site.lett", "-l", "en,fr", "--out=~/at-home", "--quiet"]) == 0
    assert main(["export", "~/at-home", "--to", "moses", "--out=~/corpus"]) == 0
    assert main(["tasks", "plan", "~/site.lett", "-l", "en,fr", "--out=~/planned"]) == 0
    assert main(["tasks", "status", "~/planned"]) == 0
    assert (place / "at-home" / "out" / "en-fr.tmx").is_file()
    assert list((place / "corpus").iterdir())
    assert diglot.stats("~/at-home") is not None
    diglot.read_sources("~/site.lett", langs="en,fr", out="~/read-at-home")
    assert (place / "read-at-home" / "journal.db").is_file()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_a_plan_of_tasks_may_be_made_in_silence(
    quiet: list[str], place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "planned"
    assert main(["tasks", "plan", str(place / "site.lett"), "-l", "en,fr", "-o", str(run), *quiet]) == 0
    out, err = capsys.readouterr()
    assert out + err == "" if quiet else "planned   1 task of reading" in out
    assert list(run.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["verify", ""], "RUN '': names no folder or file"),
        (["tasks", "status", ""], "RUN '': names no folder or file"),
        (["evaluate", "pairs", "@run", "@gold.tsv", "--ignore", ""], "--ignore '': names no folder or file"),
        (["tasks", "plan", "", "-l", "en,fr", "-o", "@new"], "'' names no source"),
    ],
)
def test_an_empty_path_is_told(words: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.replace("@", f"{place}/") for word in words]) == 2
    assert message in capsys.readouterr().err


def test_a_limit_beyond_all_numbers_of_hits_is_none(place: Path) -> None:
    assert main(["search", str(place / "run"), "e", "--limit", "9" * 20, "--all"]) == 0


@pytest.mark.parametrize("option", ["-o", "--out"])
def test_an_empty_folder_is_not_this_folder(
    option: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*typed(place, "harvest @site.lett -l en,fr"), option, ""]) == 2
    assert "-o '': names no folder or file; give one" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "line",
    [
        "harvest @site.lett -l en,fr -o {}",
        "export @run --to moses -o {}",
        "terms @run --to tbx -o {}",
        "compare @site.lett -l en,fr --recipes url_baseline --html {}",
        "align @text.txt @texte.txt -l en,fr --to tmx -o {}",
    ],
)
def test_a_link_to_itself_is_told_in_a_line(
    line: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert main(typed(place, line.format(loop))) == 2
    assert capsys.readouterr().err == f"diglot: {loop}: a symbolic link that leads to itself; name another place\n"


def test_the_value_of_an_option_may_follow_its_letter(place: Path, tmp_path: Path) -> None:
    assert main(typed(place, f"export @run -len,fr -o{tmp_path}/out")) == 0
    assert (tmp_path / "out" / "en-fr.tmx").is_file()
    assert main(["search", str(place / "run"), "--", "-to"]) == 1  # found nowhere


@pytest.mark.parametrize("options", ["--pii all", "--offensive @none.txt", "--drop every"])
def test_a_mistake_in_cleaning_does_not_stay_in_the_run(options: str, place: Path) -> None:
    told = place / "run" / "diglot.toml"
    before = told.read_bytes()
    assert main(typed(place, f"clean @run {options}")) == 2
    assert told.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("harvest", "no SOURCE given"),
        ("harvest @site.lett -o @new", "'-l' / '--langs'"),
        ("harvest @site.lett -l en,fr", "'-o' / '--out'"),
        ("harvest @site.lett -l en,fr -o @new --colour", "No such option"),
        ("harvest @site.lett -l en,fr -o @new --jobs -1", "'--jobs'"),
        ("harvest @site.lett -l en,fr -o @new --jobs two", "'--jobs'"),
        ("harvest @site.lett -l en,fr -o @new --min-prob 2", "'--min-prob'"),
        ("reap", "No such command"),
        ("evaluate nothing", "No such command"),
    ],
)
def test_a_wrong_option_is_named(line: str, message: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(typed(place, line)) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert not (place / "new").exists()


def test_a_file_that_is_not_well_formed_is_exit_code_2(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(place / "broken.tmx")]) == 2
    assert "not ok" in capsys.readouterr().out
    assert main(["check", str(place / "broken.tmx"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["ok"] is False
    assert main(["check", str(place / "run" / "out" / "en-fr.tmx")]) == 0
    assert "ok, " in capsys.readouterr().out


def test_several_files_are_each_checked(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, broken, none = place / "run" / "out" / "en-fr.tmx", place / "broken.tmx", place / "none.tmx"
    assert main(["check", str(broken), str(none), str(good)]) == 2
    shown = capsys.readouterr()
    verdicts = [line for line in shown.out.splitlines() if line.startswith(str(place))]
    assert [line.partition(",")[0] for line in verdicts] == [f"{broken}: not ok", f"{good}: ok"]
    assert f"cannot read {none}" in shown.err
    assert main(["check", str(good), str(good)]) == 0
    capsys.readouterr()
    assert main(["check", str(broken), str(good), "--json"]) == 2
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["file"], each["ok"]) for each in told] == [(str(broken), False), (str(good), True)]


def test_every_exit_code_of_an_error_is_in_the_list_of_the_reference() -> None:
    page = (Path(__file__).parents[1] / "docs" / "reference" / "commands.md").read_text()
    listed = {int(code) for code in re.findall(r"(?:codes:|;)\s(\d+) ", page.partition("\n`search` ends")[0])}
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, DiglotError)]
    assert {0, 1, 2, 3} <= {0, *(each.exit_code for each in kinds)} <= listed


@pytest.mark.parametrize(("source", "fate"), [("english.warc.gz", "no_partner"), ("cut.warc.gz", "cut_record")])
def test_nothing_found_is_exit_code_3_with_the_funnel(
    source: str, fate: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["harvest", str(place / source), "-l", "en,fr", "-o", str(tmp_path), "--jobs", "1"]) == 3
    said = capsys.readouterr().err
    assert "diglot: no translations found in en, fr; what became of the pages:\npages" in said
    assert f"\nnext      diglot why {tmp_path} ADDRESS" in said
    assert "Traceback" not in said
    dropped = json.loads((tmp_path / "out" / "summary.json").read_text())["dropped"]
    assert fate in dropped


STAGES = ["read", "resolve", "pair", "align", "clean", "write", "report"]


def test_what_a_harvest_prints(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["harvest", str(place / "site.lett"), "-l", "en,fr", "-o", str(tmp_path / "run"), "--jobs", "1"]
    words += ["--recipe", "bitextor2010-relative"]
    assert main([*words, "--json", "--config", str(place / "options.toml")]) == 0
    printed = capsys.readouterr()
    assert "|max_edits=3|" in json.loads(printed.out)["recipe"]
    events = [json.loads(line) for line in printed.err.splitlines()]
    assert [event["stage"] for event in events if "done" in event] == STAGES
    assert {event["stage"] for event in events if "step" in event} == {"sources", *STAGES} - {"read"}
    assert main([*words, "--set", "max_edits=inf"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("pages     26 records: 24 used, 2 dropped\n")
    run = tmp_path / "run"
    assert f"\nwrote     {run / 'out'}: en-fr.tmx, segments.*.tsv" in printed.out
    assert f"\nnext      diglot open {run} " in printed.out
    assert [line.split()[0] for line in printed.err.splitlines()] == STAGES
    assert main([*words, "--verbose", "--set", "max_edits=inf"]) == 0
    printed = capsys.readouterr()
    assert "\noptions   langs = en,fr\n" in printed.out
    assert "write     ... writing (5 files)" in printed.err
    assert main([*words, "--quiet", "--set", "max_edits=inf"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("harvest https://me:secret@www.example.org/ -l en,fr -o new", "leave out what stands before the @"),
        ("harvest https://me:secret@127.0.0.1:8/ -l en,fr -o new", "leave out what stands before the @"),
        ("harvest ann@example.org -l en,fr -o new", "ann@example.org: a mail address; give that of a website, such as"),
        ("harvest mailto:ann@example.org -l en,fr -o new", "mailto:ann@example.org: a mail address; give that of a"),
        ("crawl ann@example.org -l en,fr -o new", "ann@example.org: a mail address; give that of a website, such as"),
        ("harvest ftp://me:secret@www.example.org/ -l en,fr -o new", "ftp://www.example.org/: no such file"),
        ("harvest me:secret@127.0.0.1:8971 -l en,fr -o new", "127.0.0.1:8971: no such file"),
        ("harvest s3://me:secret@bucket/x.warc.gz -l en,fr -o new", "s3://bucket: no user and no password"),
        (
            "crawl https://www.example.org/ -l all -o new --proxy me:secret@localhost:1",
            "--proxy 'localhost:1': write http",
        ),
        ("tasks list s3://me:secret@bucket/run read", "s3://bucket/run: no user and no password"),
        ("align me:secret@h.html other.html -l en,fr", "diglot: h.html: cannot be read"),
        ("merge s3://me:secret@bucket/run -o new", "s3:/bucket/run: not a run folder"),
    ],
)
def test_a_password_is_never_printed(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "secret" not in said


def test_answers(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(place / "run")
    assert main(["recipes"]) == 0
    assert "url_baseline " in capsys.readouterr().out
    assert main(["recipes", "bitextor2010"]) == 0
    assert "max_edits=10\n      most edits between two fingerprints [2010, section 6]" in capsys.readouterr().out
    assert main(["why", run, f"{HOST}/en/chapter1.html"]) == 0
    assert "paired with" in capsys.readouterr().out
    assert main(["why", run, f"{HOST}/en/chapter1.html", f"{HOST}/fr/chapter2.html"]) == 0
    scheme, _, bare = HOST.partition("://")
    other = {"http": "https", "https": "http"}[scheme]
    for spelt in (f"{bare}/en/chapter1.html", f"{other}://{bare}/en/chapter1.html?utm_source=mail"):
        assert main(["why", run, spelt]) == 0
    assert "not a pair" in capsys.readouterr().out
    assert main(["evaluate", "pairs", run, str(place / "gold.tsv")]) == 0
    assert "1.000" in capsys.readouterr().out
    capsys.readouterr()
    assert main(["export", run, "--to", "moses,jsonl", "-o", str(tmp_path / "deep" / "er"), "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    written = {LIST, "en-fr.en", "en-fr.fr", "en-fr.jsonl"}
    assert {path.name for path in (tmp_path / "deep" / "er").iterdir()} == written
    capsys.readouterr()
    assert main(["align", str(place / "text.txt"), str(place / "texte.txt"), "-l", "en,fr"]) == 0
    assert capsys.readouterr().out == "[0]:[0]\n"


@pytest.mark.parametrize(
    "line",
    [
        "terms @run --to tsv -o -",
        "sample @run -o -",
        "compare @site.lett -l en,fr --html -",
        "compare @site.lett -l en,fr -o -",
        "harvest @site.lett -l en,fr -o -",
        "merge @run @half --out=-",
        "tasks plan @site.lett -l en,fr -o -",
        "tasks finish @run -o -",
        "evaluate wmt16 @ -o -",
    ],
)
def test_a_dash_makes_no_file_of_this_name(
    line: str, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(line.replace("@", f"{place}/").split()) == 2
    option = "--html" if "--html" in line else "-o"
    assert capsys.readouterr() == (
        "",
        f"diglot: {option} -: this command writes files; name one, or a folder, in place of -\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_on_a_folder_at_work_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RunFolder(place / "half") as folder, folder.lock():
        started = time.monotonic()
        assert main(["harvest", str(place / "site.lett"), "-l", "en,fr", "-o", str(place / "half")]) == 2
        assert time.monotonic() - started < 20  # the journal is waited for 30 s, where it is held
    assert "another run is at work on this folder; wait for it\n" in capsys.readouterr().err


def test_the_installed_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "diglot", "recipes", "none"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2
    assert done.stderr.startswith("diglot: no recipe 'none'; there are: ")
    assert done.stdout == ""


def test_a_list_of_words_that_was_changed_is_read_again(place: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(place / "run", tmp_path / "run"))
    words = tmp_path / "words.txt"
    told = run / "out" / "segments.en-fr.tsv"
    for listed, flagged in (("qwertz", False), ("bread", True)):
        words.write_text(f"{listed}\n")
        assert main(["clean", str(run), "--offensive", str(words), "--quiet"]) == 0
        assert ("offensive" in told.read_text(encoding="utf-8")) is flagged
    words.unlink()  # the list may be gone when it is taken off the run
    assert main(["clean", str(run), "--quiet"]) == 2
    assert main(["clean", str(run), "--offensive", "", "--quiet"]) == 0
    assert "offensive" not in told.read_text(encoding="utf-8")
    assert 'offensive = ""' in (run / "diglot.toml").read_text(encoding="utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_output_that_cannot_be_written_is_one_line(place: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "diglot", "recipes"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (
        2,
        "diglot: standard output: No space left on device; free space first\n",
    )


def test_texts_are_written_in_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    for name in ("text.txt", "copy.txt"):
        (tmp_path / name).write_text("Ça va.\n", encoding="utf-8")
    command = [sys.executable, "-m", "diglot", "align", "text.txt", "copy.txt", "-l", "fr,en", "--to", "tsv"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert "Ça va.\tÇa va.\t" in done.stdout.decode()


def test_a_recipe_that_lacks_its_lexicon_stops_or_abstains(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(place / "half", tmp_path / "run")
    said = "there is no en-fr lexicon, so pwcc pairs nothing; name a file in its option lexicon\n"
    assert main(["pair", str(tmp_path / "run"), "--recipe", "pwcc"]) == 2
    assert said in capsys.readouterr().err
    # Nothing is read for a recipe that can pair nothing.
    harvest = ["harvest", str(place / "site.lett"), "-l", "en,fr", "-o", str(tmp_path / "new"), "--recipe", "pwcc"]
    assert main(harvest) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
    lexicon = tmp_path / "words.tsv"
    lexicon.write_text("en\tfr\nharbour\tport\n")
    assert main(["harvest", *harvest[1:], "-l", "en,fr,de", "--set", f"lexicon={lexicon}"]) in (0, 3)
    assert f"{lexicon} holds no en-de lexicon" in "".join(capsys.readouterr())


@pytest.mark.parametrize("words", ["harvest \udcff.warc -l en,fr -o @", "stats \udcff", "search @ \udcff"])
def test_a_word_that_is_no_utf_8_is_one_line(words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.replace("@", str(tmp_path / "run")).split(" ")) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "not UTF-8; rename the file" in said
    assert not (tmp_path / "run").exists()


def test_forgetting_counts_one_address_and_does_not_take_the_settings_for_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [Path("run/documents/b.parquet")]
    done = Forgotten(1, [], [Path("run/diglot.toml"), Path("run/documents/a.parquet")], [], verdicts=2, texts=texts)
    monkeypatch.setattr("diglot.forgetting.forget", lambda *_, **__: done)
    assert main(["forget", str(tmp_path), "--url", "https://a.example/"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "forgot    1 address",
        "deleted   2 verdicts on it; other pages with the same segments are no longer judged by them",
        "note      run/diglot.toml names it: the run was started with it",
        "note      other pages link to it or name it, in run/documents/a.parquet",
        "note      other pages have one of its texts, in run/documents/b.parquet",
    ]


@pytest.mark.parametrize(("words", "as_json"), [(["--json", "--", "x"], True), (["--", "--json"], False)])
def test_a_file_named_like_the_option_json_asks_for_nothing(
    words: list[str], as_json: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["diglot", "languages", *words])
    _tell_failure(ValueError("planted"))
    say_stopped()
    assert main(sys.argv[1:]) > 0
    told = capfd.readouterr().err.splitlines()
    assert [line.startswith("{") for line in told] == [as_json] * 3
    assert all(line.startswith("diglot: ") != as_json for line in told)


def test_an_error_of_json_is_an_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line of standard error; with the summary of a run that found nothing on standard output."""
    (tmp_path / "en.lett").write_bytes(
        b"".join(lett_line("en", address("a.example", "en", n), page_html("en", n)) for n in range(3))
    )
    source, run = str(tmp_path / "en.lett"), tmp_path / "run"
    for words, kind, said in (
        (["harvest", source, "-l", "en,fr", "-o", str(run)], "NothingFound", "no translations found in en, fr"),
        (["harvest", source, "-l", "en,xx-nonsense", "-o", str(tmp_path / "other")], "LanguageError", "xx-nonsense"),
        (["harvest", source, "--jobs", "many"], "UsageError", "'many': give a whole number"),
        (["compare", str(tmp_path / "none"), "-l", "en,fr"], "SourceError", "none"),
    ):
        code = main([*words, "--json"])
        out, err = capsys.readouterr()
        error = json.loads(err.splitlines()[-1])
        assert (error["code"], error["kind"], set(error)) == (code, kind, {"code", "kind", "message"})
        assert said in error["message"]
        if kind == "NothingFound":
            assert json.loads(out) == json.loads((run / "out" / "summary.json").read_text())
        else:
            assert out == ""


def test_a_word_in_utf_8_under_another_locale_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    word = "sécurité".encode().decode("ascii", "surrogateescape")
    assert main(["search", "run", word]) == 2
    assert "UTF-8, which the locale does not allow; set LC_ALL=C.UTF-8" in capsys.readouterr().err
    assert main(["search", "run", "s\udce9curit\udce9"]) == 2
    assert "not UTF-8; rename the file, or write the word as UTF-8" in capsys.readouterr().err


def test_a_current_folder_that_was_deleted_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["stats", "run"]) == 2
    assert capsys.readouterr().err.startswith("diglot: the current folder cannot be used")
