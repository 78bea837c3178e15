"""What may be written into a folder, and what of an earlier run goes before other options are in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from diglot.crawl.options import make_crawl_options
from diglot.disk.folder import RunFolder
from diglot.engines.pool import LocalEngine
from diglot.errors import RunFolderError, UsageError
from diglot.outputs.corpus_files import is_finished, write_summary
from diglot.outputs.exports import Export, note_export
from diglot.outputs.same_run import (
    drop_outdated,
    drop_outputs,
    own_folder,
    require_empty,
    require_same_sources,
    require_same_starts,
)
from diglot.pages import Source
from diglot.progress import Silent
from diglot.run.crawl import crawl_stage
from diglot.run.settings import make_settings, settings_file
from diglot.run.work import Work


@dataclass(frozen=True)
class File:
    """As much of a source as is compared."""

    name: str
    content: str
    path: str = "/elsewhere/file"

    def fingerprint(self) -> str:
        return self.content


SITE = File("site.warc", "0")


def state(folder: RunFolder, sources: Sequence[File] = (SITE,), langs: str = "en,fr", **options: Any) -> None:
    """Write ``diglot.toml`` and the keys of pairs and segments."""
    known = [{"name": each.name, "kind": "warc", "path": each.path, "hash": each.content} for each in sources]
    folder.write_settings(settings_file(make_settings(langs, **options), known))
    for stage in ("pairs", "segments"):
        folder.remember("run", stage, f"key of {stage}")
        folder.finish(stage, f"key of {stage}", 0)


def work(folder: RunFolder, sources: Sequence[File] = (SITE,), langs: str = "en,fr", **options: Any) -> Work:
    settings = make_settings(langs, **options)
    return Work(folder, settings, LocalEngine(jobs=1), cast("Sequence[Source]", sources))


def drop(work: Work) -> None:
    sources = [(source.name, mark) for source, mark in zip(work.sources, work.fingerprints, strict=True)]
    drop_outdated(work.folder, work.settings, sources)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    with RunFolder(tmp_path / "run") as opened:
        yield opened


def test_a_folder_is_empty_or_a_run(tmp_path: Path) -> None:
    require_empty(tmp_path / "none")
    require_empty(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(
        RunFolderError, match="is not empty, and no run folder; choose another folder, or say overwrite=True"
    ):
        require_empty(tmp_path)
    for name in ("journal.db", "tasks/run.json"):
        ours = tmp_path / name.replace("/", "-")
        (ours / name).parent.mkdir(parents=True)
        (ours / "file").write_text("")
        (ours / name).write_text("")
        require_empty(ours)
    with pytest.raises(UsageError, match="out=-"):
        require_empty(Path("-"))


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ((SITE,), ""),
        ((), ""),
        ((File("other.warc", "0"),), "holds a run of site.warc"),
        ((SITE, File("other.warc", "1")), "holds a run of site.warc"),
        ((File("site.warc", "1"),), "site.warc has changed since, or is another file of this name"),
    ],
)
def test_a_run_is_of_its_files(folder: RunFolder, sources: Sequence[File], said: str) -> None:
    require_same_sources(work(folder, [File("any", "9")]))  # nothing is written yet
    state(folder)
    if said:
        with pytest.raises(RunFolderError, match=said):
            require_same_sources(work(folder, sources))
    else:
        require_same_sources(work(folder, sources))
    with pytest.raises(RunFolderError, match="holds a run in en, fr, not fr, en"):
        require_same_sources(work(folder, sources, "fr,en"))


def test_the_archive_of_a_crawl_may_grow_and_its_files_be_fewer(folder: RunFolder) -> None:
    own = File("crawl-00000.warc.gz", "0", str(folder.path / "warc" / "crawl-00000.warc.gz"))
    grown = File(own.name, "1", own.path)
    state(folder, [own, SITE])
    folder.remember("crawl", "options", {"starts": ["https://a.example/"]})
    require_same_sources(work(folder, [grown, SITE]))
    with pytest.raises(RunFolderError, match="holds a run of"):
        require_same_sources(work(folder, [grown, SITE, File("more.warc", "2")]))
    with pytest.raises(RunFolderError, match="holds a run of"):
        require_same_sources(work(folder, [grown, File("other.warc", "0")]))


def test_a_crawl_is_of_its_starts(folder: RunFolder) -> None:
    require_same_starts(folder, ["https://a.example/"], ["en"])  # nothing is written yet
    folder.remember("crawl", "options", {"starts": ["https://a.example/", "https://b.example/"]})
    require_same_starts(folder, ["https://b.example/", "https://a.example/"], ["en", "fr"])
    with pytest.raises(RunFolderError, match=r"holds a crawl of https://a\.example/, https://b\.example/, not"):
        require_same_starts(folder, ["https://a.example/"])
    state(folder)
    # Pages that were fetched serve other languages, too.
    require_same_starts(folder, ["https://b.example/", "https://a.example/"], ["en", "de"])


@pytest.mark.parametrize("noted", ["http://a.example/", "http://a.example", "http://A.example/"])
def test_another_spelling_of_the_start_goes_on(noted: str, folder: RunFolder) -> None:
    folder.remember("crawl", "options", {"starts": [noted]})
    for typed in ("http://a.example", "http://A.EXAMPLE/", "HTTP://a.example:80/#x", "http://a.example/./"):
        require_same_starts(folder, [typed], ["en", "fr"])
    for other in ("https://a.example/", "http://a.example/x", "http://a.example:81/", "http://b.example/"):
        with pytest.raises(RunFolderError, match="holds a crawl of"):
            require_same_starts(folder, [other], ["en", "fr"])


@pytest.mark.parametrize("typed", ["http://a.example", "http://A.EXAMPLE/", "HTTP://a.example:80/#x"])
def test_a_finished_crawl_typed_in_another_spelling_makes_no_request(typed: str, folder: RunFolder) -> None:
    options = make_crawl_options(["http://a.example/"], ["en", "fr"])
    name = "crawl-00000.warc.gz"
    folder.remember("crawl", "done", {"options": options.to_json(), "files": [name], "counts": {}, "notices": []})
    crawled = crawl_stage(folder, make_crawl_options([typed], ["en", "fr"]), Silent())
    assert crawled.files == [folder.path / "warc" / name]


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({}, {"pairs", "segments", "outputs"}),
        ({"min_score": 0.7}, {"pairs", "segments"}),
        ({"min_prob": 0.7}, {"pairs", "segments"}),
        ({"keep": ("numbers",)}, {"pairs", "segments"}),
        ({"drop": ("too_short",)}, {"pairs", "segments"}),
        ({"pii": "mask"}, {"pairs", "segments"}),
        ({"offensive": "words.txt"}, {"pairs", "segments"}),
        ({"options": {"aligner": "gale_church"}}, {"pairs"}),
        ({"options": {"aligner": "gale_church"}, "pii": "mask"}, {"pairs"}),
        ({"options": {"point": "recall"}}, set()),
        ({"recipe": "url_baseline"}, set()),
        ({"one_site": True}, set()),
        ({"lang_from": "text"}, set()),
        ({"pivot": "en"}, set()),
        ({"sources": (File("site.warc", "1"),)}, set()),
        ({"sources": (SITE, File("more.warc", "1"))}, set()),
        ({"sources": (), "min_score": 0.7}, {"pairs", "segments"}),
        ({"sources": ()}, {"pairs", "segments", "outputs"}),
    ],
)
def test_what_other_options_have_made_goes(folder: RunFolder, changes: dict[str, Any], left: set[str]) -> None:
    state(folder)
    (folder.path / "out").mkdir()
    with folder.lock():
        write_summary(folder, {})
    drop(work(folder, **changes))
    found = {stage for stage in ("pairs", "segments") if folder.recall("run", stage)}
    # Outputs stay until the new ones are written, and are known to be outdated.
    assert found | ({"outputs"} if is_finished(folder) else set()) == left
    with folder.lock():
        drop_outputs(folder, Silent())
    assert any((folder.path / "out").iterdir()) == ("outputs" in left)
    assert is_finished(folder) == ("outputs" in left)


def test_nothing_goes_from_a_folder_without_a_run(folder: RunFolder) -> None:
    for stage in ("pairs", "segments"):
        folder.remember("run", stage, "key")
    drop(work(folder, min_score=0.7))
    assert folder.recall("run", "pairs") == "key"


def test_exports_that_go_are_told(folder: RunFolder) -> None:
    class Heard(Silent):
        def __init__(self) -> None:
            self.finished: list[str] = []

        def finish(self, text: str) -> None:
            self.finished.append(text)

    state(folder)
    for form in ("csv", "moses", "tmx"):
        note_export(folder, Export("out", form, (("en", "fr"),)))
    changed = work(folder, min_score=0.7)
    heard = changed.progress = Heard()
    drop(changed)
    assert heard.finished == []
    with folder.lock():
        drop_outputs(folder, heard)
    (said,) = heard.finished
    assert "csv, moses" in said
    assert "tmx" not in said


def test_a_folder_stays_open_after_success(tmp_path: Path) -> None:
    with own_folder(tmp_path / "run") as folder:
        pass
    folder.remember("kind", "key", 1)
    assert folder.recall("kind", "key") == 1
    with own_folder(tmp_path / "run"):
        pass


@pytest.mark.parametrize("error", [RunFolderError("planted"), KeyboardInterrupt()])
def test_a_new_folder_goes_after_an_error_unless_the_run_had_begun(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)), own_folder(tmp_path / "run"):
        raise error
    assert not (tmp_path / "run").exists()
    with own_folder(tmp_path / "run") as folder:
        folder.write_settings({})
    with pytest.raises(type(error)), own_folder(tmp_path / "run"):
        raise error
    assert (tmp_path / "run" / "diglot.toml").exists()
    assert (tmp_path / "run" / "journal.db").exists()


def test_a_folder_that_was_there_loses_only_new_files_after_an_error(tmp_path: Path) -> None:
    (tmp_path / "warc").mkdir()
    mine = tmp_path / "warc" / "crawl-00000.warc.gz"
    mine.write_bytes(b"mine")
    with pytest.raises(RunFolderError), own_folder(tmp_path):
        raise AssertionError("it is not empty")
    with pytest.raises(RunFolderError, match="planted"), own_folder(tmp_path, overwrite=True):
        raise RunFolderError("planted")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
