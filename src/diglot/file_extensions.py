"""Extensions of files of websites."""

from __future__ import annotations

HTML_EXTENSIONS = frozenset({".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp"})
OTHER_EXTENSIONS = frozenset(
    {".css", ".js", ".mjs", ".json", ".xml", ".rss", ".svg", ".txt", ".csv", ".png", ".jpg", ".jpeg"}
    | {".gif", ".webp", ".ico", ".woff", ".woff2", ".ttf", ".zip", ".gz", ".mp3", ".mp4", ".webm"}
    | {".warc", ".wacz", ".arc", ".zst"}
    | {".tmx", ".tbx", ".xlf", ".xliff", ".sdlxliff", ".mqxliff"}
)
"""Of files that are no pages: memories, termbases and archives have a <body>, too. The first bytes of files with
further extensions, or none, decide."""
