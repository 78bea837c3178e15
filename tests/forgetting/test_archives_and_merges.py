"""Forgetting in runs of archives and in merges: the sources stay as they are, and the run never reads it again."""

from __future__ import annotations

import gzip
import hashlib
import shlex
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

import diglot.tasks.in_run
from diglot.cli import main
from diglot.corpus.verdicts import segment_id
from diglot.disk.folder import RunFolder
from diglot.disk.leak_check import MIN_TEXT_BYTES, Texts
from diglot.errors import RunFolderError, UsageError
from diglot.forgetting import _own_texts, _search, forget
from diglot.forgetting.needed_files import require_needed
from diglot.forgetting.target import Target, choose
from diglot.harvesting import align_run, clean_run, harvest, pair_run
from diglot.merging import merge
from diglot.results.run import Run, open_run
from diglot.results.take_verdicts import take_verdicts
from diglot.run.judgements import read_judgements
from diglot.run.stored_pairs import expected_pairs
from diglot.run.striking import without_rows
from diglot.run.work import PAIRS
from diglot.verifying import verify_run
from made_website import as_folder, website
from packed_files import holding
from pages.made_warcs import http, record
from slow_cases import slow_but
from two_sites import HOSTS, sites, write_mixed

LANGS = ("en", "fr")
URL = f"http://{HOSTS[0]}/en/chapter5.html"
WORD = "Zibellinomark"
ODD = f"http://{HOSTS[0].upper()}:80/en/%63hapter5.html?utm_source=mail#top"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of a site each, from archives, and a merge of them; not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    for host, name in zip(HOSTS, ("garden", "harbour"), strict=True):
        harvest(write_mixed(folder / f"{name}-pages", {host: _marked()[host]}), LANGS, folder / name, jobs=1)
    merge([folder / "garden", folder / "harbour"], folder / "both")
    return folder


def _marked() -> dict[str, list[bytes]]:
    """The two sites, with a word of its own on one page of the first."""
    import base64

    pages = sites()
    lines = []
    for line in pages[HOSTS[0]]:
        fields = line.split(b"\t")
        if fields[3].decode() == URL:
            body = base64.b64decode(fields[4]).replace(b"<p>", f"<p>{WORD} ".encode())
            line = b"\t".join([*fields[:4], base64.b64encode(body), *fields[5:]])
        lines.append(line)
    return {**pages, HOSTS[0]: lines}


@pytest.fixture
def work(made: Path, tmp_path: Path) -> Path:
    """A copy to forget from. The archives are read no more, so they need not be where they were."""
    return Path(shutil.copytree(made, tmp_path / "made"))


def expected_of(run: Path) -> float:
    """Expected number of page pairs over all sites."""
    with RunFolder(run, create=False) as folder:
        expected = expected_pairs(folder, folder.recall("run", PAIRS), [LANGS])["en-fr"]
    assert expected is not None
    return expected


def test_a_run_of_archives_forgets_and_names_its_sources(work: Path, made: Path) -> None:
    run, source = work / "garden", made / "garden-pages" / "pages0.lett"
    assert holding(run, WORD)
    open_run(run).export(["jsonl"])
    before = hashlib.sha256(source.read_bytes()).hexdigest()
    done = forget(run, url=ODD, jobs=1)
    assert done.addresses == 1
    assert done.sources == [str(source)]
    assert holding(run, WORD) == set()
    assert {name.split("/")[0] for name in holding(run, URL)} <= {"documents"}
    assert (run / "out" / "en-fr.jsonl").stat().st_size
    assert hashlib.sha256(source.read_bytes()).hexdigest() == before


@pytest.mark.slow
def test_an_address_without_a_scheme_is_the_one_that_why_knows(work: Path) -> None:
    typed = URL.removeprefix("http://")
    assert open_run(work / "garden").why(typed).line.startswith(URL)
    assert forget(work / "garden", url=typed, jobs=1).addresses == 1
    with pytest.raises(UsageError, match="not an address"):
        open_run(work / "garden").why(typed)


