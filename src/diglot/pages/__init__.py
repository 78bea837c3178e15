"""Stage 1: sources -> pages. WARC, ARC, WACZ, .lett files, CDXJ indexes or folders of HTML in, whole pages out."""

from diglot.pages.opening import looks_like_address, open_source, open_sources
from diglot.pages.source import MAX_PAGE_BYTES, Kind, Source, read

__all__ = ["MAX_PAGE_BYTES", "Kind", "Source", "looks_like_address", "open_source", "open_sources", "read"]
