"""Numbers of a run, and segments found by a text: what counts as the same, where the hit is, how the command ends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.cli import main
from diglot.cli.looking import largest_pairs, matrix_rows
from diglot.disk.folder import RunFolder
from diglot.errors import LanguageError, UsageError
from diglot.harvesting import harvest
from diglot.results.run import Run
from diglot.results.search import Hit, fold, search
from diglot.results.stats import PairStats
from diglot.results.stats import stats as run_stats
from diglot.run.work import FLAGGED
from made_website import as_lett


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("looking")
    return harvest(as_lett(folder / "site.lett"), "en,fr", folder / "run", jobs=1)


def found(run: Run, text: str, **options: Any) -> list[Hit]:
    return list(search(run, text, **options))


def marked(hit: Hit, side: str) -> list[str]:
    """What was found in the text of a side."""
    spans = hit.src_spans if side == "src" else hit.tgt_spans
    return [getattr(hit, side)[start:end] for start, end in spans]


def test_case_and_accents_do_not_count_and_the_hit_is_where_it_stands(run: Run) -> None:
    kept = run.segments("en", "fr").kept_rows().to_pylist()
    wanted = [row["tgt"] for row in kept if "forêt" in row["tgt"]]
    assert wanted
    for text in ("forêt", "FORET", "Fore\u0302t"):
        hits = found(run, text)
        assert [hit.tgt for hit in hits if hit.tgt_spans] == wanted
        assert {part for hit in hits for part in marked(hit, "tgt")} == {"forêt"}


def test_either_side_is_searched_and_both_are_told(run: Run) -> None:
    hits = found(run, "chapter 3")
    assert hits
    assert all("chapter 3" in hit.src.casefold() and not hit.tgt_spans for hit in hits)
    assert hits[0].src_url != hits[0].tgt_url
    assert 0 <= hits[0].score <= 1
    assert hits[0].tgt


def test_whole_words_and_expressions(run: Run) -> None:
    assert {part for hit in found(run, "pont") for part in marked(hit, "tgt")} == {"pont"}
    assert found(run, "pont", word=True) == []
    assert {part for hit in found(run, "PONTS", word=True) for part in marked(hit, "tgt")} == {"ponts"}
    hits = found(run, r"museum|mus[eé]e\b", regex=True)
    assert {part for hit in hits for part in (*marked(hit, "src"), *marked(hit, "tgt"))} == {"museum", "musée"}
    assert found(run, r"\Smus", regex=True) == []


def test_what_was_left_out_is_found_where_it_is_asked_for(run: Run) -> None:
    some, everything = found(run, "opening hours"), found(run, "opening hours", everything=True)
    assert len(some) < len(everything)
    assert any(hit.flags for hit in everything)


def test_what_cannot_be_looked_for(run: Run) -> None:
    with pytest.raises(UsageError, match="no text to search for"):
        search(run, " ")
    for expression in ("(", "a{99999999999999}", "(" * 10_000 + ")" * 10_000):
        with pytest.raises(UsageError, match="no regular expression"):
            search(run, expression, regex=True)
    assert found(run, "[[m]usee", regex=True)  # Python warns of it
    with pytest.raises(LanguageError, match="has no such pair"):
        search(run, "a", langs="en,de")


def test_letters_that_only_look_like_accented_ones_stay() -> None:
    assert fold("ガ각क़") == "ガ각क़"
    assert fold("Ñandú ﬁn d’été") == "nandu fin d'ete"


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_the_command_ends_as_grep_does(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(run.path)
    assert main(["search", folder, "musee", "--limit", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("score ") == 2
    assert re.search(r"^  fr  .*musée", shown, re.MULTILINE)
    assert "\x1b" not in shown
    assert main(["search", folder, "no such text anywhere"]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err) == (
        "",
        "no kept segment has 'no such text anywhere'; --all looks in those left out, too\n",
    )
    assert main(["search", folder, "no such text anywhere", "--all"]) == 1
    assert capsys.readouterr().err == ""
    assert main(["search", folder, "(", "--regex"]) == UsageError.exit_code
    capsys.readouterr()
    assert main(["search", folder, "musee", "--json", "-l", "FR,en"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == len(found(run, "musee"))
    assert all(row["tgt"][start:end] == "musée" for row in rows for start, end in row["tgt_spans"])


def test_the_numbers_are_those_of_the_files(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    stats, summary = run_stats(run), run.summary()
    told = stats["pairs"]["en-fr"]
    segments = run.segments("en", "fr")
    kept = segments.kept_rows().to_pylist()
    assert (told["segments"], told["kept"]) == (len(segments), len(kept))
    for lang, side in (("en", "src"), ("fr", "tgt")):
        plain = sum(bool(re.search(r"\w", part)) for row in kept for part in row[side].split())
        assert told["words"][lang] == plain
        assert told["characters"][lang] == sum(len(row[side]) for row in kept)
    assert sum(told["scores"].values()) == told["kept"] + summary["below_min_score"]
    left_out = sum(stats["left_out"].values())
    assert left_out + told["kept"] == told["segments"]
    assert stats["pages"]["used"] + sum(stats["pages"]["dropped"].values()) == stats["pages"]["pages"]
    assert main(["stats", str(run.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(stats))
    assert main(["stats", str(run.path)]) == 0
    shown = capsys.readouterr().out
    assert f"{told['words']['en']:,} en, {told['words']['fr']:,} fr" in shown


def test_a_run_that_is_not_finished_has_no_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(tmp_path)]) == UsageError.exit_code
    assert "Traceback" not in capsys.readouterr().err


def test_many_language_pairs_are_a_table_of_kept_segments() -> None:
    def numbers(src: str, tgt: str, kept: int) -> PairStats:
        words = {src: 1, tgt: 1}
        return {
            "page_pairs": 1,
            "segments": kept,
            "kept": kept,
            "words": words,
            "characters": words,
            "scores": {"0-1": 1},
        }

    some = [("en", "fr", 12), ("en", "pt-BR", 0), ("fr", "pt-BR", 3)]
    pairs = {f"{src}-{tgt}": numbers(src, tgt, kept) for src, tgt, kept in some}
    assert matrix_rows(pairs) == [("", "fr", "pt-BR"), ("en", "12", "0"), ("fr", "", "3")]
    assert largest_pairs(pairs) == list(pairs)
    many = {f"en-l{number:02d}": numbers("en", f"l{number:02d}", number) for number in range(12)}
    assert largest_pairs(many) == [f"en-l{number:02d}" for number in range(11, 1, -1)]


def test_the_files_of_a_run_are_read_once_for_all_pairs_of_languages(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    each_shard = RunFolder.each_shard
    monkeypatch.setattr(
        RunFolder, "each_shard", lambda self, stage, *rest: read.append(stage) or each_shard(self, stage, *rest)
    )
    once = [part.table for part in run.each_part(("en", "fr"))]
    first = read.copy()
    thrice = [part.table for part in run.each_part(*[("en", "fr")] * 3)]
    assert FLAGGED in first
    assert read == 2 * first
    assert thrice == 3 * once
