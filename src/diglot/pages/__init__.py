"""Stage 1: sources -> pages. A WARC file, a .lett file or a folder of HTML files in, whole pages out."""

from diglot.pages.source import MAX_PAGE_BYTES, Kind, Source, looks_like_address, open_sources, read

__all__ = ["MAX_PAGE_BYTES", "Kind", "Source", "looks_like_address", "open_sources", "read"]
