"""The align stage with the aligner that learns from the whole run: stopped, repeated, and on few pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import diglot.errors
import diglot.run
from diglot.alignment.site_model import align_sentences
from diglot.disk.folder import RunFolder
from diglot.engines.pool import LocalEngine
from diglot.features.links import page_key
from diglot.harvesting import align_run, pair_run, read_sources
from diglot.reasons import Reason
from diglot.run.align import MODELS, SENTENCES, partners_of, with_paired_links
from diglot.run.work import SEGMENTS
from made_website import HOST, as_folder


class InlineEngine(LocalEngine):
    """Runs stages in this process and notes which."""

    ran: list[str]

    def map(self, stage: Any, tables: Any, **_options: Any) -> Iterator[pa.Table]:
        for table in tables:
            self.ran.append(getattr(stage, "func", stage).__name__)
            yield stage(table)


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose pages are paired and not aligned."""
    folder = tmp_path_factory.mktemp("aligning")
    read_sources(as_folder(folder / "site"), "en,fr", folder / "run", jobs=1, base_url=HOST)
    pair_run(folder / "run", recipe="fused", options={"aligner": "lexical"})
    return folder / "run"


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    stages: list[str] = []
    monkeypatch.setattr(InlineEngine, "ran", stages, raising=False)
    monkeypatch.setattr(LocalEngine, "map", InlineEngine.map)
    monkeypatch.setattr(LocalEngine, "ran", stages, raising=False)
    monkeypatch.setattr(diglot.run.align, "SHARD_PAIRS", 5)
    return stages


def aligned(paired: Path, run: Path) -> dict[str, bytes]:
    if not run.exists():
        shutil.copytree(paired, run)
    align_run(run, jobs=1)
    files = [*run.glob("segments/*.parquet"), *(path for path in run.glob("out/*") if path.name != "summary.json")]
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


@pytest.mark.usefixtures("ran")
def test_two_runs_give_the_same_bytes_and_leave_nothing_behind(paired: Path, tmp_path: Path) -> None:
    first = aligned(paired, tmp_path / "first")
    assert any(name.endswith(".tmx") for name in first)
    assert aligned(paired, tmp_path / "second") == first
    assert not [path for stage in (SENTENCES, MODELS) for path in (tmp_path / "first" / stage).glob("*")]


def test_a_run_stopped_while_it_aligns_goes_on_with_what_was_learnt(
    paired: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: list[str]
) -> None:
    """Of 12 pairs in shards of 5 the first shard is written, the second is not."""
    whole = aligned(paired, tmp_path / "whole")
    write = RunFolder.write_shard

    def stopping(folder: RunFolder, stage: str, key: str, number: int, table: pa.Table) -> None:
        if stage == diglot.run.work.SEGMENTS and number == 1:
            raise KeyboardInterrupt
        write(folder, stage, key, number, table)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write_shard", stopping)
        with pytest.raises(diglot.errors.Stopped):
            aligned(paired, tmp_path / "stopped")
    ran.clear()
    assert aligned(paired, tmp_path / "stopped") == whole
    assert "split_table" not in ran
    assert "learn_table" not in ran
    assert "align_sentences" in ran


def test_a_pair_of_languages_whose_model_failed_is_aligned_page_by_page(
    paired: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: list[str]
) -> None:
    inline = InlineEngine.map

    def failing(engine: Any, stage: Any, tables: Any, *, failed: Any, **options: Any) -> Iterator[pa.Table]:
        if getattr(stage, "__name__", "") == "learn_table":
            return (failed(table, diglot.errors.SourceError, "died") for table in tables)
        return inline(engine, stage, tables, **options)

    monkeypatch.setattr(LocalEngine, "map", failing)
    names = set(aligned(paired, tmp_path / "run"))
    assert any(name.startswith("segments/") for name in names)
    assert "align_sentences" in ran


def fail_at(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Let the workers fail at the first tables of page pairs to align, ``count`` of them, each of a row."""
    inline, left = InlineEngine.map, [count]

    def failing(engine: Any, stage: Any, tables: Any, *, failed: Any, **options: Any) -> Iterator[pa.Table]:
        if getattr(stage, "func", None) is not align_sentences:
            yield from inline(engine, stage, tables, **options)
            return
        for table in tables:
            results = []
            for row in range(table.num_rows):
                alone = table.slice(row, 1)
                fails = left[0] > 0
                left[0] -= 1
                results.append(failed(alone, Reason.PARSER_CRASH, "AttributeError: steps") if fails else stage(alone))
            yield pa.concat_tables(results)

    monkeypatch.setattr(LocalEngine, "map", failing)


@pytest.mark.usefixtures("ran")
def test_page_pairs_that_could_not_be_aligned_are_told(
    paired: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, 2)
    aligned(paired, tmp_path / "run")
    notes = diglot.open_run(tmp_path / "run").summary()["notes"]
    assert "2 page pairs could not be aligned; the first: AttributeError: steps" in notes
    # Aligned anew without a fault, the run has no note of it.
    with RunFolder(tmp_path / "run") as folder:
        folder.discard_others(SEGMENTS, set())
    fail_at(monkeypatch, 0)
    aligned(paired, tmp_path / "run")
    assert not any("could not be aligned" in note for note in diglot.open_run(tmp_path / "run").summary()["notes"])


@pytest.mark.usefixtures("ran")
def test_a_fault_in_all_page_pairs_is_an_error_and_nothing_is_taken_for_done(
    paired: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fail_at(patch, 1_000)
        with pytest.raises(
            diglot.errors.DiglotError, match=r"all \d+ page pairs could not be aligned; the first: Attr"
        ):
            aligned(paired, tmp_path / "run")
    assert aligned(paired, tmp_path / "run") == aligned(paired, tmp_path / "unharmed")


def test_links_are_told_by_the_pairs_of_their_languages() -> None:
    rows = [("en", "fr", "e1", "f1"), ("en", "fr", "e2", "f2"), ("en", "de", "e3", "d2")]
    pairs = pa.table(dict(zip(("src_lang", "tgt_lang", "src_url", "tgt_url"), zip(*rows, strict=True), strict=True)))
    table = pairs.slice(0, 1).append_column("src_links", pa.array([["e2", "e3"]]))
    table = table.append_column("tgt_links", pa.array([["f2#a", "d2"]]))
    told = with_paired_links(table, partners_of(pairs))
    assert told.select(["src_links", "tgt_links"]).to_pylist() == [
        {"src_links": ["=e2", "e3"], "tgt_links": ["=e2#a", "d2"]}
    ]
    pages = pa.table({"url": ["e2", "e3", "f2", "d2"], "lang": ["en", "en", "fr", "de"]})
    told = with_paired_links(table, partners_of(pairs, pages))
    assert told.select(["src_links", "tgt_links"]).to_pylist() == [
        {"src_links": ["=e2", "!e3"], "tgt_links": ["=e2#a", "d2"]}
    ]


def test_a_file_named_like_a_folder_has_its_own_partner() -> None:
    urls = ["a.org/en/news/", "a.org/en/news.html"], ["a.org/fr/news/", "a.org/fr/news.html"]
    pairs = pa.table({"src_lang": ["en"] * 2, "tgt_lang": ["fr"] * 2, "src_url": urls[0], "tgt_url": urls[1]})
    (partners,) = partners_of(pairs).values()
    assert [partners[page_key(url)] for url in (*urls[0], *urls[1])] == [f"={url}" for url in (*urls[0], *urls[0])]
