"""Stage 0: a web address to WARC files. A polite crawler that prefers translations and can be stopped at any moment."""

FOLLOW_AGAIN = "again"
"""Argument of the child process of a crawl: follow the links of archived pages first, for other languages than before.
"""
NEGOTIATED = "negotiated"
"""Count of start pages whose server chooses the language by Accept-Language; key of the note on the crawl about it."""
