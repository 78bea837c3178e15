"""How many terms of a run are right, and how many of a dictionary's are found.

python benchmarks/terms.py draw RUN -l en,fr [--seed 0] [--least .8] [-n 200]
    terms drawn at random, to be read and judged by a person
python benchmarks/terms.py recall RUN -l en,fr DICTIONARY [--least .5] [--segments 3]
    of the entries of a dictionary (any that `--evidence dictionary:PATH` takes) whose two sides stand together in so
    many segments, the share that is among the terms, any form of either side counting: of all, of those of several
    words, and of those that at least half of the segments with the source side have
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa

from diglot.lexicons import find_lexicon
from diglot.results.run import open_run
from diglot.terms.tokens import cut

MAX_WORDS = 4
LETTERS = 5  # Of an entry that is hardly a function word, which no term is.


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "recall"))
    parser.add_argument("run")
    parser.add_argument("dictionary", nargs="?", default="")
    parser.add_argument("-l", "--langs", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float)
    parser.add_argument("-n", "--size", type=int, default=200)
    parser.add_argument("--segments", type=int, default=3)
    options = parser.parse_intermixed_args()
    src_lang, tgt_lang = options.langs.split(",")
    least = options.least if options.least is not None else {"draw": 0.8, "recall": 0.5}[options.what]
    run = open_run(options.run)
    started = time.process_time()
    terms = run.terms(src_lang, tgt_lang, least=least)
    print(
        f"{terms.num_rows:,} terms of probability {least} or more, {time.process_time() - started:.1f} s of processor"
    )
    if options.what == "draw":
        draw(terms, options.size, options.seed)
        return
    segments = run.segments(src_lang, tgt_lang).kept_rows()
    entries = entries_of(options.dictionary, src_lang, tgt_lang)
    together, held = standing_together(segments, entries, (src_lang, tgt_lang))
    wanted = {entry: count for entry, count in together.items() if count >= options.segments}
    print(f"{len(wanted):,} of {len(entries):,} entries stand on both sides")
    found = pairs_of(terms)
    several = [entry for entry in wanted if any(" " in side for side in entry)]
    usual = [entry for entry, count in wanted.items() if 2 * count >= held[entry[0]]]
    long = [entry for entry in usual if min(map(len, entry)) >= LETTERS]
    for name, chosen in (
        ("all", list(wanted)),
        ("several words", several),
        ("the usual translation", usual),
        (f"the usual translation, {LETTERS} letters or more", long),
    ):
        right = sum(entry in found for entry in chosen)
        print(f"{name}: {right:,} of {len(chosen):,} found, {right / max(len(chosen), 1):.3f}")


def draw(terms: pa.Table, size: int, seed: int) -> None:
    """Print ``size`` terms, those drawn of all in alphabetical order."""
    rows = sorted(zip(terms["src"].to_pylist(), terms["tgt"].to_pylist(), strict=True))
    same = sum(src.casefold() == tgt.casefold() for src, tgt in rows)
    print(f"{same:,} of them are the same in both languages")
    for number, (src, tgt) in enumerate(sorted(random.Random(seed).sample(rows, min(size, len(rows)))), start=1):
        print(f"{number:3}  {src} = {tgt}")


def entries_of(path: str, src_lang: str, tgt_lang: str) -> set[tuple[str, str]]:
    """Pairs of phrases of a dictionary, as words between blanks."""
    lexicon = find_lexicon(path, src_lang, tgt_lang)
    if lexicon is None or not lexicon.entries:
        raise SystemExit(f"{path}: no entries for {src_lang}-{tgt_lang}; name a dictionary of these languages")
    sides = [
        map(" ".join, phrases(texts, lang))
        for texts, lang in zip(zip(*lexicon.entries, strict=True), (src_lang, tgt_lang), strict=True)
    ]
    return {pair for pair in zip(*sides, strict=True) if all(0 < len(side.split()) <= MAX_WORDS for side in pair)}


def phrases(texts: Sequence[str], lang: str) -> Iterator[list[str]]:
    """The words of each text, as the tokens of segments are."""
    tokens = cut(texts, lang)
    for begin, end in zip(tokens.offsets[:-1].tolist(), tokens.offsets[1:].tolist(), strict=True):
        yield [tokens.names[word] for word in tokens.words[begin:end].tolist()]


def standing_together(
    segments: pa.Table, entries: set[tuple[str, str]], langs: tuple[str, str]
) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Segments that hold both sides of each entry, and those that hold each source side."""
    by_src: dict[str, list[str]] = {}
    for src, tgt in sorted(entries):
        by_src.setdefault(src, []).append(tgt)
    sides = [phrases(segments[name].to_pylist(), lang) for name, lang in zip(("src", "tgt"), langs, strict=True)]
    both: Counter[tuple[str, str]] = Counter()
    held: Counter[str] = Counter()
    for src, tgt in zip(*sides, strict=True):
        known, here = grams(src) & by_src.keys(), grams(tgt)
        held.update(known)
        both.update((gram, each) for gram in known for each in by_src[gram] if each in here)
    return both, held


def grams(words: list[str]) -> set[str]:
    """All runs of so many words at most."""
    return {
        " ".join(words[start : start + size])
        for size in range(1, MAX_WORDS + 1)
        for start in range(len(words) - size + 1)
    }


def pairs_of(terms: pa.Table) -> set[tuple[str, str]]:
    """All pairs of forms of the terms."""
    found = set()
    for row in terms.select(["src", "tgt", "src_forms", "tgt_forms"]).to_pylist():
        src, tgt = (
            [" ".join(words) for words in phrases([row[name], *row[f"{name}_forms"]], "en")] for name in ("src", "tgt")
        )
        found.update((one, other) for one in src for other in tgt)
    return found


if __name__ == "__main__":
    main()
