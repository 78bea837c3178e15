"""The decisions of the user on terms, and the terms of runs, in small files beside the runs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from diglot.errors import UsageError
from diglot.workbench.processes import work_on_run
from diglot.workbench.sent_entries import check_entries
from diglot.workbench.shelf import Shelf, read_json, write_json

KEY = ("src_lang", "tgt_lang", "src", "tgt")
FIELDS = (*KEY, "verdict", "edited_src", "edited_tgt")
ACCEPTED, REJECTED = "accepted", "rejected"
"""The same values as in :mod:`diglot.terms.decisions`, a module that loads Arrow."""
COLUMNS_VERSION = 2
"""Version of the columns of stored terms; terms stored in another version are extracted again."""
MAX_TERM_CHARS = 1_000


def _key_of(term: dict[str, str]) -> str:
    return "\x1f".join(term[name] for name in KEY)


class TermDecisions:
    """Terms of the runs of a folder, and decisions on them."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def file(self, name: str) -> Path:
        """File of the decisions on the terms of a run, by :func:`diglot.terms.decisions.key_of`; it may be missing."""
        return self._folder(name) / "decided.json"

    def entries(self, name: str) -> list[dict[str, str]]:
        """Decisions on the terms of a run, in the order in which they were made."""
        return list(read_json(self.file(name)).values())

    def store(self, name: str, entries: Any) -> dict[int, str]:
        """Store decisions; returns the reason for each refused entry by its place. Raises: UsageError
        without a list of entries."""
        checked, refused = check_entries(entries, _entry)
        self._folder(name).mkdir(parents=True, exist_ok=True)
        write_json(self.file(name), {**read_json(self.file(name)), **{_key_of(entry): entry for entry in checked}})
        return refused

    def join(self, names: Iterable[str], out: str) -> None:
        """Give the merge ``out`` the decisions on the terms of its runs; the latest file decides on a term."""
        files = sorted(filter(Path.is_file, map(self.file, names)), key=lambda path: path.stat().st_mtime_ns)
        self._folder(out).mkdir(parents=True, exist_ok=True)
        write_json(self.file(out), {key: entry for path in files for key, entry in read_json(path).items()})

    async def find_terms(self, name: str, langs: tuple[str, str], stamp: str) -> dict[str, Any]:
        """Terms of a language pair in columns, found again when the outputs have another ``stamp``.

        Raises: UsageError for languages that the run does not have.
        """
        path = self._folder(name) / f"{langs[0]}-{langs[1]}.json"
        known, stamp = read_json(path), f"{COLUMNS_VERSION} {stamp}"
        if known.get("stamp") != stamp:
            output = await work_on_run("terms", self.shelf.run(name), [",".join(langs)])
            known = {"stamp": stamp, "terms": json.loads(output)}
            self._folder(name).mkdir(parents=True, exist_ok=True)
            write_json(path, known)
        return dict(known["terms"])

    def _folder(self, name: str) -> Path:
        return self.shelf.own("terms", name)


def _entry(value: Any) -> dict[str, str]:
    """A decision sent by the page of a run, checked and reduced to :data:`FIELDS`."""
    entry = {field: value.get(field) for field in FIELDS} if isinstance(value, dict) else {}
    texts = {field: text for field, text in entry.items() if isinstance(text, str)}
    if len(texts) < len(FIELDS) or texts["verdict"] not in ("", ACCEPTED, REJECTED):
        raise UsageError("This is no decision on a term.")
    if any(len(text) > MAX_TERM_CHARS for text in texts.values()):
        raise UsageError(f"A term has at most {MAX_TERM_CHARS:,} characters.")
    if any(texts[field].isspace() for field in ("edited_src", "edited_tgt")):
        raise UsageError("An edited term needs a text in both languages; write one, or reject the term.")
    return texts
