"""The screen after a run, worked by hand: its files, what to type next, its options, and its funnel as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diglot.layout import estimate_text
from diglot.outputs.run_text import FILES_NAMED, _file_lines, finished_text, funnel_picture, funnel_text
from diglot.run.settings import MANY_PAIRS

SUMMARY: dict[str, Any] = {
    "pages": 1234,
    "used": 3,
    "dropped": {"duplicate": 1, "no_partner": 1230},
    "documents_by_language": {"en": 2, "fr": 4},
    "candidates": 9,
    "pairs": {"en-fr": 2, "en-de": 0},
    "segments": {"en-fr": 5, "en-de": 0},
    "kept": {"en-fr": 5, "en-de": 0},
    "kept_right": {"en-fr": None, "all": None},
    "left_out": {},
    "below_min_score": 0,
    "min_score": 0.5,
    "warned": {},
    "recipe": "url_baseline|v1",
}


def lines_of(run: Path, options: dict[str, Any] | None = None, **changes: Any) -> list[str]:
    return finished_text(run, {**SUMMARY, **changes}, options).splitlines()


def with_files(tmp_path: Path, count: int) -> Path:
    """A run of two language pairs whose translation memory is cut into files."""
    (tmp_path / "out").mkdir(exist_ok=True)
    for number in range(1, count + 1):
        (tmp_path / "out" / f"en-fr.{number:04d}.tmx").touch()
    (tmp_path / "out" / "en-de.tmx").touch()
    return tmp_path


def test_a_run_in_which_everything_was_kept(tmp_path: Path) -> None:
    run = with_files(tmp_path, 1)
    assert lines_of(run) == [
        "pages     1,234 records: 3 used, 1,231 dropped",
        "               1,230  no translation found",
        "                   1  duplicate of another page",
        "languages fr 4, en 2",
        "pairs     2 page pairs out of 9 candidates",
        "                   2  en-fr",
        "            no pairs for: en-de",
        "segments  5 aligned: 5 kept, 0 left out",
        "          kept",
        "                   5  en-fr",
        f"wrote     {run}/out: en-fr.0001.tmx, segments.*.tsv, pairs.*.tsv, conflicts.*.tsv, pages.tsv, summary.json",
        f"          {run}/report.html, {run}/diglot.log",
        f"next      diglot open {run}  # look at pairs and segments",
        f"          diglot sample {run}  # some segments to judge by hand",
        f"          diglot export {run} --to xliff,xlsx  # other formats",
    ]


@pytest.mark.parametrize(("files", "named", "more"), [(12, 12, ""), (13, 12, "1 more"), (1_212, 12, "1,200 more")])
def test_twelve_memories_are_named(files: int, named: int, more: str, tmp_path: Path) -> None:
    assert FILES_NAMED == 12
    (wrote,) = [line for line in lines_of(with_files(tmp_path, files)) if line.startswith("wrote")]
    names = wrote.partition("/out: ")[2].split(", ")
    memories = [f"en-fr.{number:04d}.tmx" for number in range(1, named + 1)]
    assert names[: names.index("segments.*.tsv")] == [*memories, *([more] if more else [])]


def test_a_run_without_segments_and_languages(tmp_path: Path) -> None:
    none = {"en-fr": 0, "en-de": 0}
    lines = lines_of(tmp_path, documents_by_language={}, pairs=none, segments=none, kept=none, candidates=None)
    assert lines[3:6] == [
        "languages none",
        "pairs     0 page pairs out of 0 candidates",
        "segments  0 aligned: 0 kept, 0 left out",
    ]
    assert lines[6].startswith("wrote     ")


def test_a_score_below_the_least_is_told_with_it() -> None:
    lines = funnel_text({**SUMMARY, "kept": {"en-fr": 3, "en-de": 0}, "below_min_score": 2}).splitlines()
    start = lines.index("segments  5 aligned: 3 kept, 2 left out")
    assert lines[start + 1 :] == [
        "          kept",
        "                   3  en-fr",
        "          left out, each counted once, under its first flag that excludes",
        "                   2  score below 0.5 (--min-score), no flag that excludes",
    ]


def test_flags_of_equal_counts_stand_by_name() -> None:
    lines = funnel_text({**SUMMARY, "warned": {"too_short": 2, "numbers": 2, "series": 3}}).splitlines()
    start = lines.index("          kept with a flag that warns; a segment may have several")
    assert [line.split()[1] for line in lines[start + 1 :]] == ["series:", "numbers:", "too_short:"]


def test_options_are_told_at_request_but_for_empty_ones(tmp_path: Path) -> None:
    options = {"langs": ["en", "fr"], "pivot": "", "options": {}, "min_prob": 0.0, "one_site": False}
    lines = lines_of(tmp_path / "my run", options)
    start = lines.index("options   langs = en,fr")
    assert lines[start : start + 4] == [
        "options   langs = en,fr",
        "          min_prob = 0.0",
        "          one_site = False",
        "          url_baseline|v1",
    ]
    assert f"next      diglot open '{tmp_path}/my run'  # look at pairs and segments" in lines


def test_options_are_told_with_all_sites(tmp_path: Path) -> None:
    row = {"documents": 1, "used": 1, "pairs": 1, "kept": 1}
    sites = [{"site": f"s{number}", **row} for number in range(12)]
    assert "          and 2 more" in lines_of(tmp_path, sites=sites)
    said = lines_of(tmp_path, {}, sites=sites)
    assert not any(line.endswith(" more") for line in said)
    assert sum(line.split()[0].startswith("s") and line.split()[0][1:].isdigit() for line in said) == 12
    notes = funnel_text({**SUMMARY, "notes": ["a.example: the pages are few"]}).splitlines()
    assert notes[-1] == "note      a.example: the pages are few"


@pytest.mark.parametrize(("count", "last"), [(10, "note      n9"), (11, "          and 1 more, in out/summary.json")])
def test_ten_notes_are_shown_and_all_with_all_sites(count: int, last: str) -> None:
    summary = {**SUMMARY, "notes": [f"n{number}" for number in range(count)]}
    assert funnel_text(summary).splitlines()[-1] == last
    assert funnel_text(summary, sites_shown=None).splitlines()[-1] == f"note      n{count - 1}"


def test_the_most_frequent_languages_of_pages_in_no_wanted_language_are_named() -> None:
    languages = {"en": 9, "fr": 5, "cy": 8, "und": 7, "de": 1, "ga": 3, "gd": 2, "it": 1}
    pairs = {"en-fr": 2, "en-de": 0, "fr-de": 0}
    dropped = {"other_language": 14, "no_text": 1}
    changed = {**SUMMARY, "documents_by_language": languages, "pairs": pairs, "dropped": dropped}
    lines = [line.split(maxsplit=1)[1] for line in funnel_text(changed).splitlines()[1:3]]
    assert lines == ["in none of the wanted languages (most in cy, ga, gd)", "no visible text"]


@pytest.mark.parametrize(("many", "which"), [(4, "most in ar, az, bg"), (3, "6 others, such as ar, az, bg")])
def test_three_languages_have_most_pages_only_with_more_than_half(many: int, which: str) -> None:
    """Twelve or nine pages in three languages, nine in three others."""
    languages = {"en": 9, "fr": 5, **dict.fromkeys(("ar", "az", "bg"), many), **dict.fromkeys(("cs", "da", "de"), 3)}
    changed = {**SUMMARY, "documents_by_language": languages, "pairs": {"en-fr": 2}, "dropped": {"other_language": 20}}
    line = funnel_text(changed).splitlines()[1]
    assert line.endswith(f"in none of the wanted languages ({which})")


def test_an_estimate_of_all_pairs_is_repeated_unless_there_is_one_pair() -> None:
    some, other = {"precision": 0.989, "recall": 0.97}, {"precision": 0.5, "recall": None}
    pairs = {"en-fr": 2, "en-de": 1}
    of_both = {"en-fr": some, "en-de": other, "all": some}
    lines = funnel_text({**SUMMARY, "pairs": pairs, "estimates": of_both}).splitlines()[4:7]
    assert lines == [
        "pairs     3 page pairs out of 9 candidates: estimated precision 98.9%, recall 97.0%",
        "                   2  en-fr: precision 98.9%, recall 97.0%",
        "                   1  en-de: precision 50.0%",
    ]
    unknown = {"precision": None, "recall": None}
    lines = funnel_text({**SUMMARY, "pairs": pairs, "estimates": {**of_both, "all": unknown}}).splitlines()[4:7]
    assert lines == [
        "pairs     3 page pairs out of 9 candidates",
        "                   2  en-fr: estimated precision 98.9%, recall 97.0%",
        "                   1  en-de: estimated precision 50.0%",
    ]
    of_one = {"en-fr": some, "all": some}
    lines = funnel_text({**SUMMARY, "pairs": {"en-fr": 3, "en-de": 0}, "estimates": of_one}).splitlines()[4:6]
    assert lines[1] == "                   3  en-fr"
    assert estimate_text({"precision": 0.9996, "recall": 0.98994}) == "precision 99.9%, recall 98.9%"
    assert estimate_text({"precision": 0.0, "recall": 1.0}) == "precision 0.0%, recall 100.0%"


def test_the_picture_of_the_funnel_has_the_counts_of_each_step() -> None:
    picture = funnel_picture({**SUMMARY, "pairs": {"en-fr": 2, "en-de": 1}}, "What became of the pages")
    assert picture.count("<table>") == 2
    for text in ("What became of the pages", "1,234", "3, en-fr 2, en-de 1", "5, en-fr 5, en-de 0"):
        assert text in picture


def test_the_picture_of_the_funnel_has_the_first_notes() -> None:
    assert "Note: cut &lt;here&gt;</div>" in funnel_picture(SUMMARY, "run", ["cut <here>"])
    ten, eleven = ([f"n{number}" for number in range(count)] for count in (10, 11))
    assert funnel_picture(SUMMARY, "run", ten).count("Note: n") == 10
    assert "more in .notes" not in funnel_picture(SUMMARY, "run", ten)
    assert funnel_picture(SUMMARY, "run", eleven).count("Note: n") == 10
    assert "1 more in .notes" in funnel_picture(SUMMARY, "run", eleven)


def test_of_many_language_pairs_the_largest_have_a_line() -> None:
    langs = [f"l{number:02d}" for number in range(20)]
    names = [f"{src}-{tgt}" for place, src in enumerate(langs) for tgt in langs[place + 1 :]]
    counts = {name: number for number, name in enumerate(names)}
    estimates = {name: {"precision": 0.9, "recall": 0.8} for name in names}
    many = {**SUMMARY, "pairs": counts, "segments": counts, "kept": counts, "estimates": estimates}
    lines = funnel_text(many).splitlines()
    assert len(lines) <= 60
    start = next(n for n, line in enumerate(lines) if line.startswith("pairs "))
    assert lines[start + 1].split() == ["189", "l18-l19:", "estimated", "precision", "90.0%,", "recall", "80.0%"]
    rest = sum(range(180))
    shown = f"            {rest:>8,}  in 179 more language pairs, which `diglot stats` shows"
    assert [n - start for n, line in enumerate(lines) if line == shown] == [11, 25]
    # The first pair has no page pair, and all others that have none are named up to ten.
    assert lines[start + 12] == "            no pairs for: l00-l01"
    none = {**many, "pairs": {**dict.fromkeys(names, 0), "l00-l01": 1}}
    (told,) = [line for line in funnel_text(none).splitlines() if "no pairs for" in line]
    assert told.endswith(", l00-l10, l00-l11 and 179 more")


def test_ten_language_pairs_have_a_line_each_in_their_order() -> None:
    counts = {f"en-l{number}": 10 - number for number in range(10)}
    lines = funnel_text({**SUMMARY, "pairs": counts, "segments": counts, "kept": counts}).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("pairs "))
    assert [line.split()[1] for line in lines[start + 1 : start + 11]] == list(counts)


def test_the_advice_on_many_files_names_the_command_that_has_the_option(tmp_path: Path) -> None:
    # The summary of a merge gives it, too, and `diglot merge` has no --folders.
    kept = {f"en-l{number}": 1 for number in range(MANY_PAIRS + 1)}
    assert "`diglot harvest --folders` puts into four folders" in _file_lines(tmp_path, kept)[0]
    assert "--folders" not in _file_lines(tmp_path, dict(list(kept.items())[1:]))[0]
