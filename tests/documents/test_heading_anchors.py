"""A link by which a heading offers its own address is no text; every other link is."""

from __future__ import annotations

import time

import pytest

from linearised import block_texts, linearise

URL = "http://a.example/dir/page.html"


@pytest.mark.parametrize(
    "html",
    [
        '<section id="t"><h2>Title<a class="headerlink" href="#t" title="Link to this heading">¶</a></h2></section>',
        '<h2 id="t">Title<a class="headerlink" href="#t" title="Permanent link">&para;</a></h2>',
        '<h2 id="t">Title<a href="#t" class="hash-link" aria-label="Direct link to Title">&ZeroWidthSpace;</a></h2>',
        '<h2 id="t">Title <a class="header-anchor" href="#t" aria-label="Permalink to Title">\u200b</a></h2>',
        '<h2><a id="t" class="anchor" href="#t"><svg class="octicon"><path d="x"/></svg></a>Title</h2>',
        '<h2 id="t">Title <a class="permalink" href="#t" title="Permanent link">&para;</a></h2>',
        '<h2>Title<span><a class="mark" href="#t" id="t">#</a></span></h2>',
        '<h2 id="t"><a href="#t" class="doc-anchor">§</a>Title</h2>',
        '<h2 id="t">Title<a class="genanchor" href="page.html#t"> ¶</a></h2>',
        '<h2 id="t">Title<a class="x" href="http://a.example/dir/page.html#t">🔗</a></h2>',
        '<span id="t"></span><h3>Title<a class="copiable-link" href="#t"> &para;</a></h3>',
        '<h2 id="t"><span class="permalink"><a href="#t">&#9670;&nbsp;</a></span>Title</h2>',
        '<div id="t"><h2>Title</h2><a class="self-link" href="#t">§</a></div>',
        '<h2 id="先">Title<a aria-label="本节" class="heading-permalink" href="#先"><span>##</span></a></h2>',
        '<h2>Title <a title="Permalink" href="#t">◊</a></h2>',
        '<h2 id="t">Title <a href="#t">Permalink</a></h2>',
        '<h2 id="t">Title <a href="#t">Link to this heading</a></h2>',
        '<h2>Title <a href="#nowhere">#</a></h2>',
    ],
)
def test_heading_anchors_are_no_text(html: str) -> None:
    assert [text for text in block_texts(f"<p>before</p>{html}<p>behind") if text] == ["before", "Title", "behind"]


@pytest.mark.parametrize("word", ["Lien permanent", "Ссылка сюда", "固定リンク"])
def test_words_that_all_headings_share_are_no_text(word: str) -> None:
    html = "".join(f"<h2 id='é{k}'>Title {k} <a href='#%C3%A9{k}'>{word}</a></h2>" for k in range(3))
    assert block_texts(html) == ["Title 0", "Title 1", "Title 2"]
    assert block_texts(html[: html.index("</h2>")]) == [f"Title 0 {word}"]


@pytest.mark.parametrize(
    "text",
    [
        "<h2 id=t><a href=#t>Title</a></h2>",
        "<h2 id=t><a class=header-anchor href=#t>Title</a> <b>New</b></h2><h2 id=u>2 <a href=#u>Other</a></h2>",
        "<h2 id=t><a href=#t>Title</a> 1</h2><h2 id=u><a href=#u>Title</a> 2</h2><h2 id=v><a href=#v>Else</a> 3</h2>",
        "<ul><li><a href=#t>1</a><li><a href=#u>Intro</a></ul>",
        "<p>See <a href=#t>Intro</a>, <a href=#t>Intro</a>, <a href=#u>Intro</a>.</p><h2 id=t>Intro</h2>",
        "<p>A note<a href=#n>*</a> and back <a href=#r>↑</a></p>",
        "<p>The <a href=#plus>+</a> operator</p><dl id=plus><dt>x</dl>",
        "<p><a href=other.html#t>#</a> <a href=http://b.example/#t>¶</a> <a href=x>§</a></p>",
        "<h2 id=N><a class=permalink href=#N>N</a></h2><dt id=v><a class=permalink href=#v><code>-v</code></a> x",
        "<dt id=!><a class=permalink href=#!>!</a><dt id=c><a class=permalink href=#c><code>#</code></a> <i>word</i>",
        "<p># ¶ <b>§</b> Permalink",
        "<p>The word <a href=#perma>permalink</a> means</p>",
    ],
)
def test_other_links_are_text(text: str) -> None:
    plain = linearise(text.replace("<a ", "<i ").replace("</a>", "</i>"), URL).chunks.texts().to_pylist()
    assert linearise(text, URL).chunks.texts().to_pylist() == plain


def test_what_stands_round_an_anchor_stays_divided() -> None:
    [text] = block_texts("<h2>One<a href=#a> #</a>two <a href=#a>#</a> three<a href=#a><b>¶</b> </a></h2>")
    assert text.split() == ["One", "two", "three"]


def test_an_anchor_keeps_its_link() -> None:
    links = linearise("<h2>One <a href=#a>#</a></h2><a href=x>y</a>", URL).links
    assert (links.urls, links.anchors) == (["", "http://a.example/dir/x"], ["", "y"])


def test_many_links_in_one_block_are_read_in_time() -> None:
    linearise("<p>x <a href=#a>#</a>", URL)
    started = time.process_time()
    linearise("<p id=b>" + "x" * 1_000_000 + "<a href=#a>+</a>" * 50_000, URL)
    assert time.process_time() - started < 5
