"""Delays between requests: the larger of our delay and the host's, more for slow or overloaded hosts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_DELAY_S = 120.0
"""A host with a longer Crawl-delay is not crawled."""
MAX_HOLD_S = 600.0
"""A host with a longer Retry-After is abandoned for this run."""
FIRST_HOLD_S = 30.0
"""Rest of an overloaded host without Retry-After; doubled each time."""
MAX_DOUBLINGS = 8
"""Limit of the doublings; ``MAX_HOLD_S`` is reached before, and 2 to the power of thousands is no float."""

Clock = Callable[[], float]


class Pacing:
    """Delays of all hosts, with one request at a time to a host.

    The delay runs from the end of an answer to the next request, so that the server sees no shorter gap on any network.
    It grows with the response time up to ``MAX_DELAY_S``, because a slow server is a busy one. ``delay_s``: our delay;
    0 also turns the growth off. ``clock``: seconds, monotonic.
    """

    def __init__(self, delay_s: float, clock: Clock) -> None:
        self._delay_s = delay_s
        self._clock = clock
        self._host_delays_s: dict[str, float] = {}
        self._free_at: dict[str, float] = {}
        self._holds: dict[str, int] = {}

    def set_delay(self, host: str, delay_s: float) -> None:
        """Set the Crawl-delay of a host."""
        self._host_delays_s[host] = delay_s

    def delay_s(self, host: str) -> float:
        """The larger of our delay and the host's."""
        return max(self._delay_s, self._host_delays_s.get(host, 0.0))

    def wait_s(self, host: str) -> float:
        """Seconds until the next request to a host; 0 for now."""
        return max(0.0, self._free_at.get(host, 0.0) - self._clock())

    def note_answer(self, host: str, took_s: float) -> None:
        """Begin the delay after an answer or a failure; ``took_s``: response time."""
        delay_s = self.delay_s(host)
        # Without a delay of ours the user wants no growing delay either.
        if self._delay_s:
            delay_s = max(delay_s, min(took_s, MAX_DELAY_S))
        self._free_at[host] = max(self._free_at.get(host, 0.0), self._clock() + delay_s)

    def hold(self, host: str, retry_after: str, now: datetime) -> float:
        """Let an overloaded host rest for its Retry-After, at least for the delay. Returns the seconds asked for.

        The rest itself is at most ``MAX_HOLD_S``.
        """
        count = self._holds[host] = self._holds.get(host, 0) + 1
        hold_s = retry_after_s(retry_after, now)
        if hold_s is None:
            hold_s = min(FIRST_HOLD_S * 2 ** min(count - 1, MAX_DOUBLINGS), MAX_HOLD_S)
        hold_s = max(hold_s, self.delay_s(host))
        self.rest(host, hold_s)
        return hold_s

    def rest(self, host: str, rest_s: float) -> None:
        """Make no request to a host for some seconds, at most ``MAX_HOLD_S``."""
        self._free_at[host] = max(self._free_at.get(host, 0.0), self._clock() + min(rest_s, MAX_HOLD_S))


def retry_after_s(value: str, now: datetime) -> float | None:
    """Seconds in a Retry-After field (RFC 9110, 10.2.3: seconds or a date); None if unreadable."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # no date, or one in a year that no calendar has
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return max(0.0, (moment - now).total_seconds())
