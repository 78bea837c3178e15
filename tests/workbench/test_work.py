"""What a page starts is done to the end: files are harvested, sites merged, scores applied, updates asked for."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from diglot.workbench.bench import Bench
from diglot.workbench.watching import crawl_of
from made_sites import SENTENCES, lett_site, page_html
from workbench.made_bench import client_of, made_bench
from workbench.served_site import pages, served_site

WAIT_S = 180.0
PAIRS = {"pairs": [["en", "fr"]], "order": ["en", "fr"]}


def done(bench: Bench, client: TestClient, name: str) -> dict[str, object]:
    """The summary of a run when its job has ended."""
    end = time.monotonic() + WAIT_S
    while bench.jobs.of(name) is not None:
        found = client.get(f"/sites/{name}/verdicts")  # the server looks after jobs meanwhile
        assert found.status_code == 200
        job = bench.jobs.of(name)
        assert job is None or not job.error, job
        assert time.monotonic() < end, "never came"
        time.sleep(0.1)
    summary = json.loads((bench.shelf.run(name) / "out" / "summary.json").read_text())
    assert isinstance(summary, dict)
    return summary


def zip_of_pages(folder: str = "", ending: str = ".html", more: Mapping[str, bytes] | None = None) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in (more or {}).items():
            archive.writestr(name, content)
        for lang in SENTENCES:
            for number in range(4):
                archive.writestr(f"{folder}{lang}/page{number}{ending}", page_html(lang, number))
    return packed.getvalue()


def test_dropped_pages_become_a_memory(bench: Bench, client: TestClient) -> None:
    assert client.post("/drop?file=town.zip", content=zip_of_pages()).json() == {"name": "town"}
    plan = client.post("/plan", json={"files": "town"}).json()
    assert [each["tag"] for each in plan["languages"]] == ["en", "fr"]
    assert client.post("/begin", json={"files": "town", **PAIRS}).json() == {"name": "town"}
    assert done(bench, client, "town")["pairs"] == {"en-fr": 4}
    assert "<tmx" in client.get("/sites/town/download/en,fr/tmx").text
    assert client.get("/sites/town").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["", "my mirror/"])
def test_a_dropped_mirror_has_the_addresses_of_its_site(bench: Bench, client: TestClient, folder: str) -> None:
    helpers = dict.fromkeys((f"{folder}hts-cache/doit.log", f"{folder}hts-cache/new.zip", f"{folder}hts-log.txt"), b"x")
    client.post("/drop?file=mirror.zip", content=zip_of_pages(f"{folder}town.example.org/", "?id=3", helpers))
    plan = client.post("/plan", json={"files": "mirror"}).json()
    assert (plan["size"], plan["notes"]) == ("8 pages", [])
    client.post("/begin", json={"files": "mirror", **PAIRS})
    assert done(bench, client, "mirror")["pairs"] == {"en-fr": 4}
    assert "https://town.example.org/en/page0?id=3" in client.get("/sites/mirror/download/en,fr/tmx").text


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["", "my pages/"])
def test_dropped_pages_saved_in_a_browser_have_the_addresses_of_their_site(
    bench: Bench, client: TestClient, folder: str
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for lang in SENTENCES:
            for number in range(4):
                comment = b"<!-- saved from url=(0033)https://town.example.org/%s/%d -->\n" % (lang.encode(), number)
                archive.writestr(f"{folder}Town {lang} {number}.html", comment + page_html(lang, number))
        archive.writestr(f"{folder}Town en 0_files/saved_resource.html", page_html("en", 5))
    client.post("/drop?file=town.zip", content=packed.getvalue())
    plan = client.post("/plan", json={"files": "town"}).json()
    assert (plan["size"], plan["notes"]) == ("8 pages", ["1 left out: the record or file has no address."])
    client.post("/begin", json={"files": "town", **PAIRS})
    assert done(bench, client, "town")["pairs"] == {"en-fr": 4}
    assert "https://town.example.org/en/0" in client.get("/sites/town/download/en,fr/tmx").text


@pytest.mark.slow
def test_a_look_says_why_files_are_left_out(client: TestClient) -> None:
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")  # as Word locks a document
    packed = zip_of_pages(more={"en/a.docx": locked, "en/run.sh": b"echo", "fr/run.sh": b"echo"})
    client.post("/drop?file=town.zip", content=packed)
    assert client.post("/plan", json={"files": "town"}).json()["notes"] == [
        "2 left out: neither HTML nor a document that Diglot reads.",
        "1 left out: the document opens with a password only.",
    ]


@pytest.mark.slow
def test_a_look_says_what_of_a_zip_is_left_out(client: TestClient) -> None:
    names = ("old.warc.gz", "in.zip", "notes.txt", "../../out.html", "../out.png", "en\\page0.html")
    more = dict.fromkeys(names, b"x")
    for folder, query in (("", {"file": "town.zip"}), ("more/", {"file": "more.zip", "name": "town"})):
        client.post("/drop", params=query, content=zip_of_pages(folder, more={**more, ".git/a.warc": b"x"}))
    for _ in range(2):  # the page may be loaded again
        assert client.post("/plan", json={"files": "town"}).json()["notes"] == [
            "4 left out: an archive or a zip file inside of a zip file; drop it without the zip file around it.",
            "2 left out: a plain text (.txt); it is aligned only if it is one of two documents dropped by themselves.",
            "2 left out: a path with .. inside of a zip file.",
            "2 left out: another dropped page has the same path.",
        ]


@pytest.mark.slow
def test_many_dropped_documents_become_one_memory(bench: Bench, client: TestClient) -> None:
    for lang in SENTENCES:
        for number in range(4):
            query = {"file": f"page{number}.html", **({"name": "page0"} if (lang, number) != ("en", 0) else {})}
            assert client.post("/drop", params=query, content=page_html(lang, number)).json() == {"name": "page0"}
    client.post("/drop?file=more.zip&name=page0", content=zip_of_pages())
    for _ in range(2):  # the page may be loaded again
        plan = client.post("/plan", json={"files": "page0"}).json()
        assert plan["size"] == "16 pages"
    assert [(each["tag"], each["pages"]) for each in plan["languages"]] == [("en", 8), ("fr", 8)]
    client.post("/begin", json={"files": "page0", **PAIRS})
    assert done(bench, client, "page0")["pairs"] == {"en-fr": 4}


@pytest.mark.slow
def test_plain_texts_among_documents_are_named_as_left_out(client: TestClient) -> None:
    for number, more in enumerate(({}, {"name": "a0"}, {"name": "a0"})):
        client.post("/drop", params={"file": f"a{number}.txt", **more}, content=b"One sentence.")
    assert "two at a time" in client.post("/plan", json={"files": "a0"}).json()["error"]
    client.post("/drop?file=town.zip&name=a0", content=zip_of_pages())
    assert client.post("/plan", json={"files": "a0"}).json()["notes"] == [
        "3 left out: a plain text (.txt); it is aligned only if it is one of two documents dropped by themselves."
    ]


@pytest.mark.slow
def test_dropped_archives_become_one_memory(bench: Bench, client: TestClient) -> None:
    for file, numbers in (("a.lett", range(3)), ("b.lett", range(3, 5))):
        query = {"file": file, **({"name": "a"} if file != "a.lett" else {})}
        assert client.post("/drop", params=query, content=lett_site("drop.example", numbers)).json() == {"name": "a"}
    client.post("/begin", json={"files": "a", **PAIRS})
    assert done(bench, client, "a")["pairs"] == {"en-fr": 5}


def test_two_sites_become_one(base: Path, bench: Bench, client: TestClient, run: Path) -> None:
    (bench.shelf.path / "more.lett").write_bytes(lett_site("second.example", range(10, 13)))
    from diglot.harvesting import harvest

    harvest(bench.shelf.path / "more.lett", "en,fr", bench.shelf.run("second"), jobs=1, min_score=0.6)
    refused = client.post("/merge", json={"names": ["town", "second"]})
    assert refused.json()["error"].startswith("town and second have different least scores, 0.5 and 0.6. Open one of")
    assert bench.jobs.of("merged") is None
    harvest(bench.shelf.path / "more.lett", "fr,en", bench.shelf.run("swapped"), jobs=1)
    refused = client.post("/merge", json={"names": ["town", "swapped"]})
    assert refused.json()["error"].startswith("swapped has French before English, and town has English before French,")
    assert bench.jobs.of("merged") is None
    client.post("/sites/second/clean", json={"least": 0.5})
    done(bench, client, "second")
    term = {"src": "harbour", "tgt": "port", "src_lang": "en", "tgt_lang": "fr", "edited_src": "", "edited_tgt": ""}
    for site, src, said in (("second", "harbour", "accepted"), ("town", "harbour", "rejected"), ("second", "pier", "")):
        client.post(f"/sites/{site}/terms", json={"entries": [{**term, "src": src, "verdict": said}]})
        time.sleep(0.01)  # another time of the file
    (name,) = client.post("/merge", json={"names": ["town", "second"]}).json().values()
    assert name == "merged"
    decided = client.get("/sites/merged/verdicts").json()["terms"]
    # The file of the second site is the later one.
    assert [(each["src"], each["verdict"]) for each in decided] == [("harbour", "accepted"), ("pier", "")]
    assert done(bench, client, name)["pairs"] == {"en-fr": 7}
    assert "Merged from second, town." in client.get("/sites/merged").text


@pytest.mark.slow
def test_a_least_score_is_applied_to_the_files(bench: Bench, client: TestClient, run: Path) -> None:
    before = (run / "out" / "en-fr.tmx").read_bytes()
    assert client.post("/sites/town/clean", json={"least": 1}).json() == {"name": "town"}
    summary = done(bench, client, "town")
    assert (summary["min_score"], summary["kept"]) == (1.0, {"en-fr": 0})
    client.post("/sites/town/clean", json={"least": 0})
    done(bench, client, "town")
    assert (run / "out" / "en-fr.tmx").read_bytes() == before


@pytest.mark.slow
def test_flags_are_applied_to_the_files(bench: Bench, client: TestClient, run: Path) -> None:
    before = (run / "out" / "en-fr.tmx").read_bytes()
    flags = json.loads((run / "out" / "summary.json").read_text())["left_out"]
    flag = next(iter(flags))
    client.post("/sites/town/clean", json={"least": 0, "keep": [flag], "drop": []})
    assert flag not in done(bench, client, "town")["left_out"]
    assert f'keep = [\n    "{flag}",\n]' in (run / "diglot.toml").read_text()
    client.post("/sites/town/clean", json={"least": 0, "keep": [], "drop": []})
    assert done(bench, client, "town")["left_out"] == flags
    assert (run / "out" / "en-fr.tmx").read_bytes() == before


@pytest.mark.slow
def test_an_update_goes_on_after_a_crawl_was_ended(tmp_path: Path) -> None:
    # The crawl was ended by a time limit of a second; an update has none.
    with served_site(pages(10)) as site:
        bench = made_bench(tmp_path / "home", allow_hosts=(site,))
        with client_of(bench) as client:
            sent = {"address": f"http://{site}/", **PAIRS, "options": {"delay": "0.1"}}
            (name,) = client.post("/begin", json=sent).json().values()
            end = time.monotonic() + WAIT_S
            while crawl_of(bench.shelf.run(name)).get("pages", 0) < 8 and time.monotonic() < end:
                time.sleep(0.05)
            assert client.post(f"/sites/{name}/finish", json={}).json()["ends"] is True
            assert 8 <= done(bench, client, name)["pages"] < 21
            left = crawl_of(bench.shelf.run(name))["queued"]
            assert f"the crawl ended while {left} known addresses waited." in client.get(f"/sites/{name}").text
            assert client.post(f"/sites/{name}/update", json={}).json() == {"name": name}
            assert done(bench, client, name)["pages"] == 21
            new = client.get(f"/sites/{name}/download/en,fr/delta")
            assert new.content == (bench.shelf.run(name) / "out" / "delta" / "en-fr.tmx").read_bytes()
            page = client.get(f"/sites/{name}").text
            assert 'id="part-of-site"' not in page
            told = page[page.index("Last update: ") :].split("</p>")[0]
            assert "pages " in told
            assert "; now " in told
            assert client.get(f"/sites/{name}/download/fr,en/delta").status_code == 400


@pytest.mark.slow
def test_an_update_that_misses_many_pages_is_done_and_says_so(tmp_path: Path) -> None:
    files = pages(6)
    with served_site(files) as site:
        bench = made_bench(tmp_path / "home", allow_hosts=(site,))
        with client_of(bench) as client:
            sent = {"address": f"http://{site}/", **PAIRS, "options": {"delay": "0.1"}}
            (name,) = client.post("/begin", json=sent).json().values()
            assert done(bench, client, name)["pages"] == 13
            assert 'id="believe"' not in client.get(f"/sites/{name}").text
            for number in (4, 5):
                del files[f"/en/page{number}.html"], files[f"/fr/page{number}.html"]
            client.post(f"/sites/{name}/update", json={})
            assert done(bench, client, name)["pages"] == 13
            page = client.get(f"/sites/{name}").text
            assert "Last update: pages 4 missing;" in page
            assert 'id="believe"' in page
            client.post(f"/sites/{name}/update", json={"believe": True})
            assert done(bench, client, name)["pages"] == 9
            assert "Last update: pages 4 gone;" in client.get(f"/sites/{name}").text
