"""Diglot: a multilingual website in, parallel text out.

The public names are loaded when they are first used, so that ``import diglot`` costs nothing::

    run = diglot.harvest("site.warc.gz", langs=["en", "fr"], out="run")
    run.segments("en", "fr").write("memory", "tmx")

Functions that take the path of a run folder take a :class:`Run` as well.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

from diglot.errors import NotBuilt
from diglot.version import __version__ as __version__

if TYPE_CHECKING:
    from diglot import errors as errors
    from diglot import recipes as recipes
    from diglot.alignment.beads import Bead as Bead
    from diglot.arguments import CleaningKeywords as CleaningKeywords
    from diglot.arguments import CrawlKeywords as CrawlKeywords
    from diglot.arguments import RunKeywords as RunKeywords
    from diglot.corpus.choosing import Segment as Segment
    from diglot.corpus.formats.check import CheckReport as CheckReport
    from diglot.corpus.formats.check import check_tmx as check_tmx
    from diglot.corpus.formats.segments import Segments as Segments
    from diglot.crawl.crawling import CrawlResult as CrawlResult
    from diglot.evaluation.comparison import Comparison as Comparison
    from diglot.experiments.comparing import compare as compare
    from diglot.forgetting import Forgotten as Forgotten
    from diglot.forgetting import forget as forget
    from diglot.harvesting import align_run as align_run
    from diglot.harvesting import clean_run as clean_run
    from diglot.harvesting import crawl_run as crawl_run
    from diglot.harvesting import harvest as harvest
    from diglot.harvesting import pair_run as pair_run
    from diglot.harvesting import read_sources as read_sources
    from diglot.merging import merge as merge
    from diglot.recipes.recipe import Recipe as Recipe
    from diglot.results.drawing import Sheet as Sheet
    from diglot.results.drawing import sample as sample
    from diglot.results.explain import Explanation as Explanation
    from diglot.results.run import PagePair as PagePair
    from diglot.results.run import Run as Run
    from diglot.results.run import open_run as open_run
    from diglot.results.run_report import report_run as report_run
    from diglot.results.search import Hit as Hit
    from diglot.results.search import search as search
    from diglot.results.stats import Stats as Stats
    from diglot.results.stats import stats as stats
    from diglot.results.take_verdicts import VerdictsTaken as VerdictsTaken
    from diglot.results.take_verdicts import take_verdicts as take_verdicts
    from diglot.survey.before_run import FilesPlan as FilesPlan
    from diglot.survey.before_run import find_languages as find_languages
    from diglot.survey.before_run import plan_files as plan_files
    from diglot.survey.crawl_preview import Plan as Plan
    from diglot.survey.crawl_preview import plan_crawl as plan_crawl
    from diglot.survey.sampling import Survey as Survey
    from diglot.terms.rows import Term as Term
    from diglot.terms.rows import Terms as Terms
    from diglot.texts import align as align
    from diglot.updating import Changes as Changes
    from diglot.updating import update as update
    from diglot.verifying import Verified as Verified
    from diglot.verifying import verify_run as verify_run

if importlib.util.find_spec("diglot._memoryviews") is None:
    raise NotBuilt(
        "the compiled parts of Diglot are missing: run `make install` or `pip install .` where its source is"
    )

_NAMES = {
    "diglot.alignment.beads": "Bead",
    "diglot.arguments": "CleaningKeywords CrawlKeywords RunKeywords",
    "diglot.corpus.choosing": "Segment",
    "diglot.corpus.formats.check": "CheckReport check_tmx",
    "diglot.corpus.formats.segments": "Segments",
    "diglot.crawl.crawling": "CrawlResult",
    "diglot.evaluation.comparison": "Comparison",
    "diglot.experiments.comparing": "compare",
    "diglot.forgetting": "Forgotten forget",
    "diglot.harvesting": "align_run clean_run crawl_run harvest pair_run read_sources",
    "diglot.merging": "merge",
    "diglot.recipes.recipe": "Recipe",
    "diglot.results.drawing": "Sheet sample",
    "diglot.results.explain": "Explanation",
    "diglot.results.run": "PagePair Run open_run",
    "diglot.results.run_report": "report_run",
    "diglot.results.search": "Hit search",
    "diglot.results.stats": "Stats stats",
    "diglot.results.take_verdicts": "VerdictsTaken take_verdicts",
    "diglot.survey.before_run": "FilesPlan find_languages plan_files",
    "diglot.survey.crawl_preview": "Plan plan_crawl",
    "diglot.survey.sampling": "Survey",
    "diglot.terms.rows": "Term Terms",
    "diglot.texts": "align",
    "diglot.updating": "Changes update",
    "diglot.verifying": "Verified verify_run",
}
"""Public names by their module."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
_MODULES = ("errors", "recipes")

__all__ = [*_HOMES, *_MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # a type checker would take every name for one that is there

    def __getattr__(name):
        if name in _HOMES:
            return getattr(importlib.import_module(_HOMES[name]), name)
        if name in _MODULES:
            return importlib.import_module(f"diglot.{name}")
        raise AttributeError(f"module 'diglot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
