"""Files on disk: the run folder, and files that are written whole or not at all."""
