"""Pairs and segments of a finished run, by probability and by score, and what is said of those left out."""

import gc
import json
import os
import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from io import BytesIO, RawIOBase
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from diglot.cli import main
from diglot.corpus.flags import MIN_SCORE
from diglot.corpus.formats.tmx import read_tmx
from diglot.errors import DiglotError, LanguageError, NothingFound, RunFolderError, UsageError
from diglot.evaluation.gold import read_pairs
from diglot.forgetting import forget
from diglot.harvesting import clean_run, harvest, pair_run
from diglot.results.explain import Explainer
from diglot.results.run import PagePair, open_run
from diglot.results.search import search
from made_sites import SENTENCES, lett_line
from made_website import COUNT, HOST, as_lett, website

EXPECTED = {(f"{HOST}/en/chapter{n}.html", f"{HOST}/fr/chapter{n}.html") for n in range(1, COUNT + 1)}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that is not to be changed."""
    folder = tmp_path_factory.mktemp("results")
    harvest(as_lett(folder / "site.lett"), "en,fr", folder / "run", jobs=1)
    return folder / "run"


def pairs_of_file(run: Path) -> set[tuple[str, str]]:
    return {(pair.src_url, pair.tgt_url) for pair in read_pairs(run)}


def pages_of_run(run: Path) -> list[dict[str, str]]:
    header, *lines = ((run / "out" / "pages.tsv").read_text()).splitlines()
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


def test_segments_and_pairs_from_python(finished: Path, tmp_path: Path) -> None:
    run = open_run(finished)
    pairs = run.pairs()
    assert {(pair.src_url, pair.tgt_url) for pair in pairs} == EXPECTED
    assert [pair.probability for pair in pairs] == sorted((pair.probability for pair in pairs), reverse=True)
    assert run.pairs(min_prob=1.0) == []
    segments = run.segments("en", "fr")
    assert len(segments.clean()) < len(segments) == len(list(segments))
    paths = segments.write(tmp_path / "new", "tmx", "tsv", "moses", "jsonl", "parquet")
    assert [path.name for path in paths] == [
        *("en-fr.tmx", "segments.en-fr.tsv", "en-fr.en", "en-fr.fr", "en-fr.jsonl", "en-fr.parquet")
    ]
    assert (tmp_path / "new" / "en-fr.tmx").read_bytes() == (finished / "out" / "en-fr.tmx").read_bytes()
    table = pq.read_table(tmp_path / "new" / "en-fr.parquet")
    assert table.num_rows == len(segments.clean())
    titles = {row["url"]: row["title"] for row in pages_of_run(finished)}
    assert any(titles.values())
    for side in ("src", "tgt"):
        assert table[f"{side}_title"].to_pylist() == [titles[url] for url in table[f"{side}_url"].to_pylist()]
    rows = [json.loads(line) for line in (tmp_path / "new" / "en-fr.jsonl").read_text().splitlines()]
    assert [row["tgt_title"] for row in rows] == table["tgt_title"].to_pylist()
    assert table.schema.names[-6:] == [
        f"{s}_{name}" for s in ("src", "tgt") for name in ("title", "fetched", "licence")
    ]
    for ask in (lambda: run.segments("English", "fr"), lambda: run.each_part(("fr", "English"))):
        with pytest.raises(LanguageError, match="'English' is not a language code; English is en"):
            ask()
    with pytest.raises(LanguageError, match="the pair is en-fr here: name en first"):
        run.segments("fr", "en")


def test_an_open_run_sees_the_settings_of_now(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    run = open_run(tmp_path / "run")
    before = len(run.segments().clean())
    best = max(segment.score for segment in run.segments())
    kept = clean_run(run, min_score=best).summary()["kept"]
    assert 0 < kept["en-fr"] < before
    memory = (run.path / "out" / "en-fr.tmx").read_bytes()
    assert run.settings.min_score == best
    assert len(run.segments().clean()) == kept["en-fr"]
    assert run.count_kept() == kept
    run.export(["tmx"])
    assert (run.path / "out" / "en-fr.tmx").read_bytes() == memory


def test_an_open_run_works_in_all_threads(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    with ThreadPoolExecutor(4) as threads:
        run = threads.submit(open_run, tmp_path / "run").result()
        kept = list(threads.map(lambda _: (len(run.pairs()), run.count_kept()), range(12)))
        path = threads.submit(run.export, ["csv"]).result()[0]
    assert kept == [(COUNT, run.summary()["kept"])] * 12
    assert run.why(run.pairs()[0].src_url)
    # A file written in another thread is in the list of written files.
    assert path.relative_to(run.path).as_posix() in run.folder.written.names()


def test_a_run_is_pickled_by_its_path(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(finished.parent)
    pickled = pickle.dumps(open_run(finished.name))
    monkeypatch.chdir("/")
    assert pickle.loads(pickled).pairs() == open_run(finished).pairs()


def test_a_data_frame_of_page_pairs_has_no_column_of_the_run(finished: Path) -> None:
    (first, *_) = open_run(finished).pairs()
    names = ["src_url", "tgt_url", "src_lang", "tgt_lang", "probability", "method", "evidence"]
    assert list(asdict(first)) == names
    assert pickle.loads(pickle.dumps(first)).why().line == first.why().line
    with pytest.raises(UsageError, match=r"take it from Run\.pairs"):
        PagePair(**asdict(first)).why()


def test_a_change_of_the_working_folder_leads_an_open_run_nowhere_else(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(finished, tmp_path / "here" / "run")
    other = tmp_path / "there" / "run"
    with pytest.raises(NothingFound):
        harvest(as_lett(tmp_path / "other.lett"), "en,de", other, jobs=1)
    monkeypatch.chdir(tmp_path / "here")
    run = open_run("run")
    pair = run.pairs()[0]
    assert str(run.path) == "run"
    monkeypatch.chdir(other.parent)
    assert run.path == tmp_path / "here" / "run"
    assert run.segments().name == pickle.loads(pickle.dumps(run)).segments().name == "en-fr"
    assert run.summary() == open_run(finished).summary()
    assert pair.why().line == open_run(finished).why(pair.src_url, pair.tgt_url).line
    (path,) = run.export(["csv"])
    assert path == tmp_path / "here" / "run" / "out" / "en-fr.csv"
    assert "out/en-fr.csv" in run.folder.written.names()


class SmallStream(RawIOBase):
    """A stream without a buffer that takes 1,000 bytes at a time, as a socket may."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def write(self, given: Any) -> int:
        self.taken += given[:1000]
        return min(1000, len(given))


