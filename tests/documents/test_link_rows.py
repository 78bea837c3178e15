"""Rows of links are divided into their entries; sentences made of links stay whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.documents.html.pieces import no_break_places
from diglot.records import BlockKind
from linearised import block_texts, linearise

A, B, C = '<a href="/a">{}</a>', '<a href="/b">{}</a>', '<a href="/c">{}</a>'


def row(*entries: str, between: str = " ") -> str:
    links = (form.format(text) for form, text in zip((A, B, C), entries, strict=False))
    return f"<div>{between.join(links)}</div>"


def test_each_entry_is_a_block_of_the_kind_of_its_row() -> None:
    linear = linearise(f"<ul><li>{row('Home', 'Our rooms', 'FAQ')}</li></ul><p>Some text.</p>")
    assert linear.blocks.kinds.tolist() == [BlockKind.LIST_ITEM] * 3 + [BlockKind.PARAGRAPH]
    assert linear.blocks.chars.tolist() == [4, 9, 3, 10]
    assert linear.blocks.link_chars.tolist() == [4, 9, 3, 0]


@pytest.mark.parametrize("between", [" ", "", "<img src='/dot.png'>", "<span> </span>"])
def test_entries_may_touch(between: str) -> None:
    assert block_texts(row("Home", "Our rooms", between=between)) == ["Home", "Our rooms"]


@pytest.mark.parametrize("mark", ["|", "||", "·", "•", "/", "–"])
def test_separators_are_no_text(mark: str) -> None:
    entries = row("Home", "Our rooms", between=f" {mark} ")
    assert block_texts(entries) == ["Home", "Our rooms"]
    linear = linearise(f"<p>A<div>{mark}&nbsp;{entries[5:-6]}{mark}</div><p>B&nbsp;C")
    assert linear.blocks.ends.tolist() == [1, 2, 3, 4]
    assert linear.blocks.link_chars.tolist() == [0, 4, 9, 0]
    assert no_break_places(linear.chunks, linear.blocks.ends).tolist() == [14]
    assert linear.links.inside.tolist() == [[1, 2], [2, 3]]


@pytest.mark.parametrize(("mark", "texts"), [("|", ["home", "rooms"]), ("–", ["home – rooms"]), ("", ["home rooms"])])
def test_entries_in_small_letters_have_bars_between(mark: str, texts: list[str]) -> None:
    assert block_texts(row("home", "rooms", between=f" {mark} ")) == texts


@pytest.mark.parametrize("element", ["nav", "footer", "menu"])
def test_entries_of_a_menu_may_begin_with_small_letters(element: str) -> None:
    entries = row("home", "Rooms", "про нас")
    assert block_texts(f"<{element}>{entries}</{element}>") == ["home", "Rooms", "про нас"]
    assert block_texts(f"<main>{entries}</main>") == ["home Rooms про нас"]
    sentence = row("home", "rooms", between=" and ")
    assert block_texts(f"<{element}>{sentence}</{element}>") == ["home and rooms"]


@pytest.mark.parametrize("between", [", ", ". ", " and ", " ||| "])
def test_other_text_between_links_keeps_the_block_whole(between: str) -> None:
    whole = f"Home{between}Our rooms".split()
    assert [block.split() for block in block_texts(row("Home", "Our rooms", between=between))] == [whole]


def test_a_small_letter_keeps_the_block_whole() -> None:
    assert block_texts(row("Mi", "estas", "Ana")) == ["Mi estas Ana"]
    assert block_texts(row("홈", "연락처")) == ["홈", "연락처"]
    assert block_texts(row("ოთახები", "ჩვენს შესახებ")) == ["ოთახები", "ჩვენს შესახებ"]


def test_numbers_of_pages_and_letters_of_an_index_stay_in_one_block() -> None:
    assert block_texts(row("1", "2", "Next")) == ["1 2 Next"]
    assert block_texts(row("A", "B", "C")) == ["A B C"]
    assert block_texts(row("Ab", "B2B", "Cd")) == ["Ab", "B2B", "Cd"]


def test_a_link_in_pieces_is_one_entry() -> None:
    pieces = '<a href="/a">Our </a><a href="/a">rooms</a>'
    assert block_texts(f"<p>{pieces} {B.format('Prices')}</p>") == ["Our rooms", "Prices"]
    assert block_texts(f"<p>{pieces}</p>") == ["Our rooms"]
    # Entries that a script follows, and places that are not written yet.
    assert block_texts('<p><a href="#">Rooms</a> <a href="#">Prices</a></p>') == ["Rooms", "Prices"]
    assert block_texts('<p><a href="/a">Our Rooms</a> <a href="/a">Prices</a></p>') == ["Our Rooms", "Prices"]
    # The places of one page differ in their fragments.
    assert block_texts('<p><a href="#a">Our</a> <a href="#b">Rooms</a></p>') == ["Our", "Rooms"]


def test_the_page_itself_is_an_entry_without_a_link() -> None:
    links = f"{A.format('Home')} {B.format('Rooms')}"
    for element in ("span", "b", "a"):
        assert block_texts(f"<p><{element}>Suite</{element}> {links}</p>") == ["Suite", "Home", "Rooms"]
    assert block_texts(f"<p><b>Suite</b> {links} <b>Bath</b></p>") == ["Suite Home Rooms Bath"]
    assert block_texts(f"<p>{A.format('Home')} <b>Suite</b></p>") == ["Home Suite"]
    assert block_texts(f"<p>{links} <i>›</i> <b>Suite</b></p>") == ["Home", "Rooms", "Suite"]
    assert block_texts(f"<p>{links} <b>and more</b></p>") == ["Home Rooms and more"]
    assert block_texts(f"<p>{links} <b>A <i>Suite</i></b></p>") == ["Home Rooms A Suite"]


def test_text_beside_the_links_keeps_the_block_whole() -> None:
    assert block_texts(f"<p>{A.format('Home')} {B.format('Rooms')} Suite</p>") == ["Home Rooms Suite"]
    assert block_texts(f"<p>Tags: {A.format('Home')} {B.format('Rooms')}</p>") == ["Tags: Home Rooms"]


def test_a_link_over_two_blocks_divides_none() -> None:
    page = f"<div>{A.format('Home')} <a href='/b'>Rooms<p>Prices <b>and</b></p></a></div>"
    assert block_texts(page) == ["Home Rooms", "Prices and"]


@given(st.lists(st.sampled_from(["Home", "Our rooms", "rooms", "1", "|", ", "]), min_size=1, max_size=6))
def test_no_text_is_lost_or_moved(entries: list[str]) -> None:
    links = [text if text in {"|", ", "} else f'<a href="/{place}">{text}</a>' for place, text in enumerate(entries)]
    linear = linearise(f"<div>{' '.join(links)}</div>")
    ends = linear.blocks.ends.tolist()
    assert ends == sorted(set(ends))
    assert ends[-1] == len(linear.chunks.offsets) - 1
    assert linear.blocks.chars.sum() == linear.chunks.tokens[linear.chunks.tokens > 0].sum()
