"""A verdict is stored at once, and every download holds it."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from starlette.testclient import TestClient

from diglot.corpus.formats.workbook import read_rows
from diglot.errors import UsageError
from diglot.run import JUDGED_FILE
from diglot.workbench import verdicts as verdicts_module
from diglot.workbench.bench import Bench
from diglot.workbench.downloads import DOWNLOADS
from diglot.workbench.run_work import latest_verdicts
from diglot.workbench.shelf import OWN, Shelf
from diglot.workbench.verdicts import Verdicts, waiting_entries
from workbench.made_bench import NEVER_S, client_of, made_bench
from workbench.test_jobs import until


def entry_of(run: Path, **changes: str) -> dict[str, str]:
    """An entry on the first segment kept, as the run page sends it."""
    lines = (run / "out" / "segments.en-fr.tsv").read_text().split("\n")
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:] if line]
    row = next(row for row in rows if not row["flags"])
    own = {name: row[name] for name in ("src", "tgt", "src_url", "tgt_url")}
    langs = {"src_lang": "en", "tgt_lang": "fr", "corrected_src": "", "corrected_tgt": ""}
    return {**own, **langs, "verdict": "right", **changes}


@pytest.mark.slow
def test_a_verdict_that_waited_when_the_server_was_killed_is_taken_at_the_next_start(run: Path) -> None:
    entry = entry_of(run, verdict="wrong")
    with client_of(made_bench(run.parent)) as client:
        assert client.post("/sites/town/verdicts", json={"entries": [entry]}).json() == {"refused": {}}
    assert not (run / JUDGED_FILE).exists()
    shelf = Shelf(run.parent)
    with client_of(made_bench(run.parent, verdicts=Verdicts(shelf, 0.0))) as client:
        until(lambda: (run / JUDGED_FILE).is_file() and not list(shelf.own("verdicts").iterdir()))
        (kept,) = client.get("/sites/town/verdicts").json()["entries"]
    assert (kept["src"], kept["verdict"]) == (entry["src"], "wrong")


def get(client: TestClient, kind: str, langs: str = "en,fr", **params: str) -> bytes:
    answer = client.get(f"/sites/town/download/{langs}/{kind}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.content


def test_a_workbook_of_the_workbench_comes_back_with_verdicts(client: TestClient, run: Path, tmp_path: Path) -> None:
    """Filled in by the name of its columns, as text, as a person or a script does it."""
    (tmp_path / "a.xlsx").write_bytes(get(client, "xlsx"))
    rows = [row for _, _, row in read_rows(tmp_path / "a.xlsx")]
    places = {name: place for place, name in rows[0].items()}
    rows[1] |= {places["verdict"]: "wrong"}
    rows[2] |= {places["verdict"]: "right", places["corrected_tgt"]: "Une phrase corrigée."}
    judged = io.BytesIO()
    with xlsxwriter.Workbook(judged) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            for column, text in row.items():
                sheet.write_string(number, column, text)
    path = "/sites/town/sheet?file=en-fr (1).xlsx"
    told = client.post(path, content=judged.getvalue()).json()
    assert (told["taken"], told["open"], told["foreign"]) == (2, len(rows) - 3, 0)
    memory = get(client, "tmx").decode()
    assert "Une phrase corrigée." in memory
    kept = client.get("/sites/town/verdicts").json()["entries"]
    assert {each["verdict"] for each in kept} == {"wrong", "right"}


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("a.xlsx", b"no workbook", "a.xlsx: cannot be read as a workbook"),
        ("a.tsv", b"word\tcount\n", "a.tsv: names no column verdict with id"),
        ("../a.tsv", b"id\tverdict\nnowhere\tright\n", "None of the 1 rows judges a segment that this run holds"),
        ("a.docx", b"", "a.docx is no sheet"),
    ],
)
def test_another_file_in_place_of_a_sheet_is_told(
    file: str, content: bytes, said: str, client: TestClient, run: Path
) -> None:
    answer = client.post("/sites/town/sheet", params={"file": file}, content=content)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(said)


def test_a_correction_is_in_the_next_download_and_can_be_taken_back(client: TestClient, run: Path) -> None:
    entry = entry_of(run, verdict="partly", corrected_tgt="Une phrase corrigée <à la main>.")
    path = "/sites/town/verdicts"
    assert client.post(path, json={"entries": [entry]}).json() == {"refused": {}}
    assert client.get(path).json()["entries"] == [{**entry, "was_corrected": ""}]
    before = (run / "out" / "en-fr.tmx").read_bytes()
    assert "Une phrase corrigée &lt;à la main&gt;." in get(client, "tmx").decode()
    (kept,) = client.get(path).json()["entries"]
    assert (kept["verdict"], kept["tgt"], kept["corrected_tgt"]) == ("partly", entry["corrected_tgt"], "")
    # The page still counts the correction, also after another verdict on the corrected text.
    assert kept["was_corrected"] == "yes"
    client.post(path, json={"entries": [{**kept, "verdict": "right"}]})
    assert client.get(path).json()["entries"] == [{**kept, "verdict": "right"}]
    client.post(path, json={"entries": [{**kept, "verdict": ""}]})
    assert entry["corrected_tgt"] not in get(client, "tmx").decode()
    assert (run / "out" / "en-fr.tmx").read_bytes() == before
    assert client.get(path).json()["entries"] == []


@pytest.mark.parametrize(("again", "kept"), [("Corrigé.", ""), ("Mieux.", "Mieux.")])
def test_a_page_that_was_open_before_a_correction_was_taken_names_the_text_before_it(
    again: str, kept: str, client: TestClient, run: Path
) -> None:
    entry = entry_of(run, verdict="partly", corrected_tgt="Corrigé.")
    client.post("/sites/town/verdicts", json={"entries": [entry]})
    get(client, "tmx")  # takes it
    client.post("/sites/town/verdicts", json={"entries": [{**entry, "verdict": "wrong", "corrected_tgt": again}]})
    (shown,) = client.get("/sites/town/verdicts").json()["entries"]
    said = {"verdict": "wrong", "tgt": "Corrigé.", "corrected_tgt": kept, "was_corrected": "yes"}
    assert shown == {**entry, **said}


@pytest.mark.parametrize("entries", [None, [], "x"])
def test_what_is_no_list_of_verdicts(client: TestClient, run: Path, entries: Any) -> None:
    assert client.post("/sites/town/verdicts", json={"entries": entries}).status_code == 400


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (1, "This is no verdict on a segment."),
        ({"verdict": "right"}, "This is no verdict on a segment."),
        ({"verdict": "perhaps"}, "This is no verdict on a segment."),
        ({"corrected_tgt": "x" * 100_001}, "A text of more than 100,000 characters cannot be saved."),
    ],
)
def test_a_verdict_that_is_refused_holds_up_no_other(client: TestClient, run: Path, other: Any, said: str) -> None:
    good = entry_of(run)
    bad = {**good, **other} if isinstance(other, dict) and len(other) == 1 and other != {"verdict": "right"} else other
    told = client.post("/sites/town/verdicts", json={"entries": [bad, good]}).json()
    assert told == {"refused": {"0": said}}
    assert [each["verdict"] for each in client.get("/sites/town/verdicts").json()["entries"]] == ["right"]


def test_verdicts_that_were_being_taken_at_a_kill_wait_again(tmp_path: Path, run: Path) -> None:
    shelf = Shelf(tmp_path / "other")
    shelf.own("verdicts").mkdir()
    old, new = entry_of(run), entry_of(run, verdict="wrong")
    other = entry_of(run, src="another")
    key = "\x1f".join(old[name] for name in ("src_url", "tgt_url", "src", "tgt"))
    shelf.own("verdicts", "town.taking.json").write_text(json.dumps({key: old, "other": other}))
    shelf.own("verdicts", "town.waiting.json").write_text(json.dumps({key: new}) + '\n{"half": {"src')
    verdicts = Verdicts(shelf, NEVER_S)
    assert [entry["verdict"] for entry in verdicts.entries("town")] == ["wrong", "right"]
    assert len(waiting_entries(shelf.own("verdicts", "town.waiting.json"))) == 2


def test_a_verdict_costs_the_same_however_many_wait(client: TestClient, bench: Bench, run: Path) -> None:
    waiting = bench.shelf.own("verdicts", "town.waiting.json")
    sizes = []
    for number in range(3):
        client.post("/sites/town/verdicts", json={"entries": [entry_of(run, src=f"text {number}")]})
        sizes.append(waiting.stat())
    assert len({status.st_ino for status in sizes}) == 1  # written on, and not again
    client.post("/sites/town/verdicts", json={"entries": [entry_of(run, src="text 0", verdict="")]})
    assert [entry["src"] for entry in bench.verdicts.entries("town")] == ["text 1", "text 2"]


def test_verdicts_on_a_run_at_work_wait(bench: Bench, run: Path) -> None:
    async def take() -> None:
        bench.verdicts.store("town", [entry_of(run, verdict="wrong")])
        with pytest.raises(UsageError, match="nother run is at work on this folder"):
            await bench.verdicts.take("town")

    from diglot.disk.atomic import lock_file

    with lock_file(run / "run.lock"):
        asyncio.run(take())
    assert len(waiting_entries(bench.shelf.own("verdicts", "town.waiting.json"))) == 1


def test_verdicts_stay_where_the_disk_is_full_while_they_are_taken(
    bench: Bench, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One verdict is being taken, another is stored meanwhile, and nothing can be written at the end."""
    full = UsageError("No space left on device")
    first, second = entry_of(run), entry_of(run, src="another")

    async def fail(*_: Any) -> str:
        bench.verdicts.store("town", [second])
        monkeypatch.setattr(verdicts_module, "write_json", no_room)
        raise full

    def no_room(*_: Any) -> None:
        raise full

    async def take() -> None:
        bench.verdicts.store("town", [first])
        monkeypatch.setattr(verdicts_module, "work_on_run", fail)
        for _ in range(2):
            with pytest.raises(UsageError, match="No space left"):
                await bench.verdicts.take("town")
            assert [entry["src"] for entry in bench.verdicts.entries("town")] == [first["src"], "another"]

    asyncio.run(take())
    monkeypatch.undo()
    asyncio.run(bench.verdicts.take("town"))
    assert first["src"] in (run / JUDGED_FILE).read_text()


