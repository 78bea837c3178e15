"""Files of several folders with one path: told where one of them is lost as a page, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diglot import harvest
from diglot.errors import NothingFound
from diglot.pages import same_paths
from diglot.pages.opening import open_sources
from diglot.pages.same_paths import same_path_lines

BASE = "https://museum.example/"
GERMAN = b"<html lang=de><p>Die alte Uhr steht im ersten Saal neben dem Fenster zum Hof."
ENGLISH = b"<html lang=en><p>The old clock stands in the first hall beside the window to the yard."
MIRRORED = b"<html><!-- Mirrored from museum.example/%b/a.html by HTTrack Website Copier/3.x --><p>%b"


def folders(at: Path, **files: dict[str, bytes]) -> list[str]:
    for folder, held in files.items():
        for name, content in held.items():
            path = at / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return [str(at / folder) for folder in files]


@pytest.mark.parametrize(
    ("de", "en", "told"),
    [
        ({"a.html": GERMAN}, {"a.html": ENGLISH}, "1 path, such as a.html, is in"),
        (
            {"a.html": GERMAN, "b/c.html": GERMAN},
            {"a.html": ENGLISH, "b/c.html": ENGLISH},
            "2 paths, such as a.html, are",
        ),
        ({"a.html": GERMAN, "b.html": GERMAN}, {"c.html": ENGLISH, "b.html": ENGLISH}, "1 path, such as b.html, is in"),
        ({"a.html": GERMAN}, {"b.html": ENGLISH}, ""),  # another path
        ({"a.html": GERMAN}, {"a.html": GERMAN}, ""),  # a copy
        ({"a.html": GERMAN, "s.css": b"a"}, {"b.html": ENGLISH, "s.css": b"b"}, ""),  # no page
        ({"a.html": MIRRORED % (b"de", b"Uhr")}, {"a.html": MIRRORED % (b"en", b"clock")}, ""),  # other addresses
    ],
)
def test_different_files_of_one_path_are_told(
    de: dict[str, bytes], en: dict[str, bytes], told: str, tmp_path: Path
) -> None:
    lines = same_path_lines(open_sources(folders(tmp_path, de=de, en=en), base_url=BASE))
    assert [line.startswith(told) for line in lines] == ([True] if told else [])


def test_each_file_of_many_folders_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {f"site{number}": {"a.html": GERMAN + b" %d" % number, "b.html": ENGLISH} for number in range(9)}
    sources = open_sources(folders(tmp_path, **made), base_url=BASE)
    read: list[str] = []
    monkeypatch.setattr(same_paths, "_hash_of", lambda source, file: read.append(file) or source.name)
    (line,) = same_path_lines(sources)
    assert "in the folders site0, site1, site2 and 6 more" in line
    assert sorted(read) == ["a.html"] * 9 + ["b.html"] * 9


def test_files_of_two_sizes_are_not_read_and_nobody_waits_for_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = open_sources(folders(tmp_path, de={"a.html": GERMAN}, en={"a.html": ENGLISH}), base_url=BASE)
    for source in sources:
        os.mkfifo(source.path / "pipe.html")
    monkeypatch.setattr(same_paths, "file_hash", lambda path: pytest.fail(f"{path} is read"))
    (line,) = same_path_lines(sources)
    assert line.startswith("1 path, such as a.html, is in the folders de, en")


def test_the_folder_that_holds_both_has_two_addresses(tmp_path: Path) -> None:
    two = folders(tmp_path / "museum", de={"a.html": GERMAN}, en={"a.html": ENGLISH})
    assert same_path_lines(open_sources([str(tmp_path / "museum")], base_url=BASE)) == []
    with pytest.raises(NothingFound) as outcome:
        harvest(two, "de,en", out=tmp_path / "run", base_url=BASE)
    assert outcome.value.summary is not None
    notes = outcome.value.summary["notes"]
    assert [note for note in notes if "in the folders de, en, with different files" in note] == notes[:1]
    assert not any("fetch that version" in note for note in notes)
