"""The sample of `examples`, harvested once a session, and what `fused` makes of its language pairs."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from itertools import combinations
from pathlib import Path

from filelock import FileLock

from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.harvesting import harvest
from diglot.pairing.cascade import Judged, Scored, run_cascade
from diglot.recipes.fused import RECIPE
from diglot.run.resolve import load_documents
from diglot.run.settings import make_settings
from diglot.run.work import DOCUMENTS, stage_key
from diglot.site import Site, split_sites

SAMPLE = Path(__file__).parents[1] / "examples" / "sample" / "pages.warc.gz"
LANGS = ("en", "de", "fr", "ja")


SHARED = "DIGLOT_SHARED_RUNS"
"""Variable of the environment: folder of the runs that all processes of a test session share. Set by ``conftest``."""


@cache
def _own_folder() -> tempfile.TemporaryDirectory[str]:
    """Folder of a program without such a variable, removed when the program ends."""
    return tempfile.TemporaryDirectory()


@cache
def sample_run() -> Path:
    """Folder of a finished run of the sample in its four languages; not to be changed.

    The first process of a session makes the run, and others wait for it: four languages take ten seconds.
    """
    folder = Path(os.environ.get(SHARED) or _own_folder().name)
    done = folder / "sample.done"
    with FileLock(folder / "sample.lock"):
        if not done.exists():
            harvest(SAMPLE, LANGS, folder / "sample", jobs=1)
            done.touch()
    return folder / "sample"


@cache
def sample_site() -> Site:
    """The one site of the sample, its four languages wanted."""
    with RunFolder(sample_run()) as opened:
        documents = load_documents(opened, make_settings(LANGS), stage_key(opened, DOCUMENTS, "diglot read"))
    (site,) = split_sites(readable(documents), lang_pairs=tuple(combinations(LANGS, 2)))
    return site


@cache
def paired_by_fused(src_lang: str, tgt_lang: str) -> Scored:
    """What the recipe as it ships accepts and refuses of two languages of the sample."""
    site = sample_site()
    steps = RECIPE.steps(RECIPE.options, src_lang, tgt_lang)
    return run_cascade(site, site.rows_of(src_lang), site.rows_of(tgt_lang), steps)


def judged_by_fused(src_lang: str, tgt_lang: str) -> Judged:
    """All candidates of two languages of the sample with their probability and their bits."""
    return paired_by_fused(src_lang, tgt_lang).judged["fused"]
