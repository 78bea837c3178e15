"""An update compares with what was there before its first request, whatever kills it on the way."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from contextlib import closing
from dataclasses import replace
from hashlib import shake_128
from pathlib import Path
from typing import Any

import pytest
from journal_rows import journal_rows
from made_crawls import MadeCrawl, MadeSite
from made_runs import LANGS, SITE, START, Killed, crawl, crawl_stage_of, made_site, outputs

import diglot
from diglot import updating
from diglot.cli import main
from diglot.corpus.formats.tmx import read_tmx
from diglot.crawl.crawling import CrawlResult
from diglot.crawl.options import CrawlOptions
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.update_time import Clocks, read_clocks
from diglot.disk.folder import RunFolder
from diglot.errors import NothingFound, SiteOutage, SourceError, UsageError
from diglot.forgetting import forget
from diglot.harvesting import align_run, clean_run
from diglot.results.delta import open_update
from diglot.results.run import open_run
from diglot.run import crawl as run_crawl
from diglot.updating import update
from made_website import website
from packed_files import contents
from slow_cases import slow_but

TIME = re.compile(rb"\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?\d\dZ|hash\W+[0-9a-f]{32}")
DAMAGED = b"<html><p>" + bytes(range(128, 256)) * 9
"""A page in no encoding."""
FOUND = {"same": 10, "changed": 1, "missing": 1, "new": 2}
DAY_S = 24 * 3600.0


def later_site() -> MadeSite:
    """The site after a page has changed, one has gone, and two have come."""
    site = made_site()
    changed = f"{SITE}/en/chapter2.html"
    more = b"<p>This harbour has a new market since the morning of Thursday.</p></main>"
    site.answers[changed] = site.answers[changed].replace(b"</main>", more)  # type: ignore[union-attr]
    del site.answers[f"{SITE}/fr/chapter6.html"]
    pages = website()
    site.answers |= {f"{SITE}/{lang}/chapter7.html": pages[f"{lang}/chapter7.html"] for lang in ("en", "fr")}
    return site


def timeless(run: Path) -> dict[str, bytes]:
    """The outputs of a run without the times of its requests."""
    return {
        name: TIME.sub(b"", contents(run / name) if name != "out/summary.json" else data)
        for name, data in outputs(run).items()
    }


def updated(
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
    site: MadeSite,
    *,
    at_s: float = 0.0,
    wrong_s: float = 0.0,
    harvests: bool = True,
    **options: Any,
) -> updating.Changes:
    """An update whose requests the made site answers, ``at_s`` seconds from now, by a clock ``wrong_s`` ahead.

    ``harvests``: whether the outputs are written again from the copies in use.
    """
    now = read_clocks()
    with monkeypatch.context() as patched:
        if not harvests:
            patched.setattr(updating, "_harvest_again", lambda *_: None)
        patched.setattr(updating, "crawl_stage", crawl_stage_of(site))
        patched.setattr(updating, "read_clocks", lambda: Clocks(now.unix + at_s + wrong_s, "boot", now.up_s + at_s))
        return update(run, jobs=1, **options)


def asked(run: Path, monkeypatch: pytest.MonkeyPatch, site: MadeSite, **options: Any) -> updating.Changes:
    """An update as far as the fate of every page; the outputs stay."""
    return updated(run, monkeypatch, site, harvests=False, **options)


def in_use(run: Path) -> dict[str, str]:
    """The copies of which outputs are written: digest by address."""
    with RunFolder(run) as folder:
        return updating._page_digests(folder)


@pytest.fixture(scope="module")
def undisturbed(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after an update; not to be changed."""
    out = Path(shutil.copytree(finished, tmp_path_factory.mktemp("undisturbed") / "run"))
    with pytest.MonkeyPatch.context() as patched:
        assert updated(out, patched, later_site()).pages == FOUND
    return out


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy to update."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def test_the_new_segments_are_counted_and_only_files_with_some_are_named(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = updated(run, monkeypatch, later_site())
    units = list(read_tmx(run / "out" / "delta" / "en-fr.tmx"))
    assert first.new == {"en-fr": len(units)}
    assert units
    assert [path.name for path in first.files] == ["changes.tsv", "en-fr.tmx"]
    again = updated(run, monkeypatch, later_site())
    assert again.new == {"en-fr": 0}
    assert [path.name for path in again.files] == ["changes.tsv"]
    monkeypatch.setattr(updating, "update_run", lambda *_, **__: (again, None))
    assert main(["update", str(run)]) == 0
    gone, kept = again.gone["en-fr"], again.kept["en-fr"]
    told = f"\nnew       nothing\ngone      {gone} segments en-fr\nnow       {kept} segments en-fr\n"
    assert told in capsys.readouterr().out
    # A page is missing for the second time: the segments that only it had are gone.
    assert again.kept["en-fr"] == len(list(read_tmx(run / "out" / "en-fr.tmx")))
    assert again.kept["en-fr"] == first.kept["en-fr"] - again.gone["en-fr"] < first.kept["en-fr"]


