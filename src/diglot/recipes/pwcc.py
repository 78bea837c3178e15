"""PWCC: pages of like path and size, sentences aligned by length, words looked up in a lexicon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from diglot.features.anchor_agreement import anchor_agreement
from diglot.lexicons import find_lexicon
from diglot.pairing.assignment import greedy
from diglot.pairing.cascade import Gate, GatedStep
from diglot.pairing.pwcc import SentenceReading, low_share, most_common_path, page_distance, page_similarity
from diglot.recipes.recipe import Recipe, setting
from diglot.words import missing_segmenter

BYTES_A_KB = 1024


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of PWCC. Shares are fractions."""

    lexicon: str = setting("", "4.2 (a bilingual dictionary)", "lexicon files, parted by commas", files=True)
    word_list: str = setting(
        "", "section 3, assumption 3", "lexicon files of the words that anchors must agree on", files=True
    )
    max_size_difference_kb: float = setting(20.0, "appendix A (LD < 20 kB)", "sizes of the HTML differ by less, in kB")
    mutual: bool = setting(False, "reading D.7", "only candidates that both pages name")
    threshold: float = setting(0.65, "4.2 (log 0.65)", "least similarity of two pages")
    raw_product: bool = setting(False, "reading D.1", "the product of the paper in place of the geometric mean")
    low: float = setting(0.20, "reading D.2", "a sentence similarity below this is low")
    max_low_share: float = setting(0.50, "reading D.2", "more low sentences than this share reject a pair")
    symmetric: bool = setting(False, "reading D.9", "sentence similarity is the mean of both directions")
    stems: int = setting(0, "4.2 (whole words)", "how many first letters of a word count, 0 for all")
    same_words: bool = setting(
        True, "ours; in 4.2 only a dictionary", "a word that stands on both sides translates itself"
    )
    stop_share: float = setting(1 / 3, "ours, for 4.2's stop words", "share of the running text that stop words make")


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """A single step; no step without a lexicon for the language pair."""
    lexicon = find_lexicon(options.lexicon, src_lang, tgt_lang)
    if lexicon is None:
        return ()
    word_list = find_lexicon(options.word_list, src_lang, tgt_lang)
    reading = SentenceReading(
        lexicon=lexicon,
        stem_letters=options.stems,
        stop_share=options.stop_share,
        same_words=options.same_words,
        symmetric=options.symmetric,
        low=options.low,
    )
    candidates = partial(
        most_common_path,
        less_bytes=options.max_size_difference_kb * BYTES_A_KB,
        agreement=partial(anchor_agreement, word_list=word_list) if word_list else None,
        mutual=options.mutual,
    )
    similarity = partial(page_similarity, reading=reading, product=options.raw_product)
    return (
        GatedStep(
            method="sentences",
            candidates=(candidates,),
            gates=(
                Gate(
                    name="low_sentences",
                    feature=partial(low_share, reading=reading),
                    at_most=options.max_low_share,
                    missing="passes",
                ),
                Gate(name="similarity", feature=similarity, at_least=options.threshold, missing="passes"),
            ),
            rank=(partial(page_distance, reading=reading, product=options.raw_product),),
            assign=greedy,
            score=similarity,
        ),
    )


def requires(options: Options, src_lang: str, tgt_lang: str) -> str:
    """Why the recipe abstains from the two languages; "" if it does not abstain."""
    if find_lexicon(options.lexicon, src_lang, tgt_lang) is not None:
        return ""
    held = f"{options.lexicon} holds no" if options.lexicon else "there is no"
    return f"{held} {src_lang}-{tgt_lang} lexicon, so pwcc pairs nothing; name a file in its option lexicon"


def remarks(options: Options, src_lang: str, tgt_lang: str) -> tuple[str, ...]:
    """Remarks before a run on skipped lines of lexicons, and on languages without a segmenter, a line each."""
    found = [find_lexicon(paths, src_lang, tgt_lang) for paths in (options.lexicon, options.word_list)]
    skipped = [
        f"{one.name}: {one.skipped} lines are no entries and were left out" for one in found if one and one.skipped
    ]
    unsegmented = [
        f"{lang} is read character by character; {missing} finds its words"
        for lang in (src_lang, tgt_lang)
        if (missing := missing_segmenter(lang))
    ]
    return (*skipped, *unsegmented)


RECIPE = Recipe(
    name="pwcc",
    source="Li, Liu & Zhu (Wuhan University; our copy names no year), Mining Parallel Text from the Web based on "
    "Sentence Alignment (PWCC)",
    summary="pairs pages whose aligned sentences translate each other by a lexicon that you give",
    options=Options(),
    steps=steps,
    requires=requires,
    remarks=remarks,
)

STEMS = replace(
    RECIPE,
    name="pwcc-stems",
    summary="pwcc at a threshold that free lexicons reach, words cut to five letters, stop words kept",
    options=Options(threshold=0.10, low=0.05, stems=5, stop_share=0.0),
    changed_sources={
        "threshold": "ours: free lexicons reach no 0.65",
        "low": "ours, lower with the threshold",
        "stems": "ours: free lexicons have few forms of a word",
        "stop_share": "ours: stop words are kept",
    },
)