def test_verdicts_need_no_room_to_wait_again(bench: Bench, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any) -> str:
        monkeypatch.setattr(verdicts_module, "write_json", fail)
        raise UsageError("No space left on device")

    async def take() -> None:
        bench.verdicts.store("town", [entry_of(run)])
        monkeypatch.setattr(verdicts_module, "work_on_run", fail)
        with pytest.raises(UsageError, match="No space left"):
            await bench.verdicts.take("town")

    asyncio.run(take())
    assert len(waiting_entries(bench.shelf.own("verdicts", "town.waiting.json"))) == 1


def test_every_format_can_be_downloaded(client: TestClient, run: Path) -> None:
    from diglot.corpus.formats import ALL_FORMATS
    from diglot.terms.writing import FORMATS

    for command, formats in (("export", ALL_FORMATS), ("terms", FORMATS)):
        assert sorted(each.form for each in DOWNLOADS if each.command == command) == sorted(formats)
    with zipfile.ZipFile(io.BytesIO(get(client, "moses"))) as archive:
        assert archive.namelist() == ["en-fr.en", "en-fr.fr"]
    assert b'xml:lang="fr-CA"' in get(client, "tmx", variant="fr-CA")
    with zipfile.ZipFile(io.BytesIO(get(client, "sqlite", "all"))) as archive:
        assert archive.namelist() == ["segments.db", "segments.metadata.json"]
        assert archive.read("segments.db").startswith(b"SQLite format 3")


