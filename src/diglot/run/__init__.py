"""A run on disk, stage by stage.

A stage first looks for an earlier output, complete and named by a hash of input and options. So the same command
resumes a stopped run, and nothing is done twice.
"""

JUDGED_FILE = "judgements.jsonl"
"""Verdicts of a person on segments, in the folder of a run (:mod:`diglot.run.judgements`)."""
