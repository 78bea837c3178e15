"""The names by which a font draws icons are no text; words in such elements are."""

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from diglot.documents.html.icons import empty_icons
from linearised import block_texts


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<span class='material-symbols-outlined text-2xl'>check_circle</span> Homes for all", "Homes for all"),
        ("<i class=material-icons>\n  3d_rotation\n</i>Homes", "Homes"),
        ("<mat-icon class='mat-icon material-icons mat-ligature-font'>home</mat-icon>Homes", "Homes"),
        ("Read on<i class=material-icons-round>east</i>", "Read on"),
        ("<i class=material-icons><!-- an icon -->home<!-- --></i>Homes", "Homes"),
        # A picture stands between the words, as with any other picture.
        ("one<i class=material-icons>home</i>two", "one two"),
    ],
)
def test_the_name_of_an_icon_is_no_text(html: str, text: str) -> None:
    assert block_texts(f"<p>{html}") == [text]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<span class=material-icons>Our materials</span>", "Our materials"),
        ("<span class=material-icons><b>home</b> and garden</span>", "home and garden"),
        ("<span class=material-icons><b>our </b>home</span>", "our home"),
        ("<span class=material-icons>home<b> is here</b></span>", "home is here"),
        ("<span class=materials>check_circle</span>", "check_circle"),
        ("<span class=material-icons-list>check_circle</span>", "check_circle"),
        ("<span class=material-icons>дом</span>", "дом"),
        ("The class material-icons draws check_circle.", "The class material-icons draws check_circle."),
    ],
)
def test_other_text_stays(html: str, text: str) -> None:
    assert block_texts(f"<p>{html}") == [text]


@pytest.mark.parametrize("inside", ["A b<br>", "<!-- a -->", "a<!-- a -->"])
def test_time_grows_with_the_page_and_not_with_the_depth_of_its_elements(inside: str) -> None:
    html = ("<span class=material-icons>" * 4_000 + inside * 40_000).encode()
    tree = LexborHTMLParser(html)
    started = time.process_time()
    empty_icons(tree, html)
    assert time.process_time() - started < 0.5  # with the text of all descendants: 3 s
