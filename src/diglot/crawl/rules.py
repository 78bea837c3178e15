"""What a site allows to robots: robots.txt, and reservations of mining, indexing and following of links.

robots.txt is read by RFC 9309. Reservations: the TDM Reservation Protocol, W3C community group final report of 2024,
sections 6.1 (well-known file), 6.2 (header field) and 6.3 (HTML); the robots meta element and X-Robots-Tag as search
engines describe them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from diglot.errors import in_ascii
from diglot.pages.address import path_and_query

ROBOTS_MAX_BYTES = 500 << 10
"""Size limit of a robots.txt: the least that a robot must read (RFC 9309, 2.5)."""
MAX_VALUE_CHARS = 1 << 16
"""Characters of a path, or of a list of directives, that are read; the guard refuses longer addresses."""

ROBOTS_MAX_AGE_S = 24 * 3600.0
"""A robots.txt is valid for a day (RFC 9309, 2.4)."""

EVERYBODY = "*"

_BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(r"[^\s/;(]+")
_DELAY = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,6})?|\.[0-9]{1,6}")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})|([^!-~]|[*$])")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

WELL_KNOWN = "/.well-known/tdmrep.json"
MAX_FILE_BYTES = 1 << 20
MAX_RULES = 10_000

_DIRECTIVE_SPLIT = re.compile(r"[,\s]+")
_FOR_AGENT = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*:\s*(.*)", re.DOTALL)
_VALUED = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A path with wildcards. ``parts``: normalised text between the stars; ``whole``: whether a dollar ends the
    pattern."""

    parts: tuple[bytes, ...]
    whole: bool

    def matches(self, path: bytes) -> bool:
        """Whether a normalised path with its query matches."""
        first, *others = self.parts
        if not path.startswith(first):
            return False
        if not others:
            return not self.whole or path == first
        at = len(first)
        for part in others[:-1]:
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        last = others[-1]
        return len(path) - at >= len(last) and path.endswith(last) if self.whole else path.find(last, at) >= 0


@dataclass(frozen=True, slots=True)
class Rule:
    """One Allow or Disallow. ``size``: octets of the path as written; ``line``: line number in the file."""

    allow: bool
    pattern: Pattern
    size: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an address may be fetched. ``line``: the deciding line of robots.txt, "" if no line decides."""

    allowed: bool
    line: str = ""


@dataclass(slots=True)
class Block:
    """Consecutive user-agent names and their rules, stored once for any number of names."""

    names: int = 0
    rules: list[Rule] = field(default_factory=list)
    delays: list[tuple[int, float]] = field(default_factory=list)
    """Pairs of a Crawl-delay in seconds and the number of names before it."""


@dataclass(frozen=True)
class Robots:
    """A parsed robots.txt.

    ``groups``: for a robot's name in lower case, the blocks with this name and the position of the name in each; all
    blocks of a name form a group (2.2.1). ``sitemaps``: as written; they belong to no group.
    """

    groups: dict[str, list[tuple[Block, int]]]
    sitemaps: tuple[str, ...]
    _sorted: dict[str, list[Rule]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def verdict(self, url: str, agent: str) -> Verdict:
        """The verdict on an address for ``agent`` (a name, with or without version and contact)."""
        path = path_and_query(url)
        if path == "/robots.txt":
            return Verdict(True)
        octets = normalise_path(path)
        for rule in self._rules(self._name(agent)):
            if rule.pattern.matches(octets):
                return Verdict(rule.allow, f"line {rule.line}, {rule.text}")
        return Verdict(True)

    def delay_s(self, agent: str) -> float:
        """Seconds between requests for ``agent`` (Crawl-delay, not part of the RFC); 0.0 for none."""
        blocks = self.groups.get(self._name(agent), ())
        return max((s for block, number in blocks for names, s in block.delays if number < names), default=0.0)

    def _rules(self, name: str) -> list[Rule]:
        """Rules of a group, longest first and Allow before Disallow, so that the first match decides (2.2.2)."""
        if name not in self._sorted:
            rules = [rule for block, _ in self.groups.get(name, ()) for rule in block.rules]
            self._sorted[name] = sorted(rules, key=lambda rule: (-rule.size, not rule.allow))
        return self._sorted[name]

    def _name(self, agent: str) -> str:
        token = robot_name(agent)
        return token if token in self.groups else EVERYBODY


def robot_name(agent: str) -> str:
    """The name of a robot in lower case, without version and comment: ``Diglot/1.0 (+...)`` is ``diglot``."""
    match = _TOKEN.match(agent.strip())
    return match[0].lower() if match else ""


def read_robots(body: bytes) -> Robots:
    """Parse a robots.txt. Unknown lines are ignored (2.2, 2.2.4).

    A missing colon and a missing slash at the beginning of a path are forgiven, because both lines mean to exclude
    robots.
    """
    groups: dict[str, list[tuple[Block, int]]] = {}
    sitemaps: list[str] = []
    block = Block()
    for line, key, value in _lines(body):
        if key == b"user-agent":
            # A name after a rule begins a new group.
            block = Block() if block.rules else block
            blocks = groups.setdefault(robot_name(_text(value)), [])
            if not blocks or blocks[-1][0] is not block:
                blocks.append((block, block.names))
                block.names += 1
        elif key in (b"allow", b"disallow"):
            block.rules.append(_rule(key, value, line))
        elif key == b"crawl-delay" and (match := _DELAY.match(_text(value))):
            block.delays.append((block.names, float(match[0])))
        elif key == b"sitemap":
            sitemaps.append(_text(value))
    return Robots(groups, tuple(dict.fromkeys(filter(None, sitemaps))))


def _lines(body: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Number, key in lower case and value of each line with a colon, or with two words; the value may be empty."""
    cut = len(body) > ROBOTS_MAX_BYTES
    # The last line of a cut file may be incomplete.
    plain = body[:ROBOTS_MAX_BYTES].removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = plain.split(b"\n")
    for number, line in enumerate(lines[: -1 if cut else None], 1):
        content = line.partition(b"#")[0].strip(b" \t")
        key, colon, value = content.partition(b":")
        words = content.split()
        if not colon and len(words) == 2:
            key, value = words
        if colon or value:
            yield number, key.strip(b" \t").lower(), value.strip(b" \t")