def test_links_to_the_page_and_its_texts_are_told_apart(work: Path) -> None:
    """The third file is one of both kinds, the second and the journal hold neither."""
    run = work / "garden"
    text = "A text of the page that was forgotten"
    name = URL.removeprefix("http://")
    for file, content in (("1", URL), ("2", "nothing"), ("3", f"{URL} {text}"), ("4", text)):
        (run / f"tasks/{file}.json").parent.mkdir(exist_ok=True)
        (run / f"tasks/{file}.json").write_text(content)
    with RunFolder(run, create=False) as folder:
        found = _search(folder, {"ids": [], "names": [name], "hosts": [], "texts": [text]})
        of_tasks = [
            [path.stem for path in some if path.parent.name == "tasks"] for some in (found.mentions, found.texts)
        ]
        assert of_tasks == [["1", "3"], ["3", "4"]]
        assert found.left == []
        folder.remember("other", "note", text)
        found = _search(folder, {"ids": [], "names": [name], "hosts": [], "texts": [text]})
        assert folder.journal in found.texts
        assert folder.journal in _search(folder, {"ids": [], "names": ["a.b/c"], "hosts": [], "texts": [text]}).texts


@pytest.mark.parametrize("typed", ["ftp://www.example.org/page", "http://"])
def test_what_is_no_address_of_the_web_is_refused(work: Path, typed: str) -> None:
    with pytest.raises(UsageError, match="not a web address"):
        forget(work / "garden", url=typed, jobs=1)


@pytest.mark.slow
def test_a_run_of_the_archive_that_another_run_crawled_forgets(tmp_path: Path) -> None:
    archive = tmp_path / "other" / "warc" / "crawl-00000.warc.gz"
    archive.parent.mkdir(parents=True)
    pages = {f"http://{HOSTS[0]}/{path}": body for path, body in website().items()}
    archive.write_bytes(b"".join(gzip.compress(record(http(body), url=url)) for url, body in pages.items()))
    harvest(archive, LANGS, tmp_path / "run", jobs=1)
    assert forget(tmp_path / "run", url=URL, jobs=1).sources == [str(archive)]
    left = [segment.src_url for segment in open_run(tmp_path / "run").segments(*LANGS)]
    assert left
    assert URL not in left
    assert not [name for name in holding(tmp_path / "run", URL) if not name.startswith("documents/")]


def test_only_a_page_of_the_archive_is_named_as_where_an_address_led(tmp_path: Path) -> None:
    pages = {f"http://{HOSTS[0]}/{path}": http(body) for path, body in website().items()}
    for name, target in (("old", URL), ("away", "http://elsewhere.example/"), ("lost", "/none"), ("none", "")):
        moved = http(b"", status="301 Moved", fields={"Location": target}) if target else http(b"", status="404 None")
        pages[f"http://{HOSTS[0]}/{name}"] = moved
    (tmp_path / "a.warc").write_bytes(b"".join(record(block, url=url) for url, block in pages.items()))
    harvest(tmp_path / "a.warc", LANGS, tmp_path / "run", jobs=1)
    with RunFolder(tmp_path / "run", create=False) as folder:
        led = {name: choose(folder, f"{HOSTS[0]}/{name}", of_host=False) for name in ("old", "away", "lost")}
    assert {name: len(chosen.urls) for name, chosen in led.items()} == {"old": 1, "away": 1, "lost": 1}
    assert {name: chosen.targets for name, chosen in led.items()} == {"old": [URL], "away": [], "lost": []}


def test_it_is_never_read_into_this_run_again(work: Path, made: Path) -> None:
    run, source = work / "garden", made / "garden-pages" / "pages0.lett"
    forget(run, url=URL, jobs=1)
    tmx = (run / "out" / "en-fr.tmx").read_bytes()
    for option in ({}, {"max_page_bytes": 1 << 19}):  # the second is read from the beginning
        harvest([source], LANGS, run, jobs=1, **option)
        assert holding(run, WORD) == set()
        assert (run / "out" / "en-fr.tmx").read_bytes() == tmx
    assert forget(run, url=URL, jobs=1).addresses == 0
    clean_run(run)
    assert holding(run, WORD) == set()


FINISHING = ["write_outputs", "write_summary", "write_report", "drop_outputs"]


