"""Files from outside: bounded in size, unpacked within bounds, written nowhere else."""

from __future__ import annotations

import asyncio
import io
import re
import shutil
import stat
import tomllib
import warnings
import zipfile
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

from diglot.errors import UsageError
from diglot.pages.containers import CONTAINERS
from diglot.workbench import uploads
from diglot.workbench.bench import Bench
from diglot.workbench.shelf import DROPPED
from diglot.workbench.uploads import ARCHIVE, TWICE, file_name, left_out_lines, store, unpack_pages
from made_sites import lett_site
from workbench.made_bench import client_of, made_bench
from workbench.test_jobs import ended


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        *[("a.warc.gz", "a.warc.gz"), ("../../a b.WACZ", "a b.WACZ"), ("C:\\x\\s.zip", "s.zip"), ("é?.zip", "é-.zip")],
        ('Übersicht ä&ö (2024) % "alt".warc.gz', "Übersicht ä&ö (2024) % -alt-.warc.gz"),
        (f"begin-{'é' * 200}.warc.gz", f"begin-{'é' * 120}.warc.gz"),
    ],
)
def test_a_name_without_folders(sent: str, name: str) -> None:
    assert file_name(sent) == name


def test_a_long_name_in_a_zip_fits_on_the_disk(tmp_path: Path) -> None:
    unpack_pages(packed(tmp_path / "s.zip", {f"{'契' * 200}.html": b"x"}), tmp_path / "pages")
    (page,) = (tmp_path / "pages").iterdir()
    assert page.name == f"{'契' * 83}.html"


@pytest.mark.parametrize("sent", ["", "a.exe", "..", ".zip/x", "a.tmx.sh"])
def test_other_files_are_refused(sent: str) -> None:
    with pytest.raises(UsageError):
        file_name(sent)


def test_the_workbench_takes_all_containers_with_pages() -> None:
    assert sorted(uploads.ARCHIVES) == sorted(end for each in CONTAINERS if each.read for end in each.ends)


def test_files_left_out_are_named_on_the_next_page(client: TestClient) -> None:
    for name in ("a", "b"):
        client.post("/drop", params={"file": f"{name}.docx", **({"name": "a"} if name == "b" else {})}, content=b"x")
    left = [("left", "C:\\x\\slides.pptx"), ("left", "<b>.exe"), ("more", "3")]
    for place in ("/new", "/documents"):
        page = client.get(place, params=[("files", "a"), *left], headers={"accept": "text/html"}).text
        assert "slides.pptx is left out: it is a PowerPoint file, which Diglot does not read; save it as DOCX" in page
        assert "b-.exe is left out: Diglot does not read such files." in page
        assert "<b>" not in page
        assert "3 more files are left out." in page
    for more in ("", "0", "-1", "9" * 5000, "two"):
        page = client.get("/new", params={"files": "a", "more": more}, headers={"accept": "text/html"}).text
        assert "left out" not in page


@pytest.mark.parametrize("sent", ["..", "", "C:\\x\\", " - "])
def test_a_file_without_a_name_is_left_out_in_a_whole_sentence(sent: str) -> None:
    assert left_out_lines([sent], "1") == ["A file without a name is left out.", "1 more file is left out."]


