"""Files on disk: run folders, stores, locks, and atomic writes."""