@pytest.mark.parametrize(
    ("name", "step"),
    slow_but([("both", "drop_outputs")], product(["garden", "both"], FINISHING)),
)
def test_outputs_that_a_killed_command_left_are_forgotten(
    name: str, step: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = work / name
    opened = open_run(run)
    opened.export(["jsonl"])
    opened.export(["csv"], run / "lists")
    verdict = run.parent / "verdict.tsv"
    row = next(row for row in opened.segments(*LANGS).table.to_pylist() if WORD not in row["src"])
    verdict.write_text("verdict\tsrc\ttgt\tsrc_url\ttgt_url\tid\n", encoding="utf-8")
    fields = ("wrong", row["src"], row["tgt"], row["src_url"], row["tgt_url"], segment_id(row))
    with verdict.open("a", encoding="utf-8") as file:
        file.write("\t".join(fields) + "\n")
    with monkeypatch.context() as patched:
        patched.setattr(f"diglot.outputs.finish.{step}", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            take_verdicts(run, [verdict])
    assert {"out/en-fr.jsonl", "out/en-fr.tmx", "lists/en-fr.csv"} <= holding(run, WORD)
    forget(run, url=URL, jobs=1)
    assert holding(run, WORD) == set()
    assert verify_run(run).is_finished


def test_deleted_verdicts_are_counted_and_those_on_other_pages_stay(work: Path, tmp_path: Path) -> None:
    run, lines = work / "garden", ["verdict\tsrc\ttgt\tsrc_url\ttgt_url\tid"]
    rows = open_run(run).segments(*LANGS).table.to_pylist()
    on_page = [row for row in rows if row["src_url"] == URL][:2]
    (other, *_) = (row for row in rows if URL not in (row["src_url"], row["tgt_url"]))
    assert len(on_page) == 2
    for row in (*on_page, other):
        fields = ("wrong", row["src"], row["tgt"], row["src_url"], row["tgt_url"], segment_id(row))
        lines.append("\t".join(fields))
    (tmp_path / "verdicts.tsv").write_text("\n".join(lines), encoding="utf-8")
    take_verdicts(run, [tmp_path / "verdicts.tsv"])
    assert forget(run, url=URL, jobs=1).verdicts == 2
    assert [each.src for each in read_judgements(run).values()] == [other["src"]]


def test_a_host_of_archives_is_forgotten(tmp_path: Path) -> None:
    run = tmp_path / "run"
    harvest(write_mixed(tmp_path / "pages", sites()), LANGS, run, jobs=1)
    done = forget(run, host=HOSTS[1].upper(), jobs=1)
    assert done.addresses > 3
    assert done.left == []
    assert holding(run, HOSTS[1]) == set()
    assert holding(run, HOSTS[0])


def test_a_copy_on_another_host_that_goes_with_a_host_is_searched_for(tmp_path: Path) -> None:
    pages, copy = sites(), f"http://{HOSTS[1]}/en/copied.html"
    (page,) = (line for line in pages[HOSTS[0]] if f"\t{URL}\t".encode() in line)
    pages[HOSTS[1]].append(page.replace(URL.encode(), copy.encode()))
    run = tmp_path / "run"
    harvest(write_mixed(tmp_path / "pages", pages), LANGS, run, jobs=1)
    for name, text in (("copy.txt", copy), ("host.txt", f"{HOSTS[0]}/other"), ("kept.txt", f"{copy}.old")):
        (run / name).write_text(text)
    done = forget(run, host=HOSTS[0], same_text=True, jobs=1)
    assert done.left == [run / "copy.txt", run / "host.txt"]


@pytest.mark.slow
def test_a_run_that_was_cut_into_tasks_forgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diglot.tasks.in_run, "MANY_PAGES", 1)
    paths = write_mixed(tmp_path / "pages", _marked())
    harvest(paths, LANGS, tmp_path / "cut", jobs=1)
    monkeypatch.undo()
    harvest(paths, LANGS, tmp_path / "whole", jobs=1)
    forget(tmp_path / "whole", url=URL, jobs=1)
    monkeypatch.setattr(diglot.tasks.in_run, "MANY_PAGES", 1)
    forget(tmp_path / "cut", url=URL, jobs=1)
    assert holding(tmp_path / "cut", WORD) == set()
    outputs = [tmp_path / name / "out" / "en-fr.tmx" for name in ("whole", "cut")]
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_a_mirror_forgets(tmp_path: Path) -> None:
    mirror, run = as_folder(tmp_path / "mirror"), tmp_path / "run"
    harvest([mirror], LANGS, run, jobs=1, base_url="https://docs.example.org")
    url = next(row.src_url for row in open_run(run).segments(*LANGS))
    done = forget(run, url=url, jobs=1)
    assert (done.addresses, done.sources) == (1, [str(mirror)])
    assert url not in {row.src_url for row in open_run(run).segments(*LANGS)}
    with pytest.raises(UsageError, match="does not know ") as error:
        forget(run, url="https://docs.example.org/nowhere.html", jobs=1)
    assert "fetches.tsv" not in str(error.value)
    assert "out/pages.tsv" in str(error.value)


def test_a_merge_forgets_and_names_the_runs(work: Path, made: Path) -> None:
    merged = work / "both"
    assert holding(merged, WORD)
    before = expected_of(merged)
    (probability,) = (pair.probability for pair in open_run(merged).pairs() if URL in (pair.src_url, pair.tgt_url))
    done = forget(merged, url=URL, jobs=1)
    assert done.sources == [str(made / "garden")]
    assert holding(merged, WORD) == set()
    assert holding(merged, URL) == set()
    assert holding(made / "garden", WORD)
    expected = expected_of(merged)
    assert expected == pytest.approx(before - probability)
    assert 0 < probability <= 1
    kept = open_run(merged).segments(*LANGS)
    assert len(kept)
    # Merging again reads from the runs, and leaves the page out.
    merge([work / "garden", work / "harbour"], merged)
    assert holding(merged, WORD) == set()
    assert [row.src for row in open_run(merged).segments(*LANGS)] == [row.src for row in kept]
    assert expected_of(merged) == pytest.approx(expected)


@pytest.mark.slow
def test_a_merge_without_a_site_tells_of_what_remains(work: Path, tmp_path: Path) -> None:
    pages = write_mixed(tmp_path / "garden-pages", {HOSTS[0]: _marked()[HOSTS[0]]})
    harvest(pages, (*LANGS, "de"), tmp_path / "garden", jobs=1)
    runs, merged = [tmp_path / "garden", work / "harbour"], tmp_path / "both"
    alone = open_run(work / "harbour").summary()
    for step in (lambda: forget(merged, host=HOSTS[0], jobs=1), lambda: merge(runs, merged)):
        merge(runs, merged)
        step()
        left = open_run(merged)
        told = left.summary()
        assert left.settings.langs == LANGS
        assert [told[name] for name in ("estimates", "candidates", "pairs", "kept")] == [
            alone[name] for name in ("estimates", "candidates", "pairs", "kept")
        ]
        with RunFolder(merged, create=False) as folder:
            assert [source["name"].split("/")[0] for source in folder.settings()["sources"]] == ["harbour"]


def test_texts_that_both_sites_of_a_merge_have_are_not_searched_for(work: Path) -> None:
    texts_of: dict[str, set[str]] = {host: set() for host in HOSTS}
    for segment in open_run(work / "both").segments("en", "fr"):
        texts_of[segment.src_url.split("/")[2]].update((segment.src, segment.tgt))
    assert any(len(text) > 2 * MIN_TEXT_BYTES for text in texts_of[HOSTS[0]] & texts_of[HOSTS[1]])
    with RunFolder(work / "both") as folder:
        searched = Texts(_own_texts(folder, Target(frozenset(), frozenset({HOSTS[0]}))))
    assert searched.found_in("\n".join(texts_of[HOSTS[0]]))
    assert [text for text in texts_of[HOSTS[1]] if searched.found_in(text)] == []


def test_a_merge_is_made_anew_after_a_run_of_it_forgot(work: Path) -> None:
    forget(work / "garden", url=URL, jobs=1)
    merge([work / "garden", work / "harbour"], work / "both")
    assert holding(work / "both", WORD) == set()


FORGETTING = ["_clear_stages", "strike_tables", "note_forgotten", "_make_again"]


@pytest.mark.parametrize(
    ("name", "step"),
    slow_but([("garden", "strike_tables"), ("both", "_make_again")], product(["garden", "both"], FORGETTING)),
)
def test_a_kill_closes_the_run_until_the_same_command_has_finished(
    work: Path, name: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object, **_options: object) -> None:
        raise Killed

    run = work / name
    with monkeypatch.context() as patched:
        patched.setattr(f"diglot.forgetting.{step}", killed)
        with pytest.raises(Killed):
            forget(run, url=URL, jobs=1)
    with pytest.raises(RunFolderError, match="was not finished"):
        RunFolder(run)
    forget(run, url=URL, jobs=1)
    assert holding(run, WORD) == set()


@pytest.mark.slow
def test_the_command_says_where_it_still_stands(work: Path, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = made / "garden-pages" / "pages0.lett"
    assert main(["forget", str(work / "garden"), "--url", URL, "--jobs", "1"]) == 0
    told = capsys.readouterr().out
    assert f"note      {source} still holds it and is not changed; this run never reads it from there again\n" in told


@pytest.mark.slow
def test_sources_of_one_name_are_said_to_hold_it_too(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = zip(HOSTS, ("a", "b"), strict=True)
    archives = [write_mixed(tmp_path / name, {host: _marked()[host]})[0] for host, name in pages]
    harvest(archives, LANGS, tmp_path / "run", jobs=1)
    assert main(["forget", str(tmp_path / "run"), "--host", HOSTS[0], "--jobs", "1"]) == 0
    told = capsys.readouterr().out
    assert [f"note      {path} still holds it" in told for path in archives] == [True, False]


def name_words(run: Path, file: Path) -> None:
    file.write_text("darn\n")
    clean_run(run, offensive=str(file))


def name_dictionary(run: Path, file: Path) -> None:
    file.write_text("garden\tjardin\n")
    align_run(run, evidence=f"dictionary:{file}", jobs=1)


def name_lexicon(run: Path, file: Path) -> None:
    file.write_text("garden\tjardin\n")
    pair_run(run, recipe="pwcc", options={"lexicon": str(file)})


NAMING = [
    (name_words, "clean {run} --offensive ''"),
    (name_dictionary, "align {run} --evidence ''"),
    (name_lexicon, "pair {run} --recipe fused"),
]


@pytest.mark.parametrize(("name_file", "way_out"), NAMING)
@pytest.mark.parametrize("is_put_back", slow_but([False], [False, True]))
def test_nothing_is_deleted_while_a_file_that_the_run_names_is_gone(
    name_file: Callable[[Path, Path], None],
    way_out: str,
    is_put_back: bool,
    work: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run, file = work / "garden", work / "named.tsv"
    name_file(run, file)
    before = {path: path.read_bytes() for path in run.glob("*/*") if path.is_file()}
    file.rename(work / "elsewhere.tsv")
    assert main(["forget", str(run), "--url", URL, "--jobs", "1"]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert str(file) in told
    assert told.endswith(f"put it back, or first run `diglot {way_out.format(run=run)}`; nothing is deleted yet")
    assert {path: path.read_bytes() for path in run.glob("*/*") if path.is_file()} == before
    if is_put_back:
        (work / "elsewhere.tsv").rename(file)
    else:
        assert main(shlex.split(told.partition("`diglot ")[2].partition("`")[0])) == 0
    assert forget(run, url=URL, jobs=1).addresses == 1
    assert (run / "out" / "en-fr.tmx").is_file()
    assert holding(run, WORD) == set()


def test_a_file_that_went_after_a_kill_is_to_be_put_back(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, file = work / "garden", work / "named.tsv"
    name_words(run, file)
    with monkeypatch.context() as patched:
        patched.setattr("diglot.forgetting._make_again", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            forget(run, url=URL, jobs=1)
    content = file.read_bytes()
    file.unlink()
    with pytest.raises(UsageError, match=r"named\.tsv.* put it back; the same command goes on then"):
        forget(run, url=URL, jobs=1)
    file.write_bytes(content)
    forget(run, url=URL, jobs=1)
    assert holding(run, WORD) == set()


def test_a_merge_needs_none_of_the_files_of_its_runs(work: Path) -> None:
    for run in ("garden", "harbour"):
        name_words(work / run, work / "named.tsv")
    merge([work / "garden", work / "harbour"], work / "both")
    (work / "named.tsv").unlink()
    forget(work / "both", url=URL, jobs=1)
    assert holding(work / "both", WORD) == set()


def test_other_sources_of_a_crawl_are_needed_only_by_it(work: Path) -> None:
    """Archives alone are in the documents of a run; a run with a crawl of its own reads them again."""
    with RunFolder(work / "garden", create=False) as folder:
        settings = Run(folder).settings
        table = folder.settings()
        gone = {**table["sources"][0], "path": str(work / "gone.lett")}
        folder.write_settings({**table, "sources": [gone]})
        require_needed(folder, settings, is_crawled=False, is_begun=False)
        with pytest.raises(UsageError, match=r"gone\.lett.* put it back; nothing is deleted yet"):
            require_needed(folder, settings, is_crawled=True, is_begun=False)
        folder.write_settings({**table, "sources": []})
        require_needed(folder, settings, is_crawled=True, is_begun=False)


def test_a_page_loses_the_forgotten_address_of_an_equal_page() -> None:
    equal = [["http://a/2", "http://a/3"], [], None]
    columns = {"url": ["http://a/1", "http://a/4", "http://a/5"], "equal_urls": pa.array(equal, pa.list_(pa.string()))}
    left = without_rows(pa.table(columns), {"http://a/2", "http://a/4"}.__contains__, str)
    assert left is not None
    assert left.to_pylist() == [
        {"url": "http://a/1", "equal_urls": ["http://a/3"]},
        {"url": "http://a/5", "equal_urls": None},
    ]
    assert without_rows(pa.table(columns), {"http://a/9"}.__contains__, str) is None
