"""Command lines of Diglot for the requests of pages; all values are checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from diglot.arguments import MANY_PAIRS, PAGES_WITHOUT_CONTACT, is_mail_address
from diglot.errors import UsageError

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_NOT_IN_HOST = re.compile(r"[\s\\<>\"]")
_OF_COMMANDS = re.compile(r"(^|\s)--?[a-z]|`diglot|the same command")
"""Signs of advice that is for people at a command line."""
_OPTION = re.compile(r"(?<!\S)--([a-z-]+)")
_FOR_WORKBENCH = {
    "--allow-host HOST:PORT lets one host through": "to let one host through, start the workbench by "
    "`diglot ui --allow-host HOST:PORT`",
    "for a single page name the folder it is in": "it may be damaged, so fetch it again; drop a single page as .html",
    "no HTML file and no document in this folder, and no archive": "no page and no document can be read here",
    "name another": "a file may be empty or damaged; save it again",
}
"""Sentences of commands, causes and advice, and the sentences of the workbench in their place."""
_NAME_FIRST = re.compile(r"[^\s./:]*[./:]")
"""A message that begins with the name of a file or an address."""
_AGAIN = re.compile(r",? (and run|then) the same command( again| goes on)")
"""Advice in a message; the page has a button for it, "Go on"."""
_RUN_PATH = re.compile(r"^/(?:[^:]*/)?(?:([^:/]+\.(?:warc|arc|wacz|lett)(?:\.(?:gz|zst))?: )|[^:/]*: )", re.IGNORECASE)
"""The folder of a run at the beginning of a message, which the page names, or the path of a dropped archive."""
MAX_ADDRESS_CHARS = 2_000
MAX_LANGUAGES = 24
MAX_TEXT_CHARS = 300
SWITCHES = ("split_pages",)
"""Options without a value in the requests of a page."""
FILE_OPTIONS = ("base_url",)
CRAWL_OPTIONS = ("max_pages", "max_time", "delay", "include", "exclude", "agent", "browser")
"""Options with a value in the requests for files and for a crawl. The command names them alike."""
UPDATE_OPTIONS = ("max_pages", "agent")
"""Options that a page sends for an update."""
_FORMS = {
    "agent": (
        re.compile(r"[!-~][ -~]*"),
        "Your name and contact: a site reads letters without accents only, as in Ann (mailto:ann@example.org).",
    ),
    "max_time": (re.compile(r"\d{1,9}(\.\d+)?[smhd]"), "Time at most: a number with s, m, h or d, as in 30m or 2h."),
    "base_url": (
        re.compile(r"https?://[^\s/?#]+[^\s?#]*"),
        "Address that the pages come from: a full address, as in https://www.example.org/.",
    ),
}
"""Form of the values of some options, and the sentence for other values. They are checked here, since the command
would refuse them only when the page is gone."""
_CONTACT = re.compile(r"://|@")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Languages in order, and the language that all pairs share; "" where all pairs of the languages are made."""

    langs: tuple[str, ...]
    pivot: str

    @property
    def words(self) -> list[str]:
        """Options of the command."""
        others = len(self.langs) - 1
        count = others if self.pivot else others * len(self.langs) // 2
        folders = ["--folders"] if count > MANY_PAIRS else []
        return ["-l", ",".join(self.langs), *(["--pivot", self.pivot] if self.pivot else []), *folders]


def full_address(typed: str) -> str:
    """A web address as a person types it, with a scheme.

    Raises: UsageError for what cannot be an address.
    """
    text = typed.strip()
    if not text:
        raise UsageError("Paste the address of a website, such as www.example.org.")
    if is_mail_address(text):
        raise UsageError(f"{text[:80]} is a mail address; paste the address of a website, such as www.example.org.")
    address = text if _SCHEME.match(text) else f"https://{text}"
    try:
        parts = urlsplit(address)
        host = None if _NOT_IN_HOST.search(parts.netloc) else parts.hostname
    except ValueError:
        host = None
    if not host or not address.lower().startswith(("http://", "https://")) or len(text) > MAX_ADDRESS_CHARS:
        raise UsageError(f"{text[:80]} is not the address of a website; try something like www.example.org.")
    return address


def other_scheme(typed: str) -> str:
    """The address to try when the first cannot be fetched: without encryption, unless a scheme was typed; else ""."""
    return "" if _SCHEME.match(typed.strip()) else f"http://{typed.strip()}"


def host_of(address: str) -> str:
    """Name of the host in an address."""
    return urlsplit(address).hostname or "site"


def language_tag(value: Any) -> str:
    """A language tag; UsageError for another value."""
    if not isinstance(value, str) or not _TAG.fullmatch(value):
        raise UsageError(f"{str(value)[:40]} is not the tag of a language; write en, fr or pt-BR.")
    return value


