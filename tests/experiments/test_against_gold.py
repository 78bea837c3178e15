"""``diglot evaluate``: run folders and files against gold, and input that is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from diglot.cli import main
from diglot.harvesting import harvest, pair_run, read_sources
from diglot.merging import merge
from made_sites import address, lett_line, lett_site, page_html

HOST = "site.example"
COPY = f"http://{HOST}/fr/zz-print.html"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of English and French; page 0 has a French copy, which is left out as a duplicate."""
    folder = tmp_path_factory.mktemp("judged")
    site = folder / "site.lett"
    site.write_bytes(lett_site(HOST, range(5)) + lett_line("fr", COPY, page_html("fr", 0)))
    harvest(site, "en,fr", folder / "run", recipe="url_baseline", jobs=1)
    return folder / "run"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Pages 1 to 3, page 0 by its copy, and 50 pairs with German, which no run here is asked for."""
    rows = [("en", "fr", address(HOST, "en", n), address(HOST, "fr", n)) for n in range(1, 4)]
    rows += [("en", "fr", address(HOST, "en", 0), COPY)]
    rows += [("de", "en", f"http://{HOST}/de/{n}", f"http://{HOST}/en/{n}") for n in range(50)]
    path = tmp_path / "gold.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


def evaluated(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["evaluate", "pairs", *map(str, arguments), "--json"]) == 0
    scores: dict[str, Any] = json.loads(capsys.readouterr().out)
    return scores


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["evaluate", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert captured.out == ""
    return line


def test_a_run_is_judged_by_the_gold_of_its_languages(
    run: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = evaluated(capsys, run, gold)
    assert (scores["gold"], scores["found"], scores["recall"]) == (4, 3, 0.75)
    assert (scores["proposed"], scores["relevant"], scores["precision"]) == (5, 4, 0.75)
    assert scores["soft_recall"] == 1.0  # the copy, left out as a duplicate, says what the page paired says
    assert list(scores["by_language_pair"]) == ["en-fr"]
    low, high = scores["intervals"]["recall"]
    assert low < 0.75 < high


def test_a_file_is_judged_by_all_the_gold_unless_languages_are_named(
    run: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = run / "out" / "pairs.en-fr.tsv"
    scores = evaluated(capsys, pairs, gold)
    assert (scores["gold"], scores["found"], scores["soft_recall"]) == (54, 3, None)
    assert evaluated(capsys, pairs, gold, "--langs", "fr,en")["gold"] == 4


def test_a_merge_is_judged_without_soft_recall(
    run: Path, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "other.lett"
    site.write_bytes(lett_site("other.example", range(2)))
    harvest(site, "en,fr", tmp_path / "other", recipe="url_baseline", jobs=1)
    merge([run, tmp_path / "other"], tmp_path / "merged")
    alone, merged = evaluated(capsys, run, gold), evaluated(capsys, tmp_path / "merged", gold)
    assert (alone["soft_recall"], merged["soft_recall"]) == (1.0, None)
    assert merged["proposed"] == alone["proposed"] + 2
    for figure in ("gold", "found", "recall", "relevant"):
        assert merged[figure] == alone[figure]


def test_spellings_of_a_language_meet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Gold in zh-cn, pairs in zh-Hans: an orphan pair is an error of that language pair, not outside of it."""
    (tmp_path / "gold.tsv").write_text("en\tzh-cn\thttp://x/e\thttp://x/z\n")
    pairs = tmp_path / "pairs.en-zh-Hans.tsv"
    pairs.write_text("http://x/e\thttp://x/z\t0.9\nhttp://x/e2\thttp://x/z2\t0.8\n")
    scores = evaluated(capsys, pairs, tmp_path / "gold.tsv", "--langs", "en,zh-Hans")
    assert (scores["found"], scores["proposed"], scores["outside_gold"]) == (1, 2, 0)


