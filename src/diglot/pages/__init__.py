"""Stage 1: sources (WARC, ARC, WACZ, .lett, CDXJ, folders of HTML) -> whole pages."""

from diglot.pages.containers import Kind
from diglot.pages.opening import looks_like_address, open_source, open_sources
from diglot.pages.source import MAX_PAGE_BYTES, Source, read

__all__ = ["MAX_PAGE_BYTES", "Kind", "Source", "looks_like_address", "open_source", "open_sources", "read"]
