"""Notes on CDXJ indexes: records in files that cannot be read, and hosts without a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.parse import dropped_table
from diglot.layout import count_text, largest_first, names_text
from diglot.pages import Kind, Source
from diglot.reasons import Reason
from diglot.records import DOCUMENT_SCHEMA, Drop, Page

COUNTED = pa.schema([DOCUMENT_SCHEMA.field(name) for name in ("source", "reason", "detail")])
"""Columns of documents that :class:`IndexCount` needs."""
NAMED_AT_MOST = 3


@dataclass
class IndexCount:
    """Number of the records of an index, and of those in files that cannot be read, by file."""

    records: int = 0
    unread: Counter[str] = field(default_factory=Counter)

    def add(self, table: pa.Table) -> None:
        """Count the records of a table with the columns :data:`COUNTED`."""
        self.records += table.num_rows
        unread = table.filter(pc.equal(table["reason"], Reason.UNREADABLE_FILE)).select(["source", "detail"])
        # The error of a file names the file. A page in a content coding that is not read has this reason, too.
        self.unread.update(row["source"] for row in unread.to_pylist() if row["source"] in row["detail"])

    def add_records(self, records: Sequence[Page | Drop]) -> None:
        """Count records as they are read."""
        self.records += sum(isinstance(each, Page) for each in records)
        self.add(dropped_table([each for each in records if isinstance(each, Drop)]))

    def notes(self, source: Source) -> list[str]:
        """What the user of the index should know; none for a source that is no index."""
        if source.kind is not Kind.CDXJ:
            return []
        if not self.records and source.hosts:
            return [f"{source.name}: no record of {' or '.join(source.hosts)}; --host takes hosts of its addresses"]
        if not self.unread:
            return []
        files = names_text([f"{file} ({count:,})" for file, count in largest_first(self.unread)], NAMED_AT_MOST)
        return [
            f"{source.name}: {count_text(self.unread.total(), 'record')} in "
            f"{count_text(len(self.unread), 'file')} that cannot be read: {files}; --warc-prefix names the folder of "
            "the files that an index names"
        ]
