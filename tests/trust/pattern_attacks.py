"""Every regular expression of the program, and lines made to cost each of them the most."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import re._constants as op
import re._parser as parser
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from yasbd.rules import load_rule

import diglot
from diglot import html_sniff, lexicons, words
from diglot.alignment import segmenting, sentence_ends
from diglot.alignment.segmenting import MAX_SENTENCE_CHARS
from diglot.corpus import characters
from diglot.crawl import rules as crawl_rules
from diglot.crawl.queue import traps
from diglot.disk import leak_check
from diglot.documents import convert
from diglot.documents.html import pieces
from diglot.documents.pdf import furniture, leaders, pdfium
from diglot.features import language_markers
from diglot.pages import address
from diglot.results import search
from diglot.workbench import commands, shelf, uploads

SOURCES = Path(diglot.__file__).parent
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
SAME_AS_FINDITER = ("findall", "sub", "subn", "split")

Words = frozenset({"en", "fr", "sr", "zh"})


def _listed_words() -> re.Pattern[str]:
    """As :func:`diglot.corpus.flags.context.holds_word` makes it of a list of words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ['ass', 'as', 'damn it']))})(?!\w)")


_SENTENCES = sentence_ends.Rule("en", load_rule("en", ext_registry={}))

MADE: dict[tuple[str, str], Callable[[], re.Pattern[str]]] = {
    ("diglot.alignment.sentence_ends", "_candidates"): lambda: _SENTENCES._candidates,
    ("diglot.alignment.sentence_ends", "_closing_mark"): lambda: _SENTENCES._closing_mark,
    ("diglot.alignment.sentence_ends", "_other"): lambda: _SENTENCES._other,
    ("diglot.corpus.flags.context", "holds_word"): _listed_words,
    ("diglot.disk.leak_check", "address_pattern"): lambda: leak_check.address_pattern(
        ["http://a.org/b", "http://a.org/b/c"], ["a.org", "b.org"]
    ),
    ("diglot.features.language_markers", "_marker"): lambda: language_markers._marker(Words),
    ("diglot.features.language_markers", "_pattern_marker"): lambda: language_markers._pattern_marker("fr", "/_.-?&="),
    # Two paths of files, one of which begins with the other.
    ("diglot.run.align", "without_folders"): lambda: re.compile(r"/a/b/en\-fr\.tsv|/a/b/en"),
    ("diglot.results.search", "_pattern"): lambda: search._pattern("ouverte", word=True, regex=False),
    ("diglot.words", "_word_pattern"): words._word_pattern,
}
"""Patterns that are compiled when they are first needed, by module and function."""


SEGMENT_CHARS = 5 * MAX_SENTENCE_CHARS
"""A segment has at most so many sentences on a side."""


class Cut(NamedTuple):
    """Most characters of a line that a pattern sees, and the function that cuts or refuses a longer one."""

    chars: int
    place: str


