"""What speaks against a segment: the table of flags, and the choice of the flags that leave a segment out.

Nothing is deleted. The table of segments keeps every row with its flags; a translation memory takes the rows without an
excluding flag (:data:`EXCLUDED`, changed by ``--keep`` and ``--drop``) and with a least score (:data:`MIN_SCORE`,
changed by ``--min-score``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from diglot.arrays import Mask
from diglot.errors import UsageError, no_such, require_distinct

if TYPE_CHECKING:
    from diglot.corpus.flags.context import Context

ALTERNATIVE, CONFLICT, IDENTICAL, UNALIGNED = "alternative", "conflict", "identical", "unaligned"
WRONG_LANGUAGE = "wrong_language"
DUPLICATE, NEAR_DUPLICATE = "duplicate", "near_duplicate"
CORRECTED, HOMOGLYPH = "corrected", "homoglyph"
JUDGED_PARTLY, JUDGED_RIGHT, JUDGED_WRONG = "judged_partly", "judged_right", "judged_wrong"
"""Names of flags for other modules; the table :data:`FLAGS` has all names."""


@dataclass(frozen=True)
class Finder:
    """A function of a module of this package that gives the mask of the rows with a flag.

    The module is loaded when the flag is looked for: most commands only read the names of flags, and start sooner.
    """

    module: str
    function: str

    def __call__(self, context: Context) -> Mask:
        find: Callable[[Context], Mask] = getattr(import_module(f"{__name__}.{self.module}"), self.function)
        return find(context)


@dataclass(frozen=True, kw_only=True)
class Flag:
    """One thing to be said of a segment.

    ``meaning``: one short sentence for users, in the funnel and the report; ``details``: a sentence more for the
    reference page, in Markdown. ``find``: gives the mask of the rows with the flag; None for flags set by a person, or
    where texts are changed. ``excludes``: the flag leaves a segment out by default; other flags only warn. ``repeats``:
    another segment is kept in place of this one, and the segment counts under its other flags first. ``lasting``: a
    person's verdict does not lift the flag, as it casts no doubt on the translation. ``vouches``: a person answers for
    the segment. ``of_empty``: rows with an empty side can have it.
    """

    name: str
    meaning: str
    find: Callable[[Context], Mask] | None
    details: str = ""
    excludes: bool = True
    repeats: bool = False
    lasting: bool = False
    vouches: bool = False
    of_empty: bool = False


FLAGS = (
    Flag(
        name="unaligned",
        meaning="one side is empty: no translation was found",
        find=Finder("finders", "is_empty"),
        lasting=True,
        of_empty=True,
    ),
    Flag(
        name="boilerplate",
        meaning="the same two texts stand on many pages of the site; one copy is kept",
        find=Finder("finders", "is_boilerplate"),
        details="It stands on more than 5 page pairs and more than 30% of all: a menu, a footer. The best scored copy "
        "is kept, without the flag",
        repeats=True,
        lasting=True,
    ),
    Flag(
        name="duplicate",
        meaning="a better scored copy of the same two texts is kept",
        find=Finder("finders", "is_duplicate"),
        details="That copy has all addresses",
        repeats=True,
        lasting=True,
    ),
    Flag(
        name="near_duplicate",
        meaning="a better scored copy is kept; only case, accents or punctuation differ",
        find=Finder("finders", "is_near_duplicate"),
        details="Of sure copies, one without a symbol before it is kept, whatever the scores: *Cinnamon*, not "
        "*🌰 Cinnamon*",
        repeats=True,
        lasting=True,
    ),
    Flag(
        name="machine_translated",
        meaning="one of the two pages was translated by a machine",
        find=Finder("finders", "is_machine_translated"),
        details="It has the mark of a translation plugin or service, or says so itself",
    ),
    Flag(
        name="identical",
        meaning="both sides are the same letters and digits",
        find=Finder("finders", "is_identical"),
        details="Case, blanks and punctuation do not count: code, names, untranslated text",
    ),
    Flag(
        name="contained",
        meaning="one side is all of the other side, and goes on",
        find=Finder("finders", "is_contained"),
        details="Such as *rakonti – to tell* and *rakonti –*: an entry without its translation, or an original with "
        "its translation behind it, or a title left untranslated behind the name of its language: "
        "*(Русский) Для прессы*. Also a label in two languages: *關於我們 About* and *About*, *Window poster "
        "Poster ffenestr* and *Poster ffenestr Window poster*",
    ),
    Flag(
        name="excerpt",
        meaning="one side is cut short; the whole text stands elsewhere on the site",
        find=Finder("excerpts", "has_excerpt"),
        details="Lists of articles show beginnings, *How to grow roses in your...*, and cut each language at another "
        "place",
    ),
    Flag(
        name="no_letters",
        meaning="one side has no letters, or only those of an address or of markup",
        find=Finder("finders", "has_no_letters"),
        details="Such as `{{ site.title }}`, which no template filled. Also *M* beside *林*, each all of its side: a "
        "single capital is an initial, and no word",
    ),
    Flag(
        name="hole",
        meaning="both sides have a hole where a template put no value",
        find=Finder("finders", "has_hole"),
        details="Such as *Founded in , the parish serves* and *Fondata nell'anno , la parrocchia serve*, or *Last "
        "updated: .* The translation is right, its sentence is broken. A comma behind a blank on one side alone is a "
        "slip of its author",
        excludes=False,
    ),
    Flag(
        name="language_menu",
        meaning="an entry of a menu of languages or countries",
        find=Finder("language_menu", "is_menu_of_languages"),
        details="Such as *Italiano (Italian)*, with its own name on both sides, three on a page pair; or names of two "
        "languages, or two lists of languages, that each language sorts in its own order; or a switch, "
        "*EN | DE*, *EN* beside *DE*, *Français fr*, *Рус/Eng* beside *Бел/Eng*",
    ),
    Flag(
        name="numbers",
        meaning="the two sides have different numbers",
        find=Finder("finders", "different_numbers"),
        details="A number may be spelt out in letters on one side",
    ),
    Flag(
        name="units",
        meaning="the two sides have different numbers, as units are converted: inches to centimetres",
        find=Finder("finders", "converted_units"),
        details="The translation is right, its numbers fit other readers",
        excludes=False,
    ),
    Flag(
        name="mojibake",
        meaning="characters are lost or wrongly decoded",
        find=Finder("finders", "damaged_letters"),
        details="Such as U+FFFD, *Ã©* for *é*, or `&mdash;` for a dash on one side alone",
    ),
    Flag(
        name="wrong_letters",
        meaning="a PDF names its letters wrongly: its text is not what its page shows",
        find=Finder("wrong_letters", "has_wrong_letters"),
        details="Such as *u=liza* for *utiliza*: the fonts of the file are to blame. Where a fifth of the long texts "
        "of a PDF show it, all its segments get the flag",
    ),
    Flag(
        name="homoglyph",
        meaning="a letter of another script in a word was replaced by the word's own, which looks the same",
        find=None,
        details="Such as a Latin *C* in *Cкачать*: nobody finds such a word, and a machine learns a wrong one",
        excludes=False,
    ),
    Flag(
        name="nonsense",
        meaning="one side repeats a syllable or a phrase over and over",
        find=Finder("finders", "is_nonsense"),
        details="Four times in a row, or half of a text is said twice: a translating machine got stuck",
    ),
    Flag(
        name="offensive",
        meaning="one side has a word of your list",
        find=Finder("finders", "is_offensive"),
        details="`--offensive` names the list",
        lasting=True,
    ),
    Flag(
        name="personal_data",
        meaning="one side has an e-mail address, a telephone number, a bank account or a card number",
        find=Finder("finders", "shows_personal_data"),
        excludes=False,
        lasting=True,
    ),
    Flag(
        name="too_short",
        meaning="both sides have fewer than three words",
        find=Finder("finders", "is_short"),
        excludes=False,
    ),
    Flag(
        name="wrong_language",
        meaning="one side is in another language",
        find=Finder("finders", "is_wrong_language"),
        details="By its script, its words, the pages that it stands on, or an identifier of languages "
        "([below](#the-language-of-a-side))",
    ),
    Flag(
        name="foreign_part",
        meaning="a part of both sides is the same and in another language than one of them",
        find=Finder("foreign_part", "has_foreign_part"),
        details="A label before a colon, a sentence at the end, four words or more at the beginning, a title in a "
        "third language at the end. Code, quotations, names and titles of publications do not count",
    ),
    Flag(
        name="added_end",
        meaning="one side ends with words that the site adds in one language alone",
        find=Finder("added_end", "has_added_end"),
        details="Behind a comma, a bar or in brackets, as in one text of twenty, and the other sides have no such end: "
        "a note, or the name of the site",
    ),
    Flag(
        name="gibberish",
        meaning="the words of one side look like no others of its language on the site",
        find=Finder("finders", "is_repeated_gibberish"),
        details="Most of their parts of four letters stand nowhere else: letters spelt out, pieces of words at random. "
        "A site has three different such texts in a language pair, on each side and on three page pairs, or none "
        "gets the flag",
    ),
    Flag(
        name="length_ratio",
        meaning="one side is far too long for the other",
        find=Finder("finders", "has_odd_length"),
        details="By three robust standard deviations from the usual ratio of the site, and at least by a factor 2.2; "
        "more for short texts (3.2 at 45 characters, 4.8 at 25). Texts of fewer than 20 characters do not get the flag",
    ),
    Flag(
        name="notice",
        meaning="a sentence stands beside many unlike texts: it says that a translation is missing, or fills its place",
        find=Finder("finders", "is_notice"),
        details="Such as *Sorry, this entry is only available in Japanese.*, which a system puts in place of any text. "
        "A sentence has five words or more. Three or more likely texts are unlike each other, if at most a third are "
        "likely, otherwise six or more; and none has two thirds of the support",
    ),
    Flag(
        name="conflict",
        meaning="the same source text has a better supported translation, and this one is not sure",
        find=Finder("finders", "is_conflict"),
        details="The aligner was less than 99% sure of it, or both texts have translations in other words, three times "
        "as well supported, as where a shop lists other products in each language. Support is the sum of log odds over "
        "all copies, boilerplate not counted; `conflicts.SRC-TGT.tsv` lists both",
        repeats=True,
    ),
    Flag(
        name="alternative",
        meaning="the same source text has a better supported translation; both are kept",
        find=Finder("finders", "is_alternative"),
        details="`conflicts.SRC-TGT.tsv` lists both",
        excludes=False,
    ),
    Flag(
        name="series",
        meaning="a better scored label is kept; only its numbers differ",
        find=Finder("finders", "is_in_series"),
        details="`Table 9.4`, `Table 9.5`, `[16] Castle.`: sentences do not get the flag",
        lasting=True,
    ),
    Flag(
        name="judged_right",
        meaning="judged right by hand",
        find=None,
        details="No doubt and no score leaves it out any more",
        excludes=False,
        vouches=True,
    ),
    Flag(
        name="judged_partly",
        meaning="judged partly right by hand",
        find=None,
        excludes=False,
    ),
    Flag(
        name="judged_wrong",
        meaning="judged wrong by hand",
        find=None,
        lasting=True,
    ),
    Flag(
        name="corrected",
        meaning="corrected by hand",
        find=None,
        details="Earlier doubts about its text are dropped ([verdicts](../how-to/judge.md))",
        excludes=False,
        vouches=True,
    ),
)
"""All flags, in the order in which they are found: ``conflict`` and ``series`` choose among segments without an earlier
excluding flag, so a flag of your own enters before them."""

require_distinct("flag", (flag.name for flag in FLAGS))
MEANINGS = {flag.name: flag.meaning for flag in sorted(FLAGS, key=lambda flag: flag.name)}
"""The short sentence of each flag, by name."""
EXCLUDED = frozenset(flag.name for flag in FLAGS if flag.excludes)
"""Flags that leave a segment out of the corpus by default."""
REPEATS = tuple(flag.name for flag in FLAGS if flag.repeats)
"""Flags of a segment with a representative. A segment with another flag, too, counts under the other one."""
VOUCHED = tuple(sorted(flag.name for flag in FLAGS if flag.vouches))
"""Flags of segments vouched for by a person: neither score nor doubts leave such a segment out ..."""
LASTING = frozenset(flag.name for flag in FLAGS if flag.lasting)
"""... but these flags do: the translation is not in doubt."""

MIN_SCORE = 0.5
"""Least score of a kept segment. A score is the probability of a right segment: below it, wrong is likelier."""


def flag_meaning(name: str) -> str:
    """The short sentence of a flag; a run may have flags of another version, or of somebody's own."""
    return MEANINGS.get(name, "a flag that this installation of Diglot does not have")


def excluded_flags(keep: Collection[str] = (), drop: Collection[str] = ()) -> frozenset[str]:
    """The excluding flags: :data:`EXCLUDED` without ``keep``, and with ``drop``.

    Raises: :class:`UsageError` for an unknown flag, or a flag in both.
    """
    kept, dropped = ({check_flag(name) for name in names} for names in (keep, drop))
    both = kept & dropped
    if both:
        raise UsageError(f"keep= and drop= both name {min(both)}; leave it out of one of them")
    return (EXCLUDED - kept) | dropped


def check_flag(name: str) -> str:
    """The name without blanks around it; raises :class:`UsageError` for an unknown flag."""
    if name.strip() not in MEANINGS:
        raise UsageError(no_such("flag", name.strip(), MEANINGS))
    return name.strip()
