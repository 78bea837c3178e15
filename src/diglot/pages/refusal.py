"""How reading code says that bytes do not become a page; caught in this package and made a ``Drop``."""

from __future__ import annotations

from diglot.records import Reason


class Refused(Exception):
    """No page here, with the reason and detail of the :class:`diglot.records.Drop` to be."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Damaged(Refused):
    """The bytes cannot be what was written."""

    def __init__(self, detail: str) -> None:
        super().__init__(Reason.DAMAGED_RECORD, detail)
