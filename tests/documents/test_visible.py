"""What is hidden is taken out and counted; what is shown stays."""

from __future__ import annotations

import time

import pytest

from linearised import block_texts, linearise

URL = "http://a.example/"


def seen_and_hidden(html: str) -> tuple[str, int]:
    linear = linearise(html, URL)
    return "".join(linear.chunks.texts().to_pylist()).strip(), linear.hidden_chars


@pytest.mark.parametrize(
    "attributes",
    [
        "hidden",
        "HIDDEN",
        "Hidden",
        "hidden=''",
        "hidden=until-found",
        "aria-hidden=true",
        "aria-hidden='TRUE'",
        "ARIA-HIDDEN=true",
        "style=display:none",
        "style='display: none'",
        "style='display : none'",
        "style='display:none;'",
        "style='DISPLAY:NONE'",
        "style='Display: None'",
        "STYLE='display:none'",
        "style='color:red;display:none'",
        "style='color:red; display:none !important'",
        "style='display:none!important'",
        "style='display:\nnone'",
        "style='visibility:hidden'",
        "style='visibility: collapse'",
        "style='font-size:0'",
        "style='font-size: 0px; color: red'",
        "style='font-size:0.0em'",
        "style='display:block;display:none'",
    ],
)
def test_hidden_elements_are_taken_out_and_counted(attributes: str) -> None:
    for tag in ("p", "div", "span", "li"):
        html = f"<p>seen</p><{tag} {attributes}>not <b>seen</b></{tag}>"
        assert seen_and_hidden(html) == ("seen", len("not seen"))


@pytest.mark.parametrize(
    "html",
    [
        "<script>not</script>",
        "<SCRIPT type=x>not</SCRIPT>",
        "<script>a <b> </p> <!-- </script>",
        "<style>p{}</style>",
        "<template><p>not</template>",
        "<body><noscript><p>not</noscript>",
        "<noscript><p>not</noscript>",
        "<head><NOSCRIPT lang=x><p>not</NOSCRIPT ></head>",
        "<body><noscript><ul><li>not</noscript><noscript>not</noscript>",
        "<!-- <noscript> --><noscript>not</noscript>",
        "<noframes>not</noframes>",
        "<noembed>not</noembed>",
        "<svg><text>not</text></svg>",
        "<svg><title>not</title></svg>",
        "<math><mi>x</mi></math>",
        "<iframe src=x>not</iframe>",
        "<object data=x>not</object>",
        "<object><object>not</object></object>",
        "<head><script>not</script></head>",
        "<input type=hidden value=not>",
        "<!-- not -->",
    ],
)
def test_elements_that_are_never_shown_are_taken_out(html: str) -> None:
    assert seen_and_hidden(f"{html}<p>seen</p>") == ("seen", 0)


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        "class=hidden",
        "id=hidden",
        "data-hidden",
        "aria-hidden=false",
        "aria-hidden",
        "style='display:block'",
        "style='display:none;display:block'",
        "style='overflow:hidden'",
        "style='font-size:0.9em'",
        "style='font-size:10px'",
        "style='font-size:0'><b style='font-size:12px'",
        "style='visibility:hidden'><b style='visibility:visible'",
        "style='--display:none'",
        "style='x-display:none'",
        "style='background:url(display:none)'",
        "style",
        "title='display:none'",
        "style='opacity:0'",
    ],
)
def test_what_is_shown_stays(attributes: str) -> None:
    assert seen_and_hidden(f"<p {attributes}>seen</p>") == ("seen", 0)


@pytest.mark.parametrize("attributes", ["hidden", "style='display:none'", "aria-hidden=true"])
def test_a_body_that_waits_for_its_script_is_shown(attributes: str) -> None:
    assert seen_and_hidden(f"<html {attributes}><body {attributes}><p>seen") == ("seen", 0)


def test_hidden_inside_hidden_is_counted_once() -> None:
    assert seen_and_hidden("<p>seen<div hidden>abc<p hidden>de<b hidden>f</b></div>") == ("seen", 6)


@pytest.mark.parametrize(
    "html", ["<!-- <noscript> -->", "<script>'<noscript>'</script>", "<p title='<noscript>'>", "</noscript>"]
)
def test_a_noscript_that_is_none_hides_nothing(html: str) -> None:
    assert seen_and_hidden(f"{html}<p>seen</p><noscript>not</noscript>") == ("seen", 0)


def test_links_and_words_beside_hidden_ones_stay() -> None:
    linear = linearise("<p>a<a hidden href=x>b</a><a href=y>c</a><span style=display:none>d</span>e", URL)
    assert "".join(linear.chunks.texts().to_pylist()) == "ace"
    assert (linear.links.urls, linear.hidden_chars) == ([f"{URL}y"], 2)


def test_an_element_that_shows_itself_deep_inside_hidden_ones_is_found_in_time() -> None:
    started = time.process_time()
    html = "<div style=visibility:hidden>" * 2_000 + "<b style=visibility:visible>seen"
    assert seen_and_hidden(html) == ("seen", 0)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ('<span class="sr-only">(current)</span>', ""),
        ("<span class='visually-hidden'>(current)</span>", ""),
        ('<span class="sr-only">Skip to content</span>', "Skip to content"),
        ("<span>(current)</span>", "(current)"),
    ],
)
def test_the_note_of_the_open_entry_of_a_menu_is_left_out(note: str, shown: str) -> None:
    assert block_texts(f"<p>Some text.<ul><li><a href=/>Home {note}</a></ul>") == [
        "Some text.",
        f"Home {shown}".strip(),
    ]
