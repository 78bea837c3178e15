"""A reactor without a network: names resolve as a test says, and connections are only noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.testing import MemoryReactorClock


class FakeNetwork(MemoryReactorClock):  # type: ignore[misc]
    """``answers(name)``: addresses a name resolves to, asked anew for every lookup."""

    def __init__(self, answers: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._answers = answers
        self.lookups: list[str] = []
        self.nameResolver = self

    def resolveHostName(  # noqa: N802
        self,
        receiver: Any,
        name: str,
        portNumber: int = 0,  # noqa: N803
        **_: object,
    ) -> None:
        self.lookups.append(name)
        receiver.resolutionBegan(None)
        for host in self._answers(name):
            kind = IPv6Address if ":" in host else IPv4Address
            receiver.addressResolved(kind("TCP", host, portNumber))
        receiver.resolutionComplete()

    @property
    def connected(self) -> list[str]:
        """Where connections were tried, in order."""
        return [attempt[0] for attempt in self.tcpClients]
