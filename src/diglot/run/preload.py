"""Imported once by the server that worker processes are forked from, so that none pays for it again.

What reading loads at its first page is loaded here: in a worker it would be counted as time that a page takes.
"""

import diglot.documents.table
import diglot.engines.local  # noqa: F401
from diglot.documents.parse import parse_page
from diglot.records import Page
from diglot.site import registered_domain

FIRST_PAGE = b"""<html lang=en><head><title>First</title><link rel=alternate hreflang=fr href=/fr></head><body>
<p>The first page loads what others need, and reads the <a href=/b>language <img src=b.png alt=model></a>.</p></html>"""

parse_page(Page("http://example.org/", FIRST_PAGE))
registered_domain("http://example.org/")  # reads the list of public suffixes