_SEGMENT = Cut(SEGMENT_CHARS, "diglot.alignment.segmenting.split_blocks")
_WINDOW = Cut(segmenting.WINDOW_CHARS, "diglot.alignment.segmenting._ends_by_window")
_ADDRESS = Cut(address.MAX_ADDRESS_CHARS, "diglot.pages.address.normalise_address")
_RULE = Cut(crawl_rules.MAX_VALUE_CHARS, "diglot.crawl.rules.pattern_of")
_PDF_LINE = Cut(pdfium.MAX_CHARACTERS_ON_PAGE, "diglot.documents.pdf.pdfium.Pdf._page")
_NAME = Cut(255, "")
BOUNDED = {
    "diglot.crawl.options._CONTACT": Cut(301, "diglot.crawl.options.make_crawl_options"),
    "diglot.alignment.segmenting._SURROGATE": _SEGMENT,
    "diglot.alignment.segmenting.": _WINDOW,
    "diglot.alignment.sentence_ends.": _WINDOW,
    "diglot.alignment.lexical.tokens._KIND_PATTERNS": Cut(150_000, ""),  # characters of Unicode, each once
    "diglot.corpus.characters._WELL_FORMED": Cut(characters.MAX_TAG_CHARS, "diglot.corpus.characters.is_valid_tag"),
    "diglot.corpus.flags.": _SEGMENT,
    "diglot.corpus.formats.ces._NOT_IN_NAME": Cut(100, ""),  # names of methods
    "diglot.corpus.formats.tables.": _SEGMENT,
    "diglot.corpus.formats.vertical.": _SEGMENT,
    "diglot.crawl.queue.traps._DIGITS": _ADDRESS,
    "diglot.crawl.queue.traps.": Cut(traps.MAX_TEXT_CHARS, "diglot.crawl.queue.traps.text_hashes"),
    "diglot.crawl.rules._PERCENT": _RULE,
    "diglot.crawl.rules._DIRECTIVE_SPLIT": Cut(crawl_rules.MAX_VALUE_CHARS, "diglot.crawl.rules._words"),
    "diglot.disk.leak_check.": Cut(
        leak_check.PIECE_BYTES + leak_check._OVERLAP_CHARS, "diglot.disk.leak_check._texts_in"
    ),
    "diglot.documents.convert._FILE_NAME": Cut(convert.MAX_TITLE_CHARS, "diglot.documents.convert.document_title"),
    "diglot.documents.html.gaps.": Cut(pieces.MAX_TAG_BYTES, "diglot.documents.html.gaps._tag"),
    "diglot.documents.html.heading_anchors.": Cut(
        pieces.MAX_TAG_BYTES, "diglot.documents.html.heading_anchors._is_heading_anchor"
    ),
    "diglot.documents.html.linearise._HIDING": Cut(
        pieces.MAX_TAG_BYTES, "diglot.documents.html.linearise._declarations"
    ),
    "diglot.documents.html.links.": Cut(address.MAX_ADDRESS_CHARS, "diglot.documents.html.links._resolve_plain"),
    "diglot.documents.pdf.leaders._LEADER": Cut(leaders.MAX_LEADER_CHARS, "diglot.documents.pdf.leaders.find_leader"),
    "diglot.documents.pdf.furniture._PAGE_NUMBER": Cut(
        furniture.MAX_PAGE_NUMBER_CHARS, "diglot.documents.pdf.furniture._is_page_number"
    ),
    "diglot.documents.pdf.": _PDF_LINE,
    "diglot.features.language_markers.": _ADDRESS,
    "diglot.lexicons._OPENING": Cut(lexicons.MAX_GLOSS_CHARS, "diglot.lexicons.split_gloss"),
    "diglot.lexicons._NAMED": _NAME,
    "diglot.outputs.made_files.": _NAME,
    "diglot.page_language.versions.": _ADDRESS,
    "diglot.pages.address.": _ADDRESS,
    "diglot.html_sniff.": Cut(html_sniff.SNIFFED_BYTES, "diglot.html_sniff.is_html"),
    "diglot.pairing.pwcc.": Cut(MAX_SENTENCE_CHARS, "diglot.alignment.segmenting.split_blocks"),
    "diglot.public_suffixes._HOST": _NAME,
    "diglot.terms.tokens.": _SEGMENT,  # each of the segments that are cut in one pass
    "diglot.words.": Cut(words.MAX_TEXT_CHARS, "diglot.words.words_of"),
    "diglot.workbench.commands._FORMS": Cut(commands.MAX_TEXT_CHARS, "diglot.workbench.commands.option_words"),
    "diglot.workbench.concordance.": _SEGMENT,
    "diglot.workbench.shelf._NAME": Cut(shelf.MAX_NAME_CHARS, "diglot.workbench.shelf.is_name"),
    "diglot.workbench.shelf._NOT_IN_NAME": Cut(uploads.MAX_SENT_CHARS, "diglot.workbench.shelf.plain_name"),
}
"""Patterns, or modules of patterns, that see only so many characters of a line. No place: the file system or the rules
of a host name end it."""


class Rule(NamedTuple):
    """A pattern, where it stands, and how it is used."""

    name: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]
    longest: int = 0
    """Characters of the longest line it sees; 0 where that is not bounded before."""
    cut_in: str = ""
    """The function that cuts or refuses a longer line."""

    def line(self, place: int, length: int) -> Any:
        """One of its :func:`attack_lines`."""
        return next(islice(attack_lines(self.pattern, length), place, None))