def test_pages_that_are_missing_once_are_told_to_stay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run: Path
) -> None:
    assert asked(run, monkeypatch, later_site()).notes == [
        "the copies of 1 missing page stay in use; they leave if the next update misses them, too"
    ]
    changes = updating.Changes({"missing": 2}, [], {"en-fr": 0}, {"en-fr": 3}, {"en-fr": 1}, ["they stay"])
    monkeypatch.setattr(updating, "update_run", lambda *_, **__: (changes, None))
    assert main(["update", str(run)]) == 0
    said = capsys.readouterr().out
    assert "gone      3 segments en-fr\nnow       1 segment en-fr\nnote      they stay\n" in said


def test_an_update_says_its_progress_and_result_as_json(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(updating, "crawl_stage", crawl_stage_of(later_site()))
    assert main(["update", str(run), "--jobs", "1", "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["kept"] == {"en-fr": len(list(read_tmx(run / "out" / "en-fr.tmx")))}
    assert found["files"][0] == str(run / "out" / "changes.tsv")
    assert {"align", "write"} <= {json.loads(line)["stage"] for line in said.err.splitlines() if "done" in line}


def test_an_update_that_finds_nothing_tells_what_it_found_and_why(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = made_site()
    site.answers = {
        url: body.replace(b"<head>", b'<head><meta name="robots" content="noindex">')
        if isinstance(body, bytes)
        else body
        for url, body in site.answers.items()
    }
    stage = crawl_stage_of(site)

    def with_notice(*values: Any, **named: Any) -> CrawlResult:
        return replace(stage(*values, **named), notices=["docs.example.org answered 12 requests"])

    monkeypatch.setattr(updating, "crawl_stage", with_notice)
    assert main(["update", str(run), "--jobs", "1"]) == NothingFound.exit_code
    said = capsys.readouterr()
    assert said.out.startswith("pages     12 gone\nnew       nothing\ngone ")
    assert "note      docs.example.org answered 12 requests\n" in said.out
    assert "note      12 pages left because the site asks not to use them (12 x noindex); they are back" in said.out
    assert f"wrote     {run / 'out' / 'changes.tsv'}\n" in said.out
    assert "no translations found" in said.err


def test_changes_are_listed_and_what_is_new_is_written(undisturbed: Path) -> None:
    lines = (undisturbed / "out" / "changes.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.removeprefix(f"{SITE}/").split("\t") for line in lines] == [
        ["url", "change"],
        ["en/chapter2.html", "changed"],
        ["en/chapter7.html", "new"],
        ["fr/chapter6.html", "missing"],
        ["fr/chapter7.html", "new"],
    ]
    assert "chapter7" in (undisturbed / "out" / "delta" / "en-fr.tmx").read_text(encoding="utf-8")


@pytest.mark.parametrize("requests", slow_but([5], [0, 1, 5, 12, 100]))
def test_killed_while_it_asks_it_finds_the_same(
    requests: int, run: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = later_site()

    def stage(folder: RunFolder, *_: Any, **__: Any) -> None:
        crawl(site, folder.path, requests)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(updating, "crawl_stage", stage)
        for _ in range(2):
            with pytest.raises(Killed):
                update(run, jobs=1)
    # The command of the first harvest would take every page that came.
    with pytest.raises(UsageError, match="an update is not finished; `diglot update"):
        diglot.harvest(START, "en,fr", run, jobs=1)
    assert updated(run, monkeypatch, site).pages == FOUND
    assert timeless(run) == timeless(undisturbed)
    assert max(site.asked.count(url) for url in site.pages_asked()) == 1


@pytest.mark.slow
def test_the_new_segments_come_back_with_other_options(undisturbed: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(undisturbed, tmp_path / "run"))

    def new() -> set[tuple[str, str]]:
        units = read_tmx(run / "out" / "delta" / "en-fr.tmx")
        return {(unit.variants[0].text, unit.variants[1].text) for unit in units}

    before, floor = new(), open_run(run).settings.min_score
    rows = open_run(run).segments("en", "fr").kept_rows().to_pylist()
    best = max(row["score"] for row in rows if (row["src"], row["tgt"]) in before)
    clean_run(run, min_score=best)
    assert new() == before & {(row["src"], row["tgt"]) for row in rows if row["score"] >= best} != before
    with pytest.raises(NothingFound):
        clean_run(run, min_score=1)
    assert new() == set()
    clean_run(run, min_score=floor)
    assert new() == before
    (run / "out" / "delta" / "en-fr.tmx").unlink()
    align_run(run, jobs=1)
    assert new() == before


STEPS = ["set_open", "_decide_page_fates", "_write_changes", "harvest_into", "write_deltas"]


@pytest.mark.parametrize("name", slow_but(["harvest_into"], STEPS))
def test_killed_after_any_step_it_finds_the_same(
    name: str, run: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, site = getattr(updating, name), later_site()

    def killed(*values: Any, **named: Any) -> None:
        step(*values, **named)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(updating, name, killed)
        with pytest.raises(Killed):
            updated(run, monkeypatch, site)
    assert updated(run, monkeypatch, site).pages == FOUND
    assert timeless(run) == timeless(undisturbed)
    with RunFolder(run) as folder:
        assert open_update(folder) is None


def test_a_site_that_was_away_is_asked_again_and_no_page_is_lost(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away, site = MadeSite({}), later_site()

    def stage(folder: RunFolder, *_: Any, **__: Any) -> None:
        crawl(away, folder.path)
        raise SourceError("cannot be fetched")

    with monkeypatch.context() as patched:
        patched.setattr(updating, "crawl_stage", stage)
        with pytest.raises(SourceError):
            update(run, jobs=1)
    assert len(open_run(run).pairs()) == 6
    assert updated(run, monkeypatch, site).pages == FOUND


def test_of_a_site_that_is_away_it_is_told_that_the_run_stays(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away = MadeSite(dict.fromkeys(made_site().answers, (503, {})))

    def stage(folder: RunFolder, *_: Any, **__: Any) -> CrawlResult:
        crawl(away, folder.path)
        return CrawlResult([], {"pages": 0})

    monkeypatch.setattr(updating, "crawl_stage", stage)
    with pytest.raises(SourceError, match=r"the run is as before; update it again when the site is back$"):
        update(run, jobs=1)
    assert len(open_run(run).pairs()) == 6


def test_of_a_site_that_is_away_the_list_of_addresses_stays(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, answers = run / "out" / "fetches.tsv", made_site().answers

    def crawl_of(site: MadeSite, pages: int):  # type: ignore[no-untyped-def]
        def made(_options: CrawlOptions, journal: Path, *_: Any, **__: Any) -> CrawlResult:
            crawl(site, journal.parent)
            return CrawlResult([], {"pages": pages, "queued": 0})

        return made

    # An update that is accepted says what one page met.
    page = f"{SITE}/fr/chapter6.html"
    monkeypatch.setattr(run_crawl, "crawl_site", crawl_of(MadeSite({**answers, page: (503, {})}), 11))
    monkeypatch.setattr(updating, "_harvest_again", lambda *_: None)
    assert update(run, jobs=1).pages == {"same": 11, "unreachable": 1}
    told = [line for line in listed.read_text(encoding="utf-8").splitlines() if "\t503\t" in line]
    assert [line.split("\t")[0] for line in told] == [page]
    monkeypatch.setattr(run_crawl, "crawl_site", crawl_of(MadeSite(dict.fromkeys(answers, (503, {}))), 0))
    before = listed.read_bytes()
    with pytest.raises(SourceError, match="the run is as before"):
        update(run, jobs=1)
    assert listed.read_bytes() == before


def test_a_page_missing_twice_is_gone_and_comes_back_from_its_copy(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Path(shutil.copytree(undisturbed, tmp_path / "run"))
    page, archived = f"{SITE}/fr/chapter6.html", sorted((run / "warc").glob("*.warc.gz"))
    assert page in {pair.tgt_url for pair in open_run(run).pairs()}
    size = sum(path.stat().st_size for path in archived)
    assert updated(run, monkeypatch, later_site()).pages == {"same": 13, "gone": 1}
    assert page not in {pair.tgt_url for pair in open_run(run).pairs()}
    assert updated(run, monkeypatch, later_site()).pages == {"same": 13}
    back = later_site()
    back.answers[page] = made_site().answers[page]
    assert updated(run, monkeypatch, back).pages == {"same": 13, "new": 1}
    assert page in {pair.tgt_url for pair in open_run(run).pairs()}
    assert sum(path.stat().st_size for path in archived) == size  # nothing left the archive, nor came twice


def test_pages_that_a_limit_kept_from_being_asked_for_are_not_gone(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, site = in_use(run).keys(), later_site()

    def stage(folder: RunFolder, *_: Any, **__: Any) -> CrawlResult:
        crawl(site, folder.path, 7)
        return CrawlResult([], {"pages": 1})

    with monkeypatch.context() as patched:
        patched.setattr(updating, "crawl_stage", stage)
        patched.setattr(updating, "_harvest_again", lambda *_: None)
        assert update(run, jobs=1).pages.keys() <= {"same", "changed", "waiting", "new"}
    assert in_use(run).keys() >= before


@pytest.mark.parametrize("status", slow_but([503], [408, 500, 503]))
def test_a_page_whose_server_is_in_trouble_stays_and_is_asked_for_again(
    status: int, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, site = f"{SITE}/fr/chapter6.html", made_site()
    site.answers[page] = (status, {"ETag": '"of the error"'})
    assert asked(run, monkeypatch, site).pages == {"same": 11, "unreachable": 1}
    assert f"{page}\tunreachable" in (run / "out" / "changes.tsv").read_text(encoding="utf-8")
    assert page in in_use(run)
    assert asked(run, monkeypatch, made_site()).pages == {"same": 12}
    # Pages that two updates did not find are asked for by the fourth.
    assert asked(run, monkeypatch, later_site()).pages == {"same": 10, "changed": 1, "missing": 1}


@pytest.mark.parametrize("status", slow_but([500], [429, 500]))
def test_a_site_without_a_robots_txt_for_now_loses_nothing(
    status: int, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = made_site()
    site.answers[f"{SITE}/robots.txt"] = (status, {})
    assert asked(run, monkeypatch, site).pages == {"waiting": 12}
    assert len(in_use(run)) == 12
    assert asked(run, monkeypatch, later_site()).pages == FOUND


def test_what_is_forgotten_goes_out_of_what_was_new_and_of_the_list_of_changes(
    undisturbed: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(undisturbed, tmp_path / "run"))
    forget(run, url=f"{SITE}/en/chapter7.html", jobs=1)
    assert "chapter7" not in (run / "out" / "delta" / "en-fr.tmx").read_text(encoding="utf-8")
    assert "en/chapter7" not in (run / "out" / "changes.tsv").read_text(encoding="utf-8")
    assert "en/chapter2" in (run / "out" / "changes.tsv").read_text(encoding="utf-8")


def bad_site() -> MadeSite:
    """The site, with another bad answer for each of ten pages."""
    site = made_site()
    gzipped = gzip.compress(bytes(2000), mtime=0)[:-8]
    maintenance = b"<html lang=en><p>The site is being worked on, come back in an hour or two.</html>"
    answers: list[Any] = [
        (401, {}, b"who are you?"),
        (403, {}, maintenance),
        (206, {"Content-Range": "bytes 0-9/100"}, b"<html><p>ab"),
        (200, {"Content-Encoding": "gzip"}, gzipped + b"broken"),
        (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08" + bytes(40)),
        (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7"),
        (200, {}, b""),
        (302, {"Location": f"{SITE}/en/chapter1.html"}),
        (400, {}, b"<html><p>Bad request</html>"),
    ]
    for number, answer in enumerate(answers):
        site.answers[f"{SITE}/{('en', 'fr')[number % 2]}/chapter{2 + number // 2}.html"] = answer
    site.cut.add(f"{SITE}/fr/chapter6.html")
    return site


def texts_of(run: Path) -> list[tuple[str, str]]:
    return sorted((segment.src, segment.tgt) for segment in open_run(run).segments("en", "fr"))


def test_no_bad_answer_takes_the_place_of_a_page(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = in_use(run)
    assert asked(run, monkeypatch, bad_site()).pages == {"same": 2, "unreachable": 9, "moved": 1}
    assert in_use(run) == before
    assert asked(run, monkeypatch, made_site()).pages == {"same": 12}
    assert in_use(run) == before


def test_the_etag_of_a_cut_page_is_not_that_of_its_copy(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, site = f"{SITE}/fr/chapter6.html", made_site()
    etag = {"ETag": '"same"'}
    site.answers[page], site.cut = (200, etag, made_site().answers[page]), {page}  # type: ignore[assignment]
    asked(run, monkeypatch, site)
    with closing(Frontier(run / "journal.db")) as frontier:
        assert journal_rows(frontier, "etag, reason", "url=?", (page,)) == [("", "truncated")]


def test_a_damaged_page_is_mended_although_another_address_has_its_text(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, good = made_site(), later_page(made_site().answers[f"{SITE}/fr/chapter6.html"])
    links = b'<a href="/fr/twin/">One</a> <a href="/fr/twin/index.html">Two</a></main>'
    site.answers[START] = site.answers[START].replace(b"</main>", links)  # type: ignore[union-attr]
    site.answers |= {f"{SITE}/fr/twin/": DAMAGED, f"{SITE}/fr/twin/index.html": good}
    assert asked(run, monkeypatch, site).pages["new"] == 2
    site.answers[f"{SITE}/fr/twin/"] = good
    assert asked(run, monkeypatch, site).pages == {"same": 13, "changed": 1}


@pytest.mark.parametrize(
    "fields", [{"ETag": '"1"', "Last-Modified": "then"}, {"ETag": '"1"'}, {"Last-Modified": "then"}]
)
def test_a_validator_of_two_pages_is_never_sent_again(fields: dict[str, str], tmp_path: Path) -> None:
    page, site = f"{SITE}/fr/chapter6.html", made_site()
    first = made_site().answers[page]
    noted = [(fields.get("ETag", ""), fields.get("Last-Modified", ""))]
    # The other page comes twice: the second time it is unchanged, and its ETag is still that of the first page.
    for body, expected in ((first, noted), *[(later_page(first), None)] * 2, (first, None)):
        site.answers[page] = (200, fields, body)
        crawl(site, tmp_path)
        with closing(Frontier(tmp_path / "journal.db")) as frontier:
            unsent = [tuple(None if value else "" for value in noted[0])]
            assert journal_rows(frontier, "etag, modified", "url=?", (page,)) == (expected or unsent)
            frontier.ask_again()
    site.answers[page] = (200, {"ETag": '"2"'}, first)
    crawl(site, tmp_path)
    with closing(Frontier(tmp_path / "journal.db")) as frontier:
        assert journal_rows(frontier, "etag", "url=?", (page,)) == [('"2"',)]


@pytest.mark.parametrize(
    ("etag", "date", "sent"),
    [
        ('"v1"', "", set()),
        ('"{}"', "", {"If-None-Match"}),
        ("", "then", set()),
        ("", "then {}", {"If-Modified-Since"}),
        ('"{}"', "then", {"If-None-Match"}),
        ('"v1"', "then {}", {"If-Modified-Since"}),
    ],
)
def test_an_etag_or_a_date_of_a_whole_site_is_not_sent(etag: str, date: str, sent: set[str], tmp_path: Path) -> None:
    site = made_site()
    for number, (url, body) in enumerate(site.answers.items()):
        if isinstance(body, bytes):
            fields = {"ETag": etag.format(number), "Last-Modified": date.format(number)}
            site.answers[url] = (200, {name: value for name, value in fields.items() if value}, body)
    crawl(site, tmp_path)
    made = MadeCrawl(site, tmp_path, START, LANGS)
    made.frontier.ask_again()
    made.scheduler.begin()
    while (job := made.scheduler.next_job()) is not None and job.entry is None:
        made.scheduler.handle_response(job, site.answer(job.url), None)
    assert job is not None
    assert {name for name, _ in job.conditions} == sent
    made.frontier.close()


def test_a_page_cut_in_the_first_crawl_is_mended(tmp_path: Path) -> None:
    page, site = f"{SITE}/fr/chapter6.html", made_site()
    site.answers[page], site.cut = (200, {"ETag": '"1"'}, made_site().answers[page]), {page}  # type: ignore[assignment]
    crawl(site, tmp_path)
    with closing(Frontier(tmp_path / "journal.db")) as frontier:
        assert journal_rows(frontier, "etag, digest", "url=?", (page,)) == [(None, None)]
        frontier.ask_again()
    site.cut.clear()
    crawl(site, tmp_path)
    with closing(Frontier(tmp_path / "journal.db")) as frontier:
        assert journal_rows(frontier, "state, reason, etag", "url=?", (page,)) == [("done", "", '"1"')]


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"X-Robots-Tag": "noindex"}, b"<html><p>one two three"),
        (200, {"TDM-Reservation": "1"}, b"<html><p>one two three"),
        (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7"),
        (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08" + bytes(40)),
        (404, {}),
    ],
)
def test_what_an_answer_refused_is_asked_for_again(answer: Any, tmp_path: Path) -> None:
    page, site = f"{SITE}/fr/chapter6.html", made_site()
    site.answers[page] = answer
    crawl(site, tmp_path)
    with closing(Frontier(tmp_path / "journal.db")) as frontier:
        frontier.ask_again()
    crawl(made_site(), tmp_path)
    with closing(Frontier(tmp_path / "journal.db")) as frontier:
        assert journal_rows(frontier, "state", "url=?", (page,)) == [("done",)]


def later_page(body: Any) -> bytes:
    return bytes(body.replace(b"</main>", b"<p>Le port a un nouveau march\xc3\xa9 depuis ce matin.</p></main>"))


def everything(answer: Any) -> MadeSite:
    """The site with one answer for every page; a page that it redirects to is there."""
    site = made_site()
    site.answers = dict.fromkeys(site.answers, answer)
    site.answers[f"{SITE}/maintenance.html"] = b"<html lang=en><p>We are working on the site. " + b"Come back. " * 20
    return site


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param((302, {"Location": "/maintenance.html"}), marks=pytest.mark.slow),
        pytest.param((307, {"Location": "/maintenance.html"}), marks=pytest.mark.slow),
        pytest.param((301, {"Location": "/maintenance.html"}), marks=pytest.mark.slow),
        (200, {}, b"<html lang=en><p>We are working on the site of the harbour, see you tomorrow in the morning." * 9),
        pytest.param((200, {}, b"<html><p>Back soon</html>"), marks=pytest.mark.slow),
        (404, {}),
    ],
    ids=["302", "307", "301", "one page", "little text", "404"],
)
def test_an_outage_takes_nothing(answer: Any, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = in_use(run)
    for at_s in (0.0, 3600.0):
        with pytest.raises(
            SiteOutage, match=r"12 of 1[23] pages are missing, emptied, moved or replaced: .*believe=True"
        ):
            asked(run, monkeypatch, everything(answer), at_s=at_s)
        assert in_use(run).items() >= before.items()
    assert asked(run, monkeypatch, made_site()).pages.keys() <= {"same", "missing"}
    assert in_use(run).items() >= before.items()


def test_a_system_clock_that_jumps_makes_no_day(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, site = in_use(run), everything((404, {}))
    for at_s, wrong_s in ((0.0, 0.0), (3600.0, 400 * DAY_S), (7200.0, -400 * DAY_S)):
        with pytest.raises(SiteOutage, match="12 of 12"):
            asked(run, monkeypatch, site, at_s=at_s, wrong_s=wrong_s)
        assert in_use(run) == before
    assert asked(run, monkeypatch, site, at_s=DAY_S + 1, wrong_s=-400 * DAY_S).pages == {"gone": 12}
    assert in_use(run) == {}


def test_what_the_site_still_says_after_a_day_is_believed(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = made_site()
    site.answers = {url: answer for url, answer in site.answers.items() if "/fr/" not in url}
    with pytest.raises(SiteOutage, match="6 of 12"):
        updated(run, monkeypatch, site)
    assert len(open_run(run).pairs()) == 6
    with pytest.raises(NothingFound):
        updated(run, monkeypatch, site, at_s=DAY_S + 1)
    assert (run / "out" / "changes.tsv").read_text(encoding="utf-8").count("\tgone") == 6
    assert updated(run, monkeypatch, made_site()).pages == {"same": 6, "new": 6}
    assert len(open_run(run).pairs()) == 6


def test_a_user_may_believe_at_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = made_site()
    site.answers = {url: answer for url, answer in site.answers.items() if "chapter6" not in url and "/fr/" not in url}
    assert asked(run, monkeypatch, site, believe=True).pages["gone"] == 7
    assert (run / "out" / "changes.tsv").read_text(encoding="utf-8").count("\tgone") == 7


_LETTERS = str.maketrans("0123456789", "ghijklmnop")
NOTICE = (
    "Please sign in to go on. You have to be a registered customer to read this page. If you have forgotten your "
    "password, ask for a new one below; if you have no account yet, register free of charge within two minutes."
)


def notices(*words: str, site: MadeSite | None = None) -> MadeSite:
    """The site with a notice on the pages with one of these words in their addresses; no two notices are alike."""
    site = site or made_site()
    for number, url in enumerate(sorted(site.answers)):
        if any(word in url for word in words) and isinstance(site.answers[url], bytes):
            told = f"<p>After signing in you return to {url}</p><p>Request {number}a7 at 10:{number + 10} for {url}</p>"
            site.answers[url] = f"<html lang=en><h1>Sign in</h1><p>{NOTICE}</p>{told}</html>".encode()
    return site


NOTICED = [(("chapter",), 12), (("chapter3", "chapter4", "chapter5"), 6)]


@pytest.mark.parametrize(("words", "count"), slow_but([NOTICED[0]], NOTICED))
def test_notices_that_name_address_and_time_take_nothing(
    words: tuple[str, ...], count: int, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = in_use(run)
    for at_s in (0.0, 3600.0):
        with pytest.raises(SiteOutage, match=f"{count} of 12"):
            asked(run, monkeypatch, notices(*words), at_s=at_s)
        assert in_use(run) == before
    assert asked(run, monkeypatch, notices(*words), at_s=2 * DAY_S).pages["emptied"] == count
    assert in_use(run) == before
    assert asked(run, monkeypatch, made_site(), at_s=2 * DAY_S + 1).pages == {"same": 12}


def test_a_banner_and_a_new_sentence_on_all_pages_are_changes(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = made_site()
    for url, body in site.answers.items():
        if isinstance(body, bytes):
            own = f"<p>Chapter {url} was read again by the captain of harbour {url[-6:]}.</p>".encode()
            banner = f"<p>{NOTICE}</p>".encode() * 2
            site.answers[url] = body.replace(b"</main>", own + banner + b"</main>")
    assert asked(run, monkeypatch, site).pages == {"changed": 12}


def relaunched() -> MadeSite:
    """The site with another text on every page."""
    site = made_site()
    plants = ["roses", "tulips", "daisies", "lilies", "violets", "poppies", "orchids", "asters", "peonies", "irises"]
    lines = {
        "en": "A gardener planted {} beside the {} along every path of this park, and waters them at dusk.",
        "fr": "Un jardinier a planté des {} près des {} le long de chaque chemin du parc, et les arrose.",
    }
    for url, body in site.answers.items():
        if isinstance(body, bytes):
            lang, number = url.split("/")[3], int(url.split("chapter")[1][0])
            told = [lines[lang].format(plants[number], plants[(number * n) % 10]) for n in range(1, 6)]
            text = "".join(f"<p>{line}</p>" for line in told).encode()
            site.answers[url] = re.sub(rb"(?s)</h1>.*</main>", b"</h1>" + text + b"</main>", body)
    return site


@pytest.mark.slow
def test_views_of_one_page_change_together_and_no_notice_takes_their_place(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, other = f"{SITE}/en/chapter4.html", relaunched().answers[f"{SITE}/en/chapter4.html"]
    views = [f"{page}?view={name}" for name in ("print", "phone", "text", "large", "old", "plain")]

    def with_views(body: Any) -> MadeSite:
        site = made_site()
        links = "".join(f'<a href="{view}"></a>' for view in views).encode()
        site.answers[START] = site.answers[START].replace(b"</main>", links + b"</main>")  # type: ignore[union-attr]
        site.answers |= dict.fromkeys([page, *views], body)
        return site

    assert updated(run, monkeypatch, with_views(made_site().answers[page])).pages == {"same": 12, "new": 6}
    assert updated(run, monkeypatch, with_views(other)).pages == {"same": 11, "changed": 7}
    with pytest.raises(SiteOutage, match="18 of 18"):
        updated(run, monkeypatch, notices("chapter", site=with_views(other)))


def test_other_texts_on_most_pages_are_believed_after_a_day(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, copies = texts_of(run), in_use(run)
    for at_s in (0.0, 3600.0):
        with pytest.raises(SiteOutage, match="12 of 12"):
            asked(run, monkeypatch, relaunched(), at_s=at_s)
        for name in ("changes", "fetches"):
            assert (run / "out" / f"{name}.tsv").read_text(encoding="utf-8").count("\treplaced") == 12
        assert in_use(run) == copies
    settle = updating._decide_page_fates

    def killed(*values: Any, **named: Any) -> None:
        settle(*values, **named)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(updating, "_decide_page_fates", killed)
        with pytest.raises(Killed):
            updated(run, monkeypatch, relaunched(), at_s=DAY_S + 1)
    assert updated(run, monkeypatch, relaunched(), at_s=DAY_S + 2).pages == {"changed": 12}
    assert any("gardener" in english for english, _ in texts_of(run))
    # What a page had before, it may have again at once.
    assert updated(run, monkeypatch, made_site(), at_s=DAY_S + 3).pages == {"changed": 12}
    assert texts_of(run) == before


def test_a_login_with_a_text_of_its_own_on_each_page_is_not_believed(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a new text, each page shows the first lines only."""
    before, site = in_use(run), relaunched()
    for url, body in site.answers.items():
        if isinstance(body, bytes):
            site.answers[url] = body.replace(b"</main>", b'</main><form><input type="password"></form>')
    for at_s in (0.0, DAY_S + 1, 30 * DAY_S):
        try:
            # The start is refused, as in a first crawl.
            assert asked(run, monkeypatch, site, at_s=at_s).pages == {"emptied": 11, "unreachable": 1}
        except SiteOutage:
            assert at_s == 0.0
        assert in_use(run) == before
    # A form in the head of every page of a new site takes nothing away.
    for url, body in site.answers.items():
        if isinstance(body, bytes):
            links = "".join(f'<a href="/en/new{number}.html"></a>' for number in range(20))
            site.answers[url] = body.replace(b"</form>", f"</form>{links}".encode())
    assert asked(run, monkeypatch, site, at_s=31 * DAY_S, believe=True).pages["changed"] == 12


@pytest.mark.slow
def test_a_page_and_its_print_view_may_change_one_after_the_other(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, view = f"{SITE}/en/chapter4.html", f"{SITE}/en/chapter4.html?view=print"
    texts = [made_site().answers[page], lists(1).answers[page], lists(2).answers[page]]

    def with_view(body: Any, of_view: Any) -> MadeSite:
        site = made_site()
        link = f'<a href="{view}"></a></main>'.encode()
        site.answers[START] = site.answers[START].replace(b"</main>", link)  # type: ignore[union-attr]
        site.answers |= {page: body, view: of_view}
        return site

    assert updated(run, monkeypatch, with_view(texts[0], texts[0])).pages == {"same": 12, "new": 1}
    assert updated(run, monkeypatch, with_view(texts[1], (500, {}))).pages == {
        "same": 11,
        "changed": 1,
        "unreachable": 1,
    }
    assert updated(run, monkeypatch, with_view(texts[2], texts[2])).pages == {"same": 11, "changed": 2}


def lists(number: int) -> MadeSite:
    """The site with lists on all pages, of which each update finds others."""
    site = made_site()
    for url, body in site.answers.items():
        if isinstance(body, bytes):
            words = [f"{shake_128(f'{url} {number} {n}'.encode()).hexdigest(9)}".translate(_LETTERS) for n in range(9)]
            line = {
                "en": "The {} band plays in the old town hall tonight.",
                "fr": "Le groupe {} joue ce soir à la mairie.",
            }
            items = "".join(f"<p>{line[url.split('/')[3]].format(word)}</p>" for word in words)
            site.answers[url] = re.sub(rb"(?s)</h1>.*</main>", b"</h1>" + items.encode() + b"</main>", body)
    return site


@pytest.mark.slow
def test_pages_that_are_new_each_time_are_no_outage_for_long(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for number in range(9):
        try:
            seen.append(updated(run, monkeypatch, lists(number), at_s=number * (DAY_S + 1)).pages["changed"])
        except SiteOutage:
            seen.append(0)
    assert seen == [0, 12, 0, 12, 12, 12, 12, 12, 12]


def test_other_texts_on_all_pages_may_be_believed_at_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(run, monkeypatch, relaunched(), believe=True).pages == {"changed": 12}


@pytest.mark.slow
def test_a_page_in_another_language_with_the_text_of_another_page_keeps_its_copy(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, site = texts_of(run), made_site()
    for minute in (10, 11, 12):
        english = site.answers[f"{SITE}/en/chapter4.html"]
        footer = f"<footer>This page was made at 10:{minute} for you</footer></body>".encode()
        site.answers[f"{SITE}/fr/chapter4.html"] = english.replace(b"</body>", footer)  # type: ignore[union-attr]
        assert updated(run, monkeypatch, site).pages == {"same": 11, "emptied": 1}
        assert texts_of(run) == before
    assert updated(run, monkeypatch, site, believe=True).pages == {"same": 11, "changed": 1}
    assert len(texts_of(run)) < len(before)


@pytest.mark.slow
def test_a_page_in_another_language_is_believed_the_second_time(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, site = f"{SITE}/fr/chapter4.html", made_site()
    site.answers[page] = relaunched().answers[f"{SITE}/en/chapter4.html"]
    assert updated(run, monkeypatch, site).pages == {"same": 11, "switched": 1}
    assert page in {pair.tgt_url for pair in open_run(run).pairs()}
    assert updated(run, monkeypatch, site).pages == {"same": 11, "changed": 1}
    assert page not in {pair.tgt_url for pair in open_run(run).pairs()}


def test_a_page_in_which_only_a_token_differs_is_the_same_and_not_stored_again(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = 0
    for number in range(3):
        token = shake_128(b"%d" % number).hexdigest(16)
        form = f'<form><input type="hidden" name="csrf" value="{number}"></form><script nonce="{number}">1</script>'
        links = f'<a href="/log?out=1&amp;key={token}"></a><a href="/cdn/mail#{token}"></a><img src="/n.png?{token}">'
        assert asked(run, monkeypatch, with_markup(form + links)).pages["same"] == 12
        # The form itself is new in the first of them.
        assert number == 0 or archive_size(run) == before
        before = archive_size(run)
    # Links are read, too, so the page is stored, though its text is the same.
    with_link = with_markup(f'<a href="{SITE}/en/chapter6.html"></a>')
    assert asked(run, monkeypatch, with_link).pages["same"] == 12
    assert archive_size(run) > before


@pytest.mark.slow
def test_pages_that_keep_their_copies_are_archived_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def login(number: int) -> MadeSite:
        site = notices("chapter")
        for url, body in site.answers.items():
            if isinstance(body, bytes):
                site.answers[url] = body.replace(b"</h1>", f'</h1><input name="csrf" value="{number}">'.encode())
        return site

    sizes = []
    for number in range(3):
        with pytest.raises(SiteOutage, match="12 of 12"):
            updated(run, monkeypatch, login(number), at_s=number)
        sizes.append(archive_size(run))
    assert sizes[1:] == sizes[:1] * 2
    # What is believed at last is in the archive already, and so is what comes back.
    with pytest.raises(NothingFound):
        updated(run, monkeypatch, login(3), at_s=DAY_S, believe=True)
    assert updated(run, monkeypatch, made_site(), at_s=2 * DAY_S, believe=True).pages == {"changed": 12}
    assert archive_size(run) == sizes[0]


def with_markup(markup: str) -> MadeSite:
    site = made_site()
    for url, body in site.answers.items():
        if isinstance(body, bytes):
            site.answers[url] = body.replace(b"</main>", f"{markup}</main>".encode())
    return site


def archive_size(run: Path) -> int:
    return sum(path.stat().st_size for path in (run / "warc").glob("*.warc.gz"))


def test_of_an_update_0_pages_are_none_further_and_of_this_update_alone(run: Path) -> None:
    with RunFolder(run) as folder:
        folder.remember("crawl", "options", {"starts": [START], "langs": list(LANGS), "max_pages": 7})
        made = [updating._options(folder, crawl) for crawl in (None, {}, {"max_pages": 9}, {"max_pages": 0})]
        assert [(each.max_pages, each.only_known) for each in made] == [(7, False), (7, False), (9, False), (7, True)]
        assert run_crawl._changed_options(made[-1]) == {"langs": [*LANGS], "max_pages": 7}
    with pytest.raises(UsageError, match="only_known"):
        diglot.harvest(START, "en,fr", run / "new", crawl={"only_known": True})  # type: ignore[typeddict-unknown-key]


@pytest.mark.parametrize(
    ("words", "crawl"), [([], {}), (["--max-pages", "0"], {"max_pages": 0}), (["--max-pages=3"], {"max_pages": 3})]
)
def test_a_typed_number_of_pages_reaches_the_update(
    words: list[str], crawl: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[object] = []

    def noted(_run: Path, crawl: object, **_: object) -> tuple[updating.Changes, None]:
        heard.append(crawl)
        return updating.Changes({}, [], {}, {}, {}), None

    monkeypatch.setattr(updating, "update_run", noted)
    assert main(["update", str(tmp_path), *words]) == 0
    assert heard == [crawl]