def _rule(key: bytes, value: bytes, line: int) -> Rule:
    """Parse a rule. Without a path a rule has no effect (2.2.2); it is kept as Allow of everything, the weakest."""
    if not value:
        return Rule(True, Pattern((b"",), False), 0, line, f"{key.decode().title()}:")
    rooted = value if value.startswith((b"/", b"*")) else b"/" + value
    text = in_ascii(f"{key.decode().title()}: {_text(value)}")
    return Rule(key == b"allow", pattern_of(rooted), len(value), line, text)


def pattern_of(octets: bytes) -> Pattern:
    """Parse a path of robots.txt: ``*`` is any sequence, ``$`` at the end is the end (2.2.3)."""
    octets = octets[:MAX_VALUE_CHARS]
    parts = tuple(_PERCENT.sub(_same_percent, part) for part in octets.removesuffix(b"$").split(b"*"))
    return Pattern(parts, octets.endswith(b"$"))


def normalise_path(path: str) -> bytes:
    """Normalise a path with its query for :class:`Pattern`: unreserved characters plain, all else encoded (2.2.2)."""
    return _PERCENT.sub(_same_percent, path.encode("utf-8", "surrogateescape"))


def _same_percent(match: re.Match[bytes]) -> bytes:
    code = int(match[1], 16) if match[1] else match[2][0]
    return bytes((code,)) if code in _UNRESERVED else b"%%%02X" % code


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace").strip()


@dataclass(frozen=True, slots=True)
class RobotsPolicy:
    """The policy of one host for a robot.

    ``robots``: None without a robots.txt; ``problem``: why nothing is allowed, "" otherwise.
    """

    robots: Robots | None
    delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()
    problem: str = ""

    def verdict(self, url: str, agent: str) -> Verdict:
        """Whether an address may be fetched, and the line of the file that decides it, or the problem."""
        if self.problem or self.robots is None:
            return Verdict(not self.problem, self.problem)
        return self.robots.verdict(url, agent)


