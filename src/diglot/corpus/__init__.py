"""Stage 6, the corpus: flags on segments, and the files that people and tools open."""
