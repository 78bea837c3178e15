"""Items of lists: read from pages, put into one order by what they link to, scored where their order says little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest

from diglot.alignment.beads import Bead
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.list_scores import ItemList, item_probabilities, order_doubt, sorted_nats
from diglot.alignment.lists import ListItems
from diglot.alignment.reordering import PagePair, as_paired, in_one_order, lead_elsewhere, link_keys
from diglot.alignment.site_model import _text_pair as text_pair
from diglot.alignment.site_model import align_with, learn_model, split_table
from diglot.documents.table import parse_table
from diglot.records import PAGE_SCHEMA
from diglot.run.align import beside, located

ENGLISH = {
    "brick": "Bricks",
    "foam": "Foam",
    "grass": "Grass",
    "rain": "Rain",
    "snow": "Snow ball",
    "tile": "Tiles",
}
FRENCH = {
    "brick": "Mur",
    "foam": "Ecume",
    "grass": "Herbe",
    "rain": "Pluie",
    "snow": "Boule de neige",
    "tile": "Carreaux",
}


def parsed(url: str, lang: str, html: str) -> pa.Table:
    page = dict.fromkeys(PAGE_SCHEMA.names, "") | {"url": url, "body": html.encode(), "content_type": "text/html"}
    table = parse_table(pa.Table.from_pylist([page | {"offset": 0}], schema=PAGE_SCHEMA))
    return table.set_column(table.schema.get_field_index("lang"), "lang", pa.array([lang]))


def index(lang: str, names: dict[str, str], *, linked: bool = True) -> pa.Table:
    """Sentences of a page with a list of tools, sorted by their names."""
    items = sorted(names.items(), key=lambda item: item[1])
    shown = [f'<a href="{file}.html">{name}</a>' if linked else name for file, name in items]
    html = f"<title>2024</title><h1>12 + 5</h1><ul>{''.join(f'<li>{item}</li>' for item in shown)}</ul><p>7.</p>"
    return split_table(parsed(f"https://a.org/{lang}/index.html", lang, html))


def aligned(*pages: pa.Table) -> list[tuple[str, str, float]]:
    """The units of the English and the French page, each with its score."""
    sides = pa.concat_tables(pages)
    urls = sides["url"].to_pylist()
    pairs = pa.table({"src_url": urls[:1], "tgt_url": urls[1:], "src_lang": ["en"], "tgt_lang": ["fr"]})
    pairs = located(pairs.append_column("site", pa.array(["a.org"])), sides)
    columns = [name for name in sides.schema.names if name != "url"]
    pair = text_pair(beside(pairs, sides, columns).to_pylist()[0])
    beads = align_with(learn_model([pair]), pair)
    return [(" ".join(pair.src[slice(*bead.src)]), " ".join(pair.tgt[slice(*bead.tgt)]), bead.score) for bead in beads]


def test_links_match_items_across_the_order() -> None:
    units = {(src, tgt): score for src, tgt, score in aligned(index("en", ENGLISH), index("fr", FRENCH))}
    for file, name in ENGLISH.items():
        assert units[name, FRENCH[file]] > 0.7


def test_sorted_items_that_nothing_tells_apart_share_the_chance() -> None:
    units = aligned(index("en", ENGLISH, linked=False), index("fr", FRENCH, linked=False))
    items = [score for src, _, score in units if src in ENGLISH.values()]
    assert len(items) == 6
    assert max(items) < 0.35
    assert all(score > 0.8 for src, tgt, score in units if src == tgt)


def test_items_hold_what_their_lists_say() -> None:
    html = (
        "<p>Before</p><ul><li>A<ul><li>A1<li>A2</ul></li><li>B</ul>"
        "<table><tr><td>x<td>y</tr><tr><td>z</table><dl><dt>t<dd>one<dd>two<dt>u</dl>"
        '<p><a href="1">p</a><p><a href="2">q</a><p><a href="3">r</a><p>After'
    )
    row = split_table(parsed("https://a.org/", "en", html)).to_pylist()[0]
    texts = row["sentences"]
    items = ListItems(row["item_lists"], row["item_starts"], row["item_ends"]).by_list().values()
    assert sorted([["".join(texts[slice(*item)]) for item in own] for own in items]) == [
        ["A1", "A2"],
        ["AA1A2", "B"],
        ["p", "q", "r"],
        ["tonetwo", "u"],
        ["xy", "z"],
    ]


def test_links_of_sentences() -> None:
    html = (
        '<p><a href="a.html#x%20y">whole</a></p><p>See <a href="b.html">this</a>.</p>'
        '<p><a href="c">two</a> <a href="d">places</a></p><p><a href="#here">there</a></p>'
        '<p><a href="e">One.</a> Another sentence.</p>'
    )
    row = split_table(parsed("https://a.org/", "en", html)).to_pylist()[0]
    assert row["links"] == ["https://a.org/a.html#x y", "https://a.org/b.html", "", "#here", "", ""]
    assert row["whole_links"] == [1, 0, 0, 1, 0, 0]


def test_names_stand_for_addresses_if_nothing_else_has_them() -> None:
    src = ["https://a.org/en/blur.html", "https://a.org/en/x/index.html", "https://a.org/en/1", "https://b.org/", ""]
    tgt = ["https://a.org/fr/x/", "https://a.org/fr/blur.html", "https://a.org/fr/1", "https://a.org/es/1", ""]
    assert link_keys(src, tgt) == (["blur.html", "x", "", "", ""], ["x", "blur.html", "", "", ""])


def test_pages_of_a_pair_are_one_place_and_a_menu_of_languages_two() -> None:
    partners = {"e1": "e1", "f1": "e1", "e2": "e2", "f2": "e2"}
    assert as_paired(["e2#a", "z"], ["f2#b", "f1"], PagePair("e1", "f1"), partners) == (
        ["=e2#a", "z"],
        ["=e2#b", "=e1"],
    )
    src, tgt = as_paired(["e1", "f1"], ["e1", "f1"], PagePair("e1", "f1"), partners)
    assert src == tgt == ["=e1", "=f1"]


class _OnlyAsked(dict[str, str]):
    """Can be asked for a page, not gone through."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("all pages of the site are gone through for one pair")

    keys = values = items = __iter__  # type: ignore[assignment]


