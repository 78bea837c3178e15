"""A pool in runs: what finished runs teach, which sites take it, and that their results depend on nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from test_whole_sites import HOSTS, lines_of, of_site, sites

from diglot.alignment.pool import SMALL_SENTENCES, read_pool
from diglot.disk.folder import RunFolder
from diglot.errors import DiglotError, LanguageError, NothingFound, RecipeError, SourceError
from diglot.harvesting import align_run, harvest
from diglot.results.pooling import draw, pool_runs
from diglot.results.run import Run
from diglot.run.align import small_habits
from diglot.run.work import PAIRS, SEGMENTS

OTHER = "market.example"


def harvested(folder: Path, lines: list[bytes], **options: str) -> Run:
    folder.mkdir()
    (folder / "pages.lett").write_bytes(b"".join(lines))
    return harvest(folder / "pages.lett", "en,fr", folder / "run", jobs=1, options=options)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of a third site, and the pool that it taught."""
    folder = tmp_path_factory.mktemp("pool")
    harvested(folder / "other", lines_of(OTHER))
    pool_runs([folder / "other" / "run"], folder / "en-fr.pool")
    return folder


def keys(run: Run) -> dict[str, Any]:
    return {stage: run.folder.recall("run", stage) for stage in (PAIRS, SEGMENTS)}


def test_with_one_pool_a_site_is_the_same_alone_and_among_others(place: Path, tmp_path: Path) -> None:
    """Of the two sites the second is small."""
    pages, pool = sites(), str(place / "en-fr.pool")
    both = harvested(tmp_path / "both", [line for host in reversed(HOSTS) for line in pages[host]], aligner_pool=pool)
    (note,) = both.summary()["notes"]
    assert note == f"en-fr: sites with fewer than 320 sentences, 1 of 2, were aligned with the words of {pool}"
    for host in HOSTS:
        alone = of_site(harvested(tmp_path / host, pages[host], aligner_pool=pool), host)
        assert of_site(both, host) == alone
        without = of_site(harvested(tmp_path / f"{host}2", pages[host]), host)
        assert without["pairs"] == alone["pairs"]
        assert (without["segments"] == alone["segments"]) is (host == HOSTS[0])


def test_a_run_says_what_pool_made_it_and_is_made_anew_by_another(place: Path, tmp_path: Path) -> None:
    pages, path = sites()[HOSTS[1]], tmp_path / "mine.pool"
    path.write_bytes((place / "en-fr.pool").read_bytes())
    run = harvested(tmp_path / "one", pages)
    first = keys(run)
    told = run.path / "diglot.toml"
    assert "pool" not in tomllib.loads(told.read_text())
    with_pool = keys(align_run(run.path, pool=str(path), jobs=1))
    assert with_pool[PAIRS] == first[PAIRS]
    assert with_pool[SEGMENTS] != first[SEGMENTS]
    stated = tomllib.loads(told.read_text())
    assert stated["pool"] == {"path": str(path), "hash": read_pool(str(path)).digest}
    assert f"aligner_pool={path}" in stated["signature"]
    pool_runs([run.path], path)
    assert keys(align_run(run.path, jobs=1))[SEGMENTS] not in (first[SEGMENTS], with_pool[SEGMENTS])
    assert keys(align_run(run.path, pool="", jobs=1)) == first
    assert "pool" not in tomllib.loads(told.read_text())


def test_the_order_of_runs_does_not_matter(place: Path, tmp_path: Path) -> None:
    run = harvested(tmp_path / "second", sites()[HOSTS[1]])
    runs = [place / "other" / "run", run.path]
    (told,) = pool_runs(runs, tmp_path / "one.pool")
    pool_runs([*reversed(runs), run.path], tmp_path / "two.pool")
    assert (tmp_path / "one.pool").read_bytes() == (tmp_path / "two.pool").read_bytes()
    assert (told.langs, told.sites) == ("en-fr", 2)
    assert told.page_pairs == sum(len(Run(path).pairs()) for path in runs)


def test_every_site_is_drawn_from_before_any_is_drawn_from_again() -> None:
    rows = [("big", f"http://big/{n}", f"http://big/fr/{n}") for n in range(5)]
    rows += [("small", "http://small/1", "http://small/fr/1"), ("two", "a", "b"), ("two", "c", "d"), rows[3]]
    pairs = pa.table(dict(zip(("site", "src_url", "tgt_url"), map(list, zip(*rows, strict=True)), strict=True)))
    order = draw(pairs).tolist()
    assert sorted(order) == list(range(8))
    assert sorted(rows[row][0] for row in order[:3]) == ["big", "small", "two"]
    assert sorted(rows[row][0] for row in order[3:5]) == ["big", "two"]
    again = draw(pairs.take(pa.array([7, 6, 5, 4, 3, 2, 1, 0])))
    assert [rows[7 - row] for row in again] == [rows[row] for row in order]


def test_a_site_is_small_below_so_many_source_sentences() -> None:
    counts = [SMALL_SENTENCES - 1, 1, SMALL_SENTENCES, 5]
    pages = pa.table({"sentences": [["x"] * count for count in counts]})
    langs = {"src_lang": ["en", "en", "en", "en"], "tgt_lang": ["fr", "fr", "fr", "de"]}
    pairs = pa.table({"site": ["a", "b", "b", "b"], **langs, "src_row": [0, 1, 0, 3]})
    assert small_habits(pairs, pages) == [("a", "en", "fr"), ("b", "en", "de")]
    assert small_habits(pairs.slice(3), pages) == [("b", "en", "de")]


@pytest.mark.parametrize(
    ("langs", "options", "error", "said"),
    [
        ("en,de", {}, LanguageError, r"en-fr\.pool: holds en-fr; this run asks for en-de"),
        ("fr,en", {}, LanguageError, r"holds en-fr; this run asks for fr-en"),
        ("en,fr", {"aligner": "tags"}, RecipeError, "tags takes no pool; add --set aligner=lexical"),
        ("en,fr", {"aligner_pool": "none.pool"}, SourceError, r"none\.pool: No such file"),
    ],
)
def test_mistakes_are_found_before_anything_is_read(
    langs: str, options: dict[str, str], error: type[DiglotError], said: str, place: Path, tmp_path: Path
) -> None:
    options = {"aligner_pool": str(place / "en-fr.pool")} | options
    with pytest.raises(error, match=said):
        harvest(tmp_path / "no site", langs, tmp_path / "run", options=options)
    assert not (tmp_path / "run").exists()


def test_runs_without_a_page_pair_teach_nothing(tmp_path: Path) -> None:
    lines = [line for line in lines_of(OTHER) if line.startswith(b"en")]
    with pytest.raises(NothingFound):
        harvested(tmp_path / "one", lines)
    with RunFolder(tmp_path / "one" / "run", create=False) as folder:
        assert folder.recall("run", PAIRS)
    with pytest.raises(NothingFound, match="no page pair in these runs"):
        pool_runs([tmp_path / "one" / "run"], tmp_path / "no.pool")
    assert not (tmp_path / "no.pool").exists()
