"""Finished runs as people ask of them: pairs, segments, why, in words."""
