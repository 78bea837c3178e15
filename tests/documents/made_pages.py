"""Pages for the tests of linearising, and Hypothesis strategies that spoil them."""

from __future__ import annotations

from hypothesis import strategies as st

PAGE = """<!DOCTYPE html>
<html lang="fr"><head><title>Le jardin &amp; la maison</title><meta name=description content="rien">
<link rel="alternate" hreflang="en" href="/en/garden.html"><style>p { color: red }</style></head>
<body class="a>b" onload='go("<p>")'><nav><ul><li><a href="a.html">Accueil</a></li><li><a href='b.html'>Plan</a>
<ul><li>Dedans</li></ul></li></ul></nav><!-- un > commentaire -- avec <p> dedans --><h1>Le <em>jardin</em> potager</h1>
<p>On y plante des to<b>mat</b>es, des&nbsp;choux<br>
et des <a href="x?y=1&amp;z=2#f"><img src=i.png alt="haricots"></a>.
<script>if (a < b && c > d) document.write("<p>jamais</p>");</script><p>Un second paragraphe sans fin
<table><tr><td>un<td>deux</tr></table><textarea>du <b>texte</b></textarea><p hidden>secret</p>
<p style="display : none">caché</p><noscript>sans script</noscript><svg><title>dessin</title><text>x</text></svg>
<select><option>oui<option selected>non</select><pre>  deux
  lignes</pre><footer>Fin &lt;ici&gt; &eacute;t&eacute; &#8364;</footer></body></html>"""

FRAGMENTS = [
    *"<>\"'=/&; \t\n\x00\x0c-!?#[]",
    *(
        "<!--",
        "-->",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<?php",
        "?>",
        "</",
        "<p",
        "</p>",
        "<a href=",
        "<div>",
        "</div>",
        "<b>",
    ),
    *("</b>", "<table>", "<td>", "</table>", "<svg>", "</svg>", "<math>", "<title>", "</title>", "<textarea>", "<xmp>"),
    *("</xmp>", "<plaintext>", "<template>", "</template>", "<select>", "<option>", "<li>", "</ul>", "<h1>", "</h2>"),
    *(
        "<frameset>",
        "</body>",
        "</html>",
        "<noscript>",
        "<iframe>",
        "</iframe>",
        "<form>",
        "<button>",
        "<br/>",
        "<x-y>",
    ),
    *(
        "&nbsp;",
        "&amp;lt;",
        "&#0;",
        "&#xD800;",
        "&notanentity;",
        " style='display:none'",
        " hidden",
        '="',
        " =x",
        "é",
        "\u3000",
    ),
    *("\ufeff", "\u200b", "\U0001f600", "mot"),
]


@st.composite
def spoilt_pages(draw: st.DrawFn) -> str:
    """The page with up to eight cuts and insertions anywhere."""
    html = PAGE
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(html)))
        end = min(len(html), start + draw(st.sampled_from([0, 0, 1, 2, 5, 40])))
        html = html[:start] + draw(st.sampled_from(FRAGMENTS)) + html[end:]
    return html


def scraps() -> st.SearchStrategy[str]:
    """Markup thrown together."""
    return st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)
