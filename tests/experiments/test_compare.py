"""``diglot compare``: every recipe on one reading of a site made here."""

import json
from pathlib import Path
from typing import Any

import pytest

from diglot.cli import main
from diglot.disk import atomic
from diglot.errors import Stopped
from diglot.experiments import comparing
from diglot.recipes import RECIPES
from diglot.verifying import verify_run
from made_sites import address, lett_line, lett_site, page_html

HOST = "site.example"
TWO = "url_baseline,bitextor2010-relative"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compared") / "site.lett"
    path.write_bytes(lett_site(HOST, range(5)))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    rows = [("en", "fr", address(HOST, "en", n), address(HOST, "fr", n)) for n in range(5)]
    rows += [("de", "en", "http://x/1", "http://x/2")]
    path = tmp_path / "gold.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


def compared(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["compare", *map(str, arguments), "--json", "--quiet", "--jobs", "1"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["compare", *map(str, arguments)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_every_recipe_stands_in_the_table(site: Path, gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = compared(capsys, site, "-l", "en,fr", "--gold", gold)
    assert [row["recipe"] for row in result["recipes"]] == list(RECIPES)
    assert result["documents"] == {"en": 5, "fr": 5}
    for row in result["recipes"]:
        assert row["abstained"] or row["scores"]["gold"] == 5
    baseline = result["recipes"][0]
    assert (baseline["pairs"], baseline["scores"]["f1"]) == (5, 1.0)
    assert baseline["agreement"]["url_baseline"] == 1


def test_a_kept_folder_holds_what_was_compared(
    site: Path, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, html = tmp_path / "run", tmp_path / "page.html"
    arguments = (site, "-l", "en,fr", "--recipes", TWO, "-o", run, "--html", html)
    html.write_text("of another program")
    first = compared(capsys, *arguments)
    assert (tmp_path / "page.html.yours").read_text() == "of another program"
    monkeypatch.setattr(atomic, "_elsewhere", atomic.Keeper())  # as in another process
    parquet = {path: path.stat().st_mtime_ns for path in (run / "documents").iterdir()}
    second = compared(capsys, *arguments)
    assert parquet == {path: path.stat().st_mtime_ns for path in (run / "documents").iterdir()}  # read once
    for row in [*first["recipes"], *second["recipes"]]:
        row["seconds"] = 0
    assert first == second
    assert verify_run(run).unchecked == []
    # Its seconds differ, but nobody fills in such a page.
    assert not (tmp_path / "page.html.2.yours").exists()
    page = html.read_text(encoding="utf-8")
    assert all(name in page for name in TWO.split(","))
    for name in TWO.split(","):
        pairs = run / "compared" / name / "pairs.en-fr.tsv"
        assert main(["evaluate", "pairs", str(pairs), str(gold), "-l", "en,fr", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["proposed"] == len(pairs.read_text().splitlines()) - 1
    # The run is one of the last recipe, with nothing left over from the others.
    assert main(["pair", str(run), "--quiet"]) == 0
    assert 'recipe = "bitextor2010-relative"' in (run / "diglot.toml").read_text()
    assert main(["evaluate", "pairs", str(run), str(gold), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["proposed"] == second["recipes"][1]["pairs"]


def test_an_option_goes_to_the_recipes_that_have_it(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = compared(capsys, site, "-l", "en,fr", "--recipes", TWO, "--set", "max_edit_share=5%")
    baseline, bitextor = (row["signature"] for row in result["recipes"])
    assert "max_edit_share=0.05" in bitextor
    assert "max_edit_share" not in baseline
    assert "has an option 'no_such'" in refusal(capsys, site, "-l", "en,fr", "--recipes", TWO, "--set", "no_such=1")


def test_a_recipe_that_lacks_something_says_so_and_the_others_run(
    site: Path, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = compared(capsys, site, "-l", "en,fr", "--recipes", "pwcc,url_baseline", "--gold", gold)
    pwcc, baseline = result["recipes"]
    assert "lexicon" in pwcc["abstained"]
    assert (pwcc["scores"], pwcc["agreement"]["url_baseline"]) == (None, None)
    assert baseline["scores"]["f1"] == 1
    broken = tmp_path / "lexicon.tsv"
    broken.write_bytes(b"\xff\xfe\x00 no lexicon")
    for path in (broken, tmp_path / "none.tsv"):
        changed = ("--recipes", "pwcc,url_baseline", "--set", f"lexicon={path}")
        pwcc, baseline = compared(capsys, site, "-l", "en,fr", *changed)["recipes"]
        assert path.name in pwcc["abstained"]
        assert "\n" not in pwcc["abstained"]
        assert baseline["pairs"] == 5
    command = ["compare", str(site), "-l", "en,fr", "--recipes", "pwcc,url_baseline", "--gold", str(gold), "--quiet"]
    assert main(command) == 0
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if line}
    assert set(rows["pwcc"]) == {"-"}
    assert rows["url_baseline"][:2] == ["5", "5"]
    assert rows["pwcc:"][0] == "abstains:"


def test_gold_of_other_addresses_is_told(site: Path, gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", str(site), "-l", "en,fr", "--recipes", TWO, "--gold", str(gold), "--quiet"]
    assert main(command) == 0
    assert "of the gold" not in (out := capsys.readouterr().out)
    assert "is in the gold" not in out
    rows = gold.read_text().splitlines(keepends=True)
    gold.write_text("".join([rows[0].replace("http://", "http://www."), *rows[1:]]))
    assert main(command) == 0
    assert "2 addresses of the gold are not in the run" in (out := capsys.readouterr().out)
    assert "is in the gold" not in out
    gold.write_text("".join(rows).replace("http://", "http://www."))
    assert main(command) == 0
    assert "10 addresses of the gold are not in the run" in (out := capsys.readouterr().out)
    assert "no address of these pairs is in the gold" in out


def test_bad_input_is_one_line_before_any_page_is_read(
    site: Path, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "read_stage", lambda work: pytest.fail("a page was read"))
    two = (site, "-l", "en,fr")
    assert "no recipe 'ilps'" in refusal(capsys, *two, "--recipes", "ilps")
    assert "name recipes, or `all`" in refusal(capsys, *two, "--recipes", ",")
    assert "none.tsv" in refusal(capsys, *two, "--gold", tmp_path / "none.tsv")
    assert "has no pair in en-ja; it has: de-en, en-fr" in refusal(capsys, site, "-l", "en,ja", "--gold", gold)
    assert "--ignore needs --gold" in refusal(capsys, *two, "--ignore", gold)
    bad = tmp_path / "bad.tsv"
    bad.write_text("en fr\n")
    assert "bad.tsv line 1" in refusal(capsys, *two, "--gold", bad)
    bad.write_text("English\tFrench\thttp://x/1\thttp://x/2\n")
    assert "bad.tsv line 1: 'English' is not a language code" in refusal(capsys, *two, "--gold", bad)
    assert "none.warc" in refusal(capsys, tmp_path / "none.warc", "-l", "en,fr")


def test_a_page_that_cannot_be_written_is_said(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", str(site), "-l", "en,fr", "--recipes", "url_baseline", "--quiet", "--html", "/dev/full"]
    assert main(command) == 2
    captured = capsys.readouterr()
    assert "url_baseline" in captured.out  # the table is not lost
    assert len(captured.err.splitlines()) == 1


def test_no_pair_at_all_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = tmp_path / "english.lett"
    site.write_bytes(b"".join(lett_line("en", address(HOST, "en", n), page_html("en", n)) for n in range(3)))
    assert main(["compare", str(site), "-l", "en,fr", "--recipes", "url_baseline", "--quiet"]) == 3
    assert "no recipe proposes a pair; readable pages by language: en 3, fr 0" in capsys.readouterr().err


def test_a_language_without_pages_is_told(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", str(site), "-l", "en,fr,de", "--recipes", "url_baseline", "--quiet", "--jobs", "1"]
    assert main(arguments) == 0
    assert "no page is in de: no recipe can pair there" in capsys.readouterr().out
    assert main([*arguments[:3], "en,fr", *arguments[4:]]) == 0
    assert "no page is in" not in capsys.readouterr().out


def test_an_interrupt_tells_of_a_folder_only_where_it_stays(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(comparing, "resolve_stage", interrupt)
    with pytest.raises(KeyboardInterrupt):
        comparing.compare(site, "en,fr", recipes=TWO, jobs=1)
    with pytest.raises(Stopped, match=r"goes on from what is in .*kept"):
        comparing.compare(site, "en,fr", recipes=TWO, out=tmp_path / "kept", jobs=1)
