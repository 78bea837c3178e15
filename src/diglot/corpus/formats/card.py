"""The dataset card beside Parquet files, for people, the Hugging Face hub and ``datasets``.

Its head in YAML names languages, size and files. The licence is left to the publisher of the texts.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import xxhash

from diglot.corpus.flags import flag_meaning
from diglot.corpus.flags.keeping import BELOW_MIN_SCORE
from diglot.corpus.formats.meanings import PAGE_MEANING, SEGMENT_MEANING
from diglot.disk.atomic import replacing
from diglot.disk.safe_read import read_text
from diglot.layout import largest_first
from diglot.version import __version__

HOSTS_SHOWN = 20
"""Most hosts and licences in a table; one row sums up the further hosts or licences."""

_SEGMENTS, _PAGE_ROWS = "segments", "rows of pages"
_MARK = "# written by diglot "
_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10_000_000: "1M<n<10M"}
_LARGEST = "n>10M"
_HOST = r"^[A-Za-z]+://(?P<host>[^/?#]*)"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Contents of a card.

    ``files``: Parquet files beside the card, by their names without the ending. ``aligned``: number of segments of the
    run; ``left_out``: number of segments in no file, by the flag or least score that excludes them; ``min_score``:
    least score.
    """

    name: str
    langs: Sequence[str]
    files: Mapping[str, Path]
    signature: str
    sources: Sequence[str]
    aligned: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    min_score: float = 0.0


@dataclass(slots=True)
class _Figures:
    """Numbers for the card, counted in the files."""

    files: dict[str, int] = field(default_factory=dict)
    """Rows by file."""
    hosts: dict[str, Counter[str]] = field(default_factory=dict)
    """By :data:`_SEGMENTS` or :data:`_PAGE_ROWS`, rows by host; a row whose two pages differ counts for both hosts."""
    licences: dict[str, Counter[str]] = field(default_factory=dict)
    """As ``hosts``, by licence; "" for none."""
    flags: Counter[str] = field(default_factory=Counter)
    """Segments by flag."""
    days: tuple[str, str] = ("", "")
    """Days of the first and last fetch."""


def write_card(path: str | os.PathLike[str], dataset: Dataset) -> None:
    """Write the card; UsageError if ``path`` cannot be written."""
    text = "\n".join(_lines(dataset, _figures(dataset.files))) + "\n"
    with replacing(path) as handle:
        handle.write(_with_hash(text).encode())


