"""Blocking rules: the pairs of pages to compare."""