class StreamOfAFramework:
    """A stream that takes all and returns nothing, without ``flush``."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def write(self, given: bytes) -> None:
        self.taken += given


class StreamThatDoesNotWait(RawIOBase):
    def write(self, _given: Any) -> None:
        return None


@pytest.mark.parametrize("stream", [SmallStream, StreamOfAFramework])
def test_a_stream_gets_every_byte(stream: Any, finished: Path) -> None:
    run, whole, given = open_run(finished), BytesIO(), stream()
    run.export_text(["tsv"], whole)
    run.export_text(["tsv"], given)
    assert len(whole.getvalue()) > 1000
    assert bytes(given.taken) == whole.getvalue()


def test_a_stream_that_would_lose_bytes_is_refused(finished: Path) -> None:
    stream: Any = StreamThatDoesNotWait()
    with pytest.raises(UsageError, match="give one that blocks"):
        open_run(finished).export_text(["tsv"], stream)


def test_page_pairs_can_be_members_of_a_set(finished: Path) -> None:
    pairs = open_run(finished).pairs()
    assert len({*pairs, *open_run(finished).pairs()}) == len(pairs) > 1


def test_a_run_is_closed_by_its_block_and_when_nobody_uses_it(finished: Path) -> None:
    def open_files() -> int:
        return sum("journal.db" in os.path.realpath(each) for each in Path("/proc/self/fd").iterdir())

    gc.collect()  # SQLite closes no file that another connection of the program has locked
    before = open_files()
    with open_run(finished) as run:
        assert run.pairs()
        assert open_files() > before
    assert open_files() == before
    with pytest.raises(RunFolderError, match=r"this run was closed; open it again with diglot\.open_run"):
        run.pairs()
    # Python 3.13 warns where a connection is not closed before it is deleted.
    closed: list[str] = []
    run = open_run(finished)
    run.folder._journal = _CloseSpy(run.folder._journal, closed)  # type: ignore[assignment]
    del run
    gc.collect()
    assert closed == ["closed"]


class _CloseSpy:
    def __init__(self, journal: Any, told: list[str]) -> None:
        self._journal, self._told = journal, told

    def close(self) -> None:
        self._told.append("closed")
        self._journal.close()


def test_least_probability(finished: Path, tmp_path: Path) -> None:
    best = max(pair.probability for pair in open_run(finished).pairs())
    run = harvest(finished.parent / "site.lett", "en,fr", tmp_path / "run", min_prob=best, jobs=1)
    assert run.summary()["pairs"] == {"en-fr": len(pairs_of_file(tmp_path / "run"))} == {"en-fr": 1}
    assert {(pair.src_url, pair.tgt_url) for pair in run.pairs()} == pairs_of_file(tmp_path / "run")
    src, tgt = sorted(pairs_of_file(finished) - pairs_of_file(tmp_path / "run"))[0]
    assert f"no partner; came closest to {tgt}, probability " in str(run.why(src))
    assert f"refused by --min-prob {best:g}" in str(run.why(src))
    assert ": not a pair, probability " in str(run.why(src, tgt))


def test_a_pair_of_a_recipe_of_several_methods_is_told_as_a_pair(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a single method gives its candidates a probability that can be told."""
    steps = Explainer._steps
    monkeypatch.setattr(Explainer, "_steps", lambda self, pair: steps(self, pair) * 2)
    pair = open_run(finished).pairs()[0]
    assert ": a pair, " in open_run(finished).why(pair.src_url, pair.tgt_url).line


