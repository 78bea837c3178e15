"""A run cut into bundles of whole sites: counts and figures add up, verdicts and outputs are those of one bundle."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import permutations
from operator import add
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.corpus.flags.across import VERDICT_SCHEMA, with_verdicts
from diglot.disk.folder import RunFolder
from diglot.engines.pool import LocalEngine
from diglot.harvesting import harvest
from diglot.outputs import report_tables as module
from diglot.outputs.finish import finish_stage
from diglot.outputs.funnel import Counts, count_sites_of, summarise
from diglot.outputs.report_tables import _figures, report_tables
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA, of_languages
from diglot.report.figures import Figures
from diglot.results.run import Run
from diglot.run import across_sites
from diglot.run.across_sites import decide_verdicts
from diglot.run.bundles import Bundle, Bundles, _split_by_pair, with_site
from diglot.run.judgements import load_judged_segments
from diglot.run.stored_pages import RESOLVED_SCHEMA
from diglot.run.work import FLAGGED, PAIRS, RESOLVED, SEGMENTS, VERDICTS, Work
from diglot.site import site_number
from made_segments import filled
from two_sites import lines_of, write_mixed

SITES = tuple(f"site{number}.example" for number in range(4))
CHANGES = ((b"", b""), (b"Chapitre", b"Bassin"), (b"chapter", b"part"), (b"", b""))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Four sites that say much the same, as one bundle."""
    folder = tmp_path_factory.mktemp("four")
    pages = {site: lines_of(site, change) for site, change in zip(SITES, CHANGES, strict=True)}
    return harvest(write_mixed(folder / "pages", pages), "en,fr", folder / "run", jobs=1)


def keys_of(run: Run) -> tuple[str, str]:
    return run.folder.recall("run", PAIRS), run.folder.recall("run", SEGMENTS)


def parts_of(run: Run) -> list[Bundle]:
    """A bundle a site."""
    (whole,) = Bundles(run.folder, run.settings, *keys_of(run))
    sites = with_site(whole.segments, whole.resolved)["site"]
    return [
        Bundle(
            run.settings,
            whole.resolved.filter(pc.equal(whole.resolved["site"], site)),
            whole.pairs.filter(pc.equal(whole.pairs["site"], site)),
            whole.segments.filter(pc.equal(sites, site)),
            whole.failed,
        )
        for site in sorted(SITES, key=site_number)
    ]


@pytest.fixture(scope="module")
def parts(run: Run) -> list[tuple[Counts, Figures]]:
    """Counts and figures of each site alone."""
    return [
        (count_sites_of(run.settings, each.pairs, each.segments, each.ledger), _figures(each)) for each in parts_of(run)
    ]


@pytest.fixture(scope="module")
def whole(run: Run) -> Figures:
    """Figures of all sites as one bundle."""
    (bundle,) = Bundles(run.folder, run.settings, *keys_of(run))
    return _figures(bundle)


@pytest.mark.parametrize("cut", range(5))
def test_counts_and_figures_of_groups_of_sites_add_up(
    run: Run, parts: list[tuple[Counts, Figures]], whole: Figures, cut: int
) -> None:
    """In every order of the sites, the first ``cut`` of them added up by themselves."""
    for order in permutations(parts):
        counts, figures = zip(*order, strict=True)
        both = reduce(add, counts[:cut], Counts()) + reduce(add, counts[cut:], Counts())
        summary = summarise(run.settings, both, candidates=7, signature=run.summary()["recipe"])
        assert {name: value for name, value in summary.items() if name != "candidates"}.items() <= run.summary().items()
        assert reduce(add, figures[:cut], Figures()) + reduce(add, figures[cut:], Figures()) == whole


def cut_up(run: Run, path: Path) -> RunFolder:
    """The same run, each site a shard of its own."""
    shutil.copytree(run.path, path)
    folder = RunFolder(path, create=False)
    shutil.rmtree(path / "out")
    pairs_key, segments_key = keys_of(run)
    flagged = folder.read(FLAGGED, folder.recall(FLAGGED, segments_key), FLAGGED_SCHEMA)
    resolved = folder.read(RESOLVED, folder.recall("run", RESOLVED), RESOLVED_SCHEMA)
    pairs = folder.read(PAIRS, pairs_key, PAIR_SCHEMA)
    assert flagged is not None
    assert resolved is not None
    assert pairs is not None
    for number, site in enumerate(sorted(SITES, key=site_number)):
        of_site = pc.equal(with_site(flagged, resolved)["site"], site)
        folder.write_shard(FLAGGED, "cut", number, flagged.filter(of_site))
        for stage, table in ((RESOLVED, resolved), (PAIRS, pairs)):
            folder.write_shard(stage, "cut", number, table.filter(pc.equal(table["site"], site)))
    for stage in (FLAGGED, RESOLVED, PAIRS):
        folder.finish(stage, "cut", len(SITES))
    folder.remember(FLAGGED, segments_key, "cut")
    folder.remember("run", RESOLVED, "cut")
    for kind in ("candidates", "expected", "failed", "notes"):
        folder.remember(kind, "cut", folder.recall(kind, pairs_key))
    return folder