def test_pages_are_unpacked_and_nothing_else(tmp_path: Path) -> None:
    """As in a folder, a page may have any ending, or none, as `wget --mirror` leaves it."""
    pages = ["de/k\u00f6nig.php?id=3&lang=de", "en/a.html", "en/configuring", "fr/a.epub"]
    others = ["a.png", ".git/a.html", "__MACOSX/en/a.html"]
    files = dict.fromkeys((*pages, *others), b"x")
    assert unpack_pages(packed(tmp_path / "s.zip", files), tmp_path / "pages") == {}
    found = [path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*")]
    assert sorted(name for name in found if (tmp_path / "pages" / name).is_file()) == pages


@pytest.mark.parametrize("name", ["../../out.html", "/out.html", "..\\..\\out.html", "a/../../out.html"])
def test_no_page_is_written_outside(tmp_path: Path, name: str) -> None:
    home = tmp_path / "deep" / "home"
    home.mkdir(parents=True)
    unpack_pages(packed(home / "s.zip", {name: b"x", "in.html": b"y"}), home / "pages")
    outside = [path for path in tmp_path.rglob("*.html") if home / "pages" not in path.parents]
    assert outside == []


@pytest.mark.parametrize(
    ("name", "written"), [("Übersicht 契約.html", "utf-8"), ("Übersicht.html", "cp437"), ("plain.html", "utf-8")]
)
def test_a_name_without_a_stated_encoding_stays_the_name_of_the_page(tmp_path: Path, name: str, written: str) -> None:
    """macOS writes UTF-8 without the flag that says so, Windows writes cp437."""
    stored = name.encode(written)
    place = b"x" * len(stored)
    plain = packed(tmp_path / "s.zip", {place.decode(): b"page"}).read_bytes()
    (tmp_path / "s.zip").write_bytes(plain.replace(place, stored))
    unpack_pages(tmp_path / "s.zip", tmp_path / "pages")
    assert [path.name for path in (tmp_path / "pages").iterdir()] == [name]


def test_a_link_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        link = zipfile.ZipInfo("link.html")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(UsageError, match="no pages and no documents"):
        unpack_pages(tmp_path / "s.zip", tmp_path / "pages")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "s.zip", {"a.html": bytes(8 << 20)})
    assert bomb.stat().st_size < 10_000
    with pytest.raises(UsageError, match="far too large"):
        unpack_pages(bomb, tmp_path / "pages")
    assert not (tmp_path / "pages").exists()


def test_a_film_beside_the_pages_does_not_stop_them(tmp_path: Path) -> None:
    files = {"a.html": b"x", "film.mov": bytes(8 << 20), "old.warc.zst": b"WARC/1.0"}
    assert unpack_pages(packed(tmp_path / "s.zip", files), tmp_path / "pages") == {ARCHIVE: 1}
    assert [path.name for path in (tmp_path / "pages").iterdir()] == ["a.html"]
    for name in ("old.warc", "in.zip"):
        with pytest.raises(UsageError, match="Drop WARC files and zip files without a zip file"):
            unpack_pages(packed(tmp_path / "w.zip", {name: b"x"}), tmp_path / "pages")


def test_many_pages_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_ENTRIES", 2)
    many = packed(tmp_path / "s.zip", {f"{n}.html": b"x" for n in range(3)})
    with pytest.raises(UsageError, match="more than 2 pages"):
        unpack_pages(many, tmp_path / "pages")


def test_together_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 5)
    with pytest.raises(UsageError, match="too large when unpacked"):
        unpack_pages(packed(tmp_path / "s.zip", {"a.html": b"123", "b.html": b"456"}), tmp_path / "pages")


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04cut"])
def test_a_damaged_file_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s.zip").write_bytes(content)
    with pytest.raises(UsageError, match="damaged"):
        unpack_pages(tmp_path / "s.zip", tmp_path / "pages")


def damaged(path: Path, method: int, place: str) -> Path:
    """A zip file of three pages, the second of which has damage at its end or from its begin."""
    random = Random(1)
    middle = " ".join("".join(random.choices("abcdefghij", k=6)) for _ in range(60_000)).encode()
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, page in (("1.html", b"<p>one"), ("2.html", middle), ("3.html", b"<p>three")):
            archive.writestr(name, page)
    content = bytearray(path.read_bytes())
    at = content.index(b"2.html") + 60 if place == "begin" else content.index(b"3.html") - 3000
    content[at : at + 200] = b"\xff" * 200
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("place", ["begin", "end"])
def test_of_a_damaged_zip_no_page_stays_whenever_it_is_looked_at(tmp_path: Path, method: int, place: str) -> None:
    path = damaged(tmp_path / "s.zip", method, place)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "of_another.html").write_bytes(b"x")
    for _ in range(2):
        with pytest.raises(UsageError, match=r"^s\.zip (is damaged|cannot be unpacked)"):
            unpack_pages(path, tmp_path / "pages")
        assert [page.name for page in (tmp_path / "pages").iterdir()] == ["of_another.html"]


def test_a_damaged_zip_is_a_sentence_on_the_page(client: TestClient, tmp_path: Path) -> None:
    content = damaged(tmp_path / "s.zip", zipfile.ZIP_DEFLATED, "begin").read_bytes()
    assert client.post("/drop?file=s.zip", content=content).json() == {"name": "s"}
    for _ in range(2):
        answer = client.post("/plan", json={"files": "s"})
        assert (answer.status_code, "s.zip is damaged" in answer.json()["error"]) == (400, True)


