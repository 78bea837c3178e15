"""The report of a run and the page of a comparison, as HTML text."""

REPORT = "report.html"
"""The report of a run, in its folder."""
