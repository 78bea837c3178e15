"""Symbols in elements of their own dress a text; symbols that belong to it stay."""

import pytest

from linearised import block_texts, linearise


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<button>Can I pay by card? <span>+</span></button>", "Can I pay by card?"),
        ("<a href=x>Services <span class=caret>▾</span></a>", "Services"),
        ("<li><span>✓</span>Free of charge</li>", "Free of charge"),
        ("<li><i>•</i> One <b>and</b> two <i>→</i></li>", "One and two"),
        ("<p><span>✔️</span> Done</p>", "Done"),
        ("<p>Since 2024</p><p><b>→</b> More</p>", "Since 2024 More"),
    ],
)
def test_symbols_at_the_edge_of_a_block_are_no_text(html: str, text: str) -> None:
    found = block_texts(f"<p>Before</p>{html}<p>behind")
    assert (found[0], " ".join(found[1:-1]), found[-1]) == ("Before", text, "behind")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>500<b>+</b></p>", "500+"),
        ("<p>٥٠٠<b>+</b></p>", "٥٠٠+"),
        ("<p><b>−</b>5 °C</p>", "−5 °C"),
        ("<p><b>★</b><b>★</b><b>☆</b></p>", "★★☆"),
        ("<p><b>℗</b> Label</p>", "℗ Label"),
        ("<p>Na<sup>+</sup></p>", "Na+"),
        ("<p>Diglot<small>®</small></p>", "Diglot®"),
        ("<p>20 <span>€</span></p>", "20 €"),
        ("<p>Why<b>?</b></p>", "Why?"),
        ("<p>one <b>→</b> two</p>", "one → two"),
        ("<p>✓ Free of charge</p>", "✓ Free of charge"),
        ("<p><b>✓</b></p>", "✓"),
        ("<p>Free <b>✓ of</b></p>", "Free ✓ of"),
    ],
)
def test_other_symbols_stay(html: str, text: str) -> None:
    assert block_texts(f"<p>Before</p>{html}<p>behind") == ["Before", text, "behind"]


def test_links_and_blocks_keep_their_places() -> None:
    linear = linearise("<p><b>✓</b> <a href=x>One <i>▾</i></a><p>Two&nbsp;three<p><a href=y>Four</a>")
    assert linear.links.inside.tolist() == [[0, 1], [2, 3]]
    assert linear.blocks.ends.tolist() == [1, 2, 3]
    assert linear.blocks.link_chars.tolist() == [3, 0, 4]
