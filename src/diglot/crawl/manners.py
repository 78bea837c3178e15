"""What the hosts of a crawl allow: their robots.txt, asked for once, remembered, and obeyed."""

from __future__ import annotations

from dataclasses import dataclass

from diglot.crawl.robots import Robots, Verdict, read_robots

ROBOTS_MAX_AGE_S = 24 * 3600.0
"""A robots.txt is believed for a day (RFC 9309, 2.4)."""


@dataclass(frozen=True, slots=True)
class Manners:
    """What one host allows a robot of our name.

    ``robots`` is None where there is no robots.txt; ``problem``: why nothing is allowed, "" where something is.
    """

    robots: Robots | None
    delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()
    problem: str = ""

    def verdict(self, url: str, agent: str) -> Verdict:
        """Whether this address may be fetched, and by which line of the file not."""
        if self.problem or self.robots is None:
            return Verdict(not self.problem, self.problem)
        return self.robots.verdict(url, agent)


def read_manners(body: bytes, status: int, agent: str) -> Manners:
    """What an answer for robots.txt means (RFC 9309, 2.3.1); ``status`` 0: there was none.

    A file that is not there allows all, a server in trouble allows nothing.
    """
    if 200 <= status < 300:
        robots = read_robots(body)
        return Manners(robots, robots.delay_s(agent), robots.sitemaps)
    if 300 <= status < 500 and status != 429:
        return Manners(None)
    return Manners(None, problem=f"robots.txt answered {status}" if status else "robots.txt could not be had")
