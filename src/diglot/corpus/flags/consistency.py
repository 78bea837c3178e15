"""Whether a site translates a repeated text in like words each time. If not, the site does not translate the text, or
two aligned texts do not belong together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct_counts
from diglot.corpus.flags.codes import combine, rows_by_code
from diglot.corpus.flags.counterparts import TextWords, words_of_texts
from diglot.corpus.flags.lengths import has_words
from diglot.corpus.flags.repeats import SENTENCE_END, SUPPORT_DIGITS

LEAST_SHARED = 1 / 3
"""Least share of common words in two translations of a text (Dice's coefficient); texts with less in common are unlike.
Translators reword a text; they do not write another one."""
FORGIVEN = 2.0
"""Number of repeated texts beside unlike texts that is subtracted from each count: a text may have two meanings, or a
translator a better idea."""
TIMES_BETTER = 3.0
"""Least ratio of the support of a better translation to that of the translation at hand: two lists in a wrong order
give less."""
LEAST_UNLIKE = 3
"""Least number of texts, each unlike the others, beside a notice. A text may have two meanings."""
NOTICE_WORDS = 5
"""Least words of a notice; a short sentence, *Read more.*, may be said in several ways without a word in common."""
MOST_WORTH = 2 / 3
"""Largest share of the support of like texts beside a notice; lists of names are like each other by their surnames."""
MOST_LIKELY = 1 / 3
"""Largest share of likely texts among those beside a notice: whatever it replaces is by chance as long as a
translation. A sentence with a translation, in however many wordings, stands beside others only where the aligner
slipped."""
MANY_UNLIKE = 2 * LEAST_UNLIKE
"""Least number of texts, each unlike the others, beside a notice whatever share of its texts is likely: each of the two
meanings of a text in as many wordings as there are texts beside a notice. A page that is adapted rather than translated
has one sentence in place of many, at the places of the originals, which makes all of them likely."""
MOST_COMPARED = 200
"""Most likely texts beside a notice that are compared with each other, the best supported: a right translation is among
them, and the time grows with the square of their number."""
EDITION_TEXTS = 2
"""Least number of texts that two page pairs share with no third one, if the two are editions of one page, such as last
year's and this year's. Two people may have translated the editions."""


class UnlikeShares(NamedTuple):
    """Shares of repeated texts that stand beside unlike texts, in [0, 1]."""

    of_groups: Floats
    """Shape (groups,)."""
    of_pages: Floats
    """Shape (page pairs,)."""


def unlike_shares(words: TextWords, sides: Ints, groups: Ints, pages: Ints, learnt: Mask) -> UnlikeShares:
    """Shares of the repeated texts of each group of segments, and of each page pair, that stand beside unlike texts.

    A text of either side is repeated if it stands in two segments of its group. Its right translation is the most
    frequent one; of equally frequent ones, that on the page pair with the fewest texts of several translations: a list
    sorted anew is wrong, not every page about one of its entries. A text counts by the number of its places beside
    texts unlike the right translation (:data:`LEAST_SHARED`), over the number of all its places less one. Texts of two
    editions of one page do not count (:data:`EDITION_TEXTS`).

    Group: the places on one page pair count as one text at most, because a list may stand there twice, or the aligner
    slip once. Page pair: a text counts if it stands on another page pair, too.

    ``sides``: numbers of the source and the target texts, int64 (2, segments). ``groups``, ``pages``: the group and the
    page pair of each segment, from 0; a page pair is of one group. ``learnt``: mask of the segments that count.
    """
    repeated = np.zeros(int(groups.max(initial=-1)) + 1)
    on_page, texts_there, unlike_there = np.zeros((3, int(pages.max(initial=-1)) + 1))
    group_of = np.zeros(len(on_page), np.int64)
    group_of[pages] = groups
    sides, groups, pages = sides[:, learnt], groups[learnt], pages[learnt]
    for ours, theirs in (sides, sides[::-1]) if len(groups) else ():
        text = combine(groups, ours)
        rows = np.flatnonzero((np.bincount(text) > 1)[text] & ~_are_of_editions(text, pages)[text])
        if not len(rows):
            continue
        _, first, pair, places = np.unique(
            combine(text[rows], theirs[rows]), return_index=True, return_inverse=True, return_counts=True
        )
        # The first row of each pair of texts: a text's most frequent translation first, then that of the page pair with
        # the fewest texts in doubt, then the earliest.
        row = rows[first]
        in_doubt = np.bincount(pages[rows], (np.bincount(text[row]) > 1)[text[rows]])
        order = np.lexsort((first, in_doubt[pages[row]], -places, text[row]))
        _, start, of_text = np.unique(text[row[order]], return_index=True, return_inverse=True)
        best = row[order[start]]
        is_unlike = np.empty(len(row), bool)
        is_unlike[order] = ~_share_words(words, theirs[row[order]], theirs[best][of_text])
        shares = is_unlike[pair] / (np.bincount(text)[text[rows]] - 1)
        on_page += np.bincount(pages[rows], shares, minlength=len(on_page))
        # A list that a page holds twice says nothing about the page: it is compared with other pages. A note that
        # stands beside many texts of a page is one text.
        there = combine(pages[rows], text[rows])
        is_elsewhere = distinct_counts(text[rows], pages[rows])[text[rows]] > 1
        weights = is_elsewhere / np.bincount(there)[there]
        texts_there += np.bincount(pages[rows], weights, minlength=len(on_page))
        unlike_there += np.bincount(pages[rows], weights * is_unlike[pair], minlength=len(on_page))
        repeated += np.bincount(groups[best], minlength=len(repeated))
    unlike = np.bincount(group_of, np.minimum(on_page, 1.0), minlength=len(repeated))
    return UnlikeShares(_share_in_excess(unlike, repeated), _share_in_excess(unlike_there, texts_there))


def have_unlike_rivals(texts: pa.Array, sides: Ints, best: Ints, support: Floats) -> Mask:
    """Mask of the segments whose two texts both have a better translation elsewhere, unlike the one here.

    A page that lists articles or products at random lists others in each language. What stands at the same place is no
    translation: both texts have theirs on other pages. A synonym shares words with the better translation
    (:data:`LEAST_SHARED`), or its text stands beside no other. Better: :data:`TIMES_BETTER` as well supported.

    ``sides``: places of the source and the target texts in ``texts``, int64 (2, segments). ``best``: the segment with
    the best translation of the source text, and of the target text, of each segment, int64 (2, segments). ``support``:
    the evidence for each segment by itself and its copies (:func:`diglot.corpus.flags.repeats.supports`).
    """
    # Three equal scores together are not exactly three times one of them, rounded.
    least = np.round(TIMES_BETTER * support, SUPPORT_DIGITS - 1)
    is_beaten = (support[best] > support) & (np.round(support[best], SUPPORT_DIGITS - 1) >= least)
    rows = np.flatnonzero(is_beaten.all(axis=0))
    compared = np.stack((sides[::-1, rows], (sides[1, best[0, rows]], sides[0, best[1, rows]])))
    needed, places = np.unique(compared, return_inverse=True)
    words = words_of_texts(texts.take(pa.array(needed)))
    (tgt, src), (better_tgt, better_src) = places.reshape(compared.shape)
    found = np.zeros(len(support), bool)
    found[rows] = ~(_share_words(words, tgt, better_tgt) | _share_words(words, src, better_src))
    return found


def are_notices(texts: pa.Array, sides: Ints, peers: Ints, support: Floats, likely: Mask) -> Mask:
    """Mask of the likely segments with a notice on one side, such as *Sorry, this entry is only available in Japanese.*

    A system puts it in place of any text that is not translated, and an author in place of many that are not. So a
    sentence of :data:`NOTICE_WORDS` words stands beside many texts. Few of them are likely (:data:`MOST_LIKELY`), and
    :data:`LEAST_UNLIKE` of these are unlike each other (:data:`LEAST_SHARED`); or :data:`MANY_UNLIKE` are. None of
    these, with those like it, has more than :data:`MOST_WORTH` of the support: a right translation has, where the
    aligner slipped elsewhere.

    ``sides``: places of the source and the target texts in ``texts``, which ascend, int64 (2, segments). ``peers``:
    code of the site and language pair of each segment. ``support``: evidence for each segment
    (:attr:`Context.support`). ``likely``: mask of segments with the least score.
    """
    found = np.zeros(len(peers), bool)
    for ours, theirs in (sides, sides[::-1]) if likely.any() else ():
        text = combine(peers, ours)
        beside = distinct_counts(text, theirs)
        likely_beside = distinct_counts(text[likely], theirs[likely], len(beside))
        least_unlike = np.where(likely_beside <= MOST_LIKELY * beside, LEAST_UNLIKE, MANY_UNLIKE)
        rows = np.flatnonzero((likely_beside >= least_unlike)[text] & likely)
        rows = rows[_are_sentences(texts.take(pa.array(ours[rows])))]
        for one in rows_by_code(text[rows]):
            rivals, place = np.unique(theirs[rows[one]], return_inverse=True)
            worth = np.round(np.bincount(place, support[rows[one]]), SUPPORT_DIGITS).astype(np.float64)
            words = words_of_texts(texts.take(pa.array(rivals)))
            found[rows[one]] |= _are_rivals(words, worth, int(least_unlike[text[rows[one[0]]]]))
    return found


def _are_sentences(texts: pa.Array) -> Mask:
    chunked = pa.chunked_array([texts])
    ends = pc.match_substring_regex(chunked, SENTENCE_END).to_numpy()
    return np.asarray(has_words(chunked, NOTICE_WORDS) & ends, bool)


def _are_rivals(words: TextWords, support: Floats, least: int) -> bool:
    """Whether a least number of groups of like texts is among some, and none is worth most.

    The best supported text of a group stands for it; of equally supported ones, the first in ``words``.
    """
    groups: list[int] = []
    worth: list[float] = []
    for place in np.argsort(-support, kind="stable")[:MOST_COMPARED].tolist():
        like = _share_words(words, np.full(len(groups), place), np.array(groups, np.int64))
        if like.any():
            worth[int(np.argmax(like))] += support[place]
        else:
            groups.append(place)
            worth.append(float(support[place]))
    return len(groups) >= least and max(worth) <= MOST_WORTH * sum(worth)


def _share_in_excess(unlike: Floats | Ints, repeated: Floats) -> Floats:
    """Repeated texts beside unlike texts, less :data:`FORGIVEN`, as a share of all repeated texts."""
    return np.asarray(np.maximum(unlike - FORGIVEN, 0.0) / np.maximum(repeated, 1.0))


def _are_of_editions(text: Ints, pages: Ints) -> Mask:
    """Mask of the texts that stand on two page pairs, which are editions of one page; shape (highest text + 1,).

    ``text``, ``pages``: text and page pair of each segment, from 0; shape (segments,).
    """
    span = int(pages.max()) + 1
    texts, places = np.divmod(np.unique(text * span + pages), span)
    is_on_two = (np.bincount(texts) == 2)[texts]
    first, second = places[is_on_two].reshape(-1, 2).T
    _, couple, shared = np.unique(first * span + second, return_inverse=True, return_counts=True)
    found = np.zeros(int(text.max()) + 1, bool)
    found[texts[is_on_two][::2]] = shared[couple] >= EDITION_TEXTS
    return found


def _share_words(words: TextWords, texts: Ints, others: Ints) -> Mask:
    """Mask of the pairs of texts that share :data:`LEAST_SHARED` of their words, or have none."""
    ours, theirs = (_words_of_pairs(words, side) for side in (texts, others))
    shared = np.bincount(ours[np.isin(ours, theirs)] // max(1, words.vocabulary), minlength=len(texts))
    return np.asarray(2 * shared >= LEAST_SHARED * (words.counts[texts] + words.counts[others]), bool)


def _words_of_pairs(words: TextWords, texts: Ints) -> Ints:
    """Words of the text of each pair, as distinct numbers of pair and word."""
    found, pair = words.of_texts(texts)
    return np.asarray(pair * words.vocabulary + found)
