"""What carried a pair: planted words, the block they stand in, and the page that came next."""

from made_bilingual import bilingual_site, planted_words

from diglot.pairing.fused.evidence import GROUPS
from diglot.pairing.fused.why import SHOWN_WORDS, explain_fused
from diglot.results.explain import Explanation, FeatureReading


def test_words_that_translate_each_other_carry_a_pair_and_others_speak_against_it() -> None:
    site, gold = bilingual_site(pages=40, orphans=0)
    row_of = {url: row for row, url in enumerate(site.urls)}
    partner = planted_words()
    pairs = [(row_of[src], row_of[tgt]) for src, tgt in sorted(gold)]
    names = {"src_lang": "en", "tgt_lang": "fr", "seed": 0}
    right = explain_fused(site, *pairs[0], **names)
    wrong = explain_fused(site, pairs[0][0], pairs[1][1], **names)
    known = [word for word in right.words_for if word.src in partner]
    assert len(known) >= 4
    assert sum(partner[word.src] == word.tgt for word in known) >= 0.8 * len(known)
    assert len(right.words_for) == SHOWN_WORDS
    assert right.lead_bits > 0
    assert not wrong.lead_bits > 0
    assert sum(word.bits for word in wrong.words_against) < -4
    assert right.rival in {row for pair in pairs for row in pair} - set(pairs[0])
    texts = site.blocks(pairs[0][0]), site.blocks(pairs[0][1])
    assert right.blocks
    assert all(texts[0].index(block.src) == texts[1].index(block.tgt) for block in right.blocks)


def test_a_verdict_tells_bits_words_blocks_and_the_runner_up() -> None:
    site, gold = bilingual_site(pages=40, orphans=0)
    src, tgt = (site.urls.index(url) for url in min(gold))
    grounds = explain_fused(site, src, tgt, src_lang="en", tgt_lang="fr", seed=0)
    evidence = (FeatureReading("fused", "order", 1.25, "bits", True),)
    text = str(Explanation("line", evidence, (("order", 1.25), ("words", -0.5)), grounds, "http://a/next"))
    assert "order +1.2, words -0.5; all +0.8" in text
    first = next(word for word in grounds.words_for if word.src != word.tgt)
    assert f"{first.src}/{first.tgt} +" in text
    assert f'"{grounds.blocks[0].src[:40]}' in text
    assert "runner-up  http://a/next for the" in text
    assert set(GROUPS) == {"words", "order", "numbers", "form", "address", "links", "rivals"}
