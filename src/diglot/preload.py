"""Imported once by the server that worker processes are forked from, so that none pays for it again."""

import gc

import diglot.documents.table
import diglot.engines.local  # noqa: F401
from diglot.documents.parse import parse_page
from diglot.records import Page

parse_page(Page("http://example.org/", b"<p>The first page compiles the scans and reads the language model.</p>"))
gc.freeze()  # what is loaded here is never freed, so the collector need not look through it
