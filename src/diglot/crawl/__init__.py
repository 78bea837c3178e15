"""Stage 0: an address -> WARC files. A polite spider that is after translations and can be stopped at any moment."""
