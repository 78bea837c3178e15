"""Pages that link each other are found, also where an address in the markup ends in a line break."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.documents.parse import pages_table, parse_table
from diglot.pairing.candidates import collect, linked_by_hreflang
from diglot.records import Page
from diglot.site import Site

ENGLISH = "This is a page of plain English text, long enough for its language to be told from its words alone."
FRENCH = "Voici une page écrite en français, assez longue pour que sa langue soit reconnue par ses seuls mots."


@pytest.mark.parametrize("end", ["", "\n", " \r\n"])
def test_a_line_break_in_an_address_hides_no_mutual_link(end: str) -> None:
    """SPEC trap 13: a peer compared addresses with their line break and so never saw a mutual link."""
    pages = [
        Page("http://a.example/en.html", f'<p>{ENGLISH}<a hreflang="fr" href="fr.html{end}">Français</a>'.encode()),
        Page("http://a.example/fr.html", f'<p>{FRENCH}<a hreflang="en" href="/en.html{end}">English</a>'.encode()),
    ]
    site = Site("a.example", parse_table(pages_table(pages)))
    found = collect(linked_by_hreflang(site, np.array([0], np.int32), np.array([1], np.int32)))
    assert found.tolist() == [[0, 1]]
