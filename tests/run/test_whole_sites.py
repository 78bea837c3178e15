"""The site is the unit: what is found on it does not depend on others in the run, and a lost site is lost alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import failing_sites
import pytest

from diglot.errors import DiglotError, SitesFailed, UsageError
from diglot.harvesting import harvest
from diglot.results.run import Run, open_run
from diglot.results.run_tables import load_pair_table
from diglot.run import clean, work
from made_website import COUNT
from two_sites import HOSTS, lines_of, outputs, sites, write_mixed


def harvested(folder: Path, pages: Mapping[str, list[bytes]], *, order: int = 0) -> Run:
    """A run over all these sites in one file, their pages mixed."""
    return harvest(write_mixed(folder, pages, order=order), "en,fr", folder / "run", jobs=1)


def of_site(run: Run, host: str) -> dict[str, list[dict[str, Any]]]:
    """Pairs and segments of a host, but for addresses of copies on other sites."""
    pairs = [row for row in load_pair_table(run.folder, run.settings, 0.0).to_pylist() if host in row["src_url"]]
    segments = [row for row in run.segments("en", "fr").table.to_pylist() if host in row["src_url"]]
    for row in segments:
        del row["other_src_urls"], row["other_tgt_urls"]
        row["flags"] = sorted(set(row["flags"]) - {"duplicate"})
    return {"pairs": pairs, "segments": segments}


def test_a_site_is_the_same_alone_and_among_others(tmp_path: Path) -> None:
    pages = sites()
    both = [harvested(tmp_path / f"both{order}", pages, order=order) for order in range(2)]
    for number, host in enumerate(HOSTS):
        alone = of_site(harvested(tmp_path / host, {host: pages[host]}, order=number), host)
        assert alone["pairs"]
        assert alone["segments"]
        assert [of_site(run, host) for run in both] == [alone, alone]


def test_sites_cleaned_apart_are_as_those_cleaned_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = harvested(tmp_path / "together", sites())
    monkeypatch.setattr(clean, "PART_SEGMENTS", 1)
    apart = harvested(tmp_path / "apart", sites())
    cut = [len(list((run.path / work.FLAGGED).glob("*.parquet"))) for run in (together, apart)]
    assert cut == [1, len(HOSTS)]
    assert outputs(apart.path) == outputs(together.path)


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        (
            failing_sites.flag_or_fail,
            r"\(KeyError: 'planted' \(failing_sites.py, line \d+\)\); if a process was killed, .* report it with",
        ),
        (failing_sites.flag_or_die, r"\(memory limit reached\); free memory and run"),
        (failing_sites.flag_or_hang, r"\(not done after 3 s\); run the same .* report it with"),
    ],
)
def test_what_kept_segments_from_being_cleaned_is_told(
    planted: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clean, "_flag_part", planted)
    monkeypatch.setattr(clean, "FLAG_TIMEOUT_S", 3.0 if planted is failing_sites.flag_or_hang else 300.0)
    monkeypatch.setattr(clean, "SEGMENT_TIMEOUT_S", 0.0)
    with pytest.raises(DiglotError, match=said):
        harvested(tmp_path / "run", {HOSTS[0]: lines_of(HOSTS[0])})


def test_a_file_that_cannot_be_written_is_no_lack_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean, "_flag_part", failing_sites.flag_or_be_refused)
    with pytest.raises(UsageError, match=r"gone\.parquet: cannot be written \(.* is there; choose another name\)$"):
        harvested(tmp_path / "run", {HOSTS[0]: lines_of(HOSTS[0])})


@pytest.mark.parametrize(
    ("stage", "planted", "detail"),
    [
        ("resolve.resolve_table", failing_sites.resolve_or_die, "languages: killed by SIGABRT"),
        ("pair.pair_site", failing_sites.pair_or_die, "pairing: killed by SIGABRT"),
        ("pair.pair_site", failing_sites.pair_or_hang, "pairing: not done after 3 s"),
    ],
)
def test_a_site_that_fails_is_lost_alone(
    stage: str, planted: Any, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"diglot.run.{stage}", planted)
    monkeypatch.setattr("diglot.run.shards.SITE_TIMEOUT_S", 3.0 if "hang" in planted.__name__ else 300.0)
    monkeypatch.setattr("diglot.run.shards.PAGE_TIMEOUT_S", 0.0)
    pages = {failing_sites.POISON: lines_of(failing_sites.POISON), HOSTS[0]: lines_of(HOSTS[0])}
    with pytest.raises(SitesFailed, match=rf"^{2 * COUNT + 1 + ('resolve' in stage)} pages lost"):
        harvested(tmp_path / "run", pages)
    run = open_run(tmp_path / "run" / "run")
    assert {pair.src_url.split("/")[2] for pair in run.pairs()} == {HOSTS[0]}
    assert len(run.pairs()) == COUNT
    lost = f"http://{failing_sites.POISON}/en/chapter1.html"
    assert detail in run.why(lost).line
    row = next(line for line in (run.path / "out" / "pages.tsv").read_text().splitlines() if line.startswith(lost))
    assert row.split("\t")[2:5] == ["dropped", "site_failed", detail]
