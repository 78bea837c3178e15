"""What is in sources is told before a run: languages as real pages are in, and a choice of pages by their addresses."""

from __future__ import annotations

import gzip
import json
import random
import re
import zipfile
import zlib
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from diglot.cli import app
from diglot.disk.folder import RunFolder
from diglot.disk.store import Store
from diglot.errors import DiglotError, LanguageError, NothingFound, RecipeError, RunFolderError, Stopped, UsageError
from diglot.harvesting import harvest
from diglot.languages import open_languages
from diglot.pages import open_sources
from diglot.pages.forgotten import note_forgotten
from diglot.run import read as reading
from diglot.run.settings import make_settings
from diglot.survey import crawl_preview, sampling
from diglot.survey.open_languages import detect_languages
from diglot.survey.sampling import FoundLanguage, Survey, least_pages, survey
from diglot.survey.survey_text import expected_seconds, languages_text, next_command, pages_by_wanted, plan_text
from diglot.tasks.plan import read_run_plan

SAMPLE = Path(__file__).parents[2] / "examples" / "sample" / "pages.warc.gz"
IN_SAMPLE = {"en": 31, "fr": 27, "ja": 24, "de": 13}
QUICK: dict[str, Any] = {"recipe": "url_baseline", "options": {"aligner": "gale_church"}}
"""For harvests of which only the languages count."""


def members(content: bytes) -> list[bytes]:
    """The members of a gzip file."""
    found, at = [], 0
    while at < len(content):
        one = zlib.decompressobj(31)
        one.decompress(content[at:])
        end = len(content) - len(one.unused_data)
        found.append(content[at:end])
        at = end
    return found


def surveyed(*paths: Path) -> Survey:
    return survey(open_sources([str(path) for path in paths]), jobs=1)


def without_files(found: Survey) -> dict[str, Any]:
    return {name: getattr(found, name) for name in Survey.__dataclass_fields__ if not name.endswith("_seconds")}


@pytest.fixture(scope="module")
def sample() -> Survey:
    return surveyed(SAMPLE)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of six short pages of the sample in all four languages; for harvests whose languages alone count."""
    path = tmp_path_factory.mktemp("few") / "pages.warc.gz"
    names = ("configuring", "howto/access", "mpm", "stopping", "vhosts/index", "vhosts/ip-based")
    ends = tuple(f"/{lang}/{name}.html".encode() for lang in ("en", "de", "fr", "ja") for name in names)
    records = members(SAMPLE.read_bytes())
    path.write_bytes(b"".join(each for each in records if address_in(gzip.decompress(each)).endswith(ends)))
    return path


def address_in(record: bytes) -> bytes:
    """Address of a record, of none nothing."""
    found = re.search(rb"\r\nWARC-Target-URI: (\S+)\r\n", record)
    return found[1] if found else b""


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The records of the sample, some of them twice, in another order in two files."""
    folder = tmp_path_factory.mktemp("shuffled")
    records = members(SAMPLE.read_bytes())
    random.Random(4).shuffle(records)
    for number in range(2):
        (folder / f"{number}.warc.gz").write_bytes(b"".join(records[number::2]))
    return [folder / "0.warc.gz", folder / "1.warc.gz"]


def test_the_sample_is_told_as_a_run_counts_it(sample: Survey) -> None:
    assert {found.tag: found.pages for found in sample.languages} == IN_SAMPLE
    assert dict(sample.left_out) == {"es": 1, "tr": 1}
    assert (sample.records, sample.pages, sample.looked_at, sample.sites, sample.unknown) == (98, 97, 97, 1, 0)
    assert dict(sample.dropped) == {"not_html": 1}
    assert sum(sample.dropped.values()) + sample.pages == sample.records
    told = sum(IN_SAMPLE.values()) + sum(sample.left_out.values()) + sample.unknown + sum(sample.unreadable.values())
    assert told == sample.looked_at


def test_every_found_language_declares_itself_in_the_sample(sample: Survey) -> None:
    assert all(found.declared == found.pages and not found.declared_other for found in sample.languages)