def rules() -> list[Rule]:
    """Every compiled pattern of the program, as a module holds it or in a table, and those of :data:`MADE`, once."""
    found: dict[re.Pattern[Any], Rule] = {}
    for info in pkgutil.walk_packages(diglot.__path__, "diglot."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            for pattern in _patterns_in(value):
                cut = _cut(f"{info.name}.{name}")
                found.setdefault(pattern, Rule(f"{info.name}.{name}", pattern, _uses(info.name, name), *cut))
    for (module_name, function), make in MADE.items():
        pattern = make()
        name = f"{module_name}.{function}"
        found.setdefault(pattern, Rule(name, pattern, METHODS[:4], *_cut(name)))
    return list(found.values())


def _cut(name: str) -> Cut:
    """The cut before a pattern, by the first entry for it or its module; of 0 characters where there is none."""
    return next((cut for begin, cut in BOUNDED.items() if name == begin or name.startswith(begin)), Cut(0, ""))


def _patterns_in(value: Any, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict | list | tuple | set | frozenset) and len(value) < 1000:
        for each in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _patterns_in(each, depth - 1)


@cache
def _sources() -> dict[str, ast.Module]:
    names = {
        path: ".".join(["diglot", *path.relative_to(SOURCES).with_suffix("").parts]) for path in SOURCES.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): ast.parse(path.read_text()) for path, name in names.items()}


def _uses(module: str, name: str) -> tuple[str, ...]:
    """Methods that are called on a pattern in its module or, where none is, anywhere: whether a pattern is anchored
    decides what a line can cost."""
    return _called().get((module, name)) or _called().get(("", name)) or METHODS[:4]


