"""Whole crawls of a site whose text is made by scripts, in their own process, over loopback."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from script_pages import NO_BROWSER, Forbidden, knocking, scripted, serving

from diglot.cli import main
from diglot.harvesting import harvest
from diglot.outputs.same_run import own_folder
from diglot.pages import open_sources, read
from diglot.progress import Silent
from diglot.records import Page
from diglot.run.crawl import crawl_into
from made_website import website

pytestmark = pytest.mark.skipif(bool(NO_BROWSER), reason=NO_BROWSER)
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
DELAY_S = 0.3


def test_text_made_by_scripts_is_fetched_politely_and_nothing_else_is_reached(tmp_path: Path) -> None:
    pages = scripted({path: body for path, body in website().items() if path.endswith("/chapter1.html")})
    spy = b"<script>fetch('/private/x.json').catch(() => 0); fetch('/moved.json').catch(() => 0)</script>"
    forbidden = Forbidden()
    pages |= {"en/spy.html": knocking(forbidden.port), "robots.txt": ROBOTS, "private/x.json": b"{}"}
    pages["en/chapter1.html"] += b'<a href="spy.html"></a>' + spy
    inward = (302, {"Location": f"http://127.0.0.1:{forbidden.port}/"})
    with serving(pages, **{"moved.json": inward}) as site:
        options = {"delay_s": DELAY_S, "allow_hosts": (f"127.0.0.1:{site.port}",), "browser": ("*",)}
        start = f"http://127.0.0.1:{site.port}/en/chapter1.html"
        with own_folder(tmp_path / "run") as folder:
            crawled = crawl_into(folder, [start], ("en", "fr"), Silent(), options)
    forbidden.close()
    assert crawled.counts["pages"] == 3
    assert forbidden.came == []
    assert (
        site.paths.count("/app.js")
        == site.paths.count("/data/fr/chapter1.json")
        == site.paths.count("/moved.json")
        == 1
    )
    assert "/private/x.json" not in site.paths
    assert min(later - sooner for (_, sooner), (_, later) in pairwise(site.asked)) >= DELAY_S
    records = [record for source in open_sources(list(map(str, crawled.files))) for record in read(source)]
    shown = [page.body for page in records if isinstance(page, Page) and page.url.endswith("fr/chapter1.html")]
    assert b"<h1>Chapitre 1</h1>" not in shown[0]
    assert b"<h1>Chapitre 1</h1>" in shown[1]


@pytest.mark.slow
def test_a_harvest_through_the_browser_pairs_every_chapter(tmp_path: Path) -> None:
    plain = {path: body for path, body in website().items() if path.startswith(("en/chapter", "fr/chapter"))}
    with serving(scripted(plain)) as site:
        options = {"delay_s": 0.0, "allow_hosts": (f"127.0.0.1:{site.port}",), "browser": ("*.html",)}
        start = f"http://127.0.0.1:{site.port}/en/chapter1.html"
        run = harvest(start, "en,fr", tmp_path / "run", crawl=options, jobs=1)
        assert {path: site.paths.count(f"/{path}") for path in plain} == dict.fromkeys(plain, 1)
    found = {(pair.src_url.split("/", 3)[3], pair.tgt_url.split("/", 3)[3]) for pair in run.pairs()}
    assert found == {(f"en/chapter{n}.html", f"fr/chapter{n}.html") for n in range(1, 13)}


def test_what_is_missing_ends_the_command_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    run = str(tmp_path / "run")
    assert main(["crawl", "https://docs.example.org/", "-o", run, "--browser", "*"]) == 2
    told = capsys.readouterr().err
    assert told == "diglot: --browser: no Chromium on the path; install it, on Debian with apt install chromium\n"
    assert not (tmp_path / "run").exists()
