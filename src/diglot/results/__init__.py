"""Finished runs for reading: pairs, segments, explanations, search, numbers, verdicts."""