@pytest.mark.parametrize(
    ("langs", "kind", "status"),
    [
        ("en,de", "tmx", 400),
        ("en", "nothing", 404),
        ("--out=x", "tmx", 400),
        ("..%2F..", "tmx", 404),
    ],
)
def test_a_download_that_is_not_there(client: TestClient, run: Path, langs: str, kind: str, status: int) -> None:
    assert client.get(f"/sites/town/download/{langs}/{kind}").status_code == status


def test_a_variant_is_no_option(client: TestClient, run: Path) -> None:
    answer = client.get("/sites/town/download/en,fr/tmx", params={"variant": "--out=/tmp/x"})
    assert "is not a variant" in answer.json()["error"]
    downloads = run.parent / OWN / "downloads"
    assert not downloads.exists() or not any(downloads.iterdir())


def test_the_latest_verdict_counts_where_a_text_stands_on_two_pages_of_a_document() -> None:
    entries = [
        {
            "src": "A cat.",
            "tgt": "Un chat.",
            "src_url": f"http://a.example/en.pdf{page}",
            "tgt_url": "http://a.example/fr",
        }
        | {"verdict": verdict}
        for page, verdict in (("#page=1", "right"), ("#page=3", "wrong"), ("?other", "right"))
    ]
    assert latest_verdicts(entries) == entries[1:]