@cache
def _called() -> dict[tuple[str, str], tuple[str, ...]]:
    """Methods of patterns that are called on a name, by module and name, and by "" and name for all modules."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in _sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS and (name := _base_name(node.value)):
                method = "finditer" if node.attr in SAME_AS_FINDITER else node.attr
                found[module, name].add(method)
                found["", name].add(method)
    return {place: tuple(sorted(methods)) for place, methods in found.items()}


def _base_name(value: ast.expr) -> str:
    """The name of a pattern, or of the table that it is taken from by its place; "" for another expression."""
    while isinstance(value, ast.Subscript):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def inline_patterns() -> set[tuple[str, str]]:
    """Module and function of every call of ``re`` that is not at the top of its module, where :func:`rules` looks."""
    found: set[tuple[str, str]] = set()
    for module, tree in _sources().items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
            made = (call for call in calls if isinstance(call, ast.Attribute) and call.attr != "escape")
            if any(isinstance(call.value, ast.Name) and call.value.id == "re" for call in made):
                found.add((module, function.name))
    return found


# -- lines ---------------------------------------------------------------------------------------------

GENERIC = (" ", "\t", "\n", "a", "A", "0", ".", "-", "<", "&", '"', "'", "/", "a.", "0.", "0 ", "a ", ". ", "-.", "a@",
    "(", "((", "<a ", "<!--", "é", "e\u0301", "\u0301", "十", "零",
    "ا", "क", "ア", "\u200b", "I", "IV", "%25", "http://a/", "a=")  # fmt: skip
ENDS = ("", "\x00", "!", "é")
MAX_LINES = 400


def attack_lines(pattern: re.Pattern[Any], length: int) -> Iterator[Any]:
    """Lines of about ``length`` characters that repeat parts of what the pattern matches, ended or not."""
    parsed = parser.parse(pattern.pattern, pattern.flags & ~re.LOCALE)
    parts = list(dict.fromkeys(filter(None, _parts(parsed))))[:24]
    whole = _example(parsed)
    begins = list(dict.fromkeys(["", *parts[:8], *(whole[:size] for size in range(1, min(9, len(whole))))]))
    units = [
        *parts,
        whole,
        *GENERIC,
        *(first + second for first, second in product(parts[:8], parts[:8]) if first != second),
    ]
    units = list(dict.fromkeys(filter(None, units)))
    plain = (unit * (length // len(unit)) + end for unit in units for end in ("", "\x00"))
    begun = (begin + part * (length // len(part)) + end for part in parts for begin in begins[1:] for end in ENDS[1:])
    for line in islice((line for lines in (plain, begun) for line in lines), MAX_LINES):
        if isinstance(pattern.pattern, bytes):
            yield line.encode("latin-1", "replace")
        else:
            yield line


def _parts(parsed: Iterable[Any]) -> Iterator[str]:
    """An example of every part of a pattern, the repeated ones also twice."""
    for code, argument in parsed:
        yield _example([(code, argument)])
        for inner in _inner(code, argument):
            yield from _parts(inner)


def _inner(code: Any, argument: Any) -> list[Any]:
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [argument[2]]
    if code is op.SUBPATTERN:
        return [argument[3]]
    if code is op.BRANCH:
        return list(argument[1])
    if code in (op.ASSERT, op.ASSERT_NOT):
        return [argument[1]]
    if code is op.ATOMIC_GROUP:
        return [argument]
    return []


def _example(parsed: Iterable[Any]) -> str:
    """A text that the pattern, or this part of it, matches, look-arounds left out."""
    return "".join(_of_one(code, argument) for code, argument in parsed)


def _of_one(code: Any, argument: Any) -> str:
    if code is op.LITERAL:
        return chr(argument)
    if code is op.NOT_LITERAL:
        return "b" if argument == ord("a") else "a"
    if code is op.ANY:
        return "a"
    if code is op.IN:
        return _of_set(argument)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        low, _high, inner = argument
        return _example(inner) * max(1, min(low, 100))
    if code is op.SUBPATTERN:
        return _example(argument[3])
    if code is op.BRANCH:
        return _example(argument[1][0])
    return ""


CATEGORIES = {op.CATEGORY_DIGIT: "0", op.CATEGORY_NOT_DIGIT: "a", op.CATEGORY_SPACE: " ", op.CATEGORY_NOT_SPACE: "a",
    op.CATEGORY_WORD: "a", op.CATEGORY_NOT_WORD: "-"}  # fmt: skip


def _of_set(members: list[tuple[Any, Any]]) -> str:
    code, argument = members[0]
    if code is op.NEGATE:
        shut = re.compile(_set_source(members))
        return next(char for char in "aA0 -.é/" + "".join(map(chr, range(33, 0x3000))) if shut.fullmatch(char))
    if code is op.LITERAL:
        return chr(argument)
    return chr(argument[0]) if code is op.RANGE else CATEGORIES[argument]


def _set_source(members: list[tuple[Any, Any]]) -> str:
    names = {op.CATEGORY_DIGIT: r"\d", op.CATEGORY_NOT_DIGIT: r"\D", op.CATEGORY_SPACE: r"\s"}
    names |= {op.CATEGORY_NOT_SPACE: r"\S", op.CATEGORY_WORD: r"\w", op.CATEGORY_NOT_WORD: r"\W"}
    source = ""
    for code, argument in members[1:]:
        if code is op.CATEGORY:
            source += names[argument]
        elif code is op.RANGE:
            source += f"\\U{argument[0]:08x}-\\U{argument[1]:08x}"
        else:
            source += f"\\U{argument:08x}"
    return f"[^{source}]"


# -- time ----------------------------------------------------------------------------------------------


def run(rule: Rule, method: str, line: Any) -> float:
    """CPU seconds of one use of a pattern on a line."""
    use: Callable[[Any], Any] = getattr(rule.pattern, method)
    started = time.process_time()
    found = use(line)
    if method == "finditer":
        for _ in found:
            pass
    return time.process_time() - started


def worst(rule: Rule, length: int, *, enough_s: float, lines: int = MAX_LINES) -> tuple[float, str, Any]:
    """The dearest of the lines of a length, its method and CPU seconds; the first that takes ``enough_s``."""
    dearest: tuple[float, str, Any] = (0.0, "", "")
    for line in islice(attack_lines(rule.pattern, length), lines):
        for method in rule.methods:
            taken = run(rule, method, line)
            if taken > enough_s:
                # A collection of garbage may fall into a single use.
                taken = min(taken, run(rule, method, line), run(rule, method, line))
            if taken > dearest[0]:
                dearest = (taken, method, line)
            if taken > enough_s:
                return dearest
    return dearest


def dearest_lines(rule: Rule, length: int, count: int) -> list[tuple[float, str, int]]:
    """CPU seconds, method and place among its :func:`attack_lines` of the dearest uses of a rule, dearest first."""
    length = min(length, rule.longest or length)
    lines = enumerate(attack_lines(rule.pattern, length))
    found = [(run(rule, method, line), method, place) for place, line in lines for method in rule.methods]
    return sorted(found, reverse=True)[:count]
