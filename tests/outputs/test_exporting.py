"""What is exported of a run: the pairs, tags and files that were asked for, read by SQLite and by readers of cards."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diglot.cli import main
from diglot.corpus.formats.card import Dataset, write_card
from diglot.corpus.formats.check import check_tmx
from diglot.corpus.formats.tmx import read_tmx
from diglot.errors import LanguageError, NothingFound, UsageError
from diglot.harvesting import harvest
from diglot.results.run import Run
from diglot.results.stats import stats
from made_sites import lett_line
from made_website import HOST, website

OTHER_VOWELS = bytes.maketrans(b"aeiou", b"oiaue")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run in three languages, whose English pages say that they are American; not to be changed."""
    folder = tmp_path_factory.mktemp("exporting")
    lines = []
    for name, body in website().items():
        body = body.replace(b'<html lang="en">', b'<html lang="en-US">')
        lines.append(lett_line(name[:2], f"{HOST}/{name}", body))
        if name.startswith("fr/"):  # the same pages with other vowels stand for a third language
            italian = re.sub(rb">[^<]+<", lambda text: text[0].translate(OTHER_VOWELS), body)
            lines.append(lett_line("it", f"{HOST}/it/{name[3:]}", italian.replace(b'lang="fr"', b'lang="it"')))
    (folder / "site.lett").write_bytes(b"".join(lines))
    options: dict[str, Any] = {"lang_from": "path", "recipe": "url_baseline", "keep": ("wrong_language",)}
    return harvest(folder / "site.lett", "en,fr,it", folder / "run", jobs=1, **options)


