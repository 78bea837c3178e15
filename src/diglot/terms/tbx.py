"""TBX, the exchange format of termbases: ISO 30042:2019, dialect TBX-Basic, data categories as attributes (DCA)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from diglot.corpus.characters import clean_text, is_valid_tag
from diglot.disk.atomic import replacing
from diglot.errors import LanguageError

TBX_NAMESPACE = "urn:iso:std:iso:30042:ed-2"


def write_tbx(path: str | os.PathLike[str], terms: pa.Table) -> int:
    """Write terms (:data:`diglot.terms.table.TERM_SCHEMA`) in order, an entry each; returns their number.

    An entry has a section for each language: the term, other forms as variants, a sentence as context with its address.
    A note has probability, counts and other translations. TBX has no termbase without entries, so no terms give no
    file.

    Raises: LanguageError for an invalid BCP 47 tag; UsageError if ``path`` cannot be written.
    """
    for lang in sorted({*terms["src_lang"].to_pylist(), *terms["tgt_lang"].to_pylist()}):
        if not is_valid_tag(lang):
            raise LanguageError(f"{lang!r} cannot stand in a TBX file: use a BCP 47 tag such as en or zh-Hant")
    if not terms.num_rows:
        return 0
    with replacing(path) as handle:
        handle.write(_head(terms["src_lang"][0].as_py()).encode())
        for number, term in enumerate(terms.to_pylist(), start=1):
            handle.write("\n".join([*_entry(number, term), ""]).encode())
        handle.write(b"</body>\n</text>\n</tbx>\n")
    return int(terms.num_rows)


def _head(lang: str) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<tbx type="TBX-Basic" style="dca" xml:lang="{lang}" xmlns="{TBX_NAMESPACE}">\n'
        "<tbxHeader><fileDesc><sourceDesc><p>Terms found by Diglot in the aligned segments of a website</p>"
        "</sourceDesc></fileDesc></tbxHeader>\n<text>\n<body>\n"
    )


def _entry(number: int, term: Mapping[str, Any]) -> Iterator[str]:
    yield f'<conceptEntry id="c{number}">'
    yield f"<note>{_text(_note(term))}</note>"
    for side in ("src", "tgt"):
        yield f'<langSec xml:lang="{term[f"{side}_lang"]}">'
        yield from _section(term, side)
        yield "</langSec>"
    yield "</conceptEntry>"


def _note(term: Mapping[str, Any]) -> str:
    told = f"probability {term['probability']:.2f}, termhood {term['termhood']:.2f}, "
    told += f"{term['linked']} segments, {term['pages']} pages"
    return f"{told}; inconsistent, also: {', '.join(term['rivals'])}" if term["rivals"] else told


def _section(term: Mapping[str, Any], side: str) -> Iterator[str]:
    yield f"<termSec><term>{_text(term[side])}</term>"
    for text, url in zip(term[f"example_{side}s"][:1], term[f"example_{side}_urls"][:1], strict=True):
        yield f'<descripGrp><descrip type="context">{_text(text)}</descrip>'
        yield f'<admin type="source">{_text(url)}</admin></descripGrp>'
        if url.startswith(("http://", "https://")):
            yield f'<xref type="externalCrossReference" target={_address(url)}>{_text(url)}</xref>'
    yield "</termSec>"
    for form in term[f"{side}_forms"]:
        yield f'<termSec><term>{_text(form)}</term><termNote type="termType">variant</termNote></termSec>'


def _address(url: str) -> str:
    return quoteattr(clean_text(url)[0])


def _text(text: str) -> str:
    return escape(clean_text(text)[0])
