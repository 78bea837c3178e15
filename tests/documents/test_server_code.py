"""Code of a server in a page is no text; what looks like it stays."""

import pytest

from diglot.documents.html.server_code import without_server_code
from linearised import block_texts


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>One</p><?php if ($a->b > 1) { echo '<p>no</p>'; } ?><p>Two</p>", ["One", "Two"]),
        ("<p>One <?= $name->first ?>two</p><? print '>x'; ?>", ["One two"]),
        ("<p>One <%= name > 1 %>two</p><% if a > b %><p>Three</p><% end %>", ["One two", "Three"]),
        ("<p>One</p><?PHP echo 1 > 0; ?><p>Two</p>", ["One", "Two"]),
        ("<p>One <%= a %></p><table width=100%><tr><td>Two", ["One", "Two"]),
        ("<p>One</p><?php echo 1 > 0; ?><p>Two</p><?php $a->b();", ["One", "Two"]),
        ('---\ntitle: "One"\nhashtag: free\n---\n<p>Two</p>', ["Two"]),
        ("\ufeff---\r\nlayout: x\r\n--- \r\n<p>One --- <%= a %>two</p>", ["One --- two"]),
    ],
)
def test_code_of_a_server_is_no_text(html: str, texts: list[str]) -> None:
    assert block_texts(html) == texts


@pytest.mark.parametrize(
    "html",
    [
        b'<?xml version="1.0"?><p>One',
        b"<p>5 <% of all",
        b"<p>100 %> <p>a <% b",
        b"<? never closed",
        b"<p>&lt;?php ?>",
        b"<script>var tag='<?php';</script><p>The whole page",
        b"<p>One</p><!-- <?php old() ?> --><p>Two</p>",
        b"<p>One</p><?php</p><p>Two</p></body></html>",
        b"--- \n<p>One: two\n---\n",
        b"---\ntitle: never closed <p>One --- </p>",
        b"<p>One</p>\n---\ntitle: two\n---\n",
        b"<p>if a <% b</p><table width=100%><tr><td>text",
    ],
)
def test_other_markup_stays_as_it_is(html: bytes) -> None:
    assert without_server_code(html) == html
