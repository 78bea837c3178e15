"""Terms as files: TSV, a workbook, a glossary of OmegaT, TBX."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from diglot.corpus.characters import clean_text, is_valid_tag, one_line
from diglot.corpus.formats import check_formats
from diglot.corpus.formats.tables import rows_of, write_tsv
from diglot.disk.atomic import keep_aside, replacing
from diglot.errors import LanguageError
from diglot.layout import count_text
from diglot.terms.decisions import ACCEPTED, TO_FILL, as_edited, holds_other_decisions, with_decisions, with_lost
from diglot.terms.table import TERM_SCHEMA

LISTED = " | "
"""Separates the items of a list in a cell; a comma may stand in a term."""
COLUMNS = (*TERM_SCHEMA.names[:2], *TO_FILL, *TERM_SCHEMA.names[2:])
"""Columns of sheets: those of a decision stand beside the term, to be filled (:mod:`diglot.terms.decisions`)."""
_WIDTHS = {"src": 32, "tgt": 32, "rivals": 32, "src_forms": 24, "tgt_forms": 24}
_EXAMPLE_WIDTH, _NUMBER_WIDTH = 50, 11


def write_terms(
    terms: pa.Table,
    out: str | os.PathLike[str],
    names: Sequence[str],
    lost: Sequence[Mapping[str, str]] = (),
    *,
    src_lang: str,
    tgt_lang: str,
) -> list[Path]:
    """Write terms (:data:`diglot.terms.table.TERM_SCHEMA`) of one language pair into a folder, in formats of
    :data:`FORMATS`; returns the paths. Without terms, no TBX file is written.

    Sheets have all terms as found, with the columns of :func:`diglot.terms.decisions.with_decisions`, so that the sheet
    can be read back; glossaries have the edited texts and no rejected terms. ``lost``: decisions on no term
    (:func:`diglot.terms.decisions.decisions_on_no_term`), for sheets only. A sheet with other decisions is renamed.

    Raises: UsageError for an unknown format, for no format, and if a file cannot be written.
    """
    check_formats(names, FORMATS)
    if TO_FILL[0] not in terms.column_names:
        terms = with_decisions(terms, {})
    paths = []
    for name in names:
        ending, write = FORMATS[name]
        path = Path(out) / f"terms.{src_lang}-{tgt_lang}.{ending}"
        # Diglot wrote this sheet, and would replace it with the decisions in it.
        if name in SHEETS and path.is_file() and holds_other_decisions(path, terms, lost):
            keep_aside(path, was_ours=False)
        if write(path, with_lost(terms, lost) if name in SHEETS else terms):
            paths.append(path)
    return paths


def _tsv(path: Path, terms: pa.Table) -> bool:
    write_tsv(path, _flat(terms), COLUMNS)
    return True


def _xlsx(path: Path, terms: pa.Table) -> bool:
    from diglot.corpus.formats.sheets import SheetColumn, write_sheets

    columns = [
        SheetColumn(name, _EXAMPLE_WIDTH if name.startswith("example") else _WIDTHS.get(name, _NUMBER_WIDTH))
        for name in COLUMNS
    ]
    rows = (dict(zip(COLUMNS, row, strict=True)) for row in rows_of(_flat(terms), COLUMNS))
    write_sheets(path, rows, columns, name="terms")
    return True


def _omegat(path: Path, terms: pa.Table) -> bool:
    """A term on each line: source, target and comment between tabs, in UTF-8."""
    # No header: OmegaT would read it as a term.
    with replacing(path) as handle:
        for row in as_edited(terms).to_pylist():
            handle.write(("\t".join(map(one_line, (row["src"], row["tgt"], comment(row)))) + "\n").encode())
    return True


def _tbx(path: Path, terms: pa.Table) -> bool:
    return write_tbx(path, as_edited(terms)) > 0


def _tbx2(path: Path, terms: pa.Table) -> bool:
    return write_tbx(path, as_edited(terms), VERSION_2) > 0


def comment(term: Mapping[str, Any]) -> str:
    """Summary of a term on a line: probability, counts, further translations, an address."""
    parts = [f"{term['probability']:.2f}", *_counts(term)]
    if term["rivals"]:
        parts.append(f"inconsistent, also: {', '.join(term['rivals'])}")
    return "; ".join([*parts, *term["example_src_urls"][:1]])


def _flat(terms: pa.Table) -> pa.Table:
    """The terms, lists and truth values as text."""
    columns = {}
    for field in terms.schema:
        column = terms[field.name]
        if pa.types.is_list(field.type):
            column = pa.array([LISTED.join(items) for items in column.to_pylist()], pa.string())
        elif pa.types.is_boolean(field.type):
            column = pa.array(["yes" if value else "" for value in column.to_pylist()], pa.string())
        columns[field.name] = column
    return pa.table(columns)


FORMATS: Mapping[str, tuple[str, Callable[[Path, pa.Table], bool]]] = {
    "tsv": ("tsv", _tsv),
    "tbx": ("tbx", _tbx),
    "tbx2": ("v2.tbx", _tbx2),
    "omegat": ("utf8", _omegat),
    "xlsx": ("xlsx", _xlsx),
}
"""Ending of the file (OmegaT reads ``.utf8`` as UTF-8 everywhere) and writer of each format; the writer returns whether
it wrote a file."""
SHEETS = ("tsv", "xlsx")
"""Formats with rejected terms and with columns to fill."""


TBX_NAMESPACE = "urn:iso:std:iso:30042:ed-2"


@dataclass(frozen=True, slots=True, kw_only=True)
class TbxVersion:
    """Names of the elements of a version of TBX: ``entry`` of a concept, ``language`` and ``term`` sections; ``head``
    and ``end`` of the file."""

    entry: str
    language: str
    term: str
    head: str
    end: str


_SOURCE = (
    "<fileDesc><sourceDesc><p>Terms found by Diglot in the aligned segments of a website</p></sourceDesc></fileDesc>"
)
VERSION_3 = TbxVersion(
    entry="conceptEntry",
    language="langSec",
    term="termSec",
    head=f'<tbx type="TBX-Basic" style="dca" xml:lang="{{lang}}" xmlns="{TBX_NAMESPACE}">\n'
    f"<tbxHeader>{_SOURCE}</tbxHeader>",
    end="</tbx>",
)
"""ISO 30042:2019."""
VERSION_2 = TbxVersion(
    entry="termEntry",
    language="langSet",
    term="tig",
    # Without a DOCTYPE, for which some tools look for a DTD on the network.
    head=f'<martif type="TBX" xml:lang="{{lang}}">\n<martifHeader>{_SOURCE}'
    '<encodingDesc><p type="XCSURI">TBXXCSV02.xcs</p></encodingDesc></martifHeader>',
    end="</martif>",
)
"""ISO 30042:2008."""


def write_tbx(path: str | os.PathLike[str], terms: pa.Table, version: TbxVersion = VERSION_3) -> int:
    """Write terms (:data:`diglot.terms.table.TERM_SCHEMA`) in order, an entry each; returns their number.

    An entry has a section for each language: the term, other forms as variants, a sentence as context with its address.
    Terms that a person accepted are preferred ones. A note has probability, counts and other translations. TBX has no
    termbase without entries, so no terms give no file.

    Raises: LanguageError for an invalid BCP 47 tag; UsageError if ``path`` cannot be written.
    """
    for lang in sorted({*terms["src_lang"].to_pylist(), *terms["tgt_lang"].to_pylist()}):
        if not is_valid_tag(lang):
            raise LanguageError(f"{lang!r} cannot stand in a TBX file: use a BCP 47 tag such as en or zh-Hant")
    if not terms.num_rows:
        return 0
    with replacing(path) as handle:
        head = version.head.format(lang=terms["src_lang"][0].as_py())
        handle.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n<text>\n<body>\n'.encode())
        for number, term in enumerate(terms.to_pylist(), start=1):
            handle.write("\n".join([*_entry(number, term, version), ""]).encode())
        handle.write(f"</body>\n</text>\n{version.end}\n".encode())
    return int(terms.num_rows)


def _entry(number: int, term: Mapping[str, Any], version: TbxVersion) -> Iterator[str]:
    yield f'<{version.entry} id="c{number}">'
    yield f"<note>{_text(_note(term))}</note>"
    for side in ("src", "tgt"):
        yield f'<{version.language} xml:lang="{term[f"{side}_lang"]}">'
        yield from _section(term, side, version.term)
        yield f"</{version.language}>"
    yield f"</{version.entry}>"


def _counts(term: Mapping[str, Any]) -> list[str]:
    return [count_text(term["linked"], "segment"), count_text(term["pages"], "page")]


def _note(term: Mapping[str, Any]) -> str:
    text = f"probability {term['probability']:.2f}, termhood {term['termhood']:.2f}, "
    text += ", ".join(_counts(term))
    return f"{text}; inconsistent, also: {', '.join(term['rivals'])}" if term["rivals"] else text


def _section(term: Mapping[str, Any], side: str, name: str) -> Iterator[str]:
    yield f"<{name}><term>{_text(term[side])}</term>"
    if term.get("verdict") == ACCEPTED:
        yield '<termNote type="administrativeStatus">preferredTerm-admn-sts</termNote>'
    for text, url in zip(term[f"example_{side}s"][:1], term[f"example_{side}_urls"][:1], strict=True):
        yield f'<descripGrp><descrip type="context">{_text(text)}</descrip>'
        yield f'<admin type="source">{_text(url)}</admin></descripGrp>'
        if url.startswith(("http://", "https://")):
            yield f'<xref type="externalCrossReference" target={_address(url)}>{_text(url)}</xref>'
    yield f"</{name}>"
    for form in term[f"{side}_forms"]:
        yield f'<{name}><term>{_text(form)}</term><termNote type="termType">variant</termNote></{name}>'


def _address(url: str) -> str:
    return quoteattr(clean_text(url))


def _text(text: str) -> str:
    return escape(clean_text(text))
