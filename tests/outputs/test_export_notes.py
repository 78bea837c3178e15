"""What a run notes of an export: enough to make its files again, or to take them away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pytest

from diglot.corpus.flags import EXCLUDED, MIN_SCORE
from diglot.disk.folder import RunFolder
from diglot.errors import RunFolderError
from diglot.outputs.exports import (
    Export,
    drop_exports,
    export_commands,
    exports_of,
    folder_in_run,
    note_export,
    read_export,
)
from diglot.outputs.joint_exports import pivot_of
from diglot.run.settings import make_settings
from frozen_records import records_that_may_change

PAIRS = (("en", "fr"), ("en", "de"))


def test_only_options_that_differ_from_the_run_are_told() -> None:
    assert Export("out", "tmx", PAIRS).option_texts() == []
    assert Export("out", "tmx", PAIRS, min_score=0.0, excluded=()).option_texts() == ["min_score=0.0", "without="]
    variants = (("en", "en-US"), ("fr", "fr-CA"), ("de", "en-US"))
    every = Export("out", "tmx", PAIRS, 0.5, 0.75, ("too_short", "series"), variants, "en")
    assert every.option_texts() == [
        *("min_prob=0.5", "min_score=0.75", "without=too_short,series", "variant=en-US,fr-CA", "pivot=en")
    ]


def test_what_is_left_out_is_what_the_export_says_or_else_the_run() -> None:
    settings = make_settings("en,fr", keep=("numbers",), drop=("too_short",))
    excluded, least = Export("out", "tmx", PAIRS).limits(settings)
    assert (least, "too_short" in excluded, "numbers" in excluded) == (MIN_SCORE, True, False)
    assert Export("out", "tmx", PAIRS, min_score=0.0, excluded=()).limits(settings) == (frozenset(), 0.0)


@pytest.mark.parametrize(
    ("of_run", "excluded", "typed"),
    [
        ({}, None, ""),
        ({"keep": ("numbers",)}, None, ""),
        ({"keep": ("numbers",)}, EXCLUDED, "--drop numbers"),
        ({"keep": ("numbers",)}, EXCLUDED - {"numbers"}, "--keep numbers"),
        ({"keep": ("numbers",)}, EXCLUDED - {"excerpt"}, "--keep excerpt --drop numbers"),
        ({"drop": ("too_short",)}, EXCLUDED, "--keep too_short"),
        ({"drop": ("too_short",)}, EXCLUDED | {"too_short"}, "--drop too_short"),
        ({}, EXCLUDED, f"--drop {min(EXCLUDED)}"),
        ({}, (), f"--keep {','.join(sorted(EXCLUDED))}"),
    ],
)
def test_the_command_of_an_export_excludes_its_flags_whatever_those_of_the_run(
    of_run: dict[str, tuple[str, ...]], excluded: Iterable[str] | None, typed: str, tmp_path: Path
) -> None:
    flags = None if excluded is None else tuple(sorted(excluded))
    found = export_commands(
        tmp_path, make_settings("en,fr", **of_run), [Export("out", "csv", PAIRS[:1], excluded=flags)]
    )
    assert found == [" ".join(filter(None, [f"diglot export {tmp_path} --to csv", typed]))]


def test_of_pairs_that_the_run_no_longer_has_there_is_no_command(tmp_path: Path) -> None:
    settings = make_settings("en,fr,es")
    assert export_commands(tmp_path, settings, [Export("out", "csv", (("en", "de"),))]) == []
    (command,) = export_commands(tmp_path, settings, [Export("out", "csv", PAIRS)])
    assert command.endswith(" --to csv -l en,fr")


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("tsv", ["segments.en-fr.tsv", "segments.en-de.tsv"]),
        ("moses", ["en-fr.en", "en-fr.fr", "en-de.en", "en-de.de"]),
        ("cesalign", ["cesalign.en-fr", "cesalign.en-de"]),
        ("sqlite", ["segments.db", "segments.metadata.json"]),
        ("tmx-multi", ["multilingual.tmx"]),
        ("tmx", ["en-fr.tmx", "en-de.tmx", "en-fr.00001.tmx"]),
        ("parquet", ["en-fr.parquet", "en-de.parquet"]),
    ],
)
def test_files_of_an_export(form: str, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for other in ("en-fr.00001.tmx", "en-fr.1.tmx", "fr-en.00001.tmx", "README.md"):
        (tmp_path / "mine" / other).write_text("the words of somebody else")
    paths = Export("mine", form, PAIRS).paths(tmp_path, PAIRS)
    assert paths == [tmp_path / "mine" / name for name in names]
    assert Export("mine", form, PAIRS).paths(tmp_path, ()) == []


def test_the_parts_of_a_memory_are_of_its_export() -> None:
    names = ["en-fr.tmx", "en-fr.00001.tmx", "en-fr.12345.tmx", "en-fr.1.tmx", "fr-en.00001.tmx", "en-fr.00001.tsv"]
    assert [Export("mine", "tmx", PAIRS).holds(f"mine/{name}") for name in names] == [True] * 3 + [False] * 3
    assert not Export("mine", "tmx", PAIRS).holds("out/en-fr.00001.tmx")
    assert not Export("mine", "tsv", PAIRS).holds("mine/segments.en-fr.00001.tsv")


def test_an_export_is_read_as_it_was_noted(tmp_path: Path) -> None:
    export = Export("out", "tmx", PAIRS, 0.5, 0.25, ("too_short",), (("fr", "fr-CA"),), "en")
    bare = Export("out", "csv", PAIRS[:1])
    with RunFolder(tmp_path) as folder:
        for each in (export, bare):
            note_export(folder, each)
        noted = exports_of(folder)
    assert noted == [bare, Export(**{**asdict(export), "pairs": tuple(sorted(PAIRS))})]


def test_fields_of_later_versions_are_missing_in_an_early_note(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        note = {"folder": "f", "form": "tsv", "pairs": [["en", "fr"]], "excluded": None}
        assert read_export(folder, note) == Export("f", "tsv", (("en", "fr"),))


NOTE = {"folder": "out", "form": "tsv", "pairs": [["en", "fr"]], "excluded": None}


@pytest.mark.parametrize(
    "note",
    [
        *(
            {**NOTE, "folder": folder}
            for folder in ("../victim", "/victim", "a/../../victim", "", "a\\..\\b", "C:x", 7)
        ),
        *({**NOTE, "pairs": pairs} for pairs in ([["../../victim/en", "fr"]], [["en"]], "en", [["en", "en"]], None)),
        {**NOTE, "form": "../tsv"},
        {**NOTE, "excluded": 7},
        {**NOTE, "unknown": 7},
        {},
        [],
        "export",
        None,
    ],
)
def test_a_note_that_leads_out_of_the_run_is_no_export(note: object, tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder, pytest.raises(RunFolderError, match=r"journal\.db: .*run"):
        read_export(folder, note)


def test_pairs_of_an_earlier_export_stay_but_for_files_of_all_languages(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        for form in ("csv", "sqlite"):
            note_export(folder, Export("out", form, PAIRS[:1]))
            note_export(folder, Export("elsewhere", form, PAIRS[:1]))
            note_export(folder, Export("out", form, PAIRS[1:], min_prob=0.5))
        found = {(each.form, each.folder): each for each in exports_of(folder)}
        assert found["csv", "out"].pairs == tuple(sorted(PAIRS))
        assert found["csv", "out"].min_prob == 0.5
        assert found["sqlite", "out"].pairs == PAIRS[1:]
        assert found["csv", "elsewhere"].pairs == PAIRS[:1]
        drop_exports(folder, ["csv"])
        left = {(each.form, each.folder) for each in exports_of(folder)}
    assert left == {("csv", "elsewhere"), ("sqlite", "out"), ("sqlite", "elsewhere")}


def test_files_of_the_user_are_no_exports(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        (tmp_path / "out").mkdir()
        for name in ("en-fr.csv", "en-fr.tmx", "segments.en-fr.tsv", "en-de.jsonl"):
            (tmp_path / "out" / name).write_text("")
        assert exports_of(folder) == []


def test_a_folder_is_in_the_run_or_not(tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "out").mkdir(parents=True)
    assert folder_in_run(run, run / "out") == "out"
    assert folder_in_run(run, run) == "."
    assert folder_in_run(run, run / "out" / ".." / "mine" / "x") == "mine/x"
    assert folder_in_run(run, tmp_path) is None
    assert folder_in_run(run, tmp_path / "run2") is None


def test_the_language_that_a_multilingual_file_joins_by() -> None:
    plain, pivoted = make_settings("en,fr,de"), make_settings("en,fr,de", pivot="de")
    pairs = plain.language_pairs()
    assert pivot_of(plain, pairs, "") == "en"
    assert pivot_of(plain, pairs, "fr") == "fr"
    assert pivot_of(pivoted, pivoted.language_pairs(), "") == "de"
    assert pivot_of(pivoted, [("en", "fr")], "") == "en"
    assert pivot_of(plain, [("fr", "de")], "") == "fr"


def test_notes_do_not_change() -> None:
    assert records_that_may_change("diglot.outputs") == set()
