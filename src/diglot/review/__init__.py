"""Review by hand: draw segments, write sheets to judge them on, read verdicts, and weigh them.

A *verdict* is right, partly, wrong or unsure. A *judgement* is a verdict on a segment with its corrected texts, as the
run stores it (:mod:`diglot.run.judgements`). :mod:`diglot.results.take_verdicts` takes files of verdicts into a run.
"""