@pytest.mark.parametrize(
    "names", [("en", "en/a.html"), ("en/a.html", "en"), ("en", "en/x/a.html"), ("a.html", "a.html")]
)
def test_of_two_pages_in_one_place_the_first_is_taken(tmp_path: Path, names: tuple[str, str]) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive, warnings.catch_warnings(action="ignore"):
        for name in (*names, "b.html"):
            archive.writestr(name, name)
    assert unpack_pages(tmp_path / "s.zip", tmp_path / "pages") == {TWICE: 1}
    found = sorted(
        path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*") if path.is_file()
    )
    assert found == sorted([names[0], "b.html"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../a.html", "s.zip gives no page. 1 left out: a path with .. inside of a zip file; pack the folder"),
        ("a.txt", "s.zip gives no page. 1 left out: a plain text"),
        ("a.png", "s.zip holds no pages and no documents. Drop WARC files"),
        ("a.warc", "s.zip holds no pages and no documents. Drop WARC files"),
    ],
)
def test_why_a_zip_gives_no_page(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        unpack_pages(packed(tmp_path / "s.zip", {name: b"x"}), tmp_path / "pages")


async def parts(*sizes: int) -> AsyncIterator[bytes]:
    for size in sizes:
        yield bytes(size)


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    asyncio.run(store(parts(4, 6), tmp_path / "fits", 10))
    assert (tmp_path / "fits").stat().st_size == 10
    with pytest.raises(UsageError, match="larger than"):
        asyncio.run(store(parts(4, 7), tmp_path / "large", 10))
    assert not (tmp_path / "large").exists()


def test_a_file_that_took_the_name_meanwhile_stays(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"of somebody else")
    with pytest.raises(UsageError, match="The file cannot be stored"):
        asyncio.run(store(parts(4), tmp_path / "taken"))
    assert (tmp_path / "taken").read_bytes() == b"of somebody else"


MB = 1 << 20


@pytest.mark.parametrize(
    ("size", "free", "told"),
    [
        (MB, 73 * MB, ""),
        (MB, 73 * MB - 1, "Diglot keeps 72 MB free here for its work on the file; only 71 MB are left. Free space."),
        (60 * MB, 572 * MB, ""),
        (60 * MB, 572 * MB - 1, "Diglot keeps 512 MB free here for its work on the file; only 511 MB are left."),
        (1, 0, "Diglot keeps 65 MB free here for its work on the file; only 0 MB are left."),
        # 64 MB and eight times 16 MB stay free, and 184 MB are left beside the file.
        (16 * MB, 200 * MB, "Diglot keeps 192 MB free here for its work on the file; only 184 MB are left."),
    ],
)
def test_space_stays_free_by_the_size_of_the_file(
    size: int, free: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """64 MB and eight times the file, and at most 512 MB."""
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(UsageError, match=re.escape(told)) if told else nullcontext():
        asyncio.run(store(parts(size), tmp_path / "file"))
    assert (tmp_path / "file").exists() != bool(told)


def test_a_gigabyte_is_refused_by_its_length_alone(tmp_path: Path) -> None:
    bench = made_bench(tmp_path / "home", max_upload_bytes=1000)
    with client_of(bench) as client:
        answer = client.post("/drop?file=a.warc", content=b"x" * 1001)
        assert (answer.status_code, "larger than" in answer.json()["error"]) == (400, True)
        assert client.post("/drop?file=a.warc", content=b"x" * 1000).json() == {"name": "a"}
    assert [path.name for path in bench.shelf.own(DROPPED).rglob("*.warc")] == ["a.warc"]


def test_why_a_file_cannot_be_stored_is_told(client: TestClient, bench: Bench) -> None:
    place = bench.shelf.own(DROPPED)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"in the way")
    answer = client.post("/drop?file=a.warc", content=b"x")
    assert (answer.status_code, answer.json()["error"].partition(":")[0]) == (400, "The file cannot be stored")
    place.unlink()
    assert client.post("/drop?file=a.warc", content=b"x").json() == {"name": "a"}


def test_only_a_folder_without_files_goes_with_a_file_that_is_refused(
    client: TestClient, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.post("/drop?file=a.warc", content=b"x").json() == {"name": "a"}
    for constant in ("FREE_BYTES", "LEAST_FREE_BYTES"):
        monkeypatch.setattr(uploads, constant, 1 << 60)
    for name in ("a", "b"):
        answer = client.post(f"/drop?file=b.warc&name={name}", content=b"y")
        assert answer.json()["error"].endswith(" MB are left. Free space.")
    assert [path.name for path in bench.shelf.own(DROPPED).rglob("*")] == ["a", "a.warc"]


def test_a_site_has_the_name_of_its_file(client: TestClient) -> None:
    file = "Übersicht ä&ö (2024) v1.2.warc.gz"
    assert client.post("/drop", params={"file": file}, content=b"x").json() == {"name": file.removesuffix(".warc.gz")}


@pytest.mark.parametrize("name", ["..", "../x", ".workbench", "a/b"])
def test_a_dropped_file_stays_in_its_place(client: TestClient, name: str) -> None:
    assert client.post("/drop", params={"file": "a.warc", "name": name}, content=b"x").status_code == 404


def test_files_of_no_site_go_when_the_user_goes_back_and_at_the_next_start(client: TestClient, bench: Bench) -> None:
    def dropped(name: str) -> Path:
        assert client.post(f"/drop?file={name}.warc.gz", content=b"x").json() == {"name": name}
        return bench.shelf.own(DROPPED, name)

    one, other = dropped("one"), dropped("other")
    assert client.post("/put-back", json={"files": "one"}).status_code == 200
    assert (one.exists(), other.exists()) == (False, True)
    for name in ("", "../jobs", "."):
        assert client.post("/put-back", json={"files": name}).status_code == 404
    bench.shelf.delete_rests()
    assert not other.exists()
    assert dropped("one") == one


def test_a_file_dropped_again_after_its_page_was_left_has_its_name_again(client: TestClient, bench: Bench) -> None:
    def drop(content: bytes) -> str:
        return str(client.post("/drop?file=one.warc", content=content).json()["name"])

    assert [drop(b"1"), drop(b"2")] == ["one", "one-2"]
    assert client.post("/leave", json={"files": "one"}).status_code == 200
    assert drop(b"3") == "one"
    assert [path.read_bytes() for path in bench.shelf.own(DROPPED, "one").iterdir()] == [b"3"]
    # A page that was loaded again is looked at.
    client.post("/leave", json={"files": "one"})
    client.post("/plan", json={"files": "one"})
    assert drop(b"4") == "one-3"
    for name in ("", "../jobs", "."):
        assert client.post("/leave", json={"files": name}).status_code == 404
    assert client.post("/leave", json={"files": "none"}).status_code == 200
    assert bench.left == set()


@pytest.mark.parametrize(
    ("file", "source"), [("museum.zip", "museum"), ("x.warc.zip", "x.warc"), ("b.zip.zip", "b.zip")]
)
def test_unpacked_pages_are_a_source_by_the_name_of_their_file(client: TestClient, file: str, source: str) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for lang, text in (("en", "The museum opens at nine o'clock."), ("fr", "Le musée ouvre à neuf heures.")):
            archive.writestr(f"{lang}.html", f"<html lang={lang}><meta charset=utf-8><p>{text}")
    name = client.post(f"/drop?file={file}", content=content.getvalue()).json()["name"]
    for _ in range(2):
        assert client.post("/plan", json={"files": name}).json()["sources"] == [source]


@pytest.mark.slow
def test_files_of_a_site_stay_though_its_folder_has_another_name(client: TestClient, bench: Bench) -> None:
    assert client.post("/drop?file=one.lett", content=lett_site("one.example", range(4))).json() == {"name": "one"}
    wrong = {"files": "one", "pairs": [["en", "fr"]], "options": {"colour": "red"}}
    assert client.post("/begin", json=wrong).status_code == 400
    assert client.post("/begin", json={**wrong, "options": {}}).json() == {"name": "one"}
    ended(bench.jobs, "one")
    bench.shelf.run("one").rename(bench.shelf.run("my one"))
    client.post("/put-back", json={"files": "one"})
    bench.shelf.delete_rests()
    stated = tomllib.loads((bench.shelf.run("my one") / "diglot.toml").read_text(encoding="utf-8"))
    assert [Path(source["path"]).is_file() for source in stated["sources"]] == [True]
    shutil.copytree(bench.shelf.run("my one"), bench.shelf.run("copy"))
    bench.shelf.remove("copy")
    assert bench.shelf.own("files", "one").is_dir()
    assert client.post("/drop?file=one.lett", content=b"x").json() == {"name": "one-2"}
    assert client.post("/drop?file=other.lett&name=one", content=b"x").status_code == 400
    bench.shelf.remove("my one")
    assert not bench.shelf.own("files", "one").exists()
