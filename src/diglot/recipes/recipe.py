"""A recipe: a name, a source, options, and the steps and aligner that follow from the options."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diglot.alignment.beads import Aligner, as_aligner
from diglot.errors import RecipeError, describe_failure, no_such
from diglot.lexicons import file_hashes, file_name, place_files

if TYPE_CHECKING:
    from diglot.pairing.cascade import Step

ALIGNER_OPTIONS = ("aligner", "aligner_evidence")
"""Options of every recipe; pairs do not depend on them."""
EVIDENCE_MEANING = "sources of the aligner `lexical` beside the pages, separated by `;`: embed, dictionary:PATH, others"
MAX_WHOLE_NUMBER = 2**63 - 1
"""Largest whole number of an option: 64 bits with a sign, as in every file format."""


@dataclass(frozen=True)
class PerPair:
    """A number for every language pair, with exceptions: ``30%,es-ca=20%,es-en=35%``."""

    default: float
    exceptions: tuple[tuple[str, float], ...] = ()

    def of(self, src_lang: str, tgt_lang: str) -> float:
        """The number for a language pair, in either direction."""
        table = dict(self.exceptions)
        forward, back = f"{src_lang}-{tgt_lang}", f"{tgt_lang}-{src_lang}"
        return table.get(forward, table.get(back, self.default))

    def __str__(self) -> str:
        return ",".join([f"{self.default:g}", *(f"{pair}={value:g}" for pair, value in self.exceptions)])


def setting(default: Any, source: str, meaning: str, *, files: bool = False) -> Any:
    """An option of a recipe: default, source of the default (paper, section) and meaning.

    ``files``: the option names files, separated by commas; their content counts as part of the option.
    """
    return field(default=default, metadata={"source": source, "meaning": meaning, "files": files})


def _nothing_missing(_options: Any, _src_lang: str, _tgt_lang: str) -> str:
    return ""


def _no_remarks(_options: Any, _src_lang: str, _tgt_lang: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One system as data.

    ``steps(options, src_lang, tgt_lang)``: features, gates and assignment. ``aligner``, ``aligner_evidence`` (sources,
    separated by semicolons): the alignment of the pairs. ``requires(options, src_lang, tgt_lang)``: why the recipe
    abstains from a language pair, in one line; "" if it does not abstain. ``remarks``, with the same arguments: lines
    for the user before a run. ``changed_sources``: by option, sources of the defaults that differ from those in the
    class of the options.
    """

    name: str
    source: str
    summary: str
    options: Any
    steps: Callable[[Any, str, str], tuple[Step, ...]]
    aligner: Aligner = "tags"
    aligner_evidence: str = ""
    requires: Callable[[Any, str, str], str] = _nothing_missing
    remarks: Callable[[Any, str, str], tuple[str, ...]] = _no_remarks
    changed_sources: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not dataclasses.is_dataclass(self.options) or isinstance(self.options, type):
            raise RecipeError(f"recipe {self.name}: options are a {type(self.options).__name__}, no frozen dataclass")
        for option in dataclasses.fields(self.options):
            if not {"source", "meaning", "files"} <= set(option.metadata):
                raise RecipeError(f"recipe {self.name}: option {option.name} has no source and meaning; use setting()")
        with self.named_in_errors():
            as_aligner(self.aligner)

    def default_source(self, option: dataclasses.Field[Any]) -> str:
        """Source of the default of an option in this recipe, such as paper and section, or "ours"."""
        return self.changed_sources.get(option.name, option.metadata["source"])

    def make_steps(self, src_lang: str, tgt_lang: str) -> tuple[Step, ...]:
        """The steps between two languages; :class:`RecipeError` where ``steps`` fails or gives no steps."""
        steps = self._call("steps", src_lang, tgt_lang)
        where = f"its steps for {src_lang}-{tgt_lang}"
        with self.named_in_errors():
            if not isinstance(steps, tuple):
                raise RecipeError(f"{where} are a {type(steps).__name__}, no tuple of steps")
            # A step is recognised by its method: an import of its classes would load NumPy for `diglot recipes`.
            if strange := [step for step in steps if not hasattr(step, "method")]:
                raise RecipeError(f"{where}: one is of type {type(strange[0]).__name__}; give a GatedStep")
        return steps

    def lack(self, src_lang: str, tgt_lang: str) -> str:
        """Why the recipe abstains from a language pair, "" if it does not; :class:`RecipeError` where ``requires``
        fails or gives no text."""
        lack = self._call("requires", src_lang, tgt_lang)
        with self.named_in_errors():
            if not isinstance(lack, str):
                raise RecipeError(
                    f"its requires for {src_lang}-{tgt_lang} gives a {type(lack).__name__}; "
                    'give the reason as text, "" if nothing is missing'
                )
        return lack

    def remark_lines(self, src_lang: str, tgt_lang: str) -> tuple[str, ...]:
        """Lines for the user about a language pair; :class:`RecipeError` where ``remarks`` fails or gives no tuple."""
        lines = self._call("remarks", src_lang, tgt_lang)
        with self.named_in_errors():
            if not isinstance(lines, tuple) or not all(isinstance(line, str) for line in lines):
                raise RecipeError(
                    f"its remarks for {src_lang}-{tgt_lang} are no tuple of texts; (x,) is a tuple of one"
                )
        return lines

    def _call(self, function: str, src_lang: str, tgt_lang: str) -> Any:
        """The result of a function of the recipe for two languages; :class:`RecipeError` if the function fails."""
        with self.named_in_errors():
            try:
                return getattr(self, function)(self.options, src_lang, tgt_lang)
            except RecipeError:
                raise
            except Exception as error:  # a recipe may be code of the user
                failure = describe_failure(error)
                raise RecipeError(f"its {function} for {src_lang}-{tgt_lang}: {failure}") from error

    @contextmanager
    def named_in_errors(self) -> Iterator[None]:
        """Errors of the recipe raised in the block begin with its name."""
        try:
            yield
        except RecipeError as error:
            raise RecipeError(f"recipe {self.name}: {error}") from error

    def with_options(self, changes: Mapping[str, str | float]) -> Recipe:
        """The recipe with options set from text, as ``--set KEY=VALUE`` gives them, or from numbers.

        Raises :class:`RecipeError` for an unknown name or an impossible value.
        """
        if not isinstance(changes, Mapping) or not all(isinstance(key, str) for key in changes):
            raise RecipeError(f"recipe {self.name}: options are given by name, as in {{'min_probability': 0.8}}")
        values: dict[str, Any] = {}
        aligning = {name: getattr(self, name) for name in ALIGNER_OPTIONS}
        known = {option.name: option for option in dataclasses.fields(self.options)}
        for key, text in changes.items():
            if key in aligning:
                aligning[key] = str(text)
            elif key not in known:
                names = sorted([*known, *ALIGNER_OPTIONS])
                raise RecipeError(f"recipe {self.name}: {no_such('option', key, names)}")
            else:
                values[key] = _parse(key, str(text), getattr(self.options, key))
                if key == "min_probability" and not 0 <= values[key] <= 1:
                    raise RecipeError(f"option {key}: {text} is no probability; give a number between 0 and 1")
        options = dataclasses.replace(self.options, **values)
        return dataclasses.replace(self, options=options, **aligning)

    def place_files(self, options: Mapping[str, str], place: Callable[[str], str]) -> dict[str, str]:
        """Options as text, the path of each file changed by ``place``; UsageError for unknown evidence."""
        files = {option.name for option in dataclasses.fields(self.options) if option.metadata["files"]}
        placed = {name: place_files(text, place) if name in files else text for name, text in options.items()}
        if evidence := placed.get("aligner_evidence"):
            # Loaded here, because the module loads the lexical aligner with it.
            from diglot.alignment.evidence.sources import place_evidence

            placed["aligner_evidence"] = place_evidence(evidence, place)
        return placed

    def file_hashes(self) -> list[str]:
        """:func:`diglot.lexicons.file_hashes` of the files that the options name: pairs depend on their content."""
        options = (option for option in dataclasses.fields(self.options) if option.metadata["files"])
        return [each for option in options for each in file_hashes(getattr(self.options, option.name))]

    def signature(self, version: str) -> str:
        """``name|option=value|...|aligner=...|diglot:version``: the origin of an output. Files are named without their
        folders, since outputs are passed on."""
        options = {name: getattr(self, name) for name in ALIGNER_OPTIONS if getattr(self, name)}
        aligning = [f"{name}={value}" for name, value in self.place_files(options, file_name).items()]
        return "|".join([*self.pairing_parts(), *aligning, f"diglot:{version}"])

    def pairing_parts(self) -> list[str]:
        """Name and options, ``option=value``: everything that the pairs depend on, but the content of files. The folder
        of a file changes nothing."""
        values = {f.name: plain_value(getattr(self.options, f.name)) for f in dataclasses.fields(self.options)}
        return [self.name, *(f"{name}={value}" for name, value in self.place_files(values, file_name).items())]


