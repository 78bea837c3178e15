"""The hosts of a site, and the canonical spelling of addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from posixpath import splitext
from urllib.parse import urljoin, urlsplit

import langcodes
from w3lib.url import safe_url_string

from diglot.crawl.wire.address_guard import Refusal, judge_url, read_allow_hosts
from diglot.document_kinds import DOCUMENT_EXTENSIONS
from diglot.file_extensions import OTHER_EXTENSIONS
from diglot.languages import wanted_language
from diglot.pages.address import DEFAULT_PORTS, is_web_address, normalise_address, tidy_address
from diglot.site import registered_domain

NO_PAGES = OTHER_EXTENSIONS | frozenset(
    {".ps", ".mobi", ".tar", ".bz2", ".xz", ".tgz", ".7z", ".rar", ".deb", ".rpm", ".exe", ".dmg", ".iso"}
    | {".jar", ".apk", ".msi", ".doc", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods", ".rtf"}
    | {".wav", ".ogg", ".oga", ".ogv", ".flac", ".avi", ".mov", ".mkv", ".wmv", ".bmp", ".tif", ".tiff", ".eps"}
    | {".atom", ".rdf", ".sig", ".asc", ".tex", ".texi", ".diff", ".patch", ".eot", ".otf", ".swf", ".ics"}
)
"""Extensions of files that are no pages and are not requested."""


class SiteScope:
    """The hosts of one site with their schemes, and the globs of the user.

    A host belongs to the site if it is the host of a start address, if it differs from a member only by language labels
    and ``www`` (``fr.site``, ``www.site``), or if a page of the site and a page of the host name each other as versions
    in wanted languages: in the head (any host) or in a link (``site.fr``). ``langs``: wanted languages, empty for all;
    ``documents``: whether documents are requested, too.
    """

    def __init__(
        self,
        langs: Sequence[str],
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        allow_hosts: Sequence[str] = (),
        *,
        documents: bool = False,
    ) -> None:
        self._no_pages = NO_PAGES - DOCUMENT_EXTENSIONS if documents else NO_PAGES | DOCUMENT_EXTENSIONS
        self._langs = tuple(langs)
        self._include = tuple(include)
        self._exclude = tuple(exclude)
        self._rules = read_allow_hosts(allow_hosts)
        self._schemes: dict[str, str] = {}
        self._members: dict[str, str] = {}

    def admit(self, host: str, scheme: str) -> None:
        """Add a host to the site, with the scheme to reach it by."""
        self._schemes[host] = scheme
        self._members[host] = _without_language(host, self._langs)

    def note_scheme(self, host: str, scheme: str) -> None:
        """Set the scheme of a host, member or not."""
        self._schemes[host] = scheme

    def scheme_of(self, host: str) -> str:
        """The scheme of a host, "" if unknown."""
        return self._schemes.get(host, "")

    def canonical(self, url: str) -> str:
        """The canonical spelling of an address, "" if it is no web address.

        The normal form (:func:`diglot.pages.address.normalise_address`) with the scheme of the host, all ASCII.
        """
        try:
            # Characters that no address may contain are percent-encoded as browsers do.
            normal = normalise_address(safe_url_string(tidy_address(url)))
            parts = urlsplit(normal)
            _ = parts.port  # a port out of range is no address
        except ValueError:
            return ""
        if not is_web_address(normal):
            return ""
        return parts._replace(scheme=self._schemes.get(host_of(normal), parts.scheme)).geturl()

    def belongs(self, url: str) -> bool:
        """Whether an address is on a host of the site. A host that differs by language labels or ``www`` is added."""
        host = host_of(url)
        if host in self._members:
            return True
        bare = _without_language(host, self._langs)
        if bare in self._members.values():
            self.admit(host, self._schemes.get(host, urlsplit(url).scheme))
            return True
        return False

    def is_same_host(self, url: str, other: str) -> bool:
        """Whether the hosts of two addresses differ by language labels and ``www`` at most."""
        return _without_language(host_of(url), self._langs) == _without_language(host_of(other), self._langs)

    def same_name(self, url: str, other: str) -> bool:
        """Whether two addresses have one name under two public suffixes: ``site.fr`` and ``www.site.co.uk``."""
        first, second = registered_domain(url), registered_domain(other)
        return first != second and first.partition(".")[0] == second.partition(".")[0]

    def exclusion_reason(self, url: str) -> str:
        """Why a glob of the user or the extension excludes an address, "" if none does."""
        if any(matches_glob(url, glob) for glob in self._exclude):
            return "excluded"
        if self._include and not any(matches_glob(url, glob) for glob in self._include):
            return "not_included"
        return "not_html" if _extension(url) in self._no_pages else ""

    def wants(self, code: str) -> bool:
        """Whether a language code, as written on pages, is a wanted language."""
        if not self._langs:
            return True
        tag = code.strip().replace("_", "-")
        return is_language_tag(tag) and bool(wanted_language(tag, tag, self._langs))

    def refusal(self, url: str) -> str:
        """Why the address guard refuses an address, "" without an objection or without a host (mailto, javascript)."""
        verdict = judge_url(url, self._rules) if "://" in url else None
        return verdict.detail if isinstance(verdict, Refusal) else ""

    def hosts(self) -> Iterable[tuple[str, str]]:
        """The hosts of the site with their schemes."""
        return [(host, self._schemes[host]) for host in self._members]


def is_document(url: str) -> bool:
    """Whether an address has the extension of a document."""
    return _extension(url) in DOCUMENT_EXTENSIONS


def _extension(url: str) -> str:
    return splitext(urlsplit(url).path)[1].lower()


def host_of(url: str) -> str:
    """Host of an address in canonical spelling, with any port except the default."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def resolve_reference(base: str, reference: str) -> str:
    """The absolute address of a reference on a page, "" for none."""
    try:
        return urljoin(base, reference.strip())
    except ValueError:
        return ""