def test_less_probable_pairs_can_be_left_out(tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tmp_path / "pairs.tsv"
    good, bad = (f"{address(HOST, 'en', n)}\t{address(HOST, 'fr', n + k)}" for n, k in ((1, 0), (2, 1)))
    pairs.write_text(f"{good}\t0.9\n{bad}\t0.4\n")
    assert evaluated(capsys, pairs, gold)["proposed"] == 2
    assert evaluated(capsys, pairs, gold, "--min-prob", "0.5")["proposed"] == 1
    pairs.write_text(f"{good}\n")
    assert "has no probabilities" in refusal(capsys, "pairs", pairs, gold, "--min-prob", "0.5")


def test_pairs_made_after_the_outputs_are_the_ones_judged(
    tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site.lett"
    site.write_bytes(lett_site(HOST, range(5)))
    read_sources(site, "en,fr", tmp_path / "run", jobs=1)
    assert "run `diglot pair" in refusal(capsys, "pairs", tmp_path / "run", gold)
    pair_run(tmp_path / "run", recipe="url_baseline")
    assert evaluated(capsys, tmp_path / "run", gold)["found"] == 3


def test_nothing_proposed(tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "pairs.en-fr.tsv"
    empty.write_text("src_url\ttgt_url\tprobability\tmethod\n")
    scores = evaluated(capsys, empty, gold)
    assert (scores["proposed"], scores["recall"], scores["f1"], scores["calibration_error"]) == (0, 0, 0, None)
    assert main(["evaluate", "pairs", str(empty), str(gold), "--reliability"]) == 0
    assert "no reliability table" in capsys.readouterr().out


def test_the_table_shows_what_the_json_says(run: Path, gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "pairs", str(run), str(gold), "--reliability"]) == 0
    out = capsys.readouterr().out
    heads, en_fr, pooled = (line.split() for line in out.splitlines()[:3])
    assert en_fr[1:] == pooled[1:]
    assert en_fr[:7] == ["en-fr", "4", "5", "0.750", "0.600", "0.750", "1.000"]
    assert heads[0] == "pair"
    assert "95% of all: P 0." in out
    assert "share right" in out


def test_bad_input_is_one_line(run: Path, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text("en\tfr\thttp://a/1\thttp://a/2\nen\tfr\thttp://a/1\n")
    assert "bad.tsv line 2: expected lang1, lang2, url1, url2" in refusal(capsys, "pairs", run, bad)
    bad.write_text("lang1\tlang2\turl1\turl2\nen\tfr\tnot an address\thttp://a/2\n")
    assert "bad.tsv line 2: 'not an address' is no address" in refusal(capsys, "pairs", run, bad)
    assert "cannot read" in refusal(capsys, "pairs", run, tmp_path / "none.tsv")
    assert "has no such pair; it has: en-fr" in refusal(capsys, "pairs", run, gold, "-l", "en,de")
    assert "xx-nonsense" in refusal(capsys, "pairs", run, gold, "-l", "en,xx-nonsense")
    bad.write_text("English\tFrench\thttp://a/1\thttp://a/2\n")
    told = "bad.tsv line 1: 'English' is not a language code; English is en"
    assert told in refusal(capsys, "pairs", run, bad, "-l", "en,fr")
    assert told in refusal(capsys, "pairs", run, gold, "--ignore", bad)
    bad.write_text("\n")
    for found in (run, run / "out" / "pairs.en-fr.tsv"):
        assert "bad.tsv has no pair" in refusal(capsys, "pairs", found, bad)
    other = tmp_path / "other.tsv"
    other.write_text("de\tja\thttp://a/1\thttp://a/2\n")
    assert "has no pair in en-fr; it has: de-ja" in refusal(capsys, "pairs", run, other)


def test_segments(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    aligned = tmp_path / "aligned.tsv"
    aligned.write_text("src\ttgt\tscore\nGood morning!\tBonjour !\t0.9\nGood night.\tBonsoir.\t0.9\n")
    gold = tmp_path / "gold.tsv"
    gold.write_text("good morning\tbonjour\ngood night\tbonne nuit\n")
    assert main(["evaluate", "segments", str(aligned), str(gold), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert (scores["exact_recall"], scores["precision"]) == (0.5, 0.5)
    assert main(["evaluate", "segments", str(aligned), str(gold)]) == 0
    assert "50.0% exactly (1)" in capsys.readouterr().out
    pivot = tmp_path / "pivot.tsv"
    pivot.write_text("doc\tfr\tGood morning\tBonjour\ndoc\tde\tGood morning\tGuten Morgen\n")
    assert main(["evaluate", "segments", str(aligned), str(pivot), "-l", "en,fr", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exact_recall"] == 1
    assert "segments are of two languages" in refusal(capsys, "segments", aligned, pivot, "-l", "en,fr,de")


def test_beads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test, gold = tmp_path / "test.align", tmp_path / "gold.align"
    test.write_text("[0]:[0]\n[1]:[1]\n")
    gold.write_text("[0]:[0]\n[1, 2]:[1]\n")
    assert main(["evaluate", "segments", str(test), str(gold), "--beads", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert (scores["strict"]["f1"], scores["lax"]["f1"]) == (0.5, 1.0)
    assert main(["evaluate", "segments", str(test), str(gold), "--beads"]) == 0
    assert capsys.readouterr().out.split()[:4] == ["beads", "P", "R", "F1"]
    gold.write_text("[0]:[0]\n0-0\n")
    assert "gold.align line 2: '0-0' is no bead" in refusal(capsys, "segments", test, gold, "--beads")


def test_an_address_with_https_in_the_gold_is_the_page_that_the_run_has_with_http(
    run: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_http = evaluated(capsys, run, gold)
    gold.write_text(gold.read_text().replace("http://", "https://"))
    assert evaluated(capsys, run, gold) == with_http


def test_gold_of_another_host_is_said_to_share_no_address(
    run: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold.write_text(gold.read_text().replace("http://", "http://www."))
    assert main(["evaluate", "pairs", str(run), str(gold)]) == 0
    assert "no address of these pairs is in the gold" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("unknown", "told"), [(0, ""), (1, "1 address of the gold is not in the run"), (2, "2 addresses of the gold are")]
)
def test_addresses_of_the_gold_that_the_run_does_not_have_are_counted(
    unknown: int, told: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pair of German and English is none of the run, and is not counted."""
    pages = [address(HOST, "en", 1), address(HOST, "fr", 1), address(HOST, "en", 2), address(HOST, "fr", 2)]
    elsewhere = [url.replace("http://", "https://www.") for url in pages[:unknown]] + pages[unknown:]
    gold = tmp_path / "gold.tsv"
    rows = [f"en\tfr\t{one}\t{two}\n" for one, two in (elsewhere[:2], elsewhere[2:])]
    gold.write_text("".join([*rows, "de\ten\thttp://x/1\thttp://x/2\n"]))
    assert evaluated(capsys, run, gold)["unknown_addresses"] == unknown
    # A file of pairs does not know which pages there were.
    assert evaluated(capsys, run / "out" / "pairs.en-fr.tsv", gold)["unknown_addresses"] is None
    assert main(["evaluate", "pairs", str(run), str(gold)]) == 0
    out = capsys.readouterr().out
    assert told in out
    assert ("of the gold" in out) == bool(unknown)


def test_gold_segments_that_cannot_be_right_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    aligned, gold = tmp_path / "aligned.tsv", tmp_path / "gold.tsv"
    aligned.write_text("src\ttgt\nGood morning!\tBonjour !\nGood night.\tBonsoir.\n")

    def hint(content: str, *options: str) -> str:
        gold.write_text(content)
        assert main(["evaluate", "segments", str(aligned), str(gold), *options]) == 0
        return "".join(capsys.readouterr().out.splitlines()[4:])

    gold.write_text("src\ttgt\n")
    assert "gold.tsv has no segment pair" in refusal(capsys, "segments", aligned, gold)
    gold.write_text("\n")
    assert "gold.tsv has no bead" in refusal(capsys, "segments", gold, gold, "--beads")
    turned = "Bonjour !\tGood morning!\nsoir\tevening\n"
    assert "change its columns round" in hint(turned)
    pivot = "doc\tfr\tGood morning\tBonjour\ndoc\tde\tGood morning\tGuten Morgen\n"
    assert "as in -l en,fr" in hint(pivot)
    assert hint(pivot, "-l", "fr,en").endswith(f"the sources of {gold} are the targets of {aligned}: -l en,fr")
    assert hint(pivot, "-l", "en,fr") == ""
    # Further columns are not read, and other texts are no mistake of columns.
    assert hint("evening\tsoir\t0.9\t1-1\n") == ""
    assert hint("Good morning\tBonjour\nevening\tsoir\n") == ""
    # A name is the same in both languages; from half of the sources on, the columns are right.
    with aligned.open("a") as file:
        file.write("Paris\tParis\n")
    assert "change its columns round" in hint(f"{turned}Paris\tParis\n")
    assert hint("Paris\tParis\nBonjour !\tGood morning!\n") == ""
