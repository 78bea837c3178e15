"""Decisions of a person on terms: accepted, rejected or edited, read from a sheet or from a file of the workbench."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.formats.separated import HEAD_ROWS
from diglot.corpus.formats.sheet_rows import rows_by_column
from diglot.disk.safe_read import read_text
from diglot.errors import SourceError, describe_error
from diglot.terms.variants import beginnings

KEY = ("src_lang", "tgt_lang", "src", "tgt")
"""Key of a decision: languages and texts of the term before any edit."""
TO_FILL = ("verdict", "edited_src", "edited_tgt")
"""Columns of a decision, empty in a new sheet."""
FIELDS = (*KEY, *TO_FILL)
ACCEPTED, REJECTED = "accepted", "rejected"


def key_of(term: Mapping[str, Any]) -> str:
    """Key of a term as text: its languages, and its texts before any edit."""
    return "\x1f".join(str(term[name]) for name in KEY)


def with_decisions(terms: pa.Table, decisions: Mapping[str, Mapping[str, str]]) -> pa.Table:
    """Terms (:data:`diglot.terms.table.TERM_SCHEMA`) as found, rejected ones too, with the columns :data:`TO_FILL`.

    ``decisions``: by :func:`key_of`. A decision on any form of a term applies to the term, because an update of the
    site may change the base form; a decision on exactly the texts of another term applies to that term alone.
    """
    found = terms.to_pylist()
    by_form = _by_form(found, decisions)
    entries = [next(_decisions_on(row, decisions, by_form), {}) for row in found]
    for name in TO_FILL:
        terms = terms.append_column(name, pa.array([entry.get(name, "") for entry in entries], pa.string()))
    return terms


def as_edited(terms: pa.Table) -> pa.Table:
    """Terms of :func:`with_decisions` in their edited texts, without rejected ones.

    An edited term is accepted, without the forms, rivals and examples that do not fit its new texts
    (:func:`_edited_term`). Terms with equal texts after an edit are merged: the result has the texts and decision of
    the edited term, and all else of the term that was found with these texts, if there is one.
    """
    terms = terms.filter(pc.not_equal(terms["verdict"], REJECTED))
    if not any(pc.any(pc.not_equal(terms[name], "")).as_py() for name in TO_FILL[1:]):
        return terms
    rows = [(row, _edited_term(row)) for row in terms.to_pylist()]
    found: dict[str, dict[str, Any]] = {}
    written: dict[str, dict[str, Any]] = {}
    for before, row in rows:
        (found if row is before else written).setdefault(_without_case(row), row)
    kept: dict[str | int, dict[str, Any]] = {}
    for number, (_, row) in enumerate(rows):
        key = _without_case(row)
        if key not in written:
            kept[number] = row
        elif key not in kept:
            as_written = {name: written[key][name] for name in ("src", "tgt", *TO_FILL)}
            kept[key] = {**found.get(key, row), **as_written}
    return pa.Table.from_pylist(list(kept.values()), terms.schema)


def _without_case(term: Mapping[str, Any]) -> str:
    return key_of(term).casefold()


def _edited_term(term: dict[str, Any]) -> dict[str, Any]:
    """A term in its edited texts, accepted; an unedited term unchanged.

    Forms of the old text, rivals equal to the new text and examples without it are left out.
    """
    sides = [side for side in ("src", "tgt") if term[f"edited_{side}"]]
    if not sides:
        return term
    texts = {side: term[f"edited_{side}"] for side in sides}
    forms = {
        f"{side}_forms": [
            form for form in term[f"{side}_forms"] if beginnings(_words(form)) == beginnings(_words(text))
        ]
        for side, text in texts.items()
    }
    holding = [
        number
        for number in range(len(term["example_srcs"]))
        if all(text.casefold() in term[f"example_{side}s"][number].casefold() for side, text in texts.items())
    ]
    examples = {
        name: [term[name][number] for number in holding]
        for name in ("example_srcs", "example_tgts", "example_src_urls", "example_tgt_urls")
    }
    rivals = [rival for rival in term["rivals"] if rival.casefold() != texts.get("tgt", "").casefold()]
    status = {"rivals": rivals, "inconsistent": bool(rivals), "verdict": ACCEPTED}
    return {**term, **texts, **forms, **examples, **status}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.casefold().split())


def _by_form(
    terms: Sequence[Mapping[str, Any]], decisions: Mapping[str, Mapping[str, str]]
) -> dict[str, list[Mapping[str, str]]]:
    """Decisions by :func:`key_of` without case, the latest first; decisions on exactly the texts of a term left out."""
    own = set(map(key_of, terms))
    found: dict[str, list[Mapping[str, str]]] = {}
    for key, entry in reversed(list(decisions.items())):
        if key not in own:
            found.setdefault(key.casefold(), []).append(entry)
    return found


def _decisions_on(
    term: Mapping[str, Any],
    decisions: Mapping[str, Mapping[str, str]],
    by_form: Mapping[str, Sequence[Mapping[str, str]]],
) -> Iterator[Mapping[str, str]]:
    """The decision on exactly the texts of a term, then the decisions on its forms; ``by_form``: :func:`_by_form`."""
    if (own := decisions.get(key_of(term))) is not None:
        yield own
    if by_form:
        for key in dict.fromkeys(key_of(each).casefold() for each in _in_all_forms(term)):
            yield from by_form.get(key, ())


def require_one_decision_each(
    terms: pa.Table, decisions: Mapping[str, Mapping[str, str]], path: str | os.PathLike[str]
) -> None:
    """Raise :class:`SourceError`, which names both rows, where a sheet decides differently on two forms of a term.

    Terms and decisions as in :func:`with_decisions`, the decisions as read from ``path``.
    """
    found = terms.to_pylist()
    by_form = _by_form(found, decisions)
    for term in found if by_form else ():
        first, *others = list(_decisions_on(term, decisions, by_form)) or [{}]
        for other in others:
            if any(first[name] != other[name] for name in TO_FILL):
                places = {key_of(row): where for where, row in _rows(Path(path))}
                raise SourceError(
                    f"{path}: {places[key_of(other)]} and {places[key_of(first)]} decide differently on forms of the "
                    f"term {term['src']} - {term['tgt']}; leave one of the rows"
                )


def _in_all_forms(term: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A term as found, and with every other form of both sides."""
    src_forms, tgt_forms = ([term[side], *term[f"{side}_forms"]] for side in ("src", "tgt"))
    return ({**term, "src": src, "tgt": tgt} for src in src_forms for tgt in tgt_forms)


