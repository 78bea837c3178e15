"""Experiments: recipes compared on a site, runs scored against gold, the WMT16 shared task."""
