"""The addresses of a run that a person means by a typed address: with any scheme or none, or of a split document."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from diglot.documents.language_parts import document_address
from diglot.errors import UsageError
from diglot.features.links import find_addresses
from diglot.pages.address import address_key, is_web_address, normalise_address, with_scheme
from diglot.pages.forgotten import bare_address


class TypedAddresses:
    """Finds addresses of a run. ``urls``: all of its pages; ``run``: its folder, for messages."""

    def __init__(self, urls: Collection[str], run: Path) -> None:
        self._urls, self._run = urls, run

    def address(self, url: str) -> str:
        """The one address of :meth:`addresses`; :class:`UsageError` for several."""
        found = self.addresses(url)
        if len(found) > 1:
            raise UsageError(f"{url}: in parts by language; name one of {', '.join(found)}")
        return found[0]

    def addresses(self, url: str) -> list[str]:
        """Addresses in the run for a typed address: one, or all parts of a document.

        Raises: :class:`UsageError` for an address that the run does not have.
        """
        document = document_address(url)
        part = url[len(document) :]
        spelt = normalise_address(with_scheme(document))
        names = (document, spelt, *self._spellings(spelt))
        # A page that is not split is meant by any part, as in a browser.
        for wanted in dict.fromkeys((part, "")):
            for parts in filter(None, map(self._parts.get, names)):
                if wanted in parts:
                    return [parts[wanted]]
                if not part:
                    return list(parts.values())
        is_crawled = (self._run / "out" / "fetches.tsv").is_file()
        asked = ", addresses that its crawl did not fetch in out/fetches.tsv" if is_crawled else ""
        raise UsageError(
            f"{url or repr(url)}: not an address of {self._run}; its addresses are in out/pages.tsv{asked}"
        )

    def _spellings(self, url: str) -> list[str]:
        """Documents of the run that differ from an address by scheme, session, campaign or order of parameters; without
        any, the document that a server gives for the address, such as the first page of a folder."""
        if not is_web_address(url):
            return []
        bare, key = bare_address(url), address_key(url)
        found = [each for each in self._parts if is_web_address(each) and address_key(each) == key]
        if not found:
            documents = list(self._parts)
            places = find_addresses(pa.array([url]), pa.array(documents, pa.string())).to_pylist()
            found = [documents[place] for place in places if place is not None]
        return sorted(found, key=lambda each: (bare_address(each) != bare, each))

    @cached_property
    def _parts(self) -> dict[str, dict[str, str]]:
        """Addresses of the run by document, then by the mark of their part, "" for a whole document."""
        found: dict[str, dict[str, str]] = {}
        for url in sorted(self._urls):
            document = document_address(url)
            found.setdefault(document, {})[url[len(document) :]] = url
        return found
