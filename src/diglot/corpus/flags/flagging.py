"""Flag the segments of a run, all at once: whether a segment is a copy depends on the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags import CORRECTED, EXCLUDED, FLAGS, HOMOGLYPH, MIN_SCORE, REPEATS
from diglot.corpus.flags.chances import calibrate, chances_of_right
from diglot.corpus.flags.context import Cleaning, Context, PageFacts
from diglot.corpus.flags.keeping import carries, kept_mask, reaches
from diglot.corpus.flags.list_marks import without_language_codes, without_lone_marks
from diglot.corpus.flags.personal import mask_personal_data
from diglot.corpus.flags.repeats import copy_addresses
from diglot.corpus.flags.spelling import MAYBE_MIXED, with_own_letters
from diglot.corpus.flags.third_language import scores_by_third_language
from diglot.corpus.flags.titles import without_foreign_end
from diglot.corpus.flags.unicode import normal_texts
from diglot.corpus.flags.variants import is_read_from_text, variant_of
from diglot.errors import DiglotError, describe_failure
from diglot.records import FLAGGED_SCHEMA, BlockKind, with_columns, zip_columns


def clean_segments(segments: pa.Table, options: Cleaning, pages: PageFacts | None = None) -> pa.Table:
    """Segments of whole sites with flags and final scores, :data:`diglot.records.FLAGGED_SCHEMA`."""
    if not options.probabilities:
        return flag_segments(segments, options, pages)
    raised = with_columns(segments, score=scores_by_third_language(segments))
    limited = limit_scores(flag_segments(raised, options, pages), options)
    return with_columns(limited, score=calibrate(limited["score"].to_numpy()))


def flag_segments(segments: pa.Table, options: Cleaning | None = None, pages: PageFacts | None = None) -> pa.Table:
    """The same rows in order as :data:`diglot.records.FLAGGED_SCHEMA`: texts in NFC, new flags added to the old.

    Each language pair of each site is judged by itself, so that a site gives the same segments alone and among others;
    copies across sites are resolved later (:mod:`diglot.corpus.flags.across`). Two texts are the same if they are equal
    after NFKC and case folding, white space as single spaces. A row with an empty side is ``unaligned`` and has no
    other new flag. Flagging a flagged table changes nothing.
    """
    options = options or Cleaning()
    if not segments.num_rows:
        return FLAGGED_SCHEMA.empty_table()
    segments = _with_normal_texts(segments, options.personal_data == "mask")
    context = Context(segments, options, pages or PageFacts(), reaches(segments, options.min_score))
    found = find_flags(context)
    # Empty sides are equal texts, yet rows without a translation are no copies of each other.
    representative = np.where(context.is_empty, np.arange(segments.num_rows), context.best_near_copy)
    columns = {name: segments[name] for name in segments.column_names}
    columns["flags"] = _with_flags(segments["flags"], found)
    columns["other_src_urls"], columns["other_tgt_urls"] = copy_addresses(segments, representative)
    for side in ("src", "tgt"):
        columns[f"{side}_variant"] = _variants(segments, side, context.pages)
    return pa.table([columns[name] for name in FLAGGED_SCHEMA.names], schema=FLAGGED_SCHEMA)


def limit_scores(flagged: pa.Table, options: Cleaning) -> pa.Table:
    """Flagged segments with scores no higher than their texts allow (:func:`chances_of_right`).

    Scores that are no probabilities stay as they are. An aligner tells whether two texts belong together, and not
    whether they say the same. Flags are found before, by the scores of the aligner: they compare segments of different
    lengths.
    """
    if not options.probabilities or not flagged.num_rows:
        return flagged
    context = Context(flagged, options, PageFacts(), reaches(flagged, options.min_score))
    allowed, with_repeats = (kept_mask(flagged, flags) for flags in (EXCLUDED, EXCLUDED.difference(REPEATS)))
    likely = reaches(flagged, MIN_SCORE)
    chances = chances_of_right(
        context, usable=allowed & likely, sound=with_repeats & likely, unlikely=allowed & ~likely
    )
    return with_columns(flagged, score=np.minimum(flagged["score"].to_numpy(), chances))


def find_flags(context: Context) -> dict[str, Mask]:
    """Mask of the rows with each flag of :data:`FLAGS`, in this order; :class:`DiglotError` names a flag that fails."""
    found = {}
    for flag in FLAGS:
        if flag.find is None:
            continue
        mask = _mask_of(flag.name, flag.find, context)
        found[flag.name] = mask if flag.of_empty else mask & ~context.is_empty
        if flag.excludes:
            context.usable &= ~mask
    return found


def _mask_of(name: str, find: Callable[[Context], Mask], context: Context) -> Mask:
    """What ``find`` gives; :class:`DiglotError` where it fails or gives no mask of the rows."""
    try:
        mask = find(context)
    except MemoryError:
        raise
    except Exception as error:  # the code of a flag may be its user's own
        raise DiglotError(f"flag {name}: {describe_failure(error)}") from error
    rows = context.segments.num_rows
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (rows,):
        given = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else f"a {type(mask).__name__}"
        raise DiglotError(f"flag {name}: find gives {given}; an array of bool of shape ({rows},) is needed")
    return mask


def _with_normal_texts(segments: pa.Table, mask: bool) -> pa.Table:
    for name in ("src", "tgt"):
        texts = normal_texts(segments[name])
        if mask:
            texts = _change_texts(texts, mask_personal_data)
        segments = with_columns(segments, **{name: texts})
    # Codes last: behind a mark they do not begin a text.
    return without_language_codes(without_lone_marks(_with_own_letters(_with_short_titles(segments))))


def _with_own_letters(segments: pa.Table) -> pa.Table:
    """Segments with the letters of each word in one script, and the flag ``homoglyph`` where a letter was replaced;
    a correction by hand stays as it is."""
    is_corrected = pa.array(carries(segments, CORRECTED))
    is_changed = np.zeros(segments.num_rows, bool)
    for name in ("src", "tgt"):
        may_be_mixed = pc.match_substring_regex(segments[name], MAYBE_MIXED).combine_chunks()
        is_suspect = pc.and_not(may_be_mixed, is_corrected)
        before = segments[name].filter(is_suspect)
        after = _change_texts(before, with_own_letters)
        is_changed[is_suspect.to_numpy(zero_copy_only=False)] |= pc.not_equal(before, after).to_numpy()
        texts = pc.replace_with_mask(segments[name].combine_chunks(), is_suspect, after)
        segments = with_columns(segments, **{name: texts})
    if not is_changed.any():
        return segments
    return with_columns(segments, flags=_with_flags(segments["flags"], {HOMOGLYPH: is_changed}))


def _with_short_titles(segments: pa.Table) -> pa.Table:
    """Titles without a foreign name of the site, the same on both sides; a correction by hand stays as it is."""
    is_title = (segments["kind"].to_numpy() == BlockKind.TITLE) & ~carries(segments, CORRECTED)
    if not is_title.any():
        return segments
    mask = pa.array(is_title)
    columns = (segments[name].filter(mask).to_pylist() for name in ("src", "tgt", "src_lang", "tgt_lang"))
    titles = [without_foreign_end(src, tgt, (mine, its)) for src, tgt, mine, its in zip(*columns, strict=True)]
    for place, side in enumerate(("src", "tgt")):
        shortened = pa.array([title[place] for title in titles], pa.string())
        texts = pc.replace_with_mask(segments[side].combine_chunks(), mask, shortened)
        segments = with_columns(segments, **{side: texts})
    return segments


def _change_texts(column: pa.ChunkedArray, change: Callable[[str], str]) -> pa.Array:
    texts = column.combine_chunks().dictionary_encode()
    return pa.array(list(map(change, texts.dictionary.to_pylist())), pa.string()).take(texts.indices)


def _variants(segments: pa.Table, side: str, pages: PageFacts) -> pa.Array:
    """The variant of each text on a side."""
    declared = pages.declared_lang
    lang, url = (segments[f"{side}_{name}"].combine_chunks().dictionary_encode() for name in ("lang", "url"))
    langs, urls = lang.dictionary.to_pylist(), url.dictionary.to_pylist()
    # Most variants depend on language and page alone: each such pair is looked up once.
    codes, rows = np.unique(lang.indices.to_numpy() * np.int64(len(urls)) + url.indices.to_numpy(), return_inverse=True)
    places = [divmod(code, len(urls)) for code in codes.tolist()]
    by_page = [variant_of("", langs[lang], declared.get(urls[url], "")) for lang, url in places]
    variants = pa.array(by_page, pa.string()).take(pa.array(rows))
    by_text = np.isin(lang.indices.to_numpy(), np.flatnonzero(list(map(is_read_from_text, langs))))
    if not by_text.any():
        return variants
    some = segments.filter(pa.array(by_text))
    rows_of_texts = zip_columns(some, side, f"{side}_lang", f"{side}_url")
    of_texts = [variant_of(text, lang, declared.get(url, "")) for text, lang, url in rows_of_texts]
    return pc.replace_with_mask(variants, pa.array(by_text), pa.array(of_texts, pa.string()))


def _with_flags(existing: pa.ChunkedArray, found: Mapping[str, Mask]) -> pa.Array:
    """Sorted lists of the old and the new flags of each row; a list is built once for each combination of flags."""
    before = pc.binary_join(existing.combine_chunks(), ",").dictionary_encode()
    bits = sum((mask.astype(np.int64) << number for number, mask in enumerate(found.values())), start=np.int64(0))
    known = before.dictionary.to_pylist()
    combined, rows = np.unique(np.asarray(bits) * len(known) + before.indices.to_numpy(), return_inverse=True)
    lists = []
    for code in combined.tolist():
        flags = {flag for flag in known[code % len(known)].split(",") if flag}
        flags |= {name for number, name in enumerate(found) if code // len(known) >> number & 1}
        lists.append(sorted(flags))
    return pa.array(lists, type=pa.list_(pa.string())).take(pa.array(rows))
