"""The attacks of ``make attack`` for some seconds each, and that they see what they look for."""

from __future__ import annotations

import gzip
import importlib
import os
import random
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from attack import bombs, commands, damaged, kills, pages
from attack.__main__ import main
from attack.journal import Journal
from attack.mutations import MUTATIONS
from attack.tally import Tally

from diglot.engines.pool import LocalEngine
from diglot.errors import DiglotError
from diglot.pages.http_response import decoded_pieces
from diglot.reasons import Reason

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")


def attacked(name: str, rounds: range, *, seed: int = 0) -> Tally:
    """What comes of some rounds; the tests take another seed than the full figures."""
    with importlib.import_module(f"attack.{name}").opened(seed, None) as run:
        return run(rounds)


@pytest.mark.parametrize(("name", "count"), [("pages", 160), ("documents", 40), ("rebinds", 50), ("warcs", 3)])
def test_some_rounds_hold(name: str, count: int) -> None:
    tally = attacked(name, range(count))
    assert tally.held, tally.failures
    assert tally.rounds == count


def printed_by(script: str) -> list[str]:
    """Lines printed by a script in a process of its own: one that has workers already cannot be forked."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([BENCHMARKS, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    return [*done.stderr.splitlines(), *done.stdout.splitlines()]


IN_FORKS = """
from attack import kills, sites
for attack, count in ((sites, 2), (kills, 6)):
    with attack.opened(4, None) as run:
        tally = run(range(count))
    print(tally.held, tally.rounds, tally.failures)
"""


@pytest.mark.slow
def test_hostile_sites_are_harvested_and_killed_harvests_end_with_the_same_bytes() -> None:
    assert printed_by(IN_FORKS)[-2:] == ["True 2 []", "True 6 []"]


def test_a_harvest_that_dies_or_hangs_is_seen() -> None:
    script = """
import os, time
from attack.warm import work_in_a_fork
dead, hung = work_in_a_fork(lambda: os.kill(os.getpid(), 9), 60), work_in_a_fork(lambda: time.sleep(60), 0.1)
print(dead.status, repr(dead.said), hung.status, repr(hung.said), work_in_a_fork(lambda: "done", 60)[:2])
"""
    assert printed_by(script)[-1] == "9 '' 9 '' ('done', 0)"


SOME_COMMANDS = """
from attack.commands import prepared
with prepared(4, ["forget", "export", "merge"]) as run:
    tally = run(range(3))
