"""Real sites that mix languages, harvested by the default command: pages found, and what no memory may hold."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from diglot.corpus.flags import MIN_SCORE
from diglot.harvesting import harvest
from diglot.results.run import Run
from diglot.scripts import lacks_own_script

DATA = Path(os.environ.get("DIGLOT_DATA", "/nonexistent"), "real")
STORIES, MANUAL = "en,so,sw,fa,uk,zh", "en,fr,gl,ja"


def of_gold(path: Path, langs: str) -> set[frozenset[str]]:
    """Pairs of addresses in wanted languages."""
    wanted = set(langs.split(","))
    rows = csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")
    return {frozenset(urls) for src, tgt, *urls in rows if {src, tgt} <= wanted}


def strict_f1(run: Run, site: Path, langs: str) -> float:
    gold, ignored = (of_gold(site / name, langs) for name in ("gold.tsv", "ignore.tsv"))
    proposed = {frozenset((pair.src_url, pair.tgt_url)) for pair in run.pairs()} - ignored
    return 2 * len(proposed & gold) / (len(proposed) + len(gold))


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="DIGLOT_DATA names no folder of evaluation sites")
@pytest.mark.parametrize(
    ("site", "langs", "least"),
    [
        ("storybooks-norge", STORIES, 0.98),
        ("storybooks-norge.ids", STORIES, 0.98),
        ("tuxpaint", MANUAL, 0.95),
        ("tuxpaint.ids", MANUAL, 0.95),
    ],
)
def test_a_site_that_mixes_languages(site: str, langs: str, least: float, tmp_path: Path) -> None:
    run = harvest(DATA / site / "pages.warc.gz", langs, tmp_path / "run")
    assert strict_f1(run, DATA / site, langs) >= least
    summary = run.summary()
    assert summary["estimates"]["all"]["recall"] == pytest.approx(1.0, abs=0.05)
    kept = [run.segments(*pair).kept_rows() for pair in run.settings.language_pairs()]
    assert sum(table.num_rows for table in kept) > 5_000
    for table in kept:
        assert min(table["score"].to_pylist()) >= MIN_SCORE
        for side in ("src", "tgt"):
            texts = table[side].combine_chunks()
            assert not any(text.endswith(("#", "¶", "§")) for text in texts.to_pylist())
            assert not lacks_own_script(texts, table[f"{side}_lang"][0].as_py()).any()
