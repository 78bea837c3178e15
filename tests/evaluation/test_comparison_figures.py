"""Agreement of recipes, and the page that shows it: numbers by hand, strings from outside kept harmless."""

import re
from html.parser import HTMLParser

import pytest

from diglot.evaluation.comparison import Comparison, Contender, agreement, score_proposals
from diglot.evaluation.gold import GoldPair, GoldSet, ProposedPair
from diglot.report.comparison_page import HEAT_STEPS, page
from diglot.report.one_file import part

GOLD = GoldSet(tuple(GoldPair("en", "fr", f"e{n}", f"f{n}") for n in range(4)), name="gold.tsv")


def contender(name: str, *pairs: str, judged: bool = True, abstained: str = "") -> Contender:
    """``"e1 f1"`` each."""
    proposed = tuple(ProposedPair(*each.split(), 0.9, "en", "fr") for each in pairs)  # type: ignore[arg-type]
    scores = score_proposals(proposed, GOLD) if judged and not abstained else None
    return Contender(name, f"{name}|diglot:0", pairs=proposed, seconds=1.5, abstained=abstained, gold_scores=scores)


def comparison(*contenders: Contender, gold: str = "gold.tsv") -> Comparison:
    return Comparison(("site.warc",), ("en", "fr"), {"en": 4, "fr": 4}, contenders, gold)


A = contender("a", "e0 f0", "e1 f1", "e2 f3")
B = contender("b", "f1 e1", "e0 f0", "e2 f2", "e3 f3")
NONE = contender("none")
OUT = contender("out", abstained="no lexicon; give one")


def test_agreement_by_hand() -> None:
    assert agreement(A, B) == agreement(B, A) == pytest.approx(2 / 5)
    assert (agreement(A, A), agreement(A, NONE)) == (1, 0)
    assert agreement(NONE, NONE) is None
    assert agreement(A, OUT) is None


def test_what_only_one_recipe_proposes() -> None:
    compared = comparison(A, B, NONE, OUT)
    assert compared.distinct_pairs == 5
    assert [pair.tgt_url for pair in compared.alone(A)] == ["f3"]
    assert [pair.tgt_url for pair in compared.alone(B)] == ["f2", "f3"]
    assert compared.alone(NONE) == []


def test_the_dictionary() -> None:
    a, _, none, out = comparison(A, B, NONE, OUT).as_dict()["recipes"]
    assert (a["pairs"], a["alone"], a["agreement"]["b"], a["scores"]["found"]) == (3, 1, 0.4, 2)
    assert none["scores"]["f1"] == 0
    assert (out["abstained"], out["scores"]) == ("no lexicon; give one", None)


class Reader(HTMLParser):
    """Tags, attributes and text of a page, and whether every tag is closed in its order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_with_gold_draws_every_recipe_that_ran() -> None:
    html = page(comparison(A, B, NONE, OUT))
    read = Reader(html)
    assert html.count('<circle class="f1"') == 3
    assert read.tags.count("details") == 3  # two recipes with pairs of their own, and the signatures
    assert "out: abstains: no lexicon; give one" in read.text
    assert re.search(r"<td>a</td><td>3</td><td>1</td><td>0.667</td><td>0.500</td><td>0.571</td>", html)
    assert '<td class="heat heat8">0.40</td>' in html
    assert part("comparison.css").count(".heat") == HEAT_STEPS + 2  # one of each shade, and what they share


def test_the_page_without_gold_draws_numbers_of_pairs() -> None:
    bare = [contender("a", "e0 f0", "e1 f1", judged=False), contender("b", "e0 f0", judged=False)]
    html = page(comparison(*bare, gold=""))
    Reader(html)
    widths = re.findall(r'<rect class="(?:bar|alone)"[^>]* width="([\d.]+)"', html)
    assert widths == ["240.0", "240.0", "240.0", "0.0"]
    assert "95% of F1" not in html


def test_nothing_at_all_is_still_a_page() -> None:
    for contenders in ([], [OUT], [NONE], [NONE, NONE]):
        Reader(page(comparison(*contenders)))


def test_strings_from_outside_stay_text() -> None:
    evil = "</code><script>alert(1)</script>&\"'<img/src=x>"
    hostile = Contender(
        evil, evil, pairs=(ProposedPair("http://x/?" + evil, "javascript:alert(1)"),), notes=(evil,), seconds=0.1
    )
    other = Contender("b", "b", pairs=(ProposedPair("e", "f"),))
    out = Contender(evil, evil, abstained=evil)
    html = page(Comparison((evil,), (evil, "fr"), {evil: 1}, (hostile, other, out), evil))
    read = Reader(html)
    assert not {"script", "img", "a", "link", "iframe"} & set(read.tags)
    assert not any(name.startswith("on") or name in ("href", "src") for name, _ in read.attributes)
    assert "http://x/?" + evil in read.text
    policy = next(value for name, value in read.attributes if name == "content" and value and "default-src" in value)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "://" not in re.sub(r"<code>.*?</code>", "", html)  # nothing to fetch from anywhere


def test_a_comparison_is_short_in_a_shell() -> None:
    empty = Comparison(("site.warc",), ("en", "fr"), {"en": 4, "fr": 4}, ())
    assert repr(empty) == "<comparison of no recipes: 0 distinct pairs>"
    many = tuple(ProposedPair(f"http://a.example/{n}", f"http://a.example/fr/{n}", 1.0, "en", "fr") for n in range(99))
    shown = repr(Comparison(("site.warc",), ("en", "fr"), {}, (Contender("fused", "", many), Contender("ilsp", ""))))
    assert shown == "<comparison of fused, ilsp: 99 distinct pairs>"
