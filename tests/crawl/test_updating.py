"""An update compares with what was there before its first request, whatever kills it on the way."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from made_crawls import MadeSite
from made_runs import SITE, Killed, contents, crawl, crawl_stage_of, made_site, outputs

from diglot import updating
from diglot.disk.folder import RunFolder
from diglot.errors import NothingFound, SourceError
from diglot.forgetting import forget
from diglot.pages import open_sources, read
from diglot.records import Page
from diglot.results.delta import open_update
from diglot.results.run import open_run
from diglot.updating import update
from made_website import website

TIME = re.compile(rb"\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?\d\dZ|hash\W+[0-9a-f]{32}")
FOUND = {"same": 10, "changed": 1, "gone": 1, "new": 2}


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


def updated(run: Path, monkeypatch: pytest.MonkeyPatch, site: MadeSite) -> updating.Changes:
    """An update whose requests the made site answers."""
    with monkeypatch.context() as patched:
        patched.setattr(updating, "crawl_stage", crawl_stage_of(site))
        return update(run, jobs=1)


@pytest.fixture(scope="module")
def undisturbed(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after an update; not to be changed."""
    out = Path(shutil.copytree(whole, tmp_path_factory.mktemp("undisturbed") / "run"))
    with pytest.MonkeyPatch.context() as patched:
        assert updated(out, patched, later_site()).pages == FOUND
    return out


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy to update."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


def test_changes_are_listed_and_what_is_new_is_written(undisturbed: Path) -> None:
    lines = (undisturbed / "out" / "changes.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.removeprefix(f"{SITE}/").split("\t") for line in lines] == [
        ["url", "change"],
        ["en/chapter2.html", "changed"],
        ["en/chapter7.html", "new"],
        ["fr/chapter6.html", "gone"],
        ["fr/chapter7.html", "new"],
    ]
    assert "chapter7" in (undisturbed / "out" / "delta" / "en-fr.tmx").read_text(encoding="utf-8")


@pytest.mark.parametrize("requests", [0, 1, 5, 12, 100])
def test_killed_while_it_asks_it_finds_the_same(
    requests: int, run: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = later_site()

    def stage(folder: RunFolder, *_: Any) -> None:
        crawl(site, folder.path, requests)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(updating, "crawl_stage", stage)
        for _ in range(2):
            with pytest.raises(Killed):
                update(run, jobs=1)
    assert updated(run, monkeypatch, site).pages == FOUND
    assert timeless(run) == timeless(undisturbed)
    assert max(site.asked.count(url) for url in site.pages_asked()) == 1


@pytest.mark.parametrize("name", ["set_open", "forget_records", "_write_changes", "harvest_into", "write_deltas"])
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

    def stage(folder: RunFolder, *_: Any) -> None:
        crawl(away, folder.path)
        raise SourceError("cannot be fetched")

    with monkeypatch.context() as patched:
        patched.setattr(updating, "crawl_stage", stage)
        with pytest.raises(SourceError):
            update(run, jobs=1)
    assert len(open_run(run).pairs()) == 6
    assert updated(run, monkeypatch, site).pages == FOUND


def test_a_page_that_comes_back_as_it_was_is_fetched_whole(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Path(shutil.copytree(undisturbed, tmp_path / "run"))
    back = later_site()
    back.answers |= {url: page for url, page in made_site().answers.items() if url.endswith("/fr/chapter6.html")}
    assert updated(run, monkeypatch, back).pages == {"same": 13, "new": 1}
    sources = open_sources(sorted(map(str, (run / "warc").glob("*.warc.gz"))))
    pages = {record.url for source in sources for record in read(source) if isinstance(record, Page)}
    assert f"{SITE}/fr/chapter6.html" in pages


def test_pages_that_a_limit_kept_from_being_asked_for_are_not_gone(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = later_site()

    def stage(folder: RunFolder, *_: Any) -> None:
        crawl(site, folder.path, 7)

    with monkeypatch.context() as patched:
        patched.setattr(updating, "crawl_stage", stage)
        assert update(run, jobs=1).pages.keys() <= {"same", "changed", "waiting", "new"}
    assert len(open_run(run).pairs()) == 6


@pytest.mark.parametrize("status", [408, 500, 503])
def test_a_page_whose_server_is_in_trouble_stays_and_is_asked_for_again(
    status: int, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, site = f"{SITE}/fr/chapter6.html", made_site()
    site.answers[page] = (status, {"ETag": '"of the error"'})
    assert updated(run, monkeypatch, site).pages == {"same": 11, "unreachable": 1}
    assert f"{page}\tunreachable" in (run / "out" / "changes.tsv").read_text(encoding="utf-8")
    assert page in {pair.tgt_url for pair in open_run(run).pairs()}
    assert updated(run, monkeypatch, made_site()).pages == {"same": 12}
    assert updated(run, monkeypatch, later_site()).pages == FOUND


@pytest.mark.parametrize("status", [429, 500])
def test_a_site_without_a_robots_txt_for_now_loses_nothing(
    status: int, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = made_site()
    site.answers[f"{SITE}/robots.txt"] = (status, {})
    assert updated(run, monkeypatch, site).pages == {"unreachable": 12}
    assert len(open_run(run).pairs()) == 6
    assert updated(run, monkeypatch, later_site()).pages == FOUND


def test_what_is_forgotten_goes_out_of_what_was_new_and_of_the_list_of_changes(
    undisturbed: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(undisturbed, tmp_path / "run"))
    forget(run, url=f"{SITE}/en/chapter7.html", jobs=1)
    assert "chapter7" not in (run / "out" / "delta" / "en-fr.tmx").read_text(encoding="utf-8")
    assert "en/chapter7" not in (run / "out" / "changes.tsv").read_text(encoding="utf-8")
    assert "en/chapter2" in (run / "out" / "changes.tsv").read_text(encoding="utf-8")


def test_an_update_that_leaves_nothing_is_finished(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = made_site()
    site.answers = {url: answer for url, answer in site.answers.items() if "/fr/" not in url}
    with pytest.raises(NothingFound):
        updated(run, monkeypatch, site)
    assert (run / "out" / "changes.tsv").read_text(encoding="utf-8").count("\tgone") == 6
    with pytest.raises(NothingFound):
        updated(run, monkeypatch, site)
    assert (run / "out" / "changes.tsv").read_text(encoding="utf-8").splitlines() == ["url\tchange"]
