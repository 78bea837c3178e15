"""Blocking rules: which pairs of pages are compared at all."""
