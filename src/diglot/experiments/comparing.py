"""Compare recipes on a site: read the pages once, pair them by every recipe."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from diglot.arguments import Langs, PathLike, Sources, path_list
from diglot.checked_arguments import check_arguments
from diglot.corpus.formats.tables import BEST_PAIRS_FIRST, write_pairs_tsv
from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.errors import NothingFound, RecipeError, RunFolderError, Stopped, UsageError
from diglot.evaluation.comparison import Comparison, Contender, score_proposals
from diglot.evaluation.gold import GoldSet, ProposedPair, read_gold_set
from diglot.harvesting.session import RunResources, open_work_on_files, write_settings
from diglot.progress import Progress
from diglot.reasons import Reason
from diglot.recipes import RECIPES, get_recipe
from diglot.recipes.recipe import ALIGNER_OPTIONS
from diglot.records import of_languages
from diglot.report.comparison_page import write_page
from diglot.run.pair import pair_stage
from diglot.run.read import load_records, read_stage
from diglot.run.resolve import resolve_stage
from diglot.run.settings import Settings, make_settings
from diglot.run.stored_pairs import FAILED, load_pairs
from diglot.run.work import PAIRS, Work
from diglot.version import __version__

COMPARED = "compared"
"""Subfolder of a run for the pairs by recipe: ``compared/RECIPE/pairs.SRC-TGT.tsv``."""


@check_arguments
def compare(
    source: Sources,
    langs: Langs,
    *,
    recipes: str | Sequence[str] = "all",
    options: Mapping[str, str | float] | None = None,
    gold: PathLike | None = None,
    ignore: PathLike | None = None,
    out: PathLike | None = None,
    html: PathLike | None = None,
    pivot: str = "",
    base_url: str = "",
    one_site: bool = False,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Read files once, pair their pages by each of ``recipes`` (a list, names with commas between, or ``all``).

    ``options``: changes to the recipes, as ``--set`` takes them or as numbers; ``gold``: file of right pairs, for
    precision, recall and F1; ``ignore``: file of pairs that the gold leaves open; ``out``: keep the run folder there;
    ``html``: write a page with a plot. Raises like :func:`compare_recipes`.
    """
    if ignore and not gold:
        raise UsageError("ignore= needs gold=: it lists pairs that the gold leaves open")
    common = make_settings(langs, pivot=pivot, base_url=base_url, one_site=one_site)
    comparison = compare_recipes(
        path_list(source),
        contenders(common, recipes, options or {}),
        gold=read_gold_set(Path(gold), Path(ignore) if ignore else None) if gold else None,
        out=Path(out) if out else None,
        jobs=jobs,
        progress=progress,
    )
    if html:
        write_page(comparison, Path(html))
    return comparison


def contenders(settings: Settings, recipes: str | Sequence[str], options: Mapping[str, str | float]) -> list[Settings]:
    """Settings for every recipe in ``recipes``: a list, names with commas between, or ``all``.

    An option is set in every recipe that has it. Of ``all``, recipes that cannot be loaded come last. Raises
    :class:`RecipeError` for an unknown recipe, an option of no recipe, and an invalid value.
    """
    if isinstance(recipes, str) and recipes.strip() == "all":
        names, broken = _loadable(RECIPES)
    else:
        names, broken = _names(recipes), []
    options_of = {name: _option_names(name) for name in names}
    unknown = [key for key in options if not any(key in own for own in options_of.values())]
    if unknown:
        raise RecipeError(f"none of {', '.join(names)} has an option {unknown[0]!r}; see `diglot recipes NAME`")
    return [
        *(
            settings.with_recipe(name, {key: value for key, value in options.items() if key in options_of[name]})
            for name in names
        ),
        *(dataclasses.replace(settings, recipe=name, options=()) for name in broken),
    ]


