"""What a listener hears of a run: every count is reached, and no stage goes on without saying what it is at."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.harvesting import clean_run, harvest
from diglot.progress import BYTES, Silent
from diglot.run import read
from made_website import as_folder, as_lett
from pages.made_warcs import http, member, record

STAGES = ["read", "resolve", "pair", "align", "clean", "write", "report"]


class Heard(Silent):
    """Keeps what it hears: of every stage or step its name, total, unit and how many were done."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str, int | None, str]] = []
        self.done: list[int] = []
        self.finished: list[str] = []
        self._stage = ""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        self._stage = stage
        self.step("", total, unit)

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        self.steps.append((self._stage, text, total, unit))
        self.done.append(0)

    def advance(self, done: int) -> None:
        assert done >= 0
        self.done[-1] += done

    def finish(self, text: str) -> None:
        self.finished.append(self._stage)

    def reuse(self, stage: str, text: str) -> None:
        self.finished.append(stage)


def warc(path: Path, pages: int = 30) -> Path:
    body = b"<html lang=en><title>T</title><p>The bakery opens early in the morning and sells bread.</html>"
    path.write_bytes(b"".join(member(record(http(body), url=f"http://a.example/{n}.html")) for n in range(pages)))
    return path


def reach_all(heard: Heard) -> None:
    for (stage, text, total, _), done in zip(heard.steps, heard.done, strict=True):
        assert total is None or done == total, (stage, text)


def test_every_count_is_reached_and_every_stage_ends(tmp_path: Path) -> None:
    as_lett(tmp_path / "site.lett")
    heard = Heard()
    harvest(tmp_path / "site.lett", "en,fr", tmp_path / "run", jobs=1, progress=heard)
    reach_all(heard)
    assert heard.finished == STAGES
    assert {stage for stage, *_ in heard.steps} == {"sources", *STAGES}
    said = {(stage, text) for stage, text, *_ in heard.steps}
    for stage in STAGES[1:]:
        assert any(each == stage and text for each, text in said)
    heard = Heard()
    clean_run(tmp_path / "run", min_score=0.9, progress=heard)
    reach_all(heard)
    assert heard.finished == STAGES[4:]


@pytest.mark.parametrize("shard", [7, 1_000])
def test_reading_an_archive_counts_its_bytes(shard: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "SHARD_RECORDS", shard)
    source, heard = warc(tmp_path / "a.warc.gz"), Heard()
    with pytest.raises(Exception, match="no translations found"):
        harvest(source, "en,fr", tmp_path / "run", jobs=1, progress=heard)
    (at,) = (number for number, (stage, *_) in enumerate(heard.steps) if stage == "read")
    assert heard.steps[at] == ("read", "", source.stat().st_size, BYTES)
    assert heard.done[at] == source.stat().st_size


def test_reading_a_folder_counts_its_bytes_and_lines_of_a_list_are_records(tmp_path: Path) -> None:
    as_folder(tmp_path / "site")
    as_lett(tmp_path / "site.lett")
    heard = Heard()
    harvest(tmp_path / "site", "en,fr", tmp_path / "run", jobs=1, progress=heard, base_url="http://a.example/")
    reach_all(heard)
    assert ("read", BYTES) in {(stage, unit) for stage, _, _, unit in heard.steps}
    heard = Heard()
    harvest(tmp_path / "site.lett", "en,fr", tmp_path / "other", jobs=1, progress=heard)
    assert ("read", "", None, "records") in heard.steps
    assert max(heard.done) >= 24
