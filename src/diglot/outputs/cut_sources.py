"""Sources cut short: the last record of a file lacks its end."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.pages import Kind
from diglot.reasons import Reason
from diglot.records import DOCUMENT_SCHEMA
from diglot.run.work import DOCUMENTS

_PLACES = pa.schema([DOCUMENT_SCHEMA.field(name) for name in ("source", "offset", "reason")])


def cut_sources(folder: RunFolder, suspects: Collection[str]) -> list[str]:
    """Names of the cut files among the sources ``suspects``, sorted; none in a merge, which holds no documents.

    Where further records follow a record without its end, the length of the record is wrong, and nothing is missing.
    """
    if not suspects:
        return []
    # The records of an index stand in other files.
    indexes = {each["name"] for each in folder.settings().get("sources", []) if each["kind"] == Kind.CDXJ}
    return sorted(set(_broken_ends(folder)) & set(suspects) - indexes)


def _broken_ends(folder: RunFolder) -> Iterator[str]:
    """Names of the sources with a last record without its end."""
    for key in folder.recall("sources", folder.recall("run", DOCUMENTS) or "") or ():
        last, name = -1, ""
        for records in folder.each_shard(DOCUMENTS, key, _PLACES):
            offset = pc.max(records["offset"]).as_py() if records.num_rows else last
            if offset > last:
                is_cut = pc.equal(records["reason"], Reason.CUT_RECORD.value)
                broken = records.filter(pc.and_(is_cut, pc.equal(records["offset"], offset)))
                last, name = offset, broken["source"][0].as_py() if broken.num_rows else ""
        if name:
            yield name