def decisions_on_no_term(
    terms: pa.Table, decisions: Mapping[str, Mapping[str, str]], lang_pair: tuple[str, str]
) -> list[Mapping[str, str]]:
    """Decisions of a language pair on no term of a table, nor on a form of one; terms and decisions as in
    :func:`with_decisions`."""
    found = terms.to_pylist()
    keys = {key_of(each).casefold() for row in found for each in _in_all_forms(row)} if decisions else set()
    return [
        entry
        for key, entry in decisions.items()
        if (entry["src_lang"], entry["tgt_lang"]) == lang_pair and key.casefold() not in keys
    ]


def changed_terms(terms: pa.Table, lang_pair: tuple[str, str], path: str | os.PathLike[str]) -> list[str]:
    """Places in a sheet of rows without a decision whose text on one side was changed; a decision keeps its row.

    Such a row names no term (:data:`diglot.terms.table.TERM_SCHEMA`), but one side of a term without a row. Both are
    left where an update took a term away, or another least probability does.
    """
    if is_of_workbench(path):
        return []
    rows = [(where, row) for where, row in _rows(Path(path)) if (row["src_lang"], row["tgt_lang"]) == lang_pair]
    listed = {key_of(row).casefold() for _, row in rows}
    keys_of_terms = [{key_of(each).casefold() for each in _in_all_forms(term)} for term in terms.to_pylist()]
    known = set().union(*keys_of_terms)
    unlisted = [term for term, keys in zip(terms.to_pylist(), keys_of_terms, strict=True) if not keys & listed]
    sides = {(side, term[side]) for term in unlisted for side in ("src", "tgt")}
    return [
        where
        for where, row in rows
        if not any(row[name] for name in TO_FILL)
        and key_of(row).casefold() not in known
        and any((side, row[side]) in sides for side in ("src", "tgt"))
    ]


