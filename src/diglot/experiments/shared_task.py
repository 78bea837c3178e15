"""The WMT 2016 document alignment task: pair webdomains by a recipe, and score all pairs together."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from diglot.corpus.formats.tables import BEST_PAIRS_FIRST
from diglot.documents.language import readable
from diglot.errors import RecipeError, SourceError
from diglot.evaluation.soft_recall import Urls
from diglot.evaluation.wmt16 import Proposal, Wmt16Scores, read_reference, score_wmt16, texts_needed, webdomain_host
from diglot.experiments.against_gold import texts_of
from diglot.harvesting.session import RunResources, open_work_on_files
from diglot.progress import Progress
from diglot.run.pair import pair_stage
from diglot.run.read import load_records, read_stage
from diglot.run.resolve import resolve_stage
from diglot.run.settings import Settings
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import Work
from diglot.version import __version__


@dataclass(frozen=True)
class SharedTask:
    """Files of the task: ``DIR/**/*.lett[.gz]``, a file per webdomain, and the reference ``DIR/*.pairs``."""

    webdomains: tuple[Path, ...]
    reference: tuple[Urls, ...]


@dataclass(frozen=True)
class SharedTaskResult:
    """Scores of the task, and the numbers of webdomains, records and reference pairs."""

    scores: Wmt16Scores
    webdomains: int
    records: int
    unreadable: int
    """Records without a readable document, malformed lines included."""
    not_covered: int
    """Reference pairs on hosts without a page here; not counted in the scores."""
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """The scores, then the numbers and the recipe's signature, as values for JSON."""
        counts = ("webdomains", "records", "unreadable", "not_covered")
        rest: dict[str, Any] = {name: getattr(self, name) for name in counts}
        return self.scores.as_dict() | rest | {"recipe": self.signature}


class _Webdomain(NamedTuple):
    proposals: list[Proposal]
    reference: list[Urls]
    texts: dict[str, str]
    records: int
    unreadable: int


def open_task(folder: Path, pairs: Path | None = None) -> SharedTask:
    """Find the webdomains and read the reference; ``pairs``: file of the reference, by default the only list there.

    Raises: SourceError for a missing or invalid file.
    """
    if not folder.is_dir():
        what = "a file" if folder.exists() else "not there"
        raise SourceError(f"{folder}: {what}; name the folder with the task's data")
    files = sorted(path for path in folder.rglob("*") if path.name.endswith((".lett", ".lett.gz")))
    if not files:
        raise SourceError(f"{folder}: no .lett or .lett.gz file in it, one per webdomain; unpack the task's data there")
    return SharedTask(tuple(files), tuple(read_reference(pairs or _only_list(folder))))


def run_task(
    task: SharedTask,
    settings: Settings,
    *,
    out: Path | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> SharedTaskResult:
    """Pair each webdomain by the recipe of ``settings`` and score all pairs together.

    A webdomain is one site, whatever its hosts. ``out``: folder for the run folder of each webdomain, from which the
    same call goes on after a stop; None deletes them at the end.

    Raises: RecipeError where the recipe lacks a resource for a language pair.
    """
    recipe = settings.resolved_recipe()
    # Checked first: pairing many webdomains takes hours.
    for pair in settings.language_pairs():
        if lacks := recipe.lack(*pair):
            raise RecipeError(lacks)
    done = []
    for file, name in _folder_names(task.webdomains):
        with contextlib.ExitStack() as open_now:
            folder = out or Path(open_now.enter_context(tempfile.TemporaryDirectory(prefix="diglot-")))
            resources = RunResources(jobs=jobs, progress=progress)
            work = open_work_on_files(folder / name, [str(file)], settings, resources)
            done.append(_pair_webdomain(open_now.enter_context(work), task.reference))
    covered = {urls for each in done for urls in each.reference}
    proposals = [proposal for each in done for proposal in each.proposals]
    texts = {url: text for each in done for url, text in each.texts.items()}
    return SharedTaskResult(
        scores=score_wmt16(proposals, covered, texts),
        webdomains=len(done),
        records=sum(each.records for each in done),
        unreadable=sum(each.unreadable for each in done),
        not_covered=len(task.reference) - len(covered),
        signature=recipe.signature(__version__),
    )


def _folder_names(files: Sequence[Path]) -> list[tuple[Path, str]]:
    """Files with the names of their run folders: the webdomain, numbered where files share a webdomain."""
    names = [file.name.partition(".lett")[0] for file in files]
    twice = {name for name in names if names.count(name) > 1}
    return [(f, f"{n}-{k}" if n in twice else n) for k, (f, n) in enumerate(zip(files, names, strict=True), start=1)]


def _pair_webdomain(work: Work, reference: Sequence[Urls]) -> _Webdomain:
    """Pair a webdomain. A reference pair belongs to it if an address of the pair is on a host of the webdomain."""
    key = read_stage(work)
    pairs_key = pair_stage(work, resolve_stage(work, key), key)
    records = load_records(work.folder, key)
    hosts = {webdomain_host(url) for url in records["url"].to_pylist()} - {""}
    mine = [urls for urls in reference if not hosts.isdisjoint(map(webdomain_host, urls))]
    proposals = _proposals(load_pairs(work.folder, pairs_key))
    texts = texts_of(records, texts_needed(proposals, mine))
    return _Webdomain(proposals, mine, texts, records.num_rows, records.num_rows - readable(records).num_rows)


def _proposals(pairs: pa.Table) -> list[Proposal]:
    columns = pairs.sort_by(BEST_PAIRS_FIRST).select(["src_url", "tgt_url", "method"]).to_pydict()
    return [Proposal(*row) for row in zip(*columns.values(), strict=True)]


def _only_list(folder: Path) -> Path:
    lists = sorted(path for path in folder.rglob("*") if path.name.endswith((".pairs", ".pairs.gz")))
    if len(lists) == 1:
        return lists[0]
    if not lists:
        raise SourceError(f"{folder}: no *.pairs file in it, the reference; put train.pairs there or give --pairs FILE")
    raise SourceError(
        f"{folder}: {len(lists)} lists of pairs ({lists[0].name}, {lists[1].name} ...); give --pairs FILE"
    )