def is_card(path: Path) -> bool:
    """Whether a file is a card written by Diglot and unchanged since."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError):
        return False
    first, _, rest = text.removeprefix("---\n").partition("\n")
    return first.startswith(_MARK) and _with_hash(f"---\n{rest}") == text


def _with_hash(text: str) -> str:
    """The text with a hash of it in the head, to detect changes."""
    return text.replace("---\n", f"---\n{_MARK}{xxhash.xxh3_64_hexdigest(text.encode())}\n", 1)


def _figures(files: Mapping[str, Path]) -> _Figures:
    found = _Figures()
    days: list[str] = []
    for name, path in files.items():
        unit = _PAGE_ROWS if "." in name else _SEGMENTS
        hosts, licences = (figure.setdefault(unit, Counter()) for figure in (found.hosts, found.licences))
        with pq.ParquetFile(path) as file:
            found.files[name] = file.metadata.num_rows
            sides = ("src_", "tgt_") if "src_url" in file.schema_arrow.names else ("",)
            columns = [f"{side}{column}" for side in sides for column in ("url", "licence", "fetched")]
            for batch in file.iter_batches(columns=[*columns, *(["flags"] if unit == _SEGMENTS else [])]):
                urls = [pc.extract_regex(batch[f"{side}url"], _HOST) for side in sides]
                hosts += _count_rows([pc.struct_field(url, "host") for url in urls])
                licences += _count_rows([batch[f"{side}licence"] for side in sides])
                if unit == _SEGMENTS:
                    found.flags += _count_rows([pc.list_flatten(batch["flags"])])
                moments = [moment for side in sides for moment in pc.min_max(batch[f"{side}fetched"]).as_py().values()]
                days += [f"{moment:%Y-%m-%d}" for moment in moments if moment]
    found.days = (min(days), max(days)) if days else ("", "")
    return found


def _count_rows(sides: Sequence[pa.Array]) -> Counter[str]:
    """Rows by value; a row whose sides differ counts for both."""
    first, *others = (pc.fill_null(side, "") for side in sides)
    counts = _count_values(first)
    for other in others:
        counts += _count_values(other.filter(pc.not_equal(first, other)))
    return counts


def _count_values(column: pa.Array) -> Counter[str]:
    return Counter({row["values"]: row["counts"] for row in pc.value_counts(column).to_pylist()})


def _lines(dataset: Dataset, found: _Figures) -> Iterator[str]:
    pairs = {name: count for name, count in found.files.items() if "." not in name}
    pages = {name: count for name, count in found.files.items() if name not in pairs}
    yield from _head(dataset, found.files, sum((pairs or pages).values()))
    yield from ("", f"# {dataset.name}", "")
    if pairs:
        yield from _pair_files(dataset, pairs)
    if pages:
        yield from ([""] if pairs else [])
        yield from _page_files(dataset, pages)
    yield from _origin(dataset, found)
    yield from _licences(found)
    if pairs and found.flags:
        yield from ("", "## Warnings", "", *_rows("flag", {_SEGMENTS: found.flags}, ""))
    if pairs and any(dataset.left_out.values()):
        yield from _left_out(dataset)
    if pairs:
        yield from _columns("Columns", SEGMENT_MEANING)
    if pages:
        yield from _columns("Columns of whole pages", PAGE_MEANING)


def _pair_files(dataset: Dataset, pairs: Mapping[str, int]) -> Iterator[str]:
    """A table of the files of segments, and their numbers."""
    yield f"Segments of web pages and their translations, found and aligned by Diglot {__version__}."
    yield from ("", "| pair | file | segments |", "|---|---|---|")
    yield from (f"| {pair} | {dataset.files[pair].name} | {count:,} |" for pair, count in pairs.items())


def _page_files(dataset: Dataset, pages: Mapping[str, int]) -> Iterator[str]:
    """A table of the files of whole pages, and their numbers of rows."""
    yield f"Whole web pages, with all their blocks in reading order, found and aligned by Diglot {__version__}:"
    yield "`documents` has a row for each page pair, `pages` a row for each page, paired or not."
    yield from ("", "| pages | file | rows |", "|---|---|---|")
    yield from (f"| {name} | {dataset.files[name].name} | {count:,} |" for name, count in pages.items())


def _origin(dataset: Dataset, found: _Figures) -> Iterator[str]:
    """Time of the fetch, sources, recipe and hosts."""
    yield from ("", "## Where it comes from", "")
    if all(found.days):
        yield f"- Pages fetched from {found.days[0]} to {found.days[1]}"
    yield from (f"- Source: `{name}`" for name in dataset.sources)
    yield f"- Recipe: `{dataset.signature}`"
    yield from ("", *_rows("host", found.hosts, "of no known host"))


def _licences(found: _Figures) -> Iterator[str]:
    """What the publisher has to say, and a table of the licences that pages name."""
    yield from ("", "## Licence", "")
    yield "The texts belong to those who wrote the pages. Say under `license` in the head of"
    yield "this file what they may be used for, before you share them. What the pages themselves name, on either side:"
    yield from ("", *_rows("licence", found.licences, "none is named"))


def _columns(heading: str, meanings: Mapping[str, str]) -> Iterator[str]:
    """A table of columns and their meanings."""
    yield from ("", f"## {heading}", "", "| | |", "|---|---|")
    yield from (f"| {name} | {meaning} |" for name, meaning in meanings.items())


def _left_out(dataset: Dataset) -> Iterator[str]:
    """A table of the filters of the run."""
    by_score = f"score below {dataset.min_score:g}, and no flag that excludes"
    meanings = {flag: by_score if flag == BELOW_MIN_SCORE else flag_meaning(flag) for flag in dataset.left_out}
    yield from ("", "## Left out", "")
    yield f"Of {dataset.aligned:,} segments that the run aligned in all its languages, these are in no file. Each"
    yield "counts once, under its first flag that excludes. An export with limits of its own leaves out others, too."
    yield from ("", "| flag | meaning | segments |", "|---|---|---|")
    yield from (f"| {flag} | {meanings[flag]} | {n:,} |" for flag, n in largest_first(dataset.left_out) if n)


def _head(dataset: Dataset, rows: Mapping[str, int], total: int) -> Iterator[str]:
    """The head for programs: languages, files and size; ``rows``: number by file; ``total``: of all."""
    # `datasets` and the viewer of the hub fail on a configuration without rows.
    names = [name for name, count in rows.items() if count]
    langs = [lang for lang in dataset.langs if any(lang in _langs_of(name, dataset.langs) for name in names)]
    yield "---"
    primary = dict.fromkeys(lang.split("-")[0] for lang in langs)
    yield from _list("language", primary)
    if list(primary) != list(langs):
        yield from _list("language_bcp47", langs)
    yield from _list("multilinguality", ["translation" if len(langs) == 2 else "multilingual"])
    yield from _list("size_categories", [next((name for most, name in _SIZES.items() if total < most), _LARGEST)])
    yield from (*_list("task_categories", ["translation"]), f"pretty_name: {_quote(dataset.name)}")
    yield from ["configs:"] if names else []
    for name in names:
        yield from (f"- config_name: {_quote(name)}", f"  data_files: {_quote(dataset.files[name].name)}")
    yield "---"


def _list(name: str, values: Iterable[str]) -> list[str]:
    """A YAML list with quotes: without them, "no" for Norwegian is false."""
    return [f"{name}:", *(f"- {_quote(value)}" for value in values)]


def _quote(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _langs_of(name: str, langs: Sequence[str]) -> tuple[str, ...]:
    """The languages of a file by its name."""
    end = name.rpartition(".")[2]
    return (end,) if end in langs else next(((a, b) for a in langs for b in langs if f"{a}-{b}" == end), ())


def _rows(head: str, counts: Mapping[str, Counter[str]], none: str) -> Iterator[str]:
    """A table of counts, with a column for each unit."""
    yield from (f"| {head} | {' | '.join(counts)} |", "|---" * (1 + len(counts)) + "|")
    ordered = [name for name, _ in largest_first(sum(counts.values(), Counter[str]()))]
    for name in ordered[:HOSTS_SHOWN]:
        yield f"| {name.replace('|', '%7C') or none} | {' | '.join(f'{each[name]:,}' for each in counts.values())} |"
    if rest := ordered[HOSTS_SHOWN:]:
        sums = (sum(each[name] for name in rest) for each in counts.values())
        yield f"| {len(rest):,} more | {' | '.join(f'{each:,}' for each in sums)} |"