def test_the_bits_lead_to_the_probability_and_a_refusal_names_the_limit(finished: Path, tmp_path: Path) -> None:
    pair = min(open_run(finished).pairs(), key=lambda pair: pair.probability)
    found = open_run(finished).why(pair.src_url, pair.tgt_url)
    total = sum(bits for _, bits in found.bits)
    assert found.bits[0][0] == "before"
    assert 1 / (1 + 2**-total) == pytest.approx(pair.probability, abs=1e-4)
    assert f"  bits       before {found.bits[0][1]:+.1f}, " in str(found)
    with pytest.raises(NothingFound):
        harvest(finished.parent / "site.lett", "en,fr", tmp_path / "run", options={"min_probability": 0.9999}, jobs=1)
    assert ", refused: the least is 0.9999" in open_run(tmp_path / "run").why(pair.src_url).line


def test_the_floor(finished: Path, tmp_path: Path) -> None:
    """By default, by name, and named afterwards: the same segments, and the full table holds all."""
    usual = open_run(finished)
    scores = [row.score for row in usual.segments("en", "fr", min_score=0.0).clean()]
    floor = sorted(scores)[len(scores) // 2]
    above = [score for score in scores if score >= floor]
    assert usual.summary()["min_score"] == MIN_SCORE
    assert [row.score for row in usual.segments("en", "fr").clean()] == [s for s in scores if s >= MIN_SCORE]
    shutil.copytree(finished, tmp_path / "run")
    run = clean_run(tmp_path / "run", min_score=floor)
    summary = run.summary()
    # of several translations one above the floor goes before one below, so that more than these may be kept
    assert summary["kept"]["en-fr"] == len(run.segments("en", "fr").clean()) >= len(above)
    assert summary["below_min_score"] > 0
    assert len(run.segments("en", "fr")) == len(usual.segments("en", "fr"))
    assert len(list(read_tmx(run.path / "out" / "en-fr.tmx"))) == summary["kept"]["en-fr"]
    rows = (run.path / "out" / "segments.en-fr.tsv").read_text(encoding="utf-8").count("\n") - 1
    assert rows == summary["segments"]["en-fr"]
    assert main(["export", str(run.path), "--to", "parquet,tmx", "--min-score", "0", "-o", str(tmp_path)]) == 0
    everything = pq.read_table(tmp_path / "en-fr.parquet")
    assert everything.num_rows == summary["kept"]["en-fr"] + summary["below_min_score"]
    with pytest.raises(UsageError, match=r"min_score=1\.5: give a number"):
        run.segments("en", "fr", min_score=1.5)
    with pytest.raises(UsageError, match="min_score=-1: give a number"):
        clean_run(run.path, min_score=-1)
    assert open_run(run.path).settings.min_score == floor


def test_exported_is_what_comes_from_probable_pages_and_is_sure(finished: Path, tmp_path: Path) -> None:
    run = open_run(finished)
    probability = {(pair.src_url, pair.tgt_url): pair.probability for pair in run.pairs()}
    rows = list(run.segments("en", "fr"))
    least, score = sorted(probability.values())[COUNT // 2], sorted(row.score for row in rows)[len(rows) // 2]
    probable = [row for row in rows if probability[row.src_url, row.tgt_url] >= least]
    sure = [row for row in rows if row.score >= score]
    both = [row for row in probable if row in sure]
    assert 0 < len(both) < min(len(probable), len(sure)) < max(len(probable), len(sure)) < len(rows)
    assert list(run.segments("en", "fr", min_prob=least)) == probable
    assert list(run.segments("en", "fr", min_score=score)) == sure
    arguments = ["export", str(finished), "--to", "tsv,cesalign", "-o", str(tmp_path)]
    assert main([*arguments, "--min-prob", str(least), "--min-score", str(score)]) == 0
    lines = (tmp_path / "segments.en-fr.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(both) + 1
    written = [path.name for path in (tmp_path / "cesalign.en-fr").glob("*_*_*.xml")]
    assert len(written) == sum(value >= least for value in probability.values()) < COUNT


def test_personal_data_are_masked_in_what_explains_a_pair_too(tmp_path: Path) -> None:
    mail = "jo.miller@garden.example"
    pages = {name: body for name, body in website().items() if name.startswith(("en/", "fr/"))}
    ends = b"</p>", f" {mail}</p>".encode()
    lines = [lett_line(name[:2], f"{HOST}/{name}", body.replace(*ends)) for name, body in pages.items()]
    (tmp_path / "site.lett").write_bytes(b"".join(lines))
    pair = harvest(tmp_path / "site.lett", "en,fr", tmp_path / "run", jobs=1).pairs()[0]

    def explained() -> tuple[str, str]:
        run = open_run(tmp_path / "run")
        return str(run.why(pair.src_url, pair.tgt_url).grounds), str(run.explainer.contributions_of(COUNT))

    assert all(mail in text for text in explained())
    clean_run(tmp_path / "run", pii="mask")
    assert all(mail not in text and "<email>" in text for text in explained())


def test_a_page_left_mostly_untranslated_is_told(tmp_path: Path) -> None:
    """Five of eight sentences are still English; three, and a notice of three, are French, so that the page is, too."""
    en, fr = (
        SENTENCES["en"][:8],
        [*SENTENCES["en"][:5], *SENTENCES["fr"][5:8], *SENTENCES["fr"][8:], SENTENCES["fr"][0]],
    )
    pages = {name: body for name, body in website().items() if name.startswith(("en/", "fr/"))}
    for lang, sentences in (("en", en), ("fr", fr)):
        text = "".join(f"<p>{sentence}</p>" for sentence in sentences)
        pages[f"{lang}/half.html"] = f"<html lang={lang}><body>{text}</body></html>".encode()
    lines = [lett_line(name[:2], f"{HOST}/{name}", body) for name, body in pages.items()]
    (tmp_path / "site.lett").write_bytes(b"".join(lines))
    by = {"recipe": "url_baseline", "options": {"aligner": "lexical"}}
    run = harvest(tmp_path / "site.lett", "en,fr", tmp_path / "run", jobs=1, **by)
    half, whole = (f"{HOST}/fr/{name}.html" for name in ("half", "chapter2"))
    shown = "; mostly untranslated: 5 of 11 segments, 5"
    assert shown in run.why(half).line
    assert shown in run.why(half, f"{HOST}/en/half.html").line
    assert "untranslated" not in run.why(whole).line


@pytest.mark.parametrize("place", [".", "mine", "out/deeper"])
def test_a_folder_in_a_run_is_refused(place: str, finished: Path, tmp_path: Path) -> None:
    run = open_run(finished)
    for write in (run.segments("en", "fr").write, run.terms("en", "fr").write):
        with pytest.raises(UsageError, match=r"is in the run folder .*; name a folder outside"):
            write(finished / place, "tsv")
        assert [path.parent for path in write(tmp_path / "memory", "tsv")] == [tmp_path / "memory"]
    assert not (finished / "mine").exists()


def test_no_segments_are_told_of_a_run_at_work(finished: Path, tmp_path: Path) -> None:
    run = open_run(shutil.copytree(finished, tmp_path / "run"))
    (run.path / "out" / "summary.json").unlink()
    for ask in (lambda: run.segments("en", "fr"), lambda: list(search(run, "garden")), lambda: run.count_kept()):
        with pytest.raises(RunFolderError, match="the run is not finished"):
            ask()


def test_an_open_run_explains_no_page_that_was_forgotten(finished: Path, tmp_path: Path) -> None:
    run = open_run(shutil.copytree(finished, tmp_path / "run"))
    url = run.pairs()[0].src_url
    assert ": paired with " in str(run.why(url))
    forget(run.path, url=url)
    with pytest.raises(DiglotError):
        run.why(url)


def test_a_paired_page_that_is_not_aligned_yet_says_so(finished: Path, tmp_path: Path) -> None:
    run = open_run(shutil.copytree(finished, tmp_path / "a run"))
    page = run.pairs()[0].src_url
    assert "not aligned yet" not in str(run.why(page))
    pair_run(run.path, recipe="ilsp")
    found = open_run(run.path)
    told = str(found.why(found.pairs()[0].src_url))
    assert f"; not aligned yet: run `diglot align '{run.path}'`" in told
    assert "no segment of it is kept" not in told


def test_a_paired_page_without_a_kept_segment_names_what_left_them_out(finished: Path, tmp_path: Path) -> None:
    run = open_run(shutil.copytree(finished, tmp_path / "run"))
    url = run.pairs()[0].src_url
    assert "no segment of it is kept" not in str(run.why(url))
    with pytest.raises(NothingFound):
        clean_run(run.path, min_score=1.0)
    run = open_run(run.path)
    (page,) = (page for page in pages_of_run(run.path) if page["url"] == url)
    assert page["reason"] == "no_segments"
    assert "below_min_score " in page["detail"]
    assert f"; no segment of it is kept ({page['detail']})" in str(run.why(url))
