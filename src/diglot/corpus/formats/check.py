"""Whether a TMX file will open everywhere: well-formed, built as TMX 1.4b asks, languages and texts usable."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from diglot.corpus.characters import is_valid_tag
from diglot.disk.safe_read import require_regular
from diglot.errors import SourceError

ANY_NUMBER = 1 << 62


class Group(NamedTuple):
    """Children that follow one another in any order: one step of an element's content."""

    names: frozenset[str]
    least: int = 0
    most: int = ANY_NUMBER


@dataclass(frozen=True)
class Element:
    """What one element may hold."""

    groups: tuple[Group, ...] = ()
    """In this order; no name stands in two groups of one element."""
    text: bool = False
    required: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    """Attributes that may be left out."""
    choices: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Attributes that take only these values."""

    @cached_property
    def place_of(self) -> dict[str, int]:
        """The number of the group that each possible child belongs to."""
        return {name: number for number, group in enumerate(self.groups) for name in group.names}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _inline(required: str = "", allowed: str = "", **choices: str) -> Element:
    """An inline code: text of the other format, and translatable text inside it."""
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
_CHUNK_BYTES = 1 << 16
_DISCOURAGED = re.compile("[\x7f-\x84\x86-\x9f]")
_ANY_SOURCE = "*all*"
_UNKNOWN = Element(text=True)


class Problem(StrEnum):
    """Kinds of fault."""

    NOT_WELL_FORMED = "not_well_formed"  # no XML reader gets past this line
    CONTROL_CHARACTER = "control_character"  # forbidden in XML 1.0, or discouraged and meaningless
    ENTITY = "entity"  # declared or used; readers differ, and expansion is an attack
    STRUCTURE = "structure"  # an element or text where TMX has no place for it, or one that is missing
    ATTRIBUTE = "attribute"  # required and missing, unknown, or of a value that is not allowed
    LANGUAGE = "language"  # a language tag that is not valid BCP 47
    ONE_LANGUAGE = "one_language"  # a tu with fewer than two tuv
    NO_SOURCE = "no_source"  # a tu without a tuv in the source language it declares
    EMPTY_SEGMENT = "empty_segment"  # a seg without text


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What :func:`check_tmx` found."""

    ok: bool
    units: int
    """tu elements seen; all of them unless the file stops being well-formed."""
    languages: tuple[str, ...]
    """Tags of the tuv elements, sorted."""
    problems: tuple[str, ...]
    """The first 20, each with its line number."""
    counts: Mapping[str, int]
    """Every problem found, by kind."""


def check_tmx(path: str | os.PathLike[str]) -> CheckReport:
    """Check a TMX file of any size in constant memory; nothing is loaded from elsewhere, no entity expanded.

    A file that stops being well-formed is judged up to there. Whitespace-only text counts as none.

    Raises: SourceError where there is no such file, or it cannot be read.
    """
    check = _Check()
    require_regular(path)
    try:
        with Path(path).open("rb") as handle:
            check.read(handle)
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
    """Ends the parse: what follows may expand without bound."""


@dataclass(slots=True)
class _Open:
    """An element whose end has not come yet."""

    name: str
    model: Element
    group: int = 0
    """The group of its content that the last child belonged to."""
    in_group: int = 0
    """Children of that group so far."""


class _Check:
    """State of one pass over a file; the methods are the parser's callbacks."""

    def __init__(self) -> None:
        self.units = 0
        self.languages: set[str] = set()
        self.problems: list[str] = []
        self.counts: Counter[Problem] = Counter()
        self._open: list[_Open] = []
        self._header_source = _ANY_SOURCE
        self._unit_source = _ANY_SOURCE
        self._unit_languages: list[str] = []
        self._text_seen = False
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity_declared
        self._parser.SkippedEntityHandler = self._entity_skipped

    def read(self, handle: BinaryIO) -> None:
        """Judge the whole file, or up to where it stops being XML."""
        chunk, chunk_start = b"", 0
        try:
            while chunk := handle.read(_CHUNK_BYTES):
                self._parser.Parse(chunk, False)
                chunk_start += len(chunk)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            at = self._parser.ErrorByteIndex - chunk_start
            self._not_well_formed(error, chunk[at : at + 1] if at >= 0 else b"")
        except (LookupError, ValueError) as error:
            self._report(Problem.NOT_WELL_FORMED, f"its declared encoding cannot be read ({error}): use UTF-8")
        except _EntityError:
            return

    def _report(self, kind: Problem, text: str) -> None:
        self.counts[kind] += 1
        if len(self.problems) < SHOWN_PROBLEMS:
            self.problems.append(f"line {self._parser.CurrentLineNumber}: {text}")

    def _not_well_formed(self, error: expat.ExpatError, byte: bytes) -> None:
        if byte and byte < b" " and byte not in b"\t\n\r":
            what = f"control character U+{byte[0]:04X}, forbidden in XML: every reader stops here"
            self._report(Problem.CONTROL_CHARACTER, what)
        else:
            self._report(Problem.NOT_WELL_FORMED, f"not XML from here: {expat.ErrorString(error.code)}")

    def _entity_declared(self, name: str, *_rest: object) -> None:
        self._report(Problem.ENTITY, f"the DOCTYPE declares an entity ({name[:40]}); nothing after it was read")
        raise _EntityError

    def _entity_skipped(self, name: str, _is_parameter: bool) -> None:
        self._report(Problem.ENTITY, f"entity {name[:40]} is nowhere declared: its text is lost")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        model = ELEMENTS.get(name, _UNKNOWN)
        if self._open:
            self._place(self._open[-1], name)
        elif name != ROOT:
            self._report(Problem.STRUCTURE, f"the root element is {name[:40]}, not {ROOT}")
        # Nearly every element has what it must and nothing else.
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
        self._unit_languages.clear()
        self._unit_source = attributes.get("srclang", self._header_source)
        if "srclang" in attributes:
            self._check_language("srclang", self._unit_source)

    def _place(self, parent: _Open, name: str) -> None:
        """Move ``parent`` on to the group of its content that ``name`` belongs to; report misplacement."""
        groups, place = parent.model.groups, parent.model.place_of.get(name)
        if place is None:
            if parent.model is not _UNKNOWN:  # what stands inside an unknown element is not blamed again
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
        """Groups from the one ``element`` is in to the one before ``end`` have the children they need."""
        for number in range(element.group, end):
            group = element.model.groups[number]
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
        element = self._open.pop()
        if element.model.groups:
            self._check_enough(element, len(element.model.groups))
        if name == "seg" and not self._text_seen:
            self._report(Problem.EMPTY_SEGMENT, "seg without text")
        elif name == "tu":
            self._end_unit()

    def _end_unit(self) -> None:
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
    """A source language of ``en`` is met by ``en-GB``, as translation tools do it, and the reverse."""
    source, tag = source.casefold(), tag.casefold()
    return source == tag or tag.startswith(f"{source}-") or source.startswith(f"{tag}-")