print(tally.held, sorted(tally.counts), tally.failures)
"""


@pytest.mark.slow
def test_killed_commands_end_as_undisturbed_ones() -> None:
    assert printed_by(SOME_COMMANDS)[-1] == "True ['export', 'forget', 'merge'] []"


def test_what_a_killed_command_leaves_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "http://a.example/en/5.html"
    again: list[Path] = []

    def typed_again(_lines: object, run: Path) -> None:
        again.append(run)
        for name, content in (
            ("out/a.tsv", b"other"),
            ("out/b.gz", gzip.compress(commands.WORD.encode())),
            ("out/.c.7.part", b""),
            ("documents/links", address.encode()),
            ("pairs/left", address.encode()),
        ):
            (run / name).parent.mkdir(parents=True, exist_ok=True)
            (run / name).write_bytes(content)

    monkeypatch.setattr(commands, "killed", lambda *_: True)
    monkeypatch.setattr(commands, "undisturbed", typed_again)
    command = commands.Command(["forget RUN"], None, gone=address, operations=1, wanted={"out/a.tsv": b"whole"})
    told = commands._attack("forget", command, tmp_path, random.Random(0), Tally())
    assert again == [tmp_path / "work" / "run"]
    found = re.findall(r"\[(.*?)\]", told)
    assert [sorted(each.split(", ")) for each in found] == [
        ["'out/.c.7.part'", "'out/a.tsv'", "'out/b.gz'"],
        ["'out/b.gz'", "'pairs/left'"],
        ["'.c.7.part'"],
    ]


@pytest.mark.slow
def test_some_addresses_reach_nobody() -> None:
    tally = attacked("addresses", range(1_000, 1_006))
    assert tally.held, tally.failures
    assert tally.counts["ways"] == 48


@pytest.mark.slow
def test_some_bombs_are_not_made_whole() -> None:
    names = list(bombs.all_bombs())
    assert len(names) == bombs.ROUNDS
    for name in ("br of 100 GiB in an archive", "zstd of 100 GiB as a sitemap", "page of 10 MiB: options"):
        tally = attacked("bombs", range(names.index(name), names.index(name) + 1))
        assert tally.held, tally.failures


@pytest.mark.slow
def test_some_payloads_stay_text() -> None:
    pytest.importorskip("selenium.webdriver")
    chromium = importlib.import_module("report.chromium")
    if chromium.NO_CHROMIUM:
        pytest.skip(chromium.NO_CHROMIUM)
    tally = attacked("report", range(12))
    assert tally.held, tally.failures
    assert tally.counts["payloads seen"] == 12


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip", "deflate"])
def test_a_bomb_is_what_it_says(coding: str) -> None:
    size = 4 * bombs.PIECE
    inflated = 0
    for piece in decoded_pieces(bombs.packed(coding, 2 * size), [coding], max_bytes=size):
        assert not piece.strip(b"\0")
        inflated += len(piece)
        if inflated == size:
            break
    assert inflated == size
    assert len(bombs.packed(coding, size)) < size // 500


def test_every_mutation_gives_bytes_and_the_same_again() -> None:
    page = b"<html><p>Some <b>text</b> & more</p></html>"
    for mutation in MUTATIONS:
        for number in range(20):
            first, second = (mutation(random.Random(number), page, [page], 500) for _ in range(2))
            assert isinstance(first, bytes)
            assert first == second, mutation.__name__
    assert all(isinstance(mutation(random.Random(0), b"", [b""], 10), bytes) for mutation in MUTATIONS)


def test_a_round_is_made_from_seed_and_number_alone() -> None:
    assert pages.mutated_page(7, 1, None) == pages.mutated_page(7, 1, None) != pages.mutated_page(7, 2, None)
    assert damaged.damaged_archive(7, 1) == damaged.damaged_archive(7, 1)


def test_overlapping_members_overlap() -> None:
    content = damaged.overlap(random.Random(1), b"")
    inflated = zlib.decompressobj(31).decompress(content)
    assert len(inflated) > len(content) - 100_000 - len(content) % 65_536


def test_a_page_on_which_a_worker_dies_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(self, stage, tables, *, failed, **_):  # type: ignore[no-untyped-def]
        for table in tables:
            for row in range(table.num_rows):
                yield failed(table.slice(row, 1), Reason.PARSER_CRASH, "killed by SIGSEGV")

    monkeypatch.setattr(LocalEngine, "map", dying)
    tally = attacked("pages", range(2))
    assert tally.crashes == 2
    assert "SIGSEGV" in tally.failures[0]


def test_an_archive_that_crashes_a_harvest_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from attack import warcs

    def crashing(*_: object, **__: object) -> None:
        raise ValueError("planted")

    monkeypatch.setattr(warcs, "harvest", crashing)
    assert attacked("warcs", range(1)).crashes == 1
    monkeypatch.setattr(warcs, "harvest", lambda *_, **__: (_ for _ in ()).throw(DiglotError("refused")))
    assert attacked("warcs", range(1)).held


def test_a_run_that_differs_is_seen(tmp_path: Path) -> None:
    tally = Tally(rounds=1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "en-fr.tmx").write_bytes(b"other")
    (tmp_path / "out" / ".en-fr.tmx.7.part").write_bytes(b"")
    kills._compare(tally, tmp_path, {"out/en-fr.tmx": "0"}, "1")
    assert tally.failures == ["wrong: 1: out/.en-fr.tmx.7.part, out/en-fr.tmx"]


def test_an_attack_goes_on_and_prints_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["rebinds", "--seed", "3", "--state", str(tmp_path)]
    assert main([*words, "--rounds", "20"]) == 0
    assert capsys.readouterr().out.startswith("attack-rebinds: 20 rounds, 0 crashes, 0 wrong;")
    journal = Journal(tmp_path / "rebinds-3.jsonl")
    with journal.path.open("ab") as file:
        file.write(b'{"code": "cut by a ki')
    assert main([*words, "--rounds", "1000", "--seconds", "0"]) == 0
    assert capsys.readouterr().out.startswith("attack-rebinds: 20 of 1,000 rounds")
    assert main([*words, "--rounds", "30"]) == 0
    assert journal.tally().rounds == 30
    assert capsys.readouterr().out.count("\n") == 1


def test_a_failure_ends_with_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally(rounds=1_000)
    tally.fail("over", "7 nest_one: 9.1 s")
    Journal(tmp_path / "rebinds-1.jsonl").add(tally)
    assert main(["rebinds", "--state", str(tmp_path)]) == 1
    assert "over: 7 nest_one: 9.1 s" in capsys.readouterr().err