def test_only_some_pages_are_looked_at_whatever_their_order(
    shuffled: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "LOOKED_AT", 20)
    monkeypatch.setattr(sampling, "SHARD_RECORDS", 7)
    whole, mixed = without_files(surveyed(SAMPLE)), without_files(surveyed(*shuffled))
    assert whole["looked_at"] == 20
    assert whole["pages"] == 97
    assert whole | {"size_bytes": 0} == mixed | {"size_bytes": 0}


def test_pages_that_were_parsed_in_vain_take_no_time_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "LOOKED_AT", 60)
    # A second by this clock is between any two looks at it.
    monkeypatch.setattr(sampling, "time", SimpleNamespace(monotonic=count().__next__))
    found = surveyed(SAMPLE)
    assert (found.looked_at, found.pages) == (60, 97)
    # All 97 were parsed in a second; in another the languages of the 60 were resolved.
    assert found.parse_seconds == pytest.approx(60 / 97 + 1)


@pytest.mark.parametrize(("pages", "seconds"), [(10, 6.0), (20, 12.0), (4, 6.0)])
def test_expected_seconds_grow_with_the_pages_and_not_with_languages_of_a_page(
    pages: int, seconds: float, sample: Survey
) -> None:
    """Of a split page each language is looked at: 4 pages may be 10 to look at."""
    found = replace(sample, pages=pages, looked_at=10, languages=(), parse_seconds=10.0, read_seconds=0.0)
    assert expected_seconds(found, ("en", "fr")) == pytest.approx(seconds)


def test_a_repeated_address_counts_once(tmp_path: Path, sample: Survey) -> None:
    (tmp_path / "twice.warc.gz").write_bytes(SAMPLE.read_bytes() * 2)
    found = surveyed(tmp_path / "twice.warc.gz")
    assert found.languages == sample.languages
    assert dict(found.unreadable) == {"repeated_address": 97}


