"""The pages: texts of harvested sites are texts, and nothing outside of the folder is shown or changed."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from diglot.errors import NothingFound, UsageError
from diglot.harvesting import harvest
from diglot.workbench import pages, planning, watching
from diglot.workbench.bench import Bench
from diglot.workbench.planning import Plans, files_plan, in_usual_order, site_plan
from diglot.workbench.watching import crawl_of, stages_of
from made_sites import lett_site
from workbench.made_bench import client_of

HTML = {"accept": "text/html"}
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    "name", ["none", "%2e%2e", "..%2f..%2fetc", ".workbench", "town%00", "town%2f..%2ftown", "%E2%80%AE"]
)
def test_no_other_folder_is_a_site(client: TestClient, run: Path, name: str) -> None:
    for method, action in (
        ("GET", ""),
        ("GET", "/progress"),
        ("GET", "/verdicts"),
        ("POST", "/delete"),
        ("POST", "/pause"),
    ):
        assert client.request(method, f"/sites/{name}{action}", json={}).status_code in (404, 405)
    assert run.is_dir()


def test_an_address_is_text_on_the_page(client: TestClient) -> None:
    page = client.get("/new", params={"address": HOSTILE}, headers=HTML).text
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_the_pages_name_the_limit_that_holds_without_a_contact(
    client: TestClient, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pages._PAGES.globals, "pages_without_contact", 77)
    page = client.get("/new", params={"address": "https://a.example/"}, headers=HTML).text
    assert 'placeholder="77, or' in page
    assert "at most 77 pages" in page
    assert "at most 77 new pages" in client.get("/", headers=HTML).text


def test_the_start_page_is_one_field_while_there_is_nothing(client: TestClient) -> None:
    page = client.get("/").text
    assert "Paste the address of a website" in page
    assert 'class="site"' not in page


def test_languages_of_a_site_have_their_names(client: TestClient, run: Path) -> None:
    assert "English · French</span>" in client.get("/", headers=HTML).text


def test_a_name_of_a_run_is_text(client: TestClient, bench: Bench, run: Path) -> None:
    run.rename(bench.shelf.path / "x<img src=x>")
    page = client.get("/").text
    assert "<img" not in page
    assert client.get("/sites/x%3Cimg%20src=x%3E").status_code == 200


@pytest.mark.slow
def test_a_script_in_the_report_of_a_stranger_is_left_out(client: TestClient, run: Path) -> None:
    report = run / "report.html"
    text = report.read_text()
    evil = text.replace("<script>", "<script>hit = 1;", 1).replace("<body>", "<body><script>hit = 2</script>", 1)
    evil = evil.replace('"title":"', '"title":"<img src=x onerror=hit()>', 1)
    report.write_text(evil)
    answer = client.get("/sites/town")
    assert "hit = 1" not in answer.text
    assert "hit = 2" not in answer.text
    assert "<img" not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "'unsafe" not in policy
    assert "script-src 'sha256-" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.slow
def test_a_report_that_is_none_is_made_again(client: TestClient, run: Path) -> None:
    (run / "report.html").unlink()
    (run / "report.html").symlink_to("/etc/passwd")
    answer = client.get("/sites/town")
    assert 'id="segments-data"' in answer.text
    assert not (run / "report.html").is_symlink()


def test_deleting_asks_for_the_folder_of_the_run_alone(client: TestClient, bench: Bench, run: Path) -> None:
    (bench.shelf.path / "notes.txt").write_text("mine")
    assert client.post("/sites/town/delete", json={}).json() == {}
    assert sorted(path.name for path in bench.shelf.path.iterdir()) == [".workbench", "notes.txt"]


def test_what_a_page_sends_is_json_and_not_much(client: TestClient, run: Path) -> None:
    path = "/sites/town/clean"
    assert client.post(path, content=b'{"least": 0.5}').status_code == 400  # as a form of another site could send it
    headers = {"content-type": "application/json"}
    for content in (b"[", b"[]", b"[" * 100_000, b'{"least": 2}', b'{"least": "x"}', b'{"x": "' + b"x" * (5 << 20)):
        assert client.post(path, content=content, headers=headers).status_code == 400


def test_an_error_is_a_page_for_people_and_json_for_scripts(client: TestClient) -> None:
    page = client.get("/sites/none", headers=HTML)
    assert (page.status_code, "<h1>There is no site named none.</h1>" in page.text) == (404, True)
    assert client.get("/sites/none").json() == {"error": "There is no site named none."}


def test_stages_of_a_resumed_job(tmp_path: Path) -> None:
    events = [
        {"stage": "read", "total": 10, "unit": "bytes"},
        {"stage": "read", "total": 10, "unit": "bytes", "at": 5},
    ]
    (tmp_path / "e").write_text("\n".join(map(json.dumps, events)) + '\ndiglot: stopped\n{"half')
    (reading, *others) = stages_of(tmp_path / "e", is_crawl=False)
    assert reading == {"name": "Read pages", "state": "working", "text": "", "share": 0.5}
    assert {stage["state"] for stage in others} == {"waiting"}
    assert stages_of(tmp_path / "none", is_crawl=True)[0]["name"] == "Fetch pages"


def test_stages_after_a_crawl_of_days(tmp_path: Path) -> None:
    """More events than are read: those of the end tell."""
    crawl = json.dumps({"stage": "crawl", "total": None, "at": 5, "state": "3 addresses wait, 1 failed " * 3})
    count = watching.MAX_EVENTS_BYTES // len(crawl) + 100
    path = tmp_path / "e"
    path.write_text(f"{crawl}\n" * count)
    assert [stage["state"] for stage in stages_of(path, is_crawl=True)[:2]] == ["working", "waiting"]
    done = [{"stage": "crawl", "done": "9 pages"}, {"stage": "read", "done": "9 pages"}]
    with path.open("a") as file:
        file.writelines(f"{json.dumps(event)}\n" for event in done)
    assert [stage["state"] for stage in stages_of(path, is_crawl=True)[:3]] == ["done", "done", "waiting"]
    read = json.dumps({"stage": "read", "total": 10, "at": 5, "unit": "pages" * 20})
    with path.open("a") as file:
        file.write(f"{read}\n" * (watching.MAX_EVENTS_BYTES // len(read) + 100))
    crawling, reading, *_ = stages_of(path, is_crawl=True)
    assert (crawling["state"], reading["state"], reading["share"]) == ("done", "working", 0.5)


def test_a_crawl_is_counted_from_its_journal(tmp_path: Path) -> None:
    from diglot.crawl.queue.frontier import Frontier, NewAddress

    frontier = Frontier(tmp_path / "journal.db")
    frontier.add([NewAddress(f"https://a.example/{n}", "a.example") for n in range(4)])
    for state, values in (
        ("done", {"page_lang": "en"}),
        ("failed", {"reason": "http_status", "detail": "404", "status": 404}),
    ):
        entry = frontier.take([])
        assert entry is not None
        frontier.finish(entry.id, state, **values)
    frontier.take([])
    found = crawl_of(tmp_path)
    assert (found["pages"], found["queued"], found["failed"]) == (1, 2, 1)
    assert found["reasons"] == [("the server answered 404", 1)]
    assert found["languages"] == [("en", 1)]
    assert found["now"] == ["https://a.example/2"]
    frontier.close()


def test_no_crawl_is_nothing(tmp_path: Path) -> None:
    assert crawl_of(tmp_path) == {}
    (tmp_path / "journal.db").write_bytes(b"no database")
    assert crawl_of(tmp_path) == {}
    (tmp_path / "journal.db").unlink()
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE address (x)")
    (tmp_path / "journal.db").symlink_to(tmp_path / "other.db")
    assert crawl_of(tmp_path) == {}


PLANNED = {
    "robots": "none",
    "addresses": 20,
    "pages": 20,
    "complete": True,
    "languages": {"en": 10, "fr": 10},
    "version_share": 1.0,
    "seconds": 60.0,
    "other_hosts": {},
    "script_pages": 0,
    "notices": [],
}


def test_a_plan_in_words() -> None:
    found = {
        "robots": "allows the start, keeps 1,200 known addresses from us",
        "addresses": 1840,
        "pages": 20,
        "complete": False,
        "languages": {"mt": 8, "en": 11, "und": 1, "it": 1},
        "version_share": 0.9,
        "seconds": 3900.0,
        "other_hosts": {},
        "script_pages": 0,
        "notices": [],
    }
    plan = site_plan("https://gov.example", found, can_render=True)
    assert plan["size"] == "1,840 addresses known so far"
    assert plan["time"] == "about 1 h 5 min, or longer"
    assert plan["notes"] == ["The site keeps 1,200 addresses from programs (robots.txt). They are left out."]
    ticks = [(each["tag"], each["name"], each["ticked"]) for each in plan["languages"]]
    assert ticks == [("en", "English", True), ("mt", "Maltese", True), ("it", "Italian", True)]


@pytest.mark.parametrize(
    ("script_pages", "can_render", "offered", "noted"),
    [(10, True, False, 0), (11, True, True, 0), (11, False, False, 1), (20, False, False, 1)],
)
def test_the_browser_is_offered_only_where_it_helps_and_is_there(
    script_pages: int, can_render: bool, offered: bool, noted: int
) -> None:
    found = {**PLANNED, "script_pages": script_pages}
    plan = site_plan("https://gov.example", found, can_render=can_render)
    assert (plan["scripts"], plan["can_render"]) == (offered, can_render)
    assert sum("Install Chromium" in note for note in plan["notes"]) == noted


def test_links_that_leave_the_host_are_noted() -> None:
    one = site_plan("https://gov.example", {**PLANNED, "other_hosts": {"shop.example": 9}}, can_render=True)
    assert one["notes"] == [
        "Some links lead to shop.example. Diglot stays on gov.example; paste their address for a memory of their own."
    ]
    others = {"a.example": 9, "b.example": 2, "c.example": 1}
    three = site_plan("https://gov.example", {**PLANNED, "other_hosts": others}, can_render=True)
    assert "a.example and 2 other sites." in three["notes"][0]


def test_a_second_memory_of_an_address_is_noted(bench: Bench, run: Path) -> None:
    class Known(Plans):
        async def of_address(self, typed: str, *, browser: bool = False, split: bool = False) -> dict[str, Any]:
            return {"notes": ["slow"], "languages": planning._languages({"fr": 9, "en": 8, "sv": 7})}

    bench.plans = Known()
    run.rename(run.parent / "gov.example")
    note = "There is a site named gov.example already. Update it under My sites, or make another."
    with client_of(bench) as client:
        for address, notes in (("www.gov.example/fr", [note, "slow"]), ("https://town.example", ["slow"])):
            for _ in range(2):
                found = client.post("/plan", json={"address": address}).json()
                assert found["notes"] == notes
                # In the order of the site that is here.
                assert [each["tag"] for each in found["languages"]] == ["en", "fr", "sv"]


def test_a_plan_of_files_in_words() -> None:
    languages = [{"tag": "en", "pages": 9, "chars": 1_000_000}, {"tag": "fr", "pages": 8, "chars": 2_000_000}]
    few = {"es": 1, "nn": 1}
    found = {"languages": languages, "sources": [{"name": "a.warc"}], "looked_at": 17, "pages": 20, "dropped": {"x": 3}}
    found |= {"left_out": {}, "taken_for": {}, "unreadable": {"x": 1}, "reason_texts": {"x": "a scan"}, "unknown": 2}
    some = files_plan({**found, "left_out": few, "taken_for": {"nn": "nb"}})
    assert [(each["tag"], each["ticked"]) for each in some["languages"]] == [("en", True), ("fr", True), ("es", False)]
    assert some["notes"][1].startswith("Languages of very few pages are not ticked")
    plan = files_plan(found)
    # 60 s for the texts of the 17 pages looked at.
    assert (plan["size"], plan["time"], plan["notes"]) == ("20 pages", "about 1 min 11 s", ["4 left out: a scan."])
    assert files_plan({**found, "pages": 17})["time"] == "about 1 min"
    assert files_plan({**found, "pages": 9})["time"] == "about 1 min"  # split into 17
    assert files_plan({**found, "languages": [], "looked_at": 0, "pages": 0})["time"] == "about 10 s"


@pytest.mark.parametrize(
    ("unknown", "few", "note"),
    [
        (1, {}, ["1 page with too little text to tell a language."]),
        (2, {}, ["2 pages with too little text to tell a language."]),
        (0, {}, []),
        (1, {"es": 1}, []),
    ],
)
def test_files_without_a_language_say_why(unknown: int, few: dict[str, int], note: list[str]) -> None:
    found = {"languages": [], "sources": [{"name": "pages"}], "looked_at": 1, "pages": 1, "dropped": {}}
    found |= {"unreadable": {}, "left_out": few, "taken_for": {}, "unknown": unknown}
    plan = files_plan(found)
    assert [each for each in plan["notes"] if "too little" in each] == note
    assert plan["size"] == "1 page"


@pytest.mark.parametrize(
    ("known", "complete", "size"),
    [
        (1, True, "1 page"),
        (1_200, True, "1,200 pages"),
        (1, False, "1 address known so far"),
        (2, False, "2 addresses known so far"),
    ],
)
def test_one_page_is_no_pages(known: int, complete: bool, size: str) -> None:
    assert (
        site_plan("https://a.example", {**PLANNED, "addresses": known, "complete": complete}, can_render=True)["size"]
        == size
    )


def test_a_zip_of_two_documents_is_told_how_to_align_them() -> None:
    languages = [{"tag": "en", "pages": 1, "chars": 9}, {"tag": "fr", "pages": 1, "chars": 9}]
    found = {"languages": languages, "sources": [{"name": "pages"}], "looked_at": 2, "pages": 2, "dropped": {}}
    found |= {"unreadable": {}, "left_out": {}, "taken_for": {}, "unknown": 0}
    note = "To align two documents that translate each other, drop both at once, without a zip."
    assert files_plan(found)["notes"] == [note]
    assert files_plan({**found, "languages": [languages[0], {**languages[1], "pages": 2}]})["notes"] == []


def settled(bench: Bench, name: str) -> None:
    """Wait until the job of a run has ended."""
    end = time.monotonic() + 120
    while bench.jobs.of(name) is not None:
        assert time.monotonic() < end, "never came"
        bench.jobs.tick()
        time.sleep(0.05)


def headline_of(page: str) -> dict[str, Any]:
    text = page.partition('id="headline-data">')[2].partition("</script>")[0]
    return dict(json.loads(text))


def test_the_heading_is_the_name_of_the_site(client: TestClient, bench: Bench, run: Path) -> None:
    run.rename(bench.shelf.path / "for <Müller>")
    assert headline_of(client.get("/sites/for%20%3CM%C3%BCller%3E").text)["title"] == "for <Müller>"


@pytest.mark.slow
def test_a_site_without_segments_says_why(client: TestClient, bench: Bench, run: Path, tmp_path: Path) -> None:
    assert 'id="why-empty"' not in client.get("/sites/town").text
    (tmp_path / "site.lett").write_bytes(lett_site("empty.example", range(4)))
    with pytest.raises(NothingFound):
        harvest(tmp_path / "site.lett", "sv,da", bench.shelf.path / "empty", jobs=1)
    said = client.get("/sites/empty").text.partition('id="why-empty" class="warning">')[2].partition("</p>")[0]
    assert said == (
        "No page and its translation were found in these languages. Left out of 8 pages: in none of the wanted "
        "languages (8). About shows examples."
    )
    client.post("/sites/town/clean", json={"least": 1, "keep": [], "drop": []})
    settled(bench, "town")
    said = client.get("/sites/town").text.partition('id="why-empty" class="warning">')[2].partition("</p>")[0]
    assert re.fullmatch(r"All \d+ segments found are left out\. About says why\.", said)


@pytest.mark.slow
def test_a_job_that_rests_is_not_told_as_one_at_work(client: TestClient, bench: Bench, run: Path) -> None:
    bench.jobs.at_most = 0
    bench.jobs.add("town", "update", ["update", str(run)])
    get = "/sites/town/download/en,fr/tmx"
    assert client.get(get).json()["error"] == "town is being worked on; wait for the end."
    assert client.post("/sites/town/pause", json={}).json()["can_be_given_up"] is True
    assert client.get(get).json()["error"] == "town is paused. Open it, then go on or give up."
    assert client.post("/sites/town/rename", json={"to": "city"}).json()["error"].startswith("town is paused.")
    assert client.post("/sites/town/give-up", json={}).json()["state"] == "done"
    assert client.get(get).status_code == 200


def test_an_address_of_no_page_is_told(client: TestClient, run: Path) -> None:
    for address in ("/sites/town/pause", "/nothing"):
        assert "This is not here, or no longer." in client.get(address, headers=HTML).text
    assert "The address names no site." in client.get("/documents", headers=HTML).text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["{}: nothing fetched, robots.txt does not allow it (line 2)."], "https"),
        (["{}: nothing kept, the site asks for a login (401)."], "https"),
        (["{}: not crawled: b.example is a name of local networks."], "https"),
        (["{}: cannot be fetched: refused.", "{}: cannot be fetched: refused."], "https"),
        (["{}: cannot be fetched: refused.", "{}: nothing kept, the site asks for a login (401)."], "http"),
    ],
)
def test_the_reason_told_is_that_of_a_site_that_answers(
    monkeypatch: pytest.MonkeyPatch, said: list[str], told: str
) -> None:
    async def refuse(words: list[str]) -> str:
        raise UsageError(said.pop(0).format(words[-1]))

    monkeypatch.setattr(planning, "run_command", refuse)
    with pytest.raises(UsageError, match=f"^{told}://a.example: "):
        asyncio.run(Plans().of_address("a.example"))
    assert not said


def test_ticked_languages_have_the_order_of_earlier_sites() -> None:
    counts = {"de": 90, "fr": 80, "en": 70, "sq": 60, "it": 50, "lb": 1}
    ordered = in_usual_order(planning._languages(counts), ["lb", "it", "en", "cs", "de"])
    # French and Albanian keep their places; Luxembourgish has too few pages to come first.
    assert [each["tag"] for each in ordered] == ["it", "fr", "en", "sq", "de", "lb"]
    assert [each["tag"] for each in in_usual_order(planning._languages(counts), [])] == list(counts)
