"""``diglot terms`` on real pages: the sample, in English and Japanese."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.compute as pc
import pytest

from diglot.cli import main
from diglot.harvesting import harvest
from diglot.results.run import Run, open_run

SAMPLE = Path(__file__).parents[2] / "examples/sample/pages.warc.gz"
KNOWN = {
    "certificate": "証明書",
    "IP address": "IP アドレス",
    "restart": "再起動",
    "protocol": "プロトコル",
    "configuration files": "設定ファイル",
    "digital signatures": "電子署名",
    "threads": "スレッド",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("terms") / "run"
    harvest(SAMPLE, "en,ja", folder, jobs=1)
    return open_run(folder)


def test_terms_of_the_sample(run: Run) -> None:
    terms = run.terms("en", "ja", least=0.8).table
    best: dict[str, str] = {}
    for term in terms.to_pylist():
        best.setdefault(term["src"], term["tgt"])
    assert sum(best.get(src) == tgt for src, tgt in KNOWN.items()) >= len(KNOWN) - 1
    assert terms.num_rows > 200
    assert pc.min(terms["probability"]).as_py() >= 0.8
    assert pc.all(pc.less_equal(terms["linked"], pc.min_element_wise(terms["src_count"], terms["tgt_count"]))).as_py()
    assert pc.all(pc.less_equal(terms["units"], terms["linked"])).as_py()
    for term in terms.to_pylist():
        assert (term["src_lang"], term["tgt_lang"]) == ("en", "ja")
        assert 1 <= len(term["example_srcs"]) <= 3
        forms = [form.casefold() for form in (term["src"], *term["src_forms"])]
        assert any(form in text.casefold() for text in term["example_srcs"] for form in forms)


def test_the_table_is_printed(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["terms", str(run.path), "-l", "en,ja", "-n", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("en-ja  ")
    assert "termhood" in lines[1]
    assert len(lines) == 8
    assert "more: -n 0" in lines[-1]


def test_a_missing_segmenter_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("diglot.words._import_or_none", lambda name: None)
    assert main(["terms", str(run.path), "-n", "3"]) == 0
    told = "diglot: ja has no blanks between words: parts of words are among its terms; pip install 'diglot[ja]'\n"
    assert capsys.readouterr().err == told
    # Languages that need none, or have one.
    monkeypatch.setattr("diglot.words._import_or_none", lambda name: name)
    assert main(["terms", str(run.path), "-n", "3"]) == 0
    assert capsys.readouterr().err == ""


def test_languages_may_be_named_in_any_order(run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["terms", str(run.path), "-l", "en,ja", "-n", "3"]) == 0
    told = capsys.readouterr().out
    assert main(["terms", str(run.path), "-l", "ja,en", "-n", "3"]) == 0
    assert capsys.readouterr().out == told
    assert main(["sample", str(run.path), "-l", "ja,en", "-n", "3", "-o", str(tmp_path / "s.tsv")]) == 0


def test_json_has_a_term_a_line(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["terms", str(run.path), "--json", "-n", "3", "--termhood", "0.5"]) == 0
    terms = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(terms) == 3
    assert all(term["termhood"] >= 0.5 for term in terms)


def test_inconsistent_terms_tell_their_pages(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["terms", str(run.path), "--inconsistent", "-n", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    translations = [line for line in lines if line.startswith("    ") and not line.startswith("        ")]
    terms = [line for line in lines if not line.startswith(" ")]
    assert terms
    assert len(translations) >= 2 * len(terms)
    assert any(line.strip().startswith("https://") for line in lines)


def test_files_are_written(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["terms", str(run.path), "--to", "tsv,tbx,omegat,xlsx", "-o", str(tmp_path)]) == 0
    names = sorted(path.name for path in tmp_path.glob("[!.]*"))
    assert names == ["terms.en-ja.tbx", "terms.en-ja.tsv", "terms.en-ja.utf8", "terms.en-ja.xlsx"]
    assert capsys.readouterr().out.count("wrote ") == 4
    assert main(["terms", str(run.path), "--to", "tsv,tbx", "-o", str(tmp_path / "quiet"), "-q"]) == 0
    assert sorted(path.name for path in (tmp_path / "quiet").glob("[!.]*")) == names[:2]
    assert capsys.readouterr().out == ""


def test_decisions_that_change_nothing_are_told(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["src_lang\ttgt_lang\tsrc\ttgt\tverdict", "en\tja\tcertificate\tパン\taccepted", "en\tde\ta\tb\trejected"]
    (tmp_path / "d.tsv").write_text("\n".join(lines), encoding="utf-8")
    assert main(["terms", str(run.path), "--decisions", str(tmp_path / "d.tsv"), "--json", "-n", "1"]) == 0
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 1
    assert "en-ja: 1 decision on no term of this list (certificate - パン); sheets keep them" in told.err
    assert "ignored 1 decision on other languages: en-de" in told.err


def test_a_text_changed_in_its_own_column_is_told(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    terms = ["terms", str(run.path), "-n", "1"]
    assert main([*terms, "-o", str(tmp_path), "--to", "tsv"]) == 0
    path = tmp_path / "terms.en-ja.tsv"
    head, first, *others = path.read_text(encoding="utf-8").splitlines()
    src, rest = first.split("\t", 1)
    path.write_text("\n".join([head, f"{src}s of mine\t{rest}", *others]), encoding="utf-8")
    capsys.readouterr()
    assert main([*terms, "--decisions", str(path)]) == 0
    told = "the text of src or tgt was changed in 1 row (line 2), and is not taken; write it into edited_src or"
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told", "code"),
    [
        (["--to", "tbx"], "--to and -o go together", 2),
        (["-o", "x"], "--to and -o go together", 2),
        (["--to", "tbxx", "-o", "x"], "did you mean tbx?", 2),
        (["-l", "en,fr"], "has no pair en-fr", 2),
        (["-l", "en,fr,ja"], "give two languages", 2),
        (["--to", "tbx", "-o", "RUN/out"], "name a folder outside", 2),
        (["--termhood", "1"], " terms has a termhood of 1 or more", 3),
        (["--termhood", "1", "--inconsistent"], " terms has a termhood of 1 or more and several translations", 3),
        (["--least", "1"], "no terms; lower --least", 3),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_meant_is_told(
    arguments: list[str], told: str, code: int, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["terms", str(run.path), *(each.replace("RUN", str(run.path)) for each in arguments)]) == code
    assert told in capsys.readouterr().err


def test_decisions_are_not_lost_by_another_list(run: Run, tmp_path: Path) -> None:
    terms = ["terms", str(run.path), "-l", "en,ja", "-o", str(tmp_path), "--to"]
    assert main([*terms, "tsv"]) == main([*terms, "tsv"]) == 0
    sheet = tmp_path / "terms.en-ja.tsv"
    decided = sheet.read_text(encoding="utf-8") + "decided"
    sheet.write_text(decided, encoding="utf-8")
    assert main([*terms, "tsv,omegat"]) == 0
    names = {"terms.en-ja.tsv", "terms.en-ja.tsv.yours", "terms.en-ja.utf8"}
    assert {path.name for path in tmp_path.glob("[!.]*")} == names
    assert (tmp_path / "terms.en-ja.tsv.yours").read_text(encoding="utf-8") == decided