def pairs_of(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_only_the_pair_that_is_asked_for_in_any_order_and_case(run: Run, tmp_path: Path) -> None:
    for langs in ("en,fr", "FR,En", ["fr", "en"]):
        assert pairs_of(run.export(["tmx"], tmp_path, langs=langs)) == ["en-fr.tmx"]
    assert pairs_of(run.export(["tmx"], tmp_path)) == ["en-fr.tmx", "en-it.tmx", "fr-it.tmx"]
    for langs in ("en,de", "en,fr,de"):
        with pytest.raises(LanguageError, match="has no such pair; it has: en-fr, en-it, fr-it"):
            run.export(["tmx"], tmp_path, langs=langs)


def test_tags_are_those_asked_for_or_those_that_all_pages_declare(run: Run, tmp_path: Path) -> None:
    def tags(**options: Any) -> tuple[str, ...]:
        (path,) = run.export(["tmx"], tmp_path, langs="en,fr", **options)
        assert not any("x-variant" in each.props for unit in read_tmx(path) for each in unit.variants[1:])
        return check_tmx(path).languages

    assert tags() == ("en", "fr")
    assert tags(variants="declared") == ("en-US", "fr")
    assert tags(variants="fr-ca") == ("en", "fr-CA")
    assert tags(variants=["en-GB", "fr-CA"]) == ("en-GB", "fr-CA")
    for form, wanted in (("xliff", 'srcLang="en" trgLang="fr-CA"'), ("xliff12", 'target-language="fr-CA"')):
        (path,) = run.export([form], tmp_path, langs="en,fr", variants="fr-CA")
        assert wanted in path.read_text(encoding="utf-8")[:500]
    for wrong, why in (
        ("de-AT", "a variant of no language of the run, which has en, fr, it"),
        ("nonsense-tag", "no BCP 47 tag"),
        ("en-US,en-GB", "en-US is given for en already; give one"),
    ):
        with pytest.raises(LanguageError, match=f"variants=.*{why}"):
            run.export(["tmx"], tmp_path, variants=wrong)


@pytest.mark.parametrize("form", ["tmx", "tsv"])
def test_the_memory_of_the_run_is_not_replaced_by_some_of_its_segments(form: str, run: Run, tmp_path: Path) -> None:
    mine = Run(shutil.copytree(run.path, tmp_path / "run"))
    before = {path: path.read_bytes() for path in (mine.path / "out").iterdir()}
    for limits in ({"min_score": 0.9}, {"min_prob": 0.9}, {"excluded": ["duplicate"]}):
        with pytest.raises(UsageError, match=f"out: holds the {form} of the run, .* -o FOLDER"):
            mine.export([form], **limits)
        mine.export([form], tmp_path / "elsewhere", **limits)
    assert {path: path.read_bytes() for path in (mine.path / "out").iterdir()} == before
    # The limits of the run itself are no choice, and other formats replace nothing of the run.
    mine.export([form], min_score=mine.settings.least_score(), excluded=sorted(mine.settings.excluding_flags()))
    mine.export(["csv"], min_score=0.9)


def test_pages_that_declare_different_variants_agree_on_none(tmp_path: Path) -> None:
    pages = {name: body for name, body in website().items() if name[:2] in ("en", "fr")}
    pages["en/chapter1.html"] = pages["en/chapter1.html"].replace(b'<html lang="en">', b'<html lang="en-US">')
    (tmp_path / "site.lett").write_bytes(b"".join(lett_line(n[:2], f"{HOST}/{n}", b) for n, b in pages.items()))
    mixed = harvest(tmp_path / "site.lett", "en,fr", tmp_path / "run", jobs=1)
    (path,) = mixed.export(["tmx"], tmp_path, variants="declared")
    assert check_tmx(path).languages == ("en", "fr")
    assert {unit.variants[0].props.get("x-variant", "") for unit in read_tmx(path)} == {"", "en-US"}


def test_a_pair_without_a_segment_has_no_file_unless_it_is_named_alone(tmp_path: Path) -> None:
    pages = {name: body for name, body in website().items() if name[:2] in ("en", "fr")}
    (tmp_path / "site.lett").write_bytes(b"".join(lett_line(n[:2], f"{HOST}/{n}", b) for n, b in pages.items()))
    three = harvest(tmp_path / "site.lett", "en,fr,de", tmp_path / "run", jobs=1)
    paths = three.export(["moses", "xlsx"], tmp_path / "out")
    assert sorted(path.name for path in paths) == ["en-fr.en", "en-fr.fr", "en-fr.xlsx"]
    assert [path.name for path in three.export(["tmx"], tmp_path / "out", langs="en,de")] == ["en-de.tmx"]


def test_an_export_says_how_many_segments_are_kept(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = run.summary()["kept"]
    assert main(["export", str(run.path), "--to", "csv", "-o", str(tmp_path), "-l", "en,fr"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [f"{kept['en-fr']:,} segments kept: {kept['en-fr']:,} en-fr"]
    assert main(["export", str(run.path), "--to", "csv", "-o", str(tmp_path)]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith(f"{sum(kept.values()):,} segments kept: {max(kept.values()):,} ")
    for option, value in (("--min-score", ".9"), ("--min-prob", "1"), ("--keep", "too_short")):
        code = main(["export", str(run.path), "--to", "csv", "-o", str(tmp_path), "-l", "en,fr", option, value])
        rows = (tmp_path / "en-fr.csv").read_text(encoding="utf-8").splitlines()[1:]
        assert code == (0 if rows else NothingFound.exit_code)
        assert capsys.readouterr().out.splitlines()[-1].startswith(f"{len(rows):,} segments kept")


def test_an_export_without_a_segment_ends_as_nothing_found(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["export", str(run.path), "-l", "en,fr", "--min-score", "1", "--to"]
    for form, out, *quiet in (("moses", tmp_path), ("csv", tmp_path, "-q"), ("tsv", "-"), ("moses,pages", tmp_path)):
        assert main([*command, form, "-o", str(out), *map(str, quiet)]) == NothingFound.exit_code
        told = capfd.readouterr()
        assert "no segment is kept with these limits; lower --min-score" in told.err
        assert ("0 segments kept; none in en-fr" in told.out) == (out != "-" and not quiet)
    assert (tmp_path / "en-fr.en").read_bytes() == b""
    # Pages are not chosen by the score of a segment.
    assert main([*command, "pages,documents", "-o", str(tmp_path)]) == 0


def test_the_standard_output_takes_one_file_of_text(run: Run, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = str(run.path)
    (path,) = run.export(["tmx"], langs="en,fr")
    assert main(["export", folder, "-o", "-", "-l", "fr,en"]) == 0
    assert capfdbinary.readouterr().out == path.read_bytes()
    assert main(["export", folder, "-o", "-", "--to", "tmx-multi"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"<?xml")
    for arguments, said in (
        (["--to", "tmx,tsv", "-l", "en,fr"], b"takes one format"),
        (["--to", "xlsx", "-l", "en,fr"], b"one file of text"),
        (["--to", "tmx"], b"choose one of: en,fr, en,it, fr,it"),
    ):
        assert main(["export", folder, "-o", "-", *arguments]) == UsageError.exit_code
        out, err = capfdbinary.readouterr()
        assert not out
        assert said in err
    assert not Path("-").exists()


def test_sqlite_holds_what_the_other_files_hold_and_finds_without_accents(run: Run, tmp_path: Path) -> None:
    path, _ = run.export(["sqlite"], tmp_path / "one")
    again, _ = run.export(["sqlite"], tmp_path / "two")
    assert path.read_bytes() == again.read_bytes()
    summary = run.summary()
    with closing(sqlite3.connect(path)) as base:
        base.execute("INSERT INTO segments_fts (segments_fts) VALUES ('integrity-check')")
        assert base.execute("PRAGMA foreign_key_check").fetchall() == []
        counts = base.execute("SELECT src_lang || '-' || tgt_lang, count(*) FROM segments GROUP BY 1").fetchall()
        assert dict(counts) == summary["kept"]
        (pages, used), *_ = base.execute("SELECT count(*), sum(fate = 'used') FROM pages").fetchall()
        assert (pages, used) == (summary["pages"], summary["used"])
        query = """SELECT s.src, s.tgt, p.url FROM segments_fts JOIN segments s ON s.id = segments_fts.rowid
            JOIN pairs ON pairs.id = s.pair JOIN pages p ON p.id = pairs.tgt_page
            WHERE segments_fts MATCH ? AND s.tgt_url = p.url AND s.src_lang = 'en' AND s.tgt_lang = 'fr'"""
        found = {(src, tgt, url) for src, tgt, url in base.execute(query, ("chapitre MUSEE",))}
        copies = base.execute("SELECT count(*) FROM copies").fetchone()[0]
    kept = run.segments("en", "fr").kept_rows().to_pylist()
    wanted = [row for row in kept if re.search(r"\bmusée\b", row["tgt"]) and re.search(r"\bchapitre\b", row["tgt"])]
    assert wanted
    assert found == {(row["src"], row["tgt"], row["tgt_url"]) for row in wanted}
    everything = [
        run.segments(*pair).kept_rows()["other_src_urls"].to_pylist() for pair in run.settings.language_pairs()
    ]
    assert copies == sum(len(urls) for column in everything for urls in column)


def test_sqlite_of_one_pair_has_no_page_of_another_language(run: Run, tmp_path: Path) -> None:
    path, metadata = run.export(["sqlite"], tmp_path, langs="it,en")
    assert json.loads(metadata.read_text(encoding="utf-8"))["title"] == "Translations in en, it"
    with closing(sqlite3.connect(path)) as base:
        langs = {lang for (lang,) in base.execute("SELECT lang FROM pages")}
        pairs = base.execute("SELECT DISTINCT src_lang, tgt_lang FROM segments").fetchall()
    assert (langs, pairs) == ({"en", "it"}, [("en", "it")])


def test_one_memory_of_all_languages(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(run.path), "--to", "tmx-multi", "-o", str(tmp_path)]) == 0
    assert "joins segments by en; left out: fr-it" in capsys.readouterr().out
    units = list(read_tmx(tmp_path / "multilingual.tmx"))
    tags = [tuple(each.lang for each in unit.variants) for unit in units]
    assert set(tags) <= {("en", "fr"), ("en", "it"), ("en", "fr", "it")}
    assert ("en", "fr", "it") in tags
    for lang in ("fr", "it"):
        assert sum(lang in each for each in tags) == run.summary()["kept"][f"en-{lang}"]
    run.export(["tmx-multi"], tmp_path, variants="declared")
    assert {unit.variants[0].lang for unit in read_tmx(tmp_path / "multilingual.tmx")} == {"en-US"}
    run.export(["tmx-multi"], tmp_path, pivot="IT", variants="it-CH")
    assert {unit.variants[0].lang for unit in read_tmx(tmp_path / "multilingual.tmx")} == {"it-CH"}
    with pytest.raises(LanguageError, match="pivot=de: none of the languages that are written: en, fr, it"):
        run.export(["tmx-multi"], tmp_path, pivot="de")


def test_a_card_counts_hosts_and_licences_of_both_sides_and_apart_for_pages(tmp_path: Path) -> None:
    moments = [datetime(2024, 1, day, tzinfo=UTC) for day in (2, 3, 4)]
    segments = pa.table(
        {
            "src_url": ["http://a.org/1", "http://a.org/2", "http://a.org/3"],
            "tgt_url": ["http://fr.a.org/1", "http://fr.a.org/2", "http://a.org/fr/3"],
            "src_licence": pa.array(["", "BY", None], pa.string()),
            "tgt_licence": ["NC", "BY", ""],
            "src_fetched": moments,
            "tgt_fetched": [*moments[:2], datetime(2024, 2, 1, tzinfo=UTC)],
            "flags": [["personal_data"], ["personal_data", "too_short"], []],
        }
    )
    pages = pa.table({"url": ["http://a.org/4"], "licence": ["NC"], "fetched": moments[:1]})
    files = {"en-fr": segments, "pages.en": pages}
    for name, table in files.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    paths = {name: tmp_path / f"{name}.parquet" for name in files}
    write_card(tmp_path / "README.md", Dataset("x", ["en", "fr"], paths, "r", ["s"]))
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| host | segments | rows of pages |\n|---|---|---|\n| a.org | 3 | 1 |\n| fr.a.org | 2 | 0 |\n" in card
    assert "|---|---|---|\n| none is named | 2 | 0 |\n| NC | 1 | 1 |\n| BY | 1 | 0 |\n" in card
    assert "| flag | segments |\n|---|---|\n| personal_data | 2 |\n| too_short | 1 |\n" in card
    assert "Pages fetched from 2024-01-02 to 2024-02-01" in card


def test_the_head_of_a_card_names_no_file_without_rows(tmp_path: Path) -> None:
    row = {"url": ["http://a.org/4"], "licence": ["NC"], "fetched": [datetime(2024, 1, 2, tzinfo=UTC)]}
    pages = pa.table(row, pa.schema({"url": pa.string(), "licence": pa.string(), "fetched": pa.timestamp("s", "UTC")}))
    paths = {name: tmp_path / f"{name}.parquet" for name in ("pages.en", "pages.fr")}
    for given, named in (((pages, pages.slice(1)), ["pages.en"]), ((pages.slice(1), pages.slice(1)), [])):
        for path, table in zip(paths.values(), given, strict=True):
            pq.write_table(table, path)
        write_card(tmp_path / "README.md", Dataset("x", ["en", "fr"], paths, "r", ["s"]))
        _, head, body = (tmp_path / "README.md").read_text(encoding="utf-8").split("---\n", 2)
        assert re.findall(r'config_name: "(.+)"', head) == named
        assert ("configs:" in head) == bool(named)
        assert ('- "fr"' in head) is False
        assert "| pages.fr | pages.fr.parquet | 0 |" in body


def test_a_card_stands_beside_parquet_and_takes_no_other_readme(run: Run, tmp_path: Path) -> None:
    paths = run.export(["parquet"], tmp_path, langs="en,fr")
    card = tmp_path / "README.md"
    assert paths == [tmp_path / "en-fr.parquet", card]
    text = card.read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    rows = pq.read_table(tmp_path / "en-fr.parquet").num_rows
    assert 'language:\n- "en"\n- "fr"\n' in head
    assert 'configs:\n- config_name: "en-fr"\n  data_files: "en-fr.parquet"\n' in head
    assert "license" not in head
    assert f"| en-fr | en-fr.parquet | {rows:,} |" in body
    assert "| docs.example.org |" in body
    assert "`site.lett`" in body
    told = stats(run.path)
    found = {flag: int(n.replace(",", "")) for flag, n in re.findall(r"\| (\w+) \| .+ \| ([\d,]+) \|", body) if flag}
    assert told["left_out"]
    assert {flag: n for flag, n in told["left_out"].items() if n} == {
        flag: n for flag, n in found.items() if flag in told["left_out"]
    }
    assert f"Of {told['segments']['segments']:,} segments that the run aligned" in body
    run.export(["parquet"], tmp_path, langs="en,it")
    assert "en-it.parquet" in card.read_text(encoding="utf-8")  # the card is of all files that are there
    card.write_text(f"mine\n{text}", encoding="utf-8")
    assert run.export(["parquet"], tmp_path)[-1] == tmp_path / "dataset-card.md"
    assert card.read_text(encoding="utf-8") == f"mine\n{text}"


def test_the_same_harvest_again_takes_no_export_away(run: Run, tmp_path: Path) -> None:
    copied = Run(shutil.copytree(run.path, tmp_path / "run"))
    paths = copied.export(["tmx-multi", "sqlite", "csv"])
    options: dict[str, Any] = {"lang_from": "path", "recipe": "url_baseline", "keep": ("wrong_language",)}
    harvest(run.path.parent / "site.lett", "en,fr,it", copied.path, jobs=1, **options)
    assert all(path.is_file() for path in paths)


def test_what_was_exported_is_noted_with_its_options(run: Run, tmp_path: Path) -> None:
    copied = Run(shutil.copytree(run.path, tmp_path / "run"))
    copied.export(["sqlite", "csv"], langs="en,it")
    copied.export(["sqlite", "csv", "tmx-multi"], langs="en,fr", variants="fr-CA")
    for form, pairs in (("sqlite", [["en", "fr"]]), ("csv", [["en", "fr"], ["en", "it"]])):
        note = copied.folder.recall("export", f"{form} out")
        assert json.loads(json.dumps(note["pairs"])) == pairs
        assert note["variants"] == [["fr", "fr-CA"]]


def test_a_spreadsheet_is_asked_for_of_csv_or_tsv(run: Run, tmp_path: Path) -> None:
    assert main(["export", str(run.path), "--to", "csv,tsv,jsonl", "--spreadsheet", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "en-fr.csv").is_file()
    assert main(["export", str(run.path), "--to", "moses", "--spreadsheet", "-o", str(tmp_path)]) == 2


@pytest.mark.parametrize(("to", "code"), [("csv,jsonl,xlsx", 2), ("csv,tmx", 0), ("xliff12", 0), ("tmx-multi", 0)])
def test_a_variant_is_asked_for_of_formats_that_name_one(
    to: str, code: int, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(run.path), "--to", to, "--variant", "fr-CA", "-o", str(tmp_path)]) == code
    told = "--variant fr-CA: for tmx, xliff, xliff12, tmx-multi, not csv, jsonl, xlsx"
    assert (told in capsys.readouterr().err) == bool(code)


def test_a_sheet_that_was_filled_in_is_not_lost_by_another_export(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet, memory = tmp_path / "en-fr.csv", tmp_path / "en-fr.tmx"
    memory.write_text("<tmx>of another program</tmx>")
    export = ["export", str(run.path), "-l", "en,fr", "-o", str(tmp_path), "--to"]
    for _ in range(2):
        assert main([*export, "csv"]) == 0
        assert {path.name for path in tmp_path.glob("[!.]*")} == {"en-fr.csv", "en-fr.tmx"}
    sheet.write_text(sheet.read_text(encoding="utf-8") + "filled in", encoding="utf-8")
    capsys.readouterr()
    assert main([*export, "csv,tmx"]) == 0
    kept = {"en-fr.csv.yours", "en-fr.tmx.yours"}
    assert {path.name for path in tmp_path.glob("[!.]*")} == {"en-fr.csv", "en-fr.tmx", *kept}
    assert (tmp_path / "en-fr.csv.yours").read_text(encoding="utf-8").endswith("filled in")
    assert (tmp_path / "en-fr.tmx.yours").read_text() == "<tmx>of another program</tmx>"
    said = capsys.readouterr().err
    assert all(f"it is {name} now" in said for name in kept)


def test_a_text_on_standard_output_is_no_file_in_the_list_of_the_run(
    run: Run, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = run.folder.written.elsewhere()
    assert main(["export", str(run.path), "-l", "en,fr", "--to", "csv", "-o", "-"]) == 0
    assert run.folder.written.elsewhere() == before


def test_a_run_that_is_made_anew_replaces_its_exports_and_another_run_says_so(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client, names = tmp_path / "client", {"en-fr.csv", "en-fr.tmx"}
    for _ in range(2):
        remade = shutil.copytree(run.path, tmp_path / "remade")
        words = ["export", str(remade), "-l", "en,fr", "-o", str(client), "--to", "csv,tmx", "--min-score", "0.9"]
        assert main(words) == 0
        shutil.rmtree(remade)
    assert {path.name for path in client.glob("[!.]*")} == names
    assert "replaced" not in capsys.readouterr().err
    assert main(["export", str(run.path), "-l", "en,fr", "-o", str(client), "--to", "csv,tmx"]) == 0
    assert {path.name for path in client.glob("[!.]*")} == names
    assert capsys.readouterr().err == f"replaced  {client}: 2 files that the run remade had written there\n"
    other = Run(shutil.copytree(run.path, tmp_path / "other"))
    before = (other.path / "out" / "en-fr.tmx").read_bytes()
    with pytest.raises(UsageError, match="belongs to the run"):
        run.export(["tmx"], other.path / "out", min_score=0.9)
    assert (other.path / "out" / "en-fr.tmx").read_bytes() == before
