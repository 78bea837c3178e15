"""A heading set in two or three lines is one text; a second text below it stays apart."""

import pytest

from linearised import block_texts

BEFORE = "<p>Some text."


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("<h1>Where the Sea<br>Meets Legend</h1>", "Where the Sea Meets Legend"),
        ("<h2>Places to visit:<br/>\n  the Greek <em>South</em></h2>", "Places to visit: the Greek South"),
        ("<h3>Our House,<br><em>your House</em></h3>", "Our House, your House"),
        ("<h4>Deine <b>Stadt</b><br>Berlin</h4>", "Deine Stadt Berlin"),
        ("<h5>Your <span>optician</span><br>in Town</h5>", "Your optician in Town"),
        ("<h6>Your optician<br><span class=x>in Town</span></h6>", "Your optician in Town"),
        ("<h1><a href=x>One Link<br>Two Lines</a></h1>", "One Link Two Lines"),
        ("<h1>One<br>Two<br>Three</h1>", "One Two Three"),
        ("<h1><br>One<br>Two<br>Three<br><br></h1>", "One Two Three"),
        ("<h1>Bed &amp;<br>Breakfast</h1>", "Bed & Breakfast"),
        ("<h1>Ana Horn —<br>Director</h1>", "Ana Horn — Director"),
        ("<h1>हमारा घर कहाँ<br>है</h1>", "हमारा घर कहाँ है"),
        ("<h1>One &nbsp;<br>&nbsp; Two</h1>", "One Two"),
        ("<h1>京都住宿设施，<br>专属一人的静谧时光</h1>", "京都住宿设施，专属一人的静谧时光"),
        ("<h1>京都 Kyoto<br>专属一人</h1>", "京都 Kyoto 专属一人"),
    ],
)
def test_lines_of_a_heading_are_one_text(heading: str, text: str) -> None:
    found = [" ".join(block.split()) for block in block_texts(f"{BEFORE}{heading}<p>End")]
    assert found == ["Some text.", text, "End"]


@pytest.mark.parametrize(
    ("heading", "texts"),
    [
        ("<h1>Ask us.<br>We answer</h1>", ["Ask us.", "We answer"]),
        ("<h1>Home &gt;<br>Rooms</h1>", ["Home >", "Rooms"]),
        ("<h1>version 0.9.28<br>Documentation</h1>", ["version 0.9.28", "Documentation"]),
        ("<h1>Our Hotel<br><small>by the sea</small></h1>", ["Our Hotel", "by the sea"]),
        ("<h1>Our Hotel<br><span>By the Sea</span></h1>", ["Our Hotel", "By the Sea"]),
        ("<h1><span>Ana Horn</span><br>Dutch and Czech</h1>", ["Ana Horn", "Dutch and Czech"]),
        ("<h1>მთავარი გვერდი<br><span>ჩვენს შესახებ</span></h1>", ["მთავარი გვერდი", "ჩვენს შესახებ"]),
        ("<h1>Our Hotel<br><a href=x>Read more</a></h1>", ["Our Hotel", "Read more"]),
        ("<h1>Our Hotel<br><br>By the Sea</h1>", ["Our Hotel", "By the Sea"]),
        ("<h1>One<br>Two<br>Three<br>Four</h1>", ["One", "Two", "Three", "Four"]),
        ("<h1>One<br>Two<br><br>Three</h1>", ["One Two", "Three"]),
        ("<h1>One<br>Two<br><br>Three<br>Four</h1>", ["One", "Two", "Three", "Four"]),
        ("<h1><br>One<br>Two<br>Three<br>Four</h1>", ["One", "Two", "Three", "Four"]),
        ("<h1>Our Hotel<br></h1>", ["Our Hotel"]),
        ("<h1><br>Our Hotel</h1>", ["Our Hotel"]),
        ("<h1>Our Hotel</h1>By<br>Night", ["Our Hotel", "By", "Night"]),
        ("<h1>Our Hotel<br><img src=x>By the Sea</h1>", ["Our Hotel", "By the Sea"]),
        ("<p>Our Hotel<br>By the Sea</p>", ["Our Hotel", "By the Sea"]),
    ],
)
def test_other_lines_stay_apart(heading: str, texts: list[str]) -> None:
    assert block_texts(f"{BEFORE}{heading}<p>End") == ["Some text.", *texts, "End"]