def test_the_cut_into_bundles_changes_no_byte(run: Run, tmp_path: Path) -> None:
    with cut_up(run, tmp_path / "cut") as folder, LocalEngine(jobs=1) as engine:
        finish_stage(Work(folder, run.settings, engine), "cut", keys_of(run)[1])
        for path in [*(run.path / "out").iterdir(), run.path / "report.html"]:
            if path.name != "summary.json":
                assert (folder.path / path.relative_to(run.path)).read_bytes() == path.read_bytes(), path.name
        assert {**Run(folder).summary(), "seconds": 0} == {**run.summary(), "seconds": 0}
        assert (folder.path / VERDICTS).is_dir()


def test_segments_are_read_twice_for_all_language_pairs_and_stay_the_same(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, reads = Bundles._read_bundles, []

    def read_and_count(bundles: Bundles) -> Iterator[Bundle]:
        reads.append(1)
        return read(bundles)

    monkeypatch.setattr(Bundles, "_read_bundles", read_and_count)
    monkeypatch.setattr("diglot.run.bundles._ROWS_AT_ONCE", 7)
    with cut_up(run, tmp_path / "cut") as folder:
        bundles = Bundles(folder, replace(run.settings, langs=("en", "fr", "de")), "cut", keys_of(run)[1])
        chosen, dealt, again = (list(bundles.of_languages(("en", "fr"))) for _ in range(3))
        assert len(reads) == 2
        assert chosen == dealt == again
        assert [each.segments for each in chosen] == [each.segments for each in bundles]
        assert all(each.segments.num_rows for each in dealt)
        others = [*bundles.of_languages(("en", "de")), *bundles.of_languages(("fr", "de"))]
        assert [each.segments.num_rows for each in others] == [0] * 2 * len(SITES)
        assert [each.resolved for each in others] == [each.resolved for each in dealt] * 2


@given(st.lists(st.sampled_from([("en", "fr"), ("en", "de"), ("fr", "de")]), max_size=30))
def test_segments_are_split_by_language_pair_in_order(of_rows: list[tuple[str, str]]) -> None:
    lang_pairs = [("en", "fr"), ("en", "de"), ("fr", "de")]
    rows = [{"src_lang": src, "tgt_lang": tgt, "position": n} for n, (src, tgt) in enumerate(of_rows)]
    segments = filled(FLAGGED_SCHEMA, *rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("diglot.run.bundles._ROWS_AT_ONCE", 7)
        found = _split_by_pair(segments, lang_pairs)
    assert found == [of_languages(segments, *each) for each in lang_pairs]


@pytest.mark.parametrize("bucket_segments", [30, 10_000])
def test_the_number_of_buckets_changes_no_verdict(
    bucket_segments: int, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In some twenty buckets, or in one, the segments have the flags and addresses that the whole run gave them."""
    monkeypatch.setattr(across_sites, "BUCKET_SEGMENTS", bucket_segments)
    with cut_up(run, tmp_path / "cut") as folder:
        decide_verdicts(folder, "cut", "asked", len(SITES))
        folder.finish(VERDICTS, "asked", len(SITES))
        flagged = folder.each_shard(FLAGGED, "cut", FLAGGED_SCHEMA)
        found = folder.each_shard(VERDICTS, "asked", VERDICT_SCHEMA)
        decided = pa.concat_tables(map(with_verdicts, flagged, found))
        assert in_order(decided) != in_order(pa.concat_tables(folder.each_shard(FLAGGED, "cut", FLAGGED_SCHEMA)))
    assert in_order(decided) == in_order(load_judged_segments(run.folder, keys_of(run)[1]))


def in_order(segments: pa.Table) -> list[dict[str, object]]:
    places = [(name, "ascending") for name in ("src_url", "tgt_url", "position")]
    rows: list[dict[str, object]] = segments.sort_by(places).to_pylist()
    return rows


def test_the_report_of_a_large_run_is_of_some_sites(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bundles = Bundles(run.folder, run.settings, *keys_of(run))
    written, summary = run.folder.settings(), run.summary()
    whole = report_tables(written, run.settings, summary, bundles)
    assert whole.sites_shown is None
    size = max(whole.figures.segments.values())
    monkeypatch.setattr(module, "SEGMENTS_HELD", size)
    monkeypatch.setattr(module, "SEGMENTS_SAMPLED", 2 * size)
    some = report_tables(written, run.settings, summary, bundles)
    assert some.sites_shown == 2
    assert 0 < some.segments.num_rows <= 2 * size
    assert some.figures == whole.figures
    assert some.segments_of_run == whole.segments.num_rows
    monkeypatch.setattr(module, "SEGMENTS_SAMPLED", 5)
    one = report_tables(written, run.settings, summary, bundles)
    assert (one.sites_shown, one.segments.num_rows) == (1, 5)