def by_other_scheme(url: str, target: str) -> str:
    """The address with the scheme of a redirect target, "" for the same or an unknown scheme."""
    scheme = urlsplit(target).scheme
    if scheme not in DEFAULT_PORTS or url.startswith(f"{scheme}:"):
        return ""
    return urlsplit(url)._replace(scheme=scheme).geturl()


@cache
def is_language_tag(code: str) -> bool:
    """Whether a code can be read as a language tag (BCP 47)."""
    try:
        langcodes.Language.get(code)
        return True
    except ValueError:
        return False


def folder_of(url: str) -> str:
    """Host and directories of an address."""
    parts = urlsplit(url)
    return parts.netloc + parts.path.rpartition("/")[0] + "/"


def matches_glob(url: str, glob: str) -> bool:
    """Whether a glob matches the path and query of an address, or the full address if the glob contains ``://``."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return fnmatchcase(url if "://" in glob else path, glob)


def _without_language(host: str, langs: tuple[str, ...]) -> str:
    """A host without ``www`` and without labels for wanted languages before its domain."""
    name, _, port = host.partition(":")
    domain = registered_domain(f"http://{name}/")
    labels = name.removesuffix(domain).rstrip(".").split(".") if name != domain else []
    kept = [label for label in labels if label != "www" and not _is_language(label, langs)]
    return ".".join([*kept, domain]) + (f":{port}" if port else "")


@cache
def _is_language(label: str, langs: tuple[str, ...]) -> bool:
    # Among all languages nearly every label of three letters is one: doc, dev, web.
    if len(label.partition("-")[0]) not in ((2, 3) if langs else (2,)):
        return False
    try:
        tag = langcodes.standardize_tag(label)
        if not langcodes.Language.get(tag).is_valid():
            return False
    except ValueError:
        return False
    return bool(wanted_language(tag, tag, langs)) if langs else True
