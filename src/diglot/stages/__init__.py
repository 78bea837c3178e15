"""The stages of a run on disk: sources are read into documents, documents paired, pairs aligned, segments written.

Each stage looks first whether its output is there, whole, under a name made of its input and its
options; so the same command goes on where a run was stopped, and does nothing twice.
"""

from diglot.stages.align import align_stage
from diglot.stages.clean import cleaning_options, load_segments
from diglot.stages.finish import REPORT, finish_stage, load_results, report_tables
from diglot.stages.pair import load_pairs, pair_stage
from diglot.stages.read import load_documents, load_records, read_stage
from diglot.stages.work import DOCUMENTS, PAIRS, SEGMENTS, Work, done_key

__all__ = [
    "DOCUMENTS",
    "PAIRS",
    "REPORT",
    "SEGMENTS",
    "Work",
    "align_stage",
    "cleaning_options",
    "done_key",
    "finish_stage",
    "load_documents",
    "load_pairs",
    "load_records",
    "load_results",
    "load_segments",
    "pair_stage",
    "read_stage",
    "report_tables",
]
