"""Imported once by the process that forks workers, to save every worker the time.

Parsing a first page loads everything that reading needs. In a worker this would count as time spent on a page.
"""

import diglot.documents.parse
import diglot.engines.pool  # noqa: F401
from diglot.alignment.segmenting import split_sentences
from diglot.documents.parse import parse_page
from diglot.records import Page
from diglot.scripts import scripts_of
from diglot.site import registered_domain

FIRST_PAGE = b"""<html lang=en><head><title>First</title><link rel=alternate hreflang=fr href=/fr></head><body>
<p>The first page loads what others need, and reads the <a href=/b>language <img src=b.png alt=model></a>.</p></html>"""

parse_page(Page("http://example.org/", FIRST_PAGE))
registered_domain("http://example.org/")  # reads the list of public suffixes
scripts_of("en")  # reads the scripts of all languages
split_sentences("English is on most sites.", "en")  # compiles the rules of English
