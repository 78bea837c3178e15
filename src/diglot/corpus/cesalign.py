"""cesAlign: which cesDoc files are translations of each other, one small file a pair, as ILSP-FC writes them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pyarrow as pa

from diglot.atomic import replacing
from diglot.corpus.cesdoc import NAMESPACE, attribute, ces_document, write_cesdoc
from diglot.errors import UsageError
from diglot.site import Site


def cesalign_xml(src: tuple[str, str], tgt: tuple[str, str]) -> str:
    """The pair as XML; a side is (location of its cesDoc, language)."""
    translations = [
        f'<translation trans.loc={attribute(location)} xml:lang={attribute(lang)} wsd="UTF-8" n="{number}"/>'
        for number, (location, lang) in enumerate((src, tgt), start=1)
    ]
    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        f'<cesAlign version="1.0" xmlns="{NAMESPACE}" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
        '<cesHeader version="1.0">',
        "<profileDesc>",
        "<translations>",
        *translations,
        "</translations>",
        "</profileDesc>",
        "</cesHeader>",
        "</cesAlign>",
    ]
    return "\n".join(lines) + "\n"


def write_ces_pairs(folder: str | os.PathLike[str], site: Site, pairs: pa.Table) -> list[Path]:
    """Write the accepted rows of a PAIR_SCHEMA table and the pages they name; returns the cesAlign paths, in order.

    A page is ``LANG-N.xml``, N its place among the pages of its language by address, from 1; a pair is
    ``LANG-N_LANG-N_METHOD.xml``. Locations are file names: the folder can be moved.

    Raises: :class:`UsageError` for a pair whose page is not of this site, or a folder that cannot be written.
    """
    row_of = {url: row for row, url in enumerate(site.urls)}
    place = {row: n for lang in set(site.strings("lang")) for n, row in enumerate(site.rows_of(lang).tolist(), start=1)}
    written: set[int] = set()
    paths = []
    for pair in pairs.filter(pairs["accepted"]).to_pylist():
        names = []
        for side in ("src", "tgt"):
            row = row_of.get(pair[f"{side}_url"])
            if row is None:
                raise UsageError(f"{pair[f'{side}_url']}: no page of {site.name}; give the pairs of the same run")
            names.append(f"{site.strings('lang')[row]}-{place[row]}")
            if row not in written:
                written.add(row)
                write_cesdoc(Path(folder) / f"{names[-1]}.xml", ces_document(site, row))
        method = re.sub(r"[^\w+.-]", "-", pair["method"])
        paths.append(Path(folder) / f"{names[0]}_{names[1]}_{method}.xml")
        sides = [(f"{name}.xml", pair[f"{side}_lang"]) for name, side in zip(names, ("src", "tgt"), strict=True)]
        with replacing(paths[-1]) as handle:
            handle.write(cesalign_xml(sides[0], sides[1]).encode())
    return paths