def pairs_of(ticked: Any, order: Sequence[str]) -> Pairs:
    """Languages of the ticked pairs (lists of two tags), those in ``order`` first; and their pivot, if there is one."""
    if not isinstance(ticked, list) or not ticked or not all(isinstance(each, list) for each in ticked):
        raise UsageError("Tick at least one pair of languages.")
    pairs = [tuple(map(language_tag, each)) for each in ticked]
    if any(len(pair) != 2 or pair[0] == pair[1] for pair in pairs):
        raise UsageError("A pair is made of two languages.")
    known = [tag for tag in order if any(tag in pair for pair in pairs)]
    langs = tuple(dict.fromkeys([*known, *(tag for pair in pairs for tag in pair)]))
    if len(langs) > MAX_LANGUAGES:
        raise UsageError(f"Choose at most {MAX_LANGUAGES} languages.")
    shared = [tag for tag in langs if all(tag in pair for pair in pairs)]
    return Pairs(langs, shared[0] if len(langs) > 2 and shared else "")


def harvest_words(
    sources: Sequence[str], pairs: Pairs, out: Path, options: Mapping[str, Any], allow_hosts: Sequence[str]
) -> list[str]:
    """Words of the command that harvests addresses or files into a run folder.

    Raises: UsageError for options that the harvest would refuse.
    """
    _require_contact(options, allow_hosts)
    words = ["harvest", *pairs.words, "-o", str(out), "--json", *option_words(options)]
    if any(source.startswith(("http://", "https://")) for source in sources):
        words += [f"--allow-host={host}" for host in allow_hosts]
    return [*words, "--", *sources]


def update_words(run: Path, options: Mapping[str, Any], allow_hosts: Sequence[str], *, believe: bool) -> list[str]:
    """Words of the command that updates a run. Missing options keep their values of the crawl.

    Raises: UsageError for an option that updates do not have, and as :func:`harvest_words`.
    """
    other = next((name for name in options if name not in UPDATE_OPTIONS), "")
    if other:
        raise UsageError(f"an update has no option {str(other)[:40]}")
    _require_contact(options, allow_hosts)
    return ["update", str(run), "--json", *option_words(options), *(["--believe"] if believe else [])]


def _require_contact(options: Mapping[str, Any], allow_hosts: Sequence[str]) -> None:
    """Raise UsageError for many pages without a contact."""
    most = str(options.get("max_pages") or "0")
    no_contact = not (allow_hosts or _CONTACT.search(str(options.get("agent", ""))))
    if no_contact and most.isdecimal() and int(most[:MAX_TEXT_CHARS]) > PAGES_WITHOUT_CONTACT:
        raise UsageError(
            f"Above {PAGES_WITHOUT_CONTACT} pages, tell the site whom to write to: your name and contact, "
            "as in Ann (mailto:ann@example.org)."
        )


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Options as words; options without a value are left out. UsageError for an unknown option or value."""
    words = []
    for name, value in options.items():
        if name not in (*CRAWL_OPTIONS, *FILE_OPTIONS, *SWITCHES):
            raise UsageError(f"there is no option {str(name)[:40]}")
        for each in value if isinstance(value, list) else [value]:
            text = str(each).strip()
            if len(text) > MAX_TEXT_CHARS or any(ord(sign) < 32 for sign in text):
                raise UsageError(f"{name.replace('_', ' ')}: one line of at most {MAX_TEXT_CHARS} characters")
            form, sentence = _FORMS.get(name, (None, ""))
            if text and form and not form.fullmatch(text):
                raise UsageError(sentence)
            option = f"--{name.replace('_', '-')}"
            # Joined by "=", so that no value is taken for another option.
            words += [option if name in SWITCHES else f"{option}={text}"] if text else []
    return words


def message_of(line: str) -> str:
    """The message in a line that a command printed for an error, as text or as JSON; "" for any other line."""
    if line.startswith("diglot: "):
        return line.removeprefix("diglot: ")
    with suppress(ValueError):
        event = json.loads(line) if line.startswith("{") else None
        if isinstance(event, dict) and "message" in event:
            return str(event["message"]).partition("\n")[0]
    return ""


def plain_message(said: str) -> str:
    """The message of a command without path, options and commands, for a person who knows no command line."""
    first = _RUN_PATH.sub(r"\1", said.strip().split("\n")[0].removeprefix("diglot: "))
    first = _AGAIN.sub(", then go on", first)
    cause, *advice = first.split("; ")
    # What happened stays, whatever option it names. A part that ends in a colon announces lines that are not shown.
    kept = [
        _FOR_WORKBENCH.get(part, part)
        for part in advice
        if part in _FOR_WORKBENCH or not (_OF_COMMANDS.search(part) or part.endswith(":"))
    ]
    cause = _FOR_WORKBENCH.get(cause, cause).removesuffix(":")
    text = "; ".join([_OPTION.sub(lambda option: option[1].replace("-", " "), cause), *kept])
    # A message that begins with the name of a file or an address keeps its letters.
    if not _NAME_FIRST.match(text):
        text = text[:1].upper() + text[1:]
    return text + ("" if text.endswith((".", "!", "?")) else ".")
