"""Stage 0: a web address to WARC files. A polite crawler that prefers translations and can be stopped at any moment."""
