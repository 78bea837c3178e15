"""The names by which a font draws icons are no text; words in such elements are."""

import pytest

from linearised import block_texts


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<span class='material-symbols-outlined text-2xl'>check_circle</span> Homes for all", "Homes for all"),
        ("<i class=material-icons>\n  3d_rotation\n</i>Homes", "Homes"),
        ("<mat-icon class='mat-icon material-icons mat-ligature-font'>home</mat-icon>Homes", "Homes"),
        ("Read on<i class=material-icons-round>east</i>", "Read on"),
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
        ("<span class=materials>check_circle</span>", "check_circle"),
        ("<span class=material-icons-list>check_circle</span>", "check_circle"),
        ("<span class=material-icons>дом</span>", "дом"),
        ("The class material-icons draws check_circle.", "The class material-icons draws check_circle."),
    ],
)
def test_other_text_stays(html: str, text: str) -> None:
    assert block_texts(f"<p>{html}") == [text]
