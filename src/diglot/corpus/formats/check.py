"""Check of a TMX file against XML and TMX 1.4b, and of its languages and texts, so that every tool can open it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from diglot.checked_arguments import check_arguments
from diglot.corpus.characters import is_valid_tag
from diglot.corpus.formats.xml_bounds import MAX_UNIT_BYTES, STEP_BYTES, BeyondBounds, XmlBounds
from diglot.disk.safe_read import require_regular
from diglot.errors import SourceError

ANY_NUMBER = 1 << 62


class Group(NamedTuple):
    """A step in the content of an element: children in any order."""

    names: frozenset[str]
    least: int = 0
    most: int = ANY_NUMBER


@dataclass(frozen=True)
class Element:
    """Content and attributes of an element."""

    groups: tuple[Group, ...] = ()
    """The content in order; a name is in at most one group."""
    text: bool = False
    required: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    """Optional attributes."""
    choices: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Values of attributes with a fixed list of values."""

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Number of the group of each possible child."""
        return {name: number for number, group in enumerate(self.groups) for name in group.names}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _inline(required: str = "", allowed: str = "", **choices: str) -> Element:
    """An inline code: markup of the original format, with translatable text in ``sub``."""
    return Element(
        (Group(_words("sub")),),
        text=True,
        required=_words(required),
        allowed=_words(allowed),
        choices={name: _words(values) for name, values in choices.items()},
    )


_NOTES = Group(_words("note prop"))
_MARKUP = Group(_words("bpt ept ph it hi ut"))
_SEGTYPE = {"segtype": _words("block paragraph sentence phrase")}
_HISTORY = "creationdate creationid changedate changeid"
_UNIT = f"{_HISTORY} o-encoding datatype usagecount lastusagedate creationtool creationtoolversion o-tmf"

ROOT = "tmx"
ELEMENTS: dict[str, Element] = {
    "tmx": Element(
        (Group(_words("header"), 1, 1), Group(_words("body"), 1, 1)),
        # The DTD fixes the value and so lets it be left out; the specification asks for it.
        required=_words("version"),
        choices={"version": _words("1.4")},
    ),
    "header": Element(
        (Group(_words("note prop ude")),),
        required=_words("creationtool creationtoolversion segtype o-tmf adminlang srclang datatype"),
        allowed=_words(f"o-encoding {_HISTORY}"),
        choices=_SEGTYPE,
    ),
    "body": Element((Group(_words("tu")),)),
    "note": Element(text=True, allowed=_words("o-encoding xml:lang lang")),
    "prop": Element(text=True, required=_words("type"), allowed=_words("o-encoding xml:lang lang")),
    "ude": Element((Group(_words("map"), 1),), required=_words("name"), allowed=_words("base")),
    "map": Element(required=_words("unicode"), allowed=_words("code ent subst")),
    "tu": Element((_NOTES, Group(_words("tuv"), 1)), allowed=_words(f"{_UNIT} tuid segtype srclang"), choices=_SEGTYPE),
    "tuv": Element((_NOTES, Group(_words("seg"), 1, 1)), required=_words("xml:lang"), allowed=_words(f"{_UNIT} lang")),
    "seg": Element((_MARKUP,), text=True),
    "hi": Element((_MARKUP,), text=True, allowed=_words("x type")),
    "sub": Element((_MARKUP,), text=True, allowed=_words("datatype type")),
    "bpt": _inline("i", "x type"),
    "ept": _inline("i"),
    "it": _inline("pos", "x type", pos="begin end"),
    "ph": _inline("", "x assoc type"),
    "ut": _inline("", "x"),
}


SHOWN_PROBLEMS = 20
MAX_PROBLEMS = 1_000_000
"""Problems after which the check ends: further ones tell nothing new, and a file can hold one in every four bytes."""
_DISCOURAGED = re.compile("[\x7f-\x84\x86-\x9f]")
_ANY_SOURCE = "*all*"
_UNKNOWN = Element(text=True)


class Problem(StrEnum):
    """Kinds of fault."""

    NOT_WELL_FORMED = "not_well_formed"  # no XML reader gets past this line
    CONTROL_CHARACTER = "control_character"  # forbidden in XML 1.0, or discouraged and meaningless
    ENTITY = "entity"  # declared or used; readers differ, and expansion is an attack
    STRUCTURE = "structure"  # an element or text in a wrong place, or a missing element
    ATTRIBUTE = "attribute"  # missing, unknown, or with a wrong value
    LANGUAGE = "language"  # a language tag against BCP 47
    ONE_LANGUAGE = "one_language"  # a tu with fewer than two tuv
    NO_SOURCE = "no_source"  # a tu without a tuv in its declared source language
    EMPTY_SEGMENT = "empty_segment"  # a seg without text


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Result of :func:`check_tmx`."""

    ok: bool
    units: int
    """Number of tu elements, up to the first place that is not well-formed."""
    languages: tuple[str, ...]
    """Tags of the tuv elements, sorted."""
    problems: tuple[str, ...]
    """The first 20, each with its line number, and the reason of an early end of the check."""
    counts: Mapping[str, int]
    """Number of all problems of each kind."""


