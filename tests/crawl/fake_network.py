"""A network in memory: names resolve as a test says, and connections are only noted."""

from __future__ import annotations

from collections.abc import Callable

from diglot.crawl.wire.connection import Network


class FakeSocket:
    """A connected socket; ``peer``: what it says it is connected to."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.closed = False

    def getpeername(self) -> tuple[str, int]:
        return self.peer, 80

    def close(self) -> None:
        self.closed = True


class FakeNetwork(Network):
    """``answers(name)``: addresses of a name, asked anew for every lookup; ``outcome(address)``: where a connection
    comes to, or the error with which it fails."""

    def __init__(
        self, answers: Callable[[str], list[str]], outcome: Callable[[str], str | OSError] = lambda address: address
    ) -> None:
        self._answers = answers
        self._outcome = outcome
        self.lookups: list[str] = []
        self.connected: list[str] = []
        """Where connections were tried, in order."""
        self.sockets: list[FakeSocket] = []

    async def resolve(self, host: str, port: int) -> list[str]:
        self.lookups.append(host)
        return self._answers(host)

    async def connect(self, address: str, port: int) -> FakeSocket:  # type: ignore[override]
        self.connected.append(address)
        outcome = self._outcome(address)
        if isinstance(outcome, OSError):
            raise outcome
        self.sockets.append(FakeSocket(outcome))
        return self.sockets[-1]