def _loadable(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Names of the recipes that load, and names of the recipes that fail to load."""
    loaded: list[str] = []
    broken: list[str] = []
    for name in names:
        try:
            get_recipe(name)
        except RecipeError:
            broken.append(name)
        else:
            loaded.append(name)
    return loaded, broken


def compare_recipes(
    source: Sequence[str],
    settings: Sequence[Settings],
    *,
    gold: GoldSet | None = None,
    out: Path | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Read ``source`` once and pair its pages by each recipe of ``settings``; all other settings are equal.

    ``out``: a run folder for the documents and, in :data:`COMPARED`, the pairs of each recipe; a second comparison
    reads the documents from there. The run itself keeps the pairs of the last recipe. A recipe that cannot run, for
    instance without a lexicon, is in the comparison with the cause.

    Raises: :class:`diglot.errors.UsageError` kinds for bad input; UsageError where the gold has no pair in
    the languages.
    """
    wanted = gold.of_languages(settings[0].language_pairs()) if gold else None
    with contextlib.ExitStack() as open_now:
        folder = out or Path(open_now.enter_context(_temporary_folder()), "run")
        resources = RunResources(jobs=jobs, progress=progress)
        work = open_now.enter_context(open_work_on_files(folder, source, settings[0], resources))
        key = read_stage(work)
        documents = resolve_stage(work, key)
        known = set(load_records(work.folder, key)["url"].to_pylist()) if wanted else set()
        done = [_contend(work, each, documents, key, wanted, known) for each in settings]
        write_settings(work)
        return Comparison(
            sources=tuple(each.name for each in work.sources),
            langs=settings[0].langs,
            documents=_by_language(documents, settings[0]),
            contenders=tuple(done),
            gold=gold.name if gold else "",
        )


@contextlib.contextmanager
def _temporary_folder() -> Iterator[str]:
    """A temporary folder. :class:`Stopped` becomes KeyboardInterrupt: without the folder no call can resume."""
    with tempfile.TemporaryDirectory(prefix="diglot-") as folder:
        try:
            yield folder
        except Stopped as stopped:
            raise KeyboardInterrupt from stopped


def require_pairs(comparison: Comparison) -> None:
    """Raise :class:`NothingFound` where no recipe proposes a pair."""
    if not comparison.distinct_pairs:
        counts = ", ".join(f"{lang} {count}" for lang, count in comparison.documents.items())
        raise NothingFound(
            f"no recipe proposes a pair; readable pages by language: {counts}; check the languages and the source"
        )


def _contend(
    work: Work, settings: Settings, documents: pa.Table, key: str, gold: GoldSet | None, known: Set[str]
) -> Contender:
    """Pair by one recipe, and write its pairs; a contender without pairs, with the cause, if the recipe cannot run.

    ``known``: addresses of the run, for the scores against gold.
    """
    try:
        recipe = settings.resolved_recipe()
    except RecipeError as refusal:
        return Contender(settings.recipe, "", abstained=str(refusal))
    signature = recipe.signature(__version__)
    work.settings = settings
    # Earlier pairs of the same recipe would make its time zero.
    work.folder.discard_others(PAIRS, set())
    try:
        settings.check_recipe()
        lacks = settings.lacks()
        pairs_key = pair_stage(work, documents, key)
        failures = _failure_notes(work, documents, pairs_key)
    except RunFolderError:
        # The run folder fails every recipe; other UsageErrors concern this recipe.
        raise
    except (UsageError, NothingFound) as refusal:
        return Contender(recipe.name, signature, abstained=str(refusal))
    table = load_pairs(work.folder, pairs_key)
    _write_pairs(work.folder, settings, table)
    pairs = _best_first(table)
    remarks = [line for langs in settings.language_pairs() for line in recipe.remark_lines(*langs)]
    learnt = work.folder.recall("notes", pairs_key) or ()
    return Contender(
        recipe.name,
        signature,
        pairs=pairs,
        seconds=work.seconds["pair"],
        notes=tuple(dict.fromkeys([*failures, *lacks, *remarks, *learnt])),
        gold_scores=score_proposals(pairs, gold, known=known) if gold else None,
    )


def _failure_notes(work: Work, documents: pa.Table, pairs_key: str) -> list[str]:
    """A note on the sites where a recipe failed, with the cause of the first; NothingFound if it failed on all."""
    failed: dict[str, str] = work.folder.recall(FAILED, pairs_key) or {}
    if not failed:
        return []
    sites = pc.count_distinct(readable(documents)["site"]).as_py()
    cause = failed[min(failed)]
    if len(failed) == sites:
        raise NothingFound(f"failed on all sites: {cause}")
    return [f"failed on {len(failed):,} of {sites:,} sites: {cause}"]


def _best_first(table: pa.Table) -> tuple[ProposedPair, ...]:
    columns = ("src_url", "tgt_url", "probability", "src_lang", "tgt_lang")
    rows = table.sort_by(BEST_PAIRS_FIRST).select(list(columns)).to_pylist()
    return tuple(ProposedPair(*(row[name] for name in columns)) for row in rows)


def _write_pairs(folder: RunFolder, settings: Settings, table: pa.Table) -> None:
    for src_lang, tgt_lang in settings.language_pairs():
        path = folder.path / COMPARED / settings.recipe / f"pairs.{src_lang}-{tgt_lang}.tsv"
        write_pairs_tsv(path, of_languages(table, src_lang, tgt_lang))


def _by_language(documents: pa.Table, settings: Settings) -> dict[str, int]:
    """Number of readable pages in each wanted language."""
    # Pages with NO_PARTNER are readable: their site has no second wanted language.
    kept = pc.is_in(documents["reason"], pa.array(["", Reason.NO_PARTNER.value]))
    counts = Counter(documents.filter(kept)["lang"].to_pylist())
    return {lang: counts[lang] for lang in settings.langs}


def _names(recipes: str | Sequence[str]) -> list[str]:
    listed = recipes.split(",") if isinstance(recipes, str) else recipes
    names = list(dict.fromkeys(name.strip() for name in listed if name.strip()))
    if not names:
        raise RecipeError(f"recipes={recipes!r}: name recipes, or `all`; there are: {', '.join(RECIPES)}")
    return names


def _option_names(recipe: str) -> set[str]:
    return {*ALIGNER_OPTIONS, *(option.name for option in dataclasses.fields(get_recipe(recipe).options))}