@check_arguments
def check_tmx(path: str | os.PathLike[str]) -> CheckReport:
    """Check a TMX file of any size in constant memory; no external file is loaded and no entity expanded.

    The check ends at the first place that is not well-formed, after a million problems, and in a unit of more than
    16 MiB. Text of blanks alone counts as no text.

    Raises: SourceError for a missing or unreadable file.
    """
    check = _Check()
    require_regular(path)
    try:
        with Path(path).open("rb") as handle:
            check.run(handle)
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}; name a TMX file") from error
    return CheckReport(
        ok=not check.counts,
        units=check.units,
        languages=tuple(sorted(check.languages)),
        problems=tuple(check.problems),
        counts={str(kind): check.counts[kind] for kind in Problem if check.counts[kind]},
    )


class _EntityError(Exception):
    """Ends the parse at a declared entity, since entities may expand without bound."""


class _ManyProblemsError(Exception):
    """Ends the parse after :data:`MAX_PROBLEMS`."""


@dataclass(slots=True)
class _Open:
    """An open element: its end tag has not been read."""

    name: str
    model: Element
    group: int = 0
    """Number of the group of the last child."""
    in_group: int = 0
    """Children of this group so far."""


class _Check:
    """State of one pass over a file; the methods are the parser's callbacks."""

    def __init__(self) -> None:
        self.units = 0
        self.languages: set[str] = set()
        self.problems: list[str] = []
        self.counts: Counter[Problem] = Counter()
        self._found = 0
        self._open: list[_Open] = []
        self._header_source = _ANY_SOURCE
        self._unit_source = _ANY_SOURCE
        self._unit_languages: list[str] = []
        self._text_seen = False
        self._unit_start = 0
        """First byte of the unit, or the end of the last unit."""
        self._parser = expat.ParserCreate()
        self._bounds = XmlBounds(self._parser)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity_declared
        self._parser.SkippedEntityHandler = self._entity_skipped

    def run(self, handle: BinaryIO) -> None:
        """Check the file, up to the first place that is not XML."""
        chunk, chunk_start = b"", 0

        def chunks() -> Iterator[bytes]:
            nonlocal chunk, chunk_start
            while chunk := handle.read(STEP_BYTES):
                yield chunk
                chunk_start += len(chunk)

        try:
            for _ in self._bounds.feed(chunks()):
                if self._parser.CurrentByteIndex - self._unit_start > MAX_UNIT_BYTES:
                    raise BeyondBounds(f"a unit of more than {MAX_UNIT_BYTES:,} bytes")
        except expat.ExpatError as error:
            # The error may lie in an earlier chunk, no longer at hand.
            at = self._parser.ErrorByteIndex - chunk_start
            self._not_well_formed(error, chunk[at : at + 1] if at >= 0 else b"")
        except (LookupError, ValueError) as error:
            self._report(
                Problem.NOT_WELL_FORMED, f"its declared encoding cannot be read ({error}): use UTF-8", last=True
            )
        except BeyondBounds as error:
            self._report(Problem.STRUCTURE, f"{error}; nothing after it was read", last=True)
        except (_EntityError, _ManyProblemsError):
            return

    def _report(self, kind: Problem, text: str, *, last: bool = False) -> None:
        """Count a problem; the first are shown, and the last where the check ends before the file."""
        self.counts[kind] += 1
        self._found += 1
        if last or len(self.problems) < SHOWN_PROBLEMS:
            self.problems.append(f"line {self._parser.CurrentLineNumber}: {text}")
        if self._found == MAX_PROBLEMS and not last:
            line = self._parser.CurrentLineNumber
            self.problems.append(f"line {line}: {MAX_PROBLEMS:,} problems up to here; nothing after it was read")
            raise _ManyProblemsError

    def _not_well_formed(self, error: expat.ExpatError, byte: bytes) -> None:
        if byte and byte < b" " and byte not in b"\t\n\r":
            what = f"control character U+{byte[0]:04X}, forbidden in XML: every reader stops here"
            self._report(Problem.CONTROL_CHARACTER, what, last=True)
        else:
            self._report(Problem.NOT_WELL_FORMED, f"not XML from here: {expat.ErrorString(error.code)}", last=True)

    def _entity_declared(self, name: str, *_rest: object) -> None:
        self._report(
            Problem.ENTITY, f"the DOCTYPE declares an entity ({name[:40]}); nothing after it was read", last=True
        )
        raise _EntityError

    def _entity_skipped(self, name: str, _is_parameter: bool) -> None:
        self._report(Problem.ENTITY, f"entity {name[:40]} is nowhere declared: its text is lost")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._bounds.begin(name, attributes)
        model = ELEMENTS.get(name, _UNKNOWN)
        if self._open:
            self._place(self._open[-1], name)
        elif name != ROOT:
            self._report(Problem.STRUCTURE, f"the root element is {name[:40]}, not {ROOT}")
        # A shortcut: nearly every element has exactly its required attributes.
        if model is not _UNKNOWN and (model.choices or attributes.keys() != model.required):
            self._check_attributes(name, model, attributes)
        self._open.append(_Open(name, model))
        if "xml:lang" in attributes:
            self._check_language("xml:lang", attributes["xml:lang"])
        if name == "seg":
            self._text_seen = False
        elif name == "tuv" and "xml:lang" in attributes:
            self._unit_languages.append(attributes["xml:lang"])
        elif name == "tu":
            self._start_unit(attributes)
        elif name == "header":
            self._header_source = attributes.get("srclang", _ANY_SOURCE)
            self._check_language("srclang", self._header_source)
            self._check_language("adminlang", attributes.get("adminlang", "en"))

    def _start_unit(self, attributes: dict[str, str]) -> None:
        self.units += 1
        self._unit_start = self._parser.CurrentByteIndex
        self._unit_languages.clear()
        self._unit_source = attributes.get("srclang", self._header_source)
        if "srclang" in attributes:
            self._check_language("srclang", self._unit_source)

    def _place(self, parent: _Open, name: str) -> None:
        """Move ``parent`` on to the group of the child ``name``; report a child out of place."""
        groups, place = parent.model.groups, parent.model.place_of.get(name)
        if place is None:
            if parent.model is not _UNKNOWN:  # an unknown element is reported once, without its content
                self._report(Problem.STRUCTURE, f"{name[:40]} has no place in {parent.name}")
            return
        if place < parent.group:
            late = " or ".join(sorted(groups[parent.group].names))
            self._report(Problem.STRUCTURE, f"{name} after {late} in {parent.name}: it has to come before")
            return
        if place > parent.group:
            self._check_enough(parent, place)
            parent.group, parent.in_group = place, 0
        parent.in_group += 1
        if parent.in_group > groups[place].most:
            self._report(Problem.STRUCTURE, f"more than {groups[place].most} {name} in {parent.name}")

    def _check_enough(self, element: _Open, end: int) -> None:
        """Report groups with too few children, from the current group of ``element`` to the group before ``end``."""
        for number in range(element.group, end):
            group = element.model.groups[number]
            # Groups behind the current group were skipped and have no children.
            if (element.in_group if number == element.group else 0) < group.least:
                wanted = " or ".join(sorted(group.names))
                self._report(Problem.STRUCTURE, f"{element.name} without {wanted}")

    def _check_attributes(self, name: str, model: Element, attributes: dict[str, str]) -> None:
        for missing in sorted(model.required - attributes.keys()):
            self._report(Problem.ATTRIBUTE, f"{name} without the attribute {missing}")
        for attribute, value in attributes.items():
            if attribute not in model.required and attribute not in model.allowed:
                self._report(Problem.ATTRIBUTE, f"{name} does not have an attribute {attribute[:40]}")
            elif attribute in model.choices and value not in model.choices[attribute]:
                allowed = ", ".join(sorted(model.choices[attribute]))
                self._report(Problem.ATTRIBUTE, f'{name} {attribute}="{value[:40]}" is not one of {allowed}')

    def _check_language(self, attribute: str, tag: str) -> None:
        if tag == _ANY_SOURCE and attribute == "srclang":
            return
        if not is_valid_tag(tag):
            self._report(Problem.LANGUAGE, f'{attribute}="{tag[:40]}" is not a BCP 47 language tag')

    def _end(self, name: str) -> None:
        self._bounds.end()
        element = self._open.pop()
        if element.model.groups:
            self._check_enough(element, len(element.model.groups))
        # Text inside inline codes counts, since a segment may consist of codes alone.
        if name == "seg" and not self._text_seen:
            self._report(Problem.EMPTY_SEGMENT, "seg without text")
        elif name == "tu":
            self._end_unit()

    def _end_unit(self) -> None:
        self._unit_start = self._parser.CurrentByteIndex
        found = self._unit_languages
        self.languages.update(found)
        if len(found) < 2:
            self._report(Problem.ONE_LANGUAGE, f"tu with {len(found)} tuv: a translation has at least two")
        if self._unit_source != _ANY_SOURCE and not any(_same(self._unit_source, tag) for tag in found):
            self._report(Problem.NO_SOURCE, f"tu without a tuv in {self._unit_source[:40]}, its source language")

    def _characters(self, text: str) -> None:
        if text.isspace():
            return
        self._text_seen = True
        if not text.isprintable() and _DISCOURAGED.search(text):
            self._report(Problem.CONTROL_CHARACTER, "control character between U+007F and U+009F: remove it")
        if not self._open[-1].model.text:
            self._report(Problem.STRUCTURE, f"text has no place in {self._open[-1].name}")


def _same(source: str, tag: str) -> bool:
    """Whether two tags name one language: ``en`` and ``en-GB`` match either way, as in translation tools."""
    source, tag = source.casefold(), tag.casefold()
    return source == tag or tag.startswith(f"{source}-") or source.startswith(f"{tag}-")
