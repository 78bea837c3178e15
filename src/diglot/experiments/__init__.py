"""Experiments: recipes compared on one site, runs scored against gold, the WMT16 shared task."""
