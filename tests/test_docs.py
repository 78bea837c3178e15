"""What README and docs say is so: examples run and print what is shown, and nothing goes undocumented."""

import operator
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import diglot
from diglot.arguments import (
    CleaningKeywords,
    CrawlKeywords,
    ExportKeywords,
    ReadKeywords,
    RunKeywords,
    SourceKeywords,
)
from diglot.corpus.choosing import Wishes
from diglot.corpus.flags import EXCLUDED, FLAGS
from diglot.corpus.formats.segments import Segments
from diglot.pairing.fused.evidence import FEATURES
from diglot.reasons import Reason
from loaded_scripts import load_script

ROOT = Path(__file__).resolve().parents[1]


examples = load_script("docs/run_examples")
reference = load_script("docs/write_reference")
site = load_script("docs/site/conf")
PAGES: list[Path] = examples.pages()
WITH_EXAMPLES = [page for page in PAGES if examples.runnable_blocks(page)]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the examples run; the pages share the run that README makes in it."""
    folder = tmp_path_factory.mktemp("checkout")
    examples.prepare(folder)
    return folder


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_print_what_is_shown(page: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    assert examples.run_page(page) == page.read_text(encoding="utf-8"), "if the change is meant: make docs"


def test_the_pages_that_should_have_examples_have_some() -> None:
    assert {page.name for page in WITH_EXAMPLES} >= {
        "README.md",
        "tutorial.md",
        "compare-recipes.md",
        "explain-a-pair.md",
        "use-in-python.md",
    }


def test_an_example_that_fails_is_noticed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    missing = examples.Block(Path("page.md"), "console", "$ diglot check no-such-file.tmx\n", 0, 0)
    with pytest.raises(AssertionError, match="exit code 2"):
        examples.run_console(missing)


def test_shown_output_is_compared_but_for_times_and_what_is_left_out() -> None:
    printed = ["read  9 pages, 0.4 s", "one", "two", "three"]
    assert examples._as_shown(["read  9 pages, 7.9 s", "...", "three"], printed) == [
        "read  9 pages, 7.9 s",
        "...",
        "three",
    ]
    assert examples._as_shown(["read  8 pages, 7.9 s", "one"], printed) == printed
    assert examples._as_shown([], printed) == []


@pytest.mark.parametrize("name", reference.PAGES)
def test_reference_pages_say_what_the_code_says(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == reference.PAGES[name](), "make docs writes this page anew"


def test_every_command_names_something_of_the_module_that_the_page_describes() -> None:
    page = reference.python_page()
    for name in ", ".join(reference.IN_PYTHON.values()).split(", "):
        found = operator.attrgetter(name)(diglot)
        assert callable(found) or isinstance(found, Mapping)
        assert re.search(rf"^(?:####? {re.escape(name)}$|`{re.escape(name)}`: )", page, re.MULTILINE)


@pytest.mark.parametrize(
    ("function", "keywords"),
    [
        ("Segments.filter", Wishes),
        ("find_languages", SourceKeywords),
        ("plan_files", SourceKeywords),
        ("read_sources", ReadKeywords),
        ("Run.export_text", ExportKeywords),
    ],
)
def test_keywords_of_a_function_are_listed_where_it_is_described(function: str, keywords: type) -> None:
    described = re.split(rf"^####? {re.escape(function)}$", reference.python_page(), flags=re.MULTILINE)[1]
    described = described.partition("\n###")[0]
    assert all(f"`{name}: " in described for name in keywords.__annotations__)


@pytest.mark.parametrize(
    ("function", "keywords"),
    [
        ("harvest", {**RunKeywords.__annotations__, **CrawlKeywords.__annotations__}),
        ("read_sources", ReadKeywords.__annotations__),
        ("clean_run", CleaningKeywords.__annotations__),
        ("find_languages", SourceKeywords.__annotations__),
        ("plan_files", SourceKeywords.__annotations__),
        ("Run.export", ExportKeywords.__annotations__),
    ],
)
def test_the_help_of_a_function_names_all_its_keywords(function: str, keywords: Mapping[str, object]) -> None:
    said = str(operator.attrgetter(function)(diglot).__doc__)
    assert [name for name in keywords if f"``{name}``" not in said] == []


def test_the_help_of_filter_says_what_each_property_means() -> None:
    assert all(f"``{name}``" in str(Segments.filter.__doc__) for name in Wishes.__annotations__)


def test_a_table_that_is_out_of_date_is_written_anew() -> None:
    table = ("a.md", "table", ("name", ""), ["| `a` | b |"])
    stale = "above\n<!-- table -->\n| `old` |\n<!-- /table -->\nbelow"
    lines = reference.with_table(*table, stale).split("\n")
    assert lines == [
        *("above", "<!-- table -->", reference.GENERATED, "| name | |", "|---|---|", "| `a` | b |"),
        *("<!-- /table -->", "below"),
    ]
    for page in ("a page without markers", "<!-- table -->", "<!-- /table -->"):
        with pytest.raises(ValueError, match=r"a\.md: no <!-- table -->"):
            reference.with_table(*table, page)


def test_the_table_of_evidence_has_every_column_with_its_marks() -> None:
    rows = rows_of("theory/fused.md", "## Evidence")
    assert list(rows) == list(FEATURES)
    assert rows["cosine"][0] == "words"
    assert rows["cosine"][2] == "content, level"
    assert [name for name, cells in rows.items() if cells[2] == "not learnt"] == ["address", "link"]


def rows_of(name: str, heading: str) -> dict[str, list[str]]:
    """Rows of the table under a heading, by the code in their first cell."""
    section = (ROOT / "docs" / name).read_text(encoding="utf-8").partition(heading)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", section, re.MULTILINE)
    return {code: [cell.strip() for cell in rest.split("|")] for code, rest in rows}


def test_every_reason_is_documented_and_no_other() -> None:
    assert list(rows_of("reference/reasons-and-flags.md", "## Why a page")) == [str(reason) for reason in Reason]


def test_every_flag_is_documented_with_whether_it_excludes() -> None:
    rows = rows_of("reference/reasons-and-flags.md", "## What speaks")
    assert {code: cells[0] for code, cells in rows.items()} == {
        flag.name: "yes" if flag.name in EXCLUDED else "no" for flag in FLAGS
    }


def test_every_page_is_in_the_navigation_once() -> None:
    listed = [page for pages in site.navigation().values() for page in pages]
    docs = ROOT / "docs"
    pages = {str(path.relative_to(docs).with_suffix("")) for path in docs.rglob("*.md")} - {"index"}
    assert sorted(listed) == sorted(pages), "docs/index.md links to each page under one of its headings"
    assert {"Learn", "Do", "Look up"} < site.navigation().keys()


def test_links_lead_somewhere() -> None:
    for page in (*PAGES, *ROOT.glob("[A-Z]*.md")):
        links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (page.parent / link).exists()] == [], page
