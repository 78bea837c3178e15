"""Imported once by the server that worker processes are forked from, so that none pays for it again.

All that reading compiles is compiled here: in a worker it would be counted as time that a page takes, which where
nothing is in numba's cache yet can be more than a page may take.
"""

import diglot.documents.table
import diglot.engines.local  # noqa: F401
from diglot.documents.html.hostile import deepest_nesting, regrown_bytes
from diglot.documents.parse import parse_page
from diglot.records import Page
from diglot.site import registered_domain

FIRST_PAGE = b"""<html lang=en><head><title>First</title><link rel=alternate hreflang=fr href=/fr></head><body>
<p>The first page compiles the scans and reads the <a href=/b>language <img src=b.png alt=model></a>.</p></html>"""

parse_page(Page("http://example.org/", FIRST_PAGE))
registered_domain("http://example.org/")  # reads the list of public suffixes
deepest_nesting(FIRST_PAGE)  # these two are asked only of pages with very many tags
regrown_bytes(FIRST_PAGE)
