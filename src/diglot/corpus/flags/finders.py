"""Masks of the rows with a flag: the finders that take a few lines over a :class:`Context`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask, distinct_counts
from diglot.corpus.flags.codes import combine
from diglot.corpus.flags.consistency import are_notices, have_unlike_rivals
from diglot.corpus.flags.contained import are_contained
from diglot.corpus.flags.context import Context, OfTexts, holds_word, matches, sides_match
from diglot.corpus.flags.gibberish import is_gibberish
from diglot.corpus.flags.keeping import reaches
from diglot.corpus.flags.lengths import is_odd_length, is_too_short
from diglot.corpus.flags.nonsense import are_nonsense
from diglot.corpus.flags.numbers import UNIT, are_units_converted, numbers_agree
from diglot.corpus.flags.personal import has_personal_data
from diglot.corpus.flags.repeats import Rivals, best_translations, has_better
from diglot.corpus.flags.unicode import are_damaged

LETTER = r"\p{L}"
# Text in Japanese may follow an address without a blank: an address ends where ASCII does.
ADDRESS = r"(?:https?://|\bwww\.)[!-~]+|[!-?A-~]+@[!-?A-~]+\.[!-?A-~]+"
"""An address of a page, or of mail."""
MARKUP = r"\{\{[^{}]*\}\}|\{%[^{}]*%\}|</\w+>|<\w+\s[^<>]*=[^<>]*>"
"""What a template would have filled, ``{{ site.name }}``, and tags: a text of nothing else is code, also where code
quotes a title. A text about templates says more."""
INITIAL, ONE_LETTER = r"^\s*\p{Lu}\s*$", r"^\s*\p{L}\p{M}*\s*$"
"""A capital alone, as a site puts it in the place of a portrait, and any letter alone. In lower case, and with a mark
behind it, one may be a word of a word list (*and: y:*); two letters without capitals may be words, too (*和*, *및*)."""
HOLE = r"(?:^|[^\p{L}\p{M}\p{N}])[\p{Ll}\p{Lo}][\p{L}\p{M}]*[\s\p{Zs}],[\s\p{Zs}]|[:：][\s\p{Zs}]?\.\s*$"
"""A comma between blanks, or a full stop behind a colon. French has a blank before its other marks, careless authors
have one before a full stop, and behind a name before a comma: a link ends there."""
# Not only \p{Nd}: NFKC turns superscripts and fractions into digits.
NUMBER = r"\p{N}"
MAYBE_DAMAGED = r"\x{FFFD}|[\x{80}-\x{24F}\x{2010}-\x{2122}]{2}|[\x{420}\x{421}][\x{80}-\x{45F}]|&#?\w+;"
"""Signs of a letter decoded as two or three: marks beyond ASCII side by side, or the Cyrillic of UTF-8 read as
CP1251; and entities."""
PLACEHOLDER_TEXT = r"(?i)^\PL*lor[eu]m ipsum\PL*$|\blor[eu]m ipsum (?:dolor|sit)\b|\bdolor sit amet,? consect"
"""Placeholder text, also as designers misspell it. A text that only speaks of *Lorem ipsum* is none."""
SURE_ALTERNATIVE = 0.99
"""Least score of the aligner for a second translation to be kept. One in three second translations is wrong. Evidence
of 99 to 1 outweighs this share; the usual least score does not."""
LEAST_GIBBERISH = 3
"""Least number of different such texts on each side, and of page pairs with one, in a site and language pair: a machine
that fails does so on many. Two pages may have subjects of their own, with words that stand nowhere else. A single text,
though a translator words it in three ways, has new words and is no garbage: of ten found on 260,000 segments of real
sites, four were right, and none was gibberish."""
MAYBE_PERSONAL = r"@|\d.*\d.*\d.*\d.*\d|<(email|iban|card|phone)>"

different_numbers = OfTexts(lambda src, tgt: not (numbers_agree(src, tgt) or are_units_converted(src, tgt)), NUMBER)
converted_units = OfTexts(are_units_converted, UNIT)
damaged_letters = OfTexts(are_damaged, MAYBE_DAMAGED)


def is_empty(context: Context) -> Mask:
    return context.is_empty


def is_boilerplate(context: Context) -> Mask:
    return context.is_boilerplate


def is_duplicate(context: Context) -> Mask:
    return np.asarray(context.best_copy != np.arange(context.segments.num_rows), bool)


def is_near_duplicate(context: Context) -> Mask:
    return context.is_copy & ~is_duplicate(context)


def is_machine_translated(context: Context) -> Mask:
    return context.is_machine_translated


def is_identical(context: Context) -> Mask:
    return context.is_identical


def is_contained(context: Context) -> Mask:
    return context.by_texts(are_contained)


def has_no_letters(context: Context) -> Mask:
    found = context.by_texts(lambda pairs: ~(_has_letters(pairs["src"]) & _has_letters(pairs["tgt"])))
    return found | context.by_texts(_are_initials) & ~context.is_identical


def _has_letters(texts: pa.ChunkedArray) -> Mask:
    # Markup first: an address in it may hold a part of it, and ends behind it.
    return matches(pc.replace_substring_regex(pc.replace_substring_regex(texts, MARKUP, ""), ADDRESS, ""), LETTER)


def _are_initials(pairs: pa.Table) -> Mask:
    initial, letter = (sides_match(pairs, pattern) for pattern in (INITIAL, ONE_LETTER))
    return np.asarray(initial.any(axis=0) & letter.all(axis=0), bool)


def has_hole(context: Context) -> Mask:
    return context.by_texts(lambda pairs: np.asarray(sides_match(pairs, HOLE).all(axis=0), bool))


def shows_personal_data(context: Context) -> Mask:
    if context.options.personal_data == "off":
        return np.zeros(context.segments.num_rows, bool)
    test = OfTexts(lambda src, tgt: has_personal_data(src) or has_personal_data(tgt), MAYBE_PERSONAL)
    return test(context)


def is_nonsense(context: Context) -> Mask:
    found = np.zeros(context.segments.num_rows, bool)
    rows = np.flatnonzero(context.usable)
    found[rows] = are_nonsense(context.texts.values, context.texts.sides[:, rows])
    return found


def is_repeated_gibberish(context: Context) -> Mask:
    # Texts that do not belong together are unlike each other in their words, too.
    found = is_gibberish(context) & context.sure
    peers = context.peers[found]
    counted = (*context.texts.sides, context.page_pair)
    fewest = np.min([distinct_counts(peers, codes[found])[peers] for codes in counted], axis=0)
    found[found] = fewest >= LEAST_GIBBERISH
    return found


def is_offensive(context: Context) -> Mask:
    words = context.options.offensive
    return OfTexts(holds_word(words), LETTER)(context) if words else np.zeros(context.segments.num_rows, bool)


def is_short(context: Context) -> Mask:
    return context.by_texts(is_too_short)


def is_wrong_language(context: Context) -> Mask:
    return context.is_wrong_language | context.by_texts(have_placeholder)


def have_placeholder(pairs: pa.Table) -> Mask:
    """Mask of the pairs with placeholder text on one side; texts about it quote it on both sides."""
    src, tgt = sides_match(pairs, PLACEHOLDER_TEXT)
    return np.asarray(src ^ tgt, bool)


def has_odd_length(context: Context) -> Mask:
    # Copies would count several times, and untranslated text has no ratio of lengths to learn from.
    usable = ~(context.is_empty | context.is_copy | context.is_identical | context.is_wrong_language)
    # A page pair without one likely segment, such as two books of one title, has no usual ratio either.
    usable &= context.sure
    return is_odd_length(context.lengths, context.peers, usable=usable)


def is_notice(context: Context) -> Mask:
    rows = np.flatnonzero(context.usable)
    found = np.zeros(context.segments.num_rows, bool)
    found[rows] = are_notices(
        context.texts.values,
        context.texts.sides[:, rows],
        context.peers[rows],
        context.support[rows],
        context.sure[rows],
    )
    return found


def is_conflict(context: Context) -> Mask:
    best = _best_translations(context, 0)
    beaten: Mask = best != np.arange(len(best))
    if not context.options.probabilities:
        return beaten
    unsure: Mask = beaten & ~reaches(context.segments, SURE_ALTERNATIVE)
    both = np.stack((best, _best_translations(context, 1)))
    return unsure | have_unlike_rivals(context.texts.values, context.texts.sides, both, context.support)


def is_alternative(context: Context) -> Mask:
    best = _best_translations(context, 0)
    return np.asarray(best != np.arange(len(best)), bool)


def _best_translations(context: Context, side: int) -> Ints:
    """Row with the best translation of the source text (``side`` 0) or the target text (1) of each row."""
    text = combine(context.peers, context.codes.near[side])
    return best_translations(context.segments, Rivals(text, context.support, context.usable, context.sure))


def is_in_series(context: Context) -> Mask:
    labels = context.usable & context.is_label
    return has_better(context.segments, combine(context.peers, *context.codes.series), labels)
