"""What people look at: figures and pages made of finished results, as text without side effects."""

REPORT = "report.html"
"""The report of a run, in its folder."""