def test_an_address_recorded_often_counts_once_in_the_sample(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 copies of the page with the smallest hash, first and last: the sample holds the same 5 addresses."""
    monkeypatch.setattr(sampling, "LOOKED_AT", 5)
    monkeypatch.setattr(sampling, "SHARD_RECORDS", 7)
    whole = members(few.read_bytes())
    home = min(whole, key=lambda member: sampling._hash_of(address_in(gzip.decompress(member)).decode()))
    (tmp_path / "often.warc.gz").write_bytes(b"".join([home * 20, *whole, home * 20]))
    once, often = surveyed(few), surveyed(tmp_path / "often.warc.gz")
    assert (often.languages, often.left_out) == (once.languages, once.left_out)
    assert (once.looked_at, often.looked_at) == (5, 45)
    assert Counter(often.unreadable) - Counter(once.unreadable) == {"repeated_address": 40}


def page_record(url: str, text: str) -> bytes:
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body>{text}".encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(http)}\r\n"
    kind = "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http\r\n\r\n"
    return f"{head}{kind}".encode() + http + b"\r\n" * 2


def test_an_empty_page_recorded_often_counts_once(tmp_path: Path) -> None:
    """2,000 copies of a page without text would ask for 5 pages of each language."""
    (tmp_path / "empty.warc").write_bytes(page_record("https://a.example/", "") * 2_000)
    found = surveyed(tmp_path / "empty.warc")
    assert found.unreadable == {"no_text": 1, "repeated_address": 1_999}
    assert (found.looked_at, found.least_pages()) == (2_000, 3)


def test_pages_in_many_languages_are_not_sorted_for_each_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page in three languages is three rows of the sample, more than twice its one address."""
    monkeypatch.setattr(sampling, "LOOKED_AT", 1)
    monkeypatch.setattr(sampling, "SHARD_RECORDS", 1)
    cuts: list[int] = []
    cut = sampling._Look._cut
    monkeypatch.setattr(sampling._Look, "_cut", lambda look: cuts.append(look.records) or cut(look))
    texts = (
        ("en", "The museum opens every day at nine, and the guided walk through the old harbour begins at noon. "),
        ("fr", "Le musée ouvre tous les jours à neuf heures, et la visite du vieux port commence à midi. "),
        ("de", "Das Museum öffnet jeden Tag um neun Uhr, und der Rundgang durch den alten Hafen beginnt am Mittag. "),
    )
    parts = "".join(f"<p>{number} {text * 3}" for lang, text in texts for number in range(5))
    urls = sorted((f"https://a.example/{number}" for number in range(40)), key=sampling._hash_of)
    (tmp_path / "parts.warc").write_bytes(b"".join(page_record(url, parts) for url in urls))
    found = survey(open_sources([str(tmp_path / "parts.warc")]), jobs=1, split_pages=True)
    assert (found.looked_at, cuts) == (3, [1, 3, 40])


@pytest.mark.parametrize(("looked_at", "least"), [(0, 3), (97, 3), (1500, 3), (1501, 4), (3000, 6)])
def test_pages_from_which_a_language_counts(looked_at: int, least: int) -> None:
    assert least_pages(looked_at) == least


def test_a_rare_language_that_no_identifier_tells_is_taken_for_the_common_one() -> None:
    found = [
        FoundLanguage("hr", 100, 1000, 90, {}),
        FoundLanguage("bs", 9, 90, 1, {"hr": 8}),
        FoundLanguage("sl", 9, 90, 0, {}),
        FoundLanguage("sr-Latn", 8, 80, 8, {}),
        FoundLanguage("la", 2, 20, 0, {}),
    ]
    chosen, left_out, taken_for = sampling._choose_languages(found, 3)
    assert [each.tag for each in chosen] == ["hr", "sl", "sr-Latn"]  # declared by its own pages: the last
    assert left_out == {"bs": 9, "la": 2}
    assert taken_for == {"bs": "hr"}


@pytest.mark.parametrize(
    ("typed", "named"),
    [("all", ()), ("*", ()), ("en,*", ("en",)), ("*, pt-br", ("pt-BR",)), ("ALL", ()), ("en,fr", None), ("", None)],
)
def test_lists_that_are_open(typed: str, named: tuple[str, ...] | None) -> None:
    assert open_languages(typed) == named
    assert open_languages(typed.split(",")) == named


def test_a_wrong_code_beside_the_star_is_said() -> None:
    with pytest.raises(LanguageError, match="jp"):
        open_languages("jp,*")


def test_named_languages_come_first_and_stand_for_what_they_take(sample: Survey) -> None:
    assert sample.languages_for(()) == ("en", "fr", "ja", "de")
    assert sample.languages_for(("ja",)) == ("ja", "en", "fr", "de")
    assert sample.languages_for(("en-GB", "sq")) == ("en-GB", "sq", "fr", "ja", "de")
    assert pages_by_wanted(sample, ("en-GB", "sq", "es")) == {"en-GB": 31, "sq": 0, "es": 1}


def test_harvest_of_all_is_harvest_of_what_was_found(tmp_path: Path, few: Path) -> None:
    before = surveyed(few)
    typed = harvest(few, before.languages_for(()), tmp_path / "typed", jobs=1, **QUICK)
    found = harvest(few, "all", tmp_path / "found", jobs=1, **QUICK)
    memories = list((typed.path / "out").glob("*.tmx"))
    assert len(memories) == 6
    for path in memories:
        assert path.read_bytes() == (found.path / "out" / path.name).read_bytes()
    written = found.folder.settings()
    assert written["settings"]["langs"] == ["en", "fr", "ja", "de"]
    assert written["languages"]["asked"] == "all"
    assert written["languages"]["pages"] == {each.tag: each.pages for each in before.languages}


@pytest.mark.slow
def test_pages_that_the_survey_parsed_are_not_parsed_again(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards of 10 records; the last has a record without a page."""
    (tmp_path / "pages.warc.gz").write_bytes(few.read_bytes() + gzip.compress(b"no record"))
    for module in (sampling, reading):
        monkeypatch.setattr(module, "SHARD_RECORDS", 10)
    typed = harvest(tmp_path / "pages.warc.gz", "de,en,fr", tmp_path / "typed", jobs=1, **QUICK)

    def parse_records(*_: Any, **__: Any) -> Any:
        raise AssertionError("parsed again")

    monkeypatch.setattr(reading, "parse_records", parse_records)
    harvest(tmp_path / "pages.warc.gz", "all", tmp_path / "found", jobs=1, **QUICK)
    files = sorted((tmp_path / "found" / "documents").iterdir())
    assert len(files) == 3
    assert [file.read_bytes() for file in files] == [
        file.read_bytes() for file in sorted((typed.folder.path / "documents").iterdir())
    ]
    monkeypatch.setattr(sampling, "LOOKED_AT", 8)
    with pytest.raises(AssertionError, match="parsed again"):
        harvest(tmp_path / "pages.warc.gz", "all", tmp_path / "some", jobs=1, **QUICK)


def test_the_survey_keeps_nothing_for_a_run_that_has_forgotten_pages(tmp_path: Path) -> None:
    sources = open_sources([str(SAMPLE)])
    for name, kept in (("plain", 1), ("forgetful", 0)):
        with RunFolder(tmp_path / name) as folder, folder.lock():
            if not kept:
                note_forgotten(folder, ["httpd.apache.org"])
            detect_languages("all", sources, make_settings("en,fr"), folder, jobs=1)
            assert len(list((tmp_path / name).glob("documents/*"))) == kept


def test_with_a_star_one_language_is_the_pivot_and_the_same_command_goes_on(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = harvest(few, "de,*", tmp_path / "run", jobs=1, **QUICK)
    assert run.settings.pivot == "de"
    assert sorted(path.name for path in (run.path / "out").glob("*.tmx")) == ["de-en.tmx", "de-fr.tmx", "de-ja.tmx"]
    before = {path.name: path.read_bytes() for path in (run.path / "out").glob("*.tmx")}

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("looked at again")

    monkeypatch.setattr("diglot.survey.open_languages.survey", never)
    again = harvest(few, "de,*", tmp_path / "run", jobs=1, **QUICK)
    assert {path.name: path.read_bytes() for path in (again.path / "out").glob("*.tmx")} == before
    with pytest.raises(RunFolderError, match="holds a run in de, en, fr, ja"):
        harvest(few, "en,fr", tmp_path / "run", jobs=1)


def test_options_are_checked_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="fussed"):
        harvest(SAMPLE, "all", tmp_path / "run", recipe="fussed")
    with pytest.raises(UsageError, match=r"min_prob=7\.0: give a number between 0 and 1"):
        harvest(SAMPLE, "all", tmp_path / "run", min_prob=7.0)
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "index.html").write_text("mine")
    with pytest.raises(RunFolderError, match="not empty"):
        harvest(SAMPLE, "all", tmp_path / "web")
    assert not (tmp_path / "run").exists()


def test_one_language_is_nothing_to_pair(tmp_path: Path) -> None:
    english = [each for each in members(SAMPLE.read_bytes()) if b"/en/" in gzip.decompress(each)[:600]]
    assert len(english) > 5
    (tmp_path / "en.warc.gz").write_bytes(b"".join(english))
    with pytest.raises(NothingFound, match="two are needed to pair pages"):
        harvest(tmp_path / "en.warc.gz", "all", tmp_path / "run", jobs=1)
    assert not (tmp_path / "run").exists()


def test_of_a_source_whose_pages_are_all_dropped_the_reasons_are_told(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for name in ("en", "fr"):
        (site / f"{name}.html").write_text("<p " + " ".join(f"a{n}" for n in range(5_000)) + ">x")
    (site / "empty.html").write_text("<html><body></body></html>")
    with pytest.raises(NothingFound, match="2  markup built to exhaust a parser") as caught:
        harvest(site, "all", tmp_path / "run", base_url="http://a.example/", jobs=1)
    assert "1  no visible text" in str(caught.value)
    assert "-l en,fr" not in str(caught.value)  # nothing to read in any language


def cli(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_of_a_site_with_a_page_in_each_language_all_declared_ones_count() -> None:
    def chosen(*found: FoundLanguage) -> list[str]:
        return [each.tag for each in sampling._choose_languages(found, 3)[0]]

    en, de = FoundLanguage("en", 8, 80, 7, {}), FoundLanguage("de", 2, 20, 2, {})
    assert chosen(en, de, FoundLanguage("fr", 1, 10, 1, {}), FoundLanguage("la", 1, 10, 0, {})) == ["en", "de", "fr"]
    assert chosen(en, FoundLanguage("de", 2, 20, 1, {"en": 1})) == ["en"]
    # Two languages of three pages: a single page in another may be a quotation.
    assert chosen(en, FoundLanguage("es", 3, 30, 0, {}), de) == ["en", "es"]
    # A few documents, none of them declared.
    assert chosen(FoundLanguage("en", 2, 20, 0, {}), FoundLanguage("fr", 2, 20, 0, {})) == ["en", "fr"]
    assert chosen(FoundLanguage("en", 4, 40, 0, {}), FoundLanguage("fr", 2, 20, 0, {})) == ["en"]
    one_page = [FoundLanguage(tag, 1, 10, 1, {}) for tag in ("en", "de")]
    assert chosen(*one_page) == ["en", "de"]


@pytest.mark.parametrize(("of_latin", "of_english", "counts"), [(0, 90, False), (1, 90, True), (0, 0, True)])
def test_latin_that_no_page_declares_is_placeholder_text(
    sample: Survey, of_latin: int, of_english: int, counts: bool
) -> None:
    found = [FoundLanguage("en", 100, 1000, of_english, {}), FoundLanguage("la", 50, 500, of_latin, {"en": 50})]
    found.append(FoundLanguage("fr", 20, 200, 0, {}))
    chosen, left_out, _ = sampling._choose_languages(found, 3)
    assert ([each.tag for each in chosen], left_out) == (
        (["en", "la", "fr"], {}) if counts else (["en", "fr"], {"la": 50})
    )
    seen = replace(sample, languages=tuple(chosen), left_out={"es": 1, **left_out})
    said = ", la 50 (declared by no page, as placeholder text)" * (not counts)
    assert seen.left_out_text() == f"left out: es 1 (fewer than 3 pages){said}"


@pytest.mark.parametrize(
    ("pages", "declared", "of_english", "is_unsure"),
    [(10, 0, 90, True), (11, 0, 90, False), (3, 1, 90, False), (3, 0, 0, False)],  # a tenth of 100 pages
)
def test_a_language_by_text_alone_on_few_pages_is_told_as_unsure(
    sample: Survey, pages: int, declared: int, of_english: int, is_unsure: bool
) -> None:
    found = FoundLanguage("en", 100, 1000, of_english, {}), FoundLanguage("la", pages, 90, declared, {"en": 1})
    seen = replace(sample, languages=found, left_out={})
    assert seen.languages_text() == f"en 100, la {pages}{' (declared by no page)' * is_unsure}"
    assert ("unsure    la: few pages, and none declares it" in languages_text(seen, [])) is is_unsure
    assert "unsure" not in plan_text(seen, [], ["en", "la"])


def test_a_language_asked_for_is_not_told_as_left_out_and_reasons_are_told_once(sample: Survey) -> None:
    seen = replace(sample, left_out={"es": 2, "it": 1}, dropped={"no_text": 1}, unreadable={"no_text": 2})
    assert "left out  es 2, it 1 (fewer than" in plan_text(seen, [], ["en", "fr"])
    lines = plan_text(seen, [], ["en", "es"]).splitlines()
    assert [line for line in lines if "left out" in line] == [f"left out  it 1 (fewer than {seen.least_pages()} pages)"]
    assert [line.split() for line in lines if "visible" in line] == [["3", "no", "visible", "text"]]
    cut = plan_text(replace(seen, pages=seen.looked_at + 1), [], ["en", "es"]).splitlines()
    (at,) = [place for place, line in enumerate(cut) if line.startswith("looked at")]
    assert [line.split()[0] for line in (cut[at - 1], cut[at + 1])] == ["1", "2"]


def test_a_single_page_of_unknown_language_is_one_page(sample: Survey) -> None:
    assert "unknown   1 page whose language cannot be told" in languages_text(replace(sample, unknown=1), [])
    assert "unknown   2 pages whose language cannot be told" in languages_text(replace(sample, unknown=2), [])
    assert "records   1: 1 page of 1 site" in languages_text(replace(sample, records=1, pages=1, looked_at=1), [])


def test_the_table_of_languages_names_the_next_command(sample: Survey) -> None:
    lines = languages_text(sample, ["a b.warc.gz", "--host", "x.example"]).splitlines()
    assert lines[0].split() == ["language", "pages", "text", "declare", "it", "declare", "another"]
    assert lines[1].split()[:3] == ["en", "English", "31"]
    assert "left out  es 1, tr 1 (fewer than 3 pages)" in lines
    assert lines[-1] == "next      diglot harvest 'a b.warc.gz' --host x.example -l en,fr,ja,de -o run"


@pytest.mark.parametrize("command", ["plan", "languages"])
@pytest.mark.parametrize(("pages", "last"), [(0, "nothing to harvest here: no record is a page"), (1, "next ")])
def test_of_sources_without_a_page_no_command_is_named(command: str, pages: int, last: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as workbook:
        workbook.writestr("xl/workbook.xml", "<workbook/>")
    if pages:
        (tmp_path / "a.html").write_text("<p>Hello")
    result = CliRunner().invoke(app, [command, str(tmp_path), "--base-url", "http://a.example/"])
    assert result.stdout.splitlines()[-1].startswith(last)


def test_many_languages_are_asked_for_with_a_star(sample: Survey) -> None:
    assert next_command(sample, ["x"], "en,*") == "diglot harvest x -l 'en,*' -o run"
    many = tuple(FoundLanguage(tag, 9, 9, 9, {}) for tag in ("en", "fr", "de", "es", "it", "pt", "nl"))
    values = without_files(sample) | {"languages": many}
    assert next_command(Survey(**values), ["x"]) == "diglot harvest x -l 'en,*' -o run"


def test_commands_write_nothing_and_say_the_same_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = json.loads(cli("languages", str(SAMPLE), "--json"))
    assert {each["tag"]: each["pages"] for each in told["languages"]} == IN_SAMPLE
    planned = json.loads(cli("plan", str(SAMPLE), "-l", "en,*", "--json"))
    assert planned["wanted"] == IN_SAMPLE
    assert planned["sources"] == [{"name": "pages.warc.gz", "kind": "warc", "size_bytes": SAMPLE.stat().st_size}]
    assert 1 < planned["expected_seconds"] < 600
    text = cli("plan", str(SAMPLE), "-l", "en,sq")
    assert "languages en 31, sq 0" in text
    assert "pairs     at most en-sq 0" in text
    assert cli("plan", str(SAMPLE), "-l", "en,sq", "--quiet").startswith("source    pages.warc.gz")
    assert cli("languages", str(SAMPLE), "--quiet").startswith("language ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", str(SAMPLE), "--proxy", "http://127.0.0.1:1"], "no source is one"),
        (["plan", "https://a.example/", "--pivot", "en"], "for files"),
        (["plan", "https://a.example/", "https://b.example/"], "one web address"),
        (["plan", str(SAMPLE), "-l", "en,xx"], "not a language code"),
        (["plan", str(SAMPLE), "-l", "en,fr", "--pivot", "de"], "pivot de is not among"),
        (["languages", "https://a.example/", "--host", "b.example"], "for files"),
    ],
)
def test_what_cannot_be_planned_is_said(arguments: list[str], message: str) -> None:
    with pytest.raises(DiglotError, match=message):
        CliRunner().invoke(app, arguments, catch_exceptions=False, standalone_mode=False)


def test_tasks_are_planned_in_the_languages_found(tmp_path: Path) -> None:
    cli("tasks", "plan", str(SAMPLE), "-l", "fr,*", "-o", str(tmp_path / "run"))
    settings = read_run_plan(Store.at(str(tmp_path / "run"))).settings
    assert (settings.langs, settings.pivot) == (("fr", "en", "ja", "de"), "fr")


def test_a_stopped_preview_names_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_options: object, _journal: Path, folder: Path, _progress: object) -> None:
        raise Stopped(f"stopped; the same command goes on from what is in {folder}")

    monkeypatch.setattr(crawl_preview, "crawl_site", stop)
    with pytest.raises(Stopped, match=r"^stopped; nothing was written, and the same command begins again$"):
        crawl_preview.plan_crawl("https://a.example/")
