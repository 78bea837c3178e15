"""Imported once by the server that worker processes are forked from, so that none pays for it again."""

import diglot.documents.table
import diglot.engines.local  # noqa: F401
from diglot.documents.language import identify

identify("The language identifier reads its model at the first call, so it is called here.")