def test_a_pair_costs_the_same_on_any_site() -> None:
    partners = _OnlyAsked({"e1": "e1", "f1": "e1", "e2": "e2", "f2": "e2"})
    assert as_paired(["e2"], ["f2"], PagePair("e1", "f1"), partners) == (["=e2"], ["=e2"])


@pytest.mark.parametrize(
    ("src", "tgt", "elsewhere"),
    [
        ("a", "a", False),
        ("a", "b", True),  # each page has both
        ("a", "c", False),  # c stands on one page alone, and may be what a is there
        ("=p", "=q", True),  # pages that are paired, not with each other
        ("=p#x", "=p#y", False),  # an anchor may be translated
        ("=p", "", False),
    ],
)
def test_places_known_to_be_two(src: str, tgt: str, elsewhere: bool) -> None:
    assert lead_elsewhere(src, tgt, {"a", "b", "=p"}, {"a", "b", "c", "=q"}) is elsewhere


def ordered(src: Sequence[str], tgt: Sequence[str], items: tuple[ListItems, ListItems]) -> list[str]:
    """The target side in its new order; sentences of small letters are links to what they say."""
    links = ([text.lower() if text.islower() else "" for text in side] for side in (src, tgt))
    keys = tuple(links)
    return list(in_one_order(ParallelText(src, tgt, links=(keys[0], keys[1]), items=items)).tgt)


def one_list(count: int, first: int = 0) -> ListItems:
    return ListItems([0] * count, range(first, first + count), range(first + 1, first + count + 1))


def test_items_without_a_link_follow_the_one_before() -> None:
    lists = (one_list(3), one_list(5, first=1))
    assert ordered(["a", "b", "c"], ["T", "c", "X", "Y", "a", "b", "U"], lists) == ["T", "a", "b", "c", "X", "Y", "U"]


def test_one_shared_link_moves_nothing() -> None:
    assert ordered(["a", "b"], ["x", "a"], (one_list(2), one_list(2))) == ["x", "a"]


def test_a_list_within_a_list_moves_with_its_item() -> None:
    # Outer items "a" and "b"; "b" holds the items "c" and "d".
    src = ListItems([1, 1, 0, 0], [2, 3, 0, 1], [3, 4, 1, 4])
    tgt = ListItems([1, 1, 0, 0], [1, 2, 0, 3], [2, 3, 3, 4])
    assert ordered(["a", "b", "c", "d"], ["b", "d", "c", "a"], (src, tgt)) == ["a", "b", "c", "d"]


def test_order_is_doubted_where_both_sides_are_sorted() -> None:
    def doubt(src: list[str], tgt: list[str]) -> float:
        own = [ItemList([(n, n + 1) for n in range(len(side))], {}) for side in (src, tgt)]
        return order_doubt(*own, ParallelText(src, tgt))

    english, french = sorted(ENGLISH.values()), sorted(FRENCH.values())
    assert doubt(english, french) > 0.95
    assert doubt(english, list(FRENCH.values())) < 0.1
    assert doubt([f"{n}. {name}" for n, name in enumerate(ENGLISH.values())], french[::-1]) < 0.05
    assert sorted_nats(["1. b", "2. a"]) < 0 < sorted_nats(["Éa", "eb", "F"])


def test_links_in_order_end_the_doubt() -> None:
    def doubt(ranks: list[int]) -> float:
        items = [(n, n + 1) for n in range(len(ranks))]
        own = [
            ItemList(items, {str(n): n for n in range(len(ranks))}),
            ItemList(items, {str(n): rank for n, rank in enumerate(ranks)}),
        ]
        return order_doubt(*own, ParallelText(list("abcde"), list("abcde")))

    assert doubt([0, 1, 2, 3, 4]) == 0
    assert doubt([0, 1, 3, 2, 4]) == 0.5
    assert doubt([4, 3, 2, 1, 0]) == 1


def test_probabilities_of_items() -> None:
    even = item_probabilities(np.zeros((4, 4)))
    assert even == pytest.approx(0.25, abs=0.01)
    known = np.full((3, 3), -1.0)
    known[0, 1] = known[1, 0] = 12.0
    likely = item_probabilities(known)
    assert likely[0, 1] > 0.99
    assert likely[2, 2] > 0.9  # by elimination
    assert item_probabilities(np.full((2, 2), -20.0)).max() < 0.01  # both say that they do not belong together


def test_two_links_to_different_places_are_no_translation() -> None:
    names = ["Eins", "Zwei", "Drei"]
    pair = ParallelText([*names, "Vier"], [*names, "Vier"], links=(["=p", "=q", "=r", ""], ["=p", "=s", "=r", ""]))
    pair = ParallelText(pair.src, pair.tgt, links=pair.links, whole_links=([1] * 4, [1] * 4))
    beads = align_with(learn_model([pair]), pair)
    scores = {bead.src: bead.score for bead in beads if isinstance(bead, Bead) and bead.kind == "1-1"}
    assert scores[1, 2] <= 0.05
    assert scores[0, 1] > 0.8
    assert scores[3, 4] > 0.8
