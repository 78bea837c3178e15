"""Stage 0: a web address to WARC files. A polite crawler that prefers translations and can be stopped at any moment."""

NEGOTIATED = "negotiated"
"""Count of start pages whose server chooses the language by Accept-Language; key of the note on the crawl about it."""