def read_policy(body: bytes, status: int, agent: str) -> RobotsPolicy:
    """The policy of an answer to a robots.txt request (RFC 9309, 2.3.1); ``status`` 0: no answer.

    A redirect and a missing file allow everything; a server error, status 429 and no answer allow nothing.
    """
    if 200 <= status < 300:
        robots = read_robots(body)
        return RobotsPolicy(robots, robots.delay_s(agent), robots.sitemaps)
    if 300 <= status < 500 and status != 429:
        return RobotsPolicy(None)
    return RobotsPolicy(None, problem=f"robots.txt answered {status}" if status else "robots.txt could not be had")


@dataclass(frozen=True, slots=True)
class Reservation:
    """Directives for robots on one page. ``tdm``: whether mining is reserved, None if not stated."""

    noindex: bool = False
    nofollow: bool = False
    tdm: bool | None = None
    tdm_policy: str = ""
    """Address of a policy for licences, "" for none."""


@dataclass(frozen=True, slots=True)
class TdmRule:
    """One location of a well-known file."""

    location: str
    reserved: bool
    policy: str = ""

    def matches(self, path: str) -> bool:
        """Whether a path matches: ``*`` is any sequence, ``$`` at the end is the end (6.1)."""
        return pattern_of(self.location.encode("utf-8", "replace")).matches(normalise_path(path))


def read_tdmrep(body: bytes) -> list[TdmRule]:
    """The valid rules of a well-known file, in its order; [] for an invalid file."""
    try:
        values = json.loads(body[:MAX_FILE_BYTES].decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return []
    rules = []
    for value in values[:MAX_RULES] if isinstance(values, list) else []:
        location = value.get("location") if isinstance(value, dict) else None
        if isinstance(location, str) and location:
            policy = value.get("tdm-policy")
            rules.append(TdmRule(location, _is_one(value.get("tdm-reservation")), policy if _is_text(policy) else ""))
    return rules


def site_reservation(rules: Iterable[TdmRule], url: str) -> TdmRule | None:
    """The first matching rule for an address (6.1)."""
    return next((rule for rule in rules if rule.matches(path_and_query(url))), None)


def page_reservation(
    fields: Iterable[tuple[str, str]], metas: Iterable[tuple[str, str]], agent: str, site: TdmRule | None = None
) -> Reservation:
    """Reservations for ``agent`` (bare name of a robot) by header fields, meta elements and the well-known file.

    For mining, the page takes precedence over the header field, and the header field over the file (6.4). Directives
    for robots add up; directives for another robot by name are ignored.
    """
    header = [(name.lower(), value) for name, value in fields]
    meta = [(name.strip().lower(), value) for name, value in metas]
    directives: set[str] = set()
    for name, value in header:
        if name == "x-robots-tag":
            directives |= _directives_for(value, agent)
    for name, value in meta:
        if name in ("robots", agent.lower()):
            directives |= _words(value)
    tdm, policy = (site.reserved, site.policy) if site is not None else (None, "")
    for source in (header, meta):
        for name, value in source:
            if name == "tdm-reservation":
                tdm = _is_one(value)
            elif name == "tdm-policy":
                policy = value.strip()
    none = "none" in directives
    return Reservation(none or "noindex" in directives, none or "nofollow" in directives, tdm, policy if tdm else "")


def _directives_for(value: str, agent: str) -> set[str]:
    """Directives of an X-Robots-Tag value for all robots or for ``agent``.

    A proxy joins several fields by commas, so a value may name several robots. A directive without a name belongs to
    the robot that was named last.
    """
    found: set[str] = set()
    named = ""
    for rule in value[:MAX_VALUE_CHARS].split(","):
        match = _FOR_AGENT.match(rule)
        if match is not None and match[1].lower() not in _VALUED:
            named, rule = match[1].lower(), match[2]
        if named in ("", agent.lower()):
            found |= _words(rule)
    return found


def _words(value: str) -> set[str]:
    return {word for word in _DIRECTIVE_SPLIT.split(value[:MAX_VALUE_CHARS].lower()) if word}


def _is_one(value: object) -> bool:
    # True equals 1 in Python, and JSON's true is not the 1 of the protocol.
    return not isinstance(value, bool) and (value == 1 or (isinstance(value, str) and value.strip() == "1"))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()