def holds_other_decisions(path: Path, terms: pa.Table, lost: Sequence[Mapping[str, str]]) -> bool:
    """Whether a sheet has a decision, on a term or on no term, where ``terms`` and ``lost`` have none.

    ``terms``: of :func:`with_decisions`, of one language pair; ``lost``: their :func:`decisions_on_no_term`.
    """
    try:
        held = read_decisions(path)
    except SourceError:  # no sheet of terms
        return False
    found = terms.drop_columns(list(TO_FILL))
    pairs = {(each["src_lang"], each["tgt_lang"]) for each in held.values()}
    before = [each for pair in pairs for each in decisions_on_no_term(found, held, pair)]
    return not _decided_texts(with_decisions(found, held), before) <= _decided_texts(terms, lost)


def _decided_texts(terms: pa.Table, lost: Sequence[Mapping[str, str]]) -> set[str]:
    """Keys of the terms, and of the decisions on no term, that hold a decision."""
    return {key_of(row).casefold() for row in (*terms.to_pylist(), *lost) if any(row[name] for name in TO_FILL)}


def with_lost(terms: pa.Table, lost: Sequence[Mapping[str, str]]) -> pa.Table:
    """Terms of :func:`with_decisions`, and below them the decisions on no term, whose numbers are 0."""
    empty: dict[str, Any] = {
        field.name: [] if pa.types.is_list(field.type) else "" if field.type == pa.string() else 0
        for field in terms.schema
    }
    rows = [{**empty, "inconsistent": False, **entry} for entry in lost]
    return pa.concat_tables([terms, pa.Table.from_pylist(rows, terms.schema)])


def read_decisions(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """Decisions by :func:`key_of`: of a sheet (.xlsx, .tsv or .csv) with the columns :data:`FIELDS`, or of the
    workbench (.json). Rows without a verdict and without an edited text are left out.

    Raises: SourceError, which names file and row, for missing columns, an unknown verdict, a decision without languages
    or texts, and two decisions on a term.
    """
    found: dict[str, dict[str, str]] = {}
    places: dict[str, str] = {}
    for where, row in _rows(Path(path)):
        row["verdict"] = row["verdict"].lower()
        if row["verdict"] not in ("", ACCEPTED, REJECTED):
            raise SourceError(f"{path}: {where}: verdict {row['verdict'][:40]!r}; write {ACCEPTED} or {REJECTED}")
        if not any(row[name] for name in TO_FILL):
            continue
        if empty := [name for name in KEY if not row[name]]:
            raise SourceError(
                f"{path}: {where}: decides on no term, for {' and '.join(empty)} {'are' if empty[1:] else 'is'} empty; "
                "fill them as in other rows"
            )
        key = key_of(row)
        if found.setdefault(key, row) != row:
            raise SourceError(f"{path}: {where}: {places[key]} decides otherwise on this term; leave one of the rows")
        places.setdefault(key, where)
    return found


def is_of_workbench(path: str | os.PathLike[str]) -> bool:
    """Whether a file of decisions is one of the workbench, and no sheet."""
    return Path(path).suffix.lower() == ".json"


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Place and fields of every row, without blanks around."""
    rows: Iterable[tuple[str, Mapping[str, str]]]
    rows = _workbench_rows(path) if is_of_workbench(path) else _sheet_rows(path)
    for where, row in rows:
        yield where, {name: row.get(name, "").strip() for name in FIELDS}


def _workbench_rows(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    try:
        entries = json.loads(read_text(path)).values()
        rows = [(f"entry {number}", dict(entry)) for number, entry in enumerate(entries, start=1)]
    except (OSError, UnicodeDecodeError, ValueError, TypeError, AttributeError) as error:
        raise SourceError(f"{path}: cannot be read as decisions on terms ({describe_error(error)})") from error
    for where, row in rows:
        missing = [name for name in FIELDS if not isinstance(row.get(name, "" if name in TO_FILL else None), str)]
        if missing:
            raise SourceError(f"{path}: {where}: has no {missing[0]}; give a file of the workbench")
        yield where, row


def _sheet_rows(path: Path) -> list[tuple[str, Mapping[str, str]]]:
    rows = list(rows_by_column(path, set(KEY).issubset, FIELDS))
    if not rows:
        raise SourceError(
            f"{path}: the first {HEAD_ROWS} rows name no columns {', '.join(KEY)}; judge a sheet of "
            "`diglot terms --to xlsx`"
        )
    return [(where, cells) for where, cells in rows if cells]