def plain_value(value: Any) -> str:
    """A value of an option as ``--set`` takes it."""
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def _parse(key: str, text: str, current: Any) -> Any:
    """Text -> a value of the option's type. Shares are written ``20%`` or ``0.2``."""
    try:
        # Before int, because bool is a kind of int.
        if isinstance(current, bool):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
        if isinstance(current, PerPair):
            first, *rest = text.split(",")
            exceptions = (item.split("=") for item in rest)
            return PerPair(_number(first), tuple((pair.strip(), _number(value)) for pair, value in exceptions))
        if isinstance(current, int):
            return _whole_number(text)
        if isinstance(current, float):
            return _number(text)
    except (KeyError, ValueError) as error:
        raise RecipeError(f"option {key}: {text!r} is not a value like {plain_value(current)!r}") from error
    return text


def _whole_number(text: str) -> int:
    """A number from 0 to :data:`MAX_WHOLE_NUMBER`, in decimal digits; ValueError for any other text."""
    digits = text.strip()
    # The length first: int() of a very long text takes quadratic time.
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > len(str(MAX_WHOLE_NUMBER)):
        raise ValueError(text)
    value = int(digits)
    if value > MAX_WHOLE_NUMBER:
        raise ValueError(text)
    return value


def _number(text: str) -> float:
    text = text.strip().lower()
    if text in ("none", "off", "inf"):
        return float("inf")
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(text)
    return value
