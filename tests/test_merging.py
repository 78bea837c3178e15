"""Finished runs put together: what several have counts once and knows where it stands, in whatever order they come."""

from __future__ import annotations

import filecmp
import random
import re
import shlex
import shutil
from itertools import permutations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import diglot.merging
import diglot.run.across_sites
from diglot.cli import main
from diglot.corpus.flags import across
from diglot.disk.folder import RunFolder
from diglot.errors import RunFolderError, SourceError, UsageError
from diglot.harvesting import clean_run, harvest
from diglot.merging import merge
from diglot.merging.rows import count_divided, keep_one_record
from diglot.outputs.exports import exports_of
from diglot.results.run import Run
from diglot.results.take_verdicts import take_verdicts
from diglot.verifying import verify_run
from slow_cases import slow_but
from two_sites import HOSTS, lines_of, sites, write_mixed

THIRD = "quay.example"
EXPORTS = ["tmx", "tsv", "csv", "moses", "jsonl", "parquet", "xliff", "xliff12", "vertical", "sqlite", "tmx-multi"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three runs: two of a site each that say the same in part, one of a third site and some pages of the first."""
    folder = tmp_path_factory.mktemp("runs")
    pages = sites()
    third = lines_of(THIRD, (b"chapter", b"part"))
    made = {"garden": {HOSTS[0]: pages[HOSTS[0]]}, "harbour": {HOSTS[1]: pages[HOSTS[1]]}}
    made["quay"] = {THIRD: third, HOSTS[0]: pages[HOSTS[0]][:8]}
    for name, own in made.items():
        harvest(write_mixed(folder / f"{name}-pages", own), "en,fr", folder / name, jobs=1)
    return {name: folder / name for name in made}


@pytest.fixture(scope="module")
def merged(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return merge([*runs.values()], tmp_path_factory.mktemp("merged") / "all")


def test_many_language_pairs_are_written_into_folders(
    runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diglot.run.settings.MANY_PAIRS", 0)
    merged = merge([runs["garden"], runs["harbour"]], tmp_path / "all")
    assert merged.settings.folders
    assert (merged.path / "out" / "tmx" / "en-fr.tmx").is_file()


def files_of(run: Path) -> list[str]:
    return sorted(str(path.relative_to(run)) for path in run.rglob("*") if path.suffix in (".tsv", ".tmx", ".html"))


@pytest.mark.parametrize("orders", slow_but([((1, 2, 5),)], [((1, 2, 5),), ((0, 3, 4),)]))
def test_the_same_bytes_in_any_order_of_the_runs_and_however_they_are_cut(
    orders: tuple[int, ...], runs: dict[str, Path], merged: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first orders begin with another run each."""
    for number in orders:
        order = [*permutations(runs.values())][number]
        if number % 2:  # a site a bundle, and buckets of few segments
            monkeypatch.setattr(diglot.merging, "BUNDLE_ROWS", 1)
            monkeypatch.setattr(diglot.run.across_sites, "BUCKET_SEGMENTS", 50)
        again = merge(order, tmp_path / str(number))
        assert files_of(again.path) == files_of(merged.path)
        same, other, failed = filecmp.cmpfiles(merged.path, again.path, files_of(merged.path), shallow=False)
        assert (other, failed) == ([], [])
        assert len(same) == len(files_of(merged.path))
        assert {**again.summary(), "seconds": 0} == {**merged.summary(), "seconds": 0}
        monkeypatch.undo()


def test_what_two_sites_say_is_kept_once_with_the_addresses_of_both(runs: dict[str, Path], merged: Run) -> None:
    kept = merged.segments("en", "fr").kept_rows()
    texts = list(zip(kept["src"].to_pylist(), kept["tgt"].to_pylist(), strict=True))
    assert len(texts) == len(set(texts))
    alone = [Run(runs[name]).segments("en", "fr").kept_rows() for name in ("garden", "harbour")]
    both = set.intersection(*({*zip(t["src"].to_pylist(), t["tgt"].to_pylist(), strict=True)} for t in alone))
    assert both
    for row in (row for row in kept.to_pylist() if (row["src"], row["tgt"]) in both):
        hosts = {url.split("/")[2] for url in (row["src_url"], *row["other_src_urls"])}
        assert hosts >= set(HOSTS)


def test_a_merge_of_sites_that_stand_in_one_run_each_is_the_run_of_all(runs: dict[str, Path], tmp_path: Path) -> None:
    together = harvest(write_mixed(tmp_path / "pages", sites()), "en,fr", tmp_path / "run", jobs=1)
    apart = merge([runs["harbour"], runs["garden"]], tmp_path / "merged")
    for name in ("segments.en-fr.tsv", "pairs.en-fr.tsv", "conflicts.en-fr.tsv", "en-fr.tmx"):
        assert (apart.path / "out" / name).read_bytes() == (together.path / "out" / name).read_bytes()
    ours, theirs = (run.summary() for run in (apart, together))
    assert {name for name in ours if ours[name] != theirs[name]} <= {"seconds"}
    rows = [
        (path / "out" / "pages.tsv").read_text(encoding="utf-8").splitlines() for path in (apart.path, together.path)
    ]
    fates = [[line.split("\t")[:5] for line in lines] for lines in rows]
    assert fates[0] == fates[1]
    sources = {line.split("\t")[5] for line in rows[0][1:]}
    assert {source.partition("/")[0] for source in sources} == {"garden", "harbour"}


def test_an_address_of_two_runs_counts_once(runs: dict[str, Path], merged: Run) -> None:
    lines = [line.split("\t") for line in (merged.path / "out" / "pages.tsv").read_text("utf-8").splitlines()[1:]]
    counting = [url for url, _, _, reason, *_ in lines if reason != "repeated_address"]
    assert len(counting) == len(set(counting))
    assert len(lines) == sum(Run(path).summary()["pages"] for path in runs.values())
    pairs = [(pair.src_url, pair.tgt_url) for pair in merged.pairs()]
    assert len(pairs) == len(set(pairs)) == merged.summary()["pairs"]["en-fr"]
    assert {pair for pair in pairs if HOSTS[0] in pair[0]} >= {
        (pair.src_url, pair.tgt_url) for pair in Run(runs["garden"]).pairs()
    }


def test_a_merge_exports_and_is_merged_again(runs: dict[str, Path], merged: Run, tmp_path: Path) -> None:
    assert all(path.is_file() for path in merged.export(EXPORTS, tmp_path / "exported"))
    (tmp_path / "of-two").mkdir()
    two = merge([runs["garden"], runs["harbour"]], tmp_path / "of-two")
    again = merge([two.path, runs["quay"]], tmp_path / "again")
    assert (again.path / "out" / "en-fr.tmx").read_bytes() == (merged.path / "out" / "en-fr.tmx").read_bytes()


def test_exports_of_a_merge_are_the_same_bytes_in_any_order_and_it_can_be_asked(
    runs: dict[str, Path], merged: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = merge([*runs.values()][::-1], tmp_path / "all")
    written = [run.export([*EXPORTS, "xlsx"], tmp_path / str(number)) for number, run in enumerate((merged, again))]
    names = [path.name for path in written[0]]
    assert [path.name for path in written[1]] == names
    assert filecmp.cmpfiles(tmp_path / "0", tmp_path / "1", names, shallow=False) == (names, [], [])
    assert main(["stats", str(merged.path)]) == 0
    told = capsys.readouterr().out
    assert all(host in told for host in (*HOSTS, THIRD))
    assert main(["search", str(merged.path), "MUSEE", "--limit", "1"]) == 0
    assert "musée" in capsys.readouterr().out
    (merged.path / "report.html").unlink()
    assert main(["open", str(merged.path), "--path"]) == 0
    assert (merged.path / "report.html").read_bytes() == (again.path / "report.html").read_bytes()


def test_what_needs_the_text_of_pages_names_the_runs(merged: Run, capsys: pytest.CaptureFixture[str]) -> None:
    before, exports = (merged.path / "diglot.toml").read_bytes(), exports_of(merged.folder)
    url = merged.pairs()[0].src_url
    for command in (["why", str(merged.path), url], ["pair", str(merged.path)], ["align", str(merged.path)]):
        assert main(command) == RunFolderError.exit_code
        (line,) = capsys.readouterr().err.splitlines()
        assert "a merge has flags and scores of its runs and no text" in line
        assert "/garden" in line
    with pytest.raises(RunFolderError, match="a merge has flags and scores of its runs and no text"):
        clean_run(merged.path, keep=("numbers",))
    with pytest.raises(RunFolderError, match="a merge has flags and scores of its runs and no text"):
        merged.export(["cesalign"], merged.path / "ces")
    for form in ("documents", "pages-jsonl"):
        assert main(["export", str(merged.path), "--to", f"csv,{form}"]) == RunFolderError.exit_code
    # A noted export would be written again, and refused again, by `diglot forget`.
    assert exports_of(merged.folder) == exports
    assert verify_run(merged.path).unchecked == []
    assert (merged.path / "diglot.toml").read_bytes() == before


@pytest.mark.slow
def test_a_merge_is_replaced_by_a_run_where_asked(
    runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, fresh, tasks = (tmp_path / name for name in ("out", "fresh", "tasks"))
    source = str(runs["garden"].parent / "garden-pages" / "pages0.lett")
    before = merge([runs["garden"], runs["harbour"]], out).summary()
    shutil.copytree(out, tasks)
    of_files = [[*verb.split(), source, "-l", "en,fr"] for verb in ("harvest", "read", "tasks plan")]
    for command in (*of_files, ["crawl", "https://garden.example/"]):
        assert main([*command, "-o", str(out)]) == RunFolderError.exit_code
        assert "holds a merge of runs; choose another folder, or say --overwrite" in capsys.readouterr().err
    with pytest.raises(SourceError):
        harvest(tmp_path / "none", "en,fr", out, overwrite=True)
    assert Run(out).summary() == before
    harvest(source, "en,fr", fresh, jobs=1)
    run = harvest(source, "en,fr", out, overwrite=True, jobs=1)
    assert main(["tasks", "plan", source, "-l", "en,fr", "-o", str(tasks), "--overwrite"]) == 0
    for part in ("read", "site"):
        assert main(["tasks", "run", str(tasks), part]) == 0
    assert main(["tasks", "finish", str(tasks), "--overwrite"]) == 0
    for folder in (out, tasks):
        for name in ("en-fr.tmx", "pages.tsv"):
            assert (folder / "out" / name).read_bytes() == (fresh / "out" / name).read_bytes()
        assert not main(["verify", str(folder)])
    assert run.why(run.pairs()[0].src_url).evidence


def test_a_run_or_a_merge_as_a_source_names_commands_as_typed(runs: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "my runs").mkdir()
    run = shutil.copytree(runs["garden"], tmp_path / "my runs" / "garden")
    both = merge([run, runs["harbour"]], tmp_path / "my runs" / "both").path
    again = f"`diglot harvest --config {shlex.quote(str(run / 'diglot.toml'))} -o {shlex.quote(str(run))}` goes on"
    with pytest.raises(SourceError, match=re.escape(again)):
        harvest(run, "en,fr", tmp_path / "new")
    with pytest.raises(SourceError, match="a merge of runs and no source") as caught:
        harvest(both, "en,fr", tmp_path / "new")
    assert f"`diglot export {shlex.quote(str(both))}`" in str(caught.value)
    assert "--config" not in str(caught.value)


@pytest.mark.parametrize("others", [{"min_score": 0.9}, {"recipe": "url_baseline"}, {"keep": ("numbers",)}])
def test_runs_of_other_recipes_or_options_are_refused(
    others: dict[str, Any], runs: dict[str, Path], tmp_path: Path
) -> None:
    harvest(write_mixed(tmp_path / "pages", {THIRD: lines_of(THIRD)}), "en,fr", tmp_path / "other", jobs=1, **others)
    with pytest.raises(UsageError, match=f"garden and other differ in .*{next(iter(others))}"):
        merge([runs["garden"], tmp_path / "other"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_default_that_was_typed_is_no_difference_and_others_name_the_command(
    runs: dict[str, Path], tmp_path: Path
) -> None:
    pages = write_mixed(tmp_path / "pages", {THIRD: lines_of(THIRD)})
    other = harvest(pages, "en,fr", tmp_path / "other", jobs=1, min_score=0.5, drop=("numbers",))
    assert merge([runs["garden"], other.path], tmp_path / "out").settings.least_score() == 0.5
    clean_run(other.path, min_score=0.9, drop=("personal_data",))
    with pytest.raises(UsageError) as told:
        merge([runs["garden"], other.path], tmp_path / "out")
    said = str(told.value)
    assert (
        "differ in drop ('' and personal_data), min_score (0.5 and 0.9); both need the same; run `diglot clean " in said
    )
    assert main(shlex.split(said.partition("`diglot ")[2].rstrip("`"))) == 0
    assert merge([runs["garden"], other.path], tmp_path / "out").path.is_dir()


def test_lists_of_words_are_compared_by_their_words(
    runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (Path(shutil.copytree(runs[name], tmp_path / name)) for name in ("garden", "harbour"))
    (tmp_path / "elsewhere").mkdir()
    words, copy = tmp_path / "words.txt", tmp_path / "elsewhere" / "list.txt"
    words.write_text("darn\nheck\n")
    copy.write_text("# ours\nHeck\ndarn\n")
    clean_run(one, offensive=str(words))
    with pytest.raises(UsageError, match="offensive") as told:
        merge([one, other], tmp_path / "out")
    command = shlex.join(["diglot", "clean", str(other), "--offensive", str(words)])
    assert str(told.value).endswith(f"offensive ({words} and ''); both need the same; run `{command}`")
    clean_run(other, offensive=str(copy))
    both = merge([one, other], tmp_path / "both")
    assert both.settings.offensive == str(words)
    # A merge is merged again with a run of the same words.
    third = clean_run(shutil.copytree(runs["quay"], tmp_path / "quay"), offensive=str(copy))
    merge([both.path, third.path], tmp_path / "all")
    copy.write_text("darn\n")
    again = f"{copy} has changed since; run `{shlex.join(['diglot', 'clean', str(other)])}` first"
    with pytest.raises(UsageError, match=re.escape(again)):
        merge([one, other], tmp_path / "out")
    with monkeypatch.context() as patched:  # runs of an earlier version have other keys, whatever their lists are
        patched.setattr("diglot.merging.settings.__version__", "later")
        with pytest.raises(UsageError, match="differ in offensive"):
            merge([one, other], tmp_path / "out")
    clean_run(other)
    with pytest.raises(UsageError, match=re.escape(f"differ in offensive ({words} and {copy});")):
        merge([one, other], tmp_path / "out")
    for gone in (copy, words):  # of a list that is gone only the path is known
        gone.unlink()
        with pytest.raises(UsageError, match=re.escape(f"differ in offensive ({words} and {copy});")):
            merge([one, other], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_runs_of_one_list_that_is_gone_are_merged(runs: dict[str, Path], tmp_path: Path) -> None:
    copies = [Path(shutil.copytree(runs[name], tmp_path / name)) for name in ("garden", "harbour")]
    words = tmp_path / "words.txt"
    words.write_text("darn\n")
    for run in copies:
        clean_run(run, offensive=str(words))
    words.unlink()
    assert merge(copies, tmp_path / "both").settings.offensive == str(words)


def test_runs_of_other_hosts_of_an_archive_are_merged(runs: dict[str, Path], tmp_path: Path) -> None:
    asked = []
    for name in ("garden", "harbour"):
        asked.append(Path(shutil.copytree(runs[name], tmp_path / name)))
        written = Run(asked[-1]).folder.settings()
        of_source = {"hosts": [f"{name}.example"], "warc_prefix": f"/archive/{name}"}
        Run(asked[-1]).folder.write_settings({**written, "settings": {**written["settings"], **of_source}})
    found = merge(asked, tmp_path / "out").settings
    assert (found.hosts, found.warc_prefix) == ((), "")


def test_languages_are_those_of_all_and_their_order_must_agree(runs: dict[str, Path], tmp_path: Path) -> None:
    pages = write_mixed(tmp_path / "pages", {THIRD: lines_of(THIRD)})
    harvest(pages, "en,fr,de", tmp_path / "three", jobs=1)
    found = merge([tmp_path / "three", runs["garden"]], tmp_path / "out")
    assert found.settings.langs == ("en", "fr", "de")
    assert found.summary()["pairs"]["en-de"] == 0
    harvest(pages, "fr,en", tmp_path / "turned", jobs=1)
    with pytest.raises(UsageError, match="in different orders"):
        merge([tmp_path / "turned", runs["garden"]], tmp_path / "refused")


def test_what_is_no_merge_of_these_runs_is_left_alone(runs: dict[str, Path], tmp_path: Path) -> None:
    both = [runs["garden"], runs["harbour"]]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    merge(both, tmp_path / "merged")
    assert merge(both, tmp_path / "merged").summary()["pages"]
    for out, of in (
        ("full", both),
        ("merged", [*runs.values()]),
        (str(runs["garden"]), both),
        (str(runs["quay"]), both),
    ):
        with pytest.raises(UsageError, match=re.escape(str(tmp_path / out))):
            merge(of, tmp_path / out)
    with pytest.raises(UsageError, match="garden: named twice"):
        merge([runs["garden"], runs["garden"]], tmp_path / "twice")
    with pytest.raises(UsageError, match="two runs or more"):
        merge(both[:1], tmp_path / "one")
    with pytest.raises(RunFolderError):
        merge([runs["garden"], tmp_path / "full"], tmp_path / "none")


@pytest.mark.parametrize("other", ["", "note", "file"])
def test_a_merge_that_was_killed_at_its_beginning_is_typed_again(
    other: str, runs: dict[str, Path], tmp_path: Path
) -> None:
    both = [runs["garden"], runs["harbour"]]
    out = tmp_path / "merged"
    with RunFolder(out) as folder, folder.lock():
        if other == "note":
            folder.remember("crawl", "options", {})
    if other == "file":
        (out / "mine.txt").write_text("mine")
    if other:
        with pytest.raises(UsageError, match="no merge of these runs"):
            merge(both, out)
    else:
        assert merge(both, out).summary()["pages"]


def test_verdicts_hold_a_bucket_at_a_time(
    runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []

    def watched(rivals: pa.Table) -> pa.Table:
        held.append(rivals.num_rows)
        return decided(rivals)

    decided = across.verdicts
    monkeypatch.setattr(diglot.run.across_sites, "verdicts", watched)
    monkeypatch.setattr(diglot.run.across_sites, "BUCKET_SEGMENTS", 40)
    merge([*runs.values()], tmp_path / "out")
    assert len(held) > 5
    assert max(held) < sum(held) / 2
    with RunFolder(tmp_path / "out", create=False) as folder:
        assert not list((folder.path / "verdicts").glob("*candidates*"))


def test_segments_of_a_site_in_two_runs_are_kept_once(runs: dict[str, Path], tmp_path: Path) -> None:
    pages = write_mixed(tmp_path / "pages", {HOSTS[0]: lines_of(HOSTS[0])})
    harvest(pages, "en,fr", tmp_path / "again", jobs=1)
    harvest(pages, "en,fr,de", tmp_path / "more", jobs=1)
    alone = Run(runs["garden"]).segments("en", "fr").kept_rows()
    for other in ("again", "more"):
        both = [runs["garden"], tmp_path / other]
        found = [merge(order, tmp_path / f"{other}-{n}") for n, order in enumerate((both, both[::-1]))]
        for name in files_of(found[0].path):
            assert (found[0].path / name).read_bytes() == (found[1].path / name).read_bytes(), name
        kept = found[0].segments("en", "fr").kept_rows()
        for column in ("src", "tgt", "src_url", "tgt_url"):
            assert sorted(kept[column].to_pylist()) == sorted(alone[column].to_pylist())
        assert found[0].summary()["kept"]["en-fr"] == len(alone) > 0


@pytest.mark.slow
def test_a_site_divided_between_runs_is_noted_and_one_that_both_read_is_not(
    runs: dict[str, Path], merged: Run, tmp_path: Path
) -> None:
    lines = sites()[HOSTS[0]]
    random.Random(1).shuffle(lines)
    for name, own in {"even": lines[::2], "odd": lines[1::2]}.items():
        harvest(write_mixed(tmp_path / f"{name}-pages", {HOSTS[0]: own}), "en,fr", tmp_path / name, jobs=1)
    halves = merge([tmp_path / "even", tmp_path / "odd"], tmp_path / "halves").summary()
    assert halves["notes"][0] == (
        "the pages of 1 site are divided between the runs, and pages of different runs are not paired: for these pairs "
        "make one run of all the sources"
    )
    assert sum(halves["pairs"].values()) < sum(Run(runs["garden"]).summary()["pairs"].values())
    # The run called quay read a part of what garden read, and no page beside it.
    assert not [note for note in merged.summary()["notes"] if "divided" in note]


@pytest.mark.parametrize(
    ("addresses", "divided"),
    [
        ({"a": "1234", "b": "5678"}, 1),
        ({"a": "1234", "b": "2345", "c": "3456"}, 1),
        ({"a": "12345678", "b": "9"}, 1),  # eight of nine
        ({"a": "123456789", "b": "890"}, 0),  # nine of ten
        ({"a": "1234", "b": "34"}, 0),
        ({"a": "1234"}, 0),
        ({}, 0),
    ],
)
def test_a_site_is_divided_if_no_run_has_nine_tenths_of_its_addresses(addresses: dict[str, str], divided: int) -> None:
    rows = [("site.example", url, f"{run}/pages.lett") for run, urls in addresses.items() for url in urls]
    rows += [("other.example", url, "a/pages.lett") for url in "xyz"]
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = pa.table([*columns, [""] * len(rows)], names=["site", "url", "source", "reason"])
    assert count_divided(table) == divided


def test_a_site_read_again_with_https_is_not_divided() -> None:
    urls = [f"{scheme}://site.example/{page}" for scheme in ("http", "https") for page in "1234"]
    runs = ["a/pages.lett"] * 4 + ["b/pages.lett"] * 4
    table = pa.table([["site.example"] * 8, urls, runs, [""] * 8], names=["site", "url", "source", "reason"])
    assert count_divided(table) == 0


def test_a_page_that_another_run_uses_does_not_keep_the_detail_of_why_a_run_left_it_out() -> None:
    copy_of = "http://site.example/b"
    rows = [(f"{scheme}://site.example/a", f"{run}/pages.lett", reason, copy_of if reason else "")
            for scheme, run, reason in (("https", "a", ""), ("https", "b", "duplicate"),
                                        ("http", "c", "duplicate"))]  # fmt: skip
    columns = [list(column) for column in zip(*rows, strict=True)]
    names = ["site", "fetched", "url", "source", "reason", "detail"]
    kept, _ = keep_one_record(pa.table([["site.example"] * 3, [""] * 3, *columns], names=names))
    told = {row["source"]: (row["reason"], row["detail"]) for row in kept.to_pylist()}
    used_as = "used as https://site.example/a"
    assert told == {"a/pages.lett": ("", ""), "b/pages.lett": ("repeated_address", ""),
                    "c/pages.lett": ("repeated_address", used_as)}  # fmt: skip


def test_pages_and_pairs_with_http_and_with_https_count_once(runs: dict[str, Path], tmp_path: Path) -> None:
    """All pages but one, read again with https: the merge has the pages, pairs and segments of the run with http."""
    lines = [line.replace(b"http://", b"https://") for line in sites()[HOSTS[0]] if b"/en/chapter1." not in line]
    harvest(write_mixed(tmp_path / "pages", {HOSTS[0]: lines}), "en,fr", tmp_path / "later", jobs=1)
    found = [
        merge(order, tmp_path / str(n)) for n, order in enumerate(permutations([runs["garden"], tmp_path / "later"]))
    ]
    for name in files_of(found[0].path):
        assert (found[0].path / name).read_bytes() == (found[1].path / name).read_bytes(), name
    alone, both, later = (run.summary() for run in (Run(runs["garden"]), found[0], Run(tmp_path / "later")))
    assert 0 < later["pairs"]["en-fr"] < alone["pairs"]["en-fr"]
    for count in ("used", "pairs", "kept"):
        assert both[count] == alone[count]
    rows = [line.split("\t") for line in (found[0].path / "out" / "pages.tsv").read_text("utf-8").splitlines()[1:]]
    used = {row[0] for row in rows if row[2] == "used"}
    assert {url.partition(":")[0] for url in used} == {"http", "https"}
    counting = {row[0] for row in rows if row[3] != "repeated_address"}
    assert {row[4].removeprefix("used as ") for row in rows if row[3] == "repeated_address"} <= counting
    paired = {url for pair in found[0].pairs() for url in (pair.src_url, pair.tgt_url)}
    table = found[0].segments("en", "fr").table
    assert paired == {*table["src_url"].to_pylist(), *table["tgt_url"].to_pylist()} == used


def test_a_run_that_is_not_whole_is_told_its_next_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages, run = write_mixed(tmp_path / "pages", {HOSTS[0]: sites()[HOSTS[0]]}), tmp_path / "my run"
    for command, word in (("read", "pair"), ("pair", "align")):
        words = [*pages, "-l", "en,fr", "-o", run] if command == "read" else [run]
        assert main([command, *map(str, words)]) == 0
        capsys.readouterr()
        with pytest.raises(RunFolderError, match=re.escape(f"run `diglot {word} '{run}'` first")):
            merge([run, run], tmp_path / "out")


def test_verdicts_that_contradict_each_other_are_told(runs: dict[str, Path], tmp_path: Path) -> None:
    copies = [Path(shutil.copytree(runs["garden"], tmp_path / name)) for name in ("one", "other")]
    rows = list(Run(copies[0]).segments("en", "fr").clean())[:4]
    verdicts = [("wrong", "right"), ("partly", "wrong"), ("right", "right"), ("wrong", "wrong")]
    for copy, given in zip(copies, zip(*verdicts, strict=True), strict=True):
        lines = ["verdict\tsrc\ttgt\tsrc_url\ttgt_url"]
        lines += ["\t".join((v, r.src, r.tgt, r.src_url, r.tgt_url)) for v, r in zip(given, rows, strict=True)]
        (tmp_path / "sheet.tsv").write_text("\n".join(lines))
        take_verdicts(copy, [tmp_path / "sheet.tsv"])
    merged = merge(copies, tmp_path / "both")
    kept = {(row.src, row.tgt) for row in merged.segments("en", "fr").clean()}
    assert [(row.src, row.tgt) in kept for row in rows] == [True, True, True, False]
    told = [note[:76] for note in merged.summary()["notes"] if "judged" in note]
    assert told == ["2 segments judged wrong in one run, and right, partly right or corrected in "]


def test_a_verdict_of_one_run_holds_for_the_same_texts_of_another(runs: dict[str, Path], tmp_path: Path) -> None:
    copies = [Path(shutil.copytree(runs["garden"], tmp_path / name)) for name in ("one", "other")]
    wrong, mended, unsure = list(Run(copies[0]).segments("en", "fr").clean())[:3]
    lines = ["verdict\tsrc\ttgt\tsrc_url\ttgt_url\tcorrected_tgt"]
    given = (("wrong", wrong, ""), ("partly", mended, "Mieux."), ("unsure", unsure, ""))
    lines += ["\t".join((v, r.src, r.tgt, r.src_url, r.tgt_url, better)) for v, r, better in given]
    (tmp_path / "sheet.tsv").write_text("\n".join(lines))
    take_verdicts(copies[1], [tmp_path / "sheet.tsv"])
    merged = merge(copies, tmp_path / "both")
    kept = {(row.src, row.tgt) for row in merged.segments("en", "fr").clean()}
    texts = [(wrong.src, wrong.tgt), (mended.src, mended.tgt), (mended.src, "Mieux."), (unsure.src, unsure.tgt)]
    assert [text in kept for text in texts] == [False, False, True, True]
    assert not [note for note in merged.summary()["notes"] if "judged" in note]
