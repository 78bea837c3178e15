"""When a host may be asked again: after our delay or its own, never sooner, and later where it asks for that."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_DELAY_S = 120.0
"""A host that asks for more between two requests is left alone rather than hurried."""
MAX_HOLD_S = 600.0
"""A host that asks to be left alone for longer is not waited for: the same command goes on some other time."""
FIRST_HOLD_S = 30.0
"""Rest of a host that is overloaded and does not say for how long; doubled each time."""
MAX_DOUBLINGS = 8
"""More reach ``MAX_HOLD_S`` whatever the first is, and a power of thousands is no float any more."""

Clock = Callable[[], float]


class Pacing:
    """One request at a time to a host. The delay runs from the end of an answer to the next request, so that the
    server sees no smaller gap, however long the way. It grows with the time that answers take, as far as
    ``MAX_DELAY_S``: a slow server is a busy one.

    ``delay_s``: ours; 0 also switches the growing off. ``clock``: seconds, monotonic.
    """

    def __init__(self, delay_s: float, clock: Clock) -> None:
        self._delay_s = delay_s
        self._clock = clock
        self._host_delays_s: dict[str, float] = {}
        self._free_at: dict[str, float] = {}
        self._holds: dict[str, int] = {}

    def set_delay(self, host: str, delay_s: float) -> None:
        """What the host's robots.txt asks for."""
        self._host_delays_s[host] = delay_s

    def delay_s(self, host: str) -> float:
        """The larger of ours and the host's."""
        return max(self._delay_s, self._host_delays_s.get(host, 0.0))

    def wait_s(self, host: str) -> float:
        """Seconds until the host may be asked; 0 for now."""
        return max(0.0, self._free_at.get(host, 0.0) - self._clock())

    def answered(self, host: str, took_s: float) -> None:
        """An answer, or a failure, has come to its end after ``took_s``."""
        delay_s = self.delay_s(host)
        if self._delay_s:
            delay_s = max(delay_s, min(took_s, MAX_DELAY_S))
        self._free_at[host] = max(self._free_at.get(host, 0.0), self._clock() + delay_s)

    def hold(self, host: str, retry_after: str, now: datetime) -> float:
        """The host is overloaded; leave it alone as long as it asks, at least the delay. Returns the seconds.

        It is waited for ``MAX_HOLD_S`` at most: who asks for more is not to be asked again.
        """
        count = self._holds[host] = self._holds.get(host, 0) + 1
        hold_s = retry_after_s(retry_after, now)
        if hold_s is None:
            hold_s = min(FIRST_HOLD_S * 2 ** min(count - 1, MAX_DOUBLINGS), MAX_HOLD_S)
        hold_s = max(hold_s, self.delay_s(host))
        self.rest(host, hold_s)
        return hold_s

    def rest(self, host: str, rest_s: float) -> None:
        """Leave a host alone for so long from now on, ``MAX_HOLD_S`` at most."""
        self._free_at[host] = max(self._free_at.get(host, 0.0), self._clock() + min(rest_s, MAX_HOLD_S))


def retry_after_s(value: str, now: datetime) -> float | None:
    """Seconds that a Retry-After field asks for (RFC 9110, 10.2.3: seconds or a date); None where it says nothing."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # no date, or one in a year that no calendar has
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return max(0.0, (moment - now).total_seconds())
