"""What a user says of the language of pages: a rule for their addresses, or which evidence alone is to count."""

from __future__ import annotations

from collections.abc import Sequence

import langcodes

from diglot.errors import UsageError
from diglot.page_language.editions import Claims

WEIGHED = "weighed"
LANG_FROM = {
    WEIGHED: "all evidence of a site weighed together, the page's own text first",
    "text": "the text of the page alone",
    "declared": "what the page declares (html lang, hreflang, Content-Language), the rest where it declares nothing",
    "path": "the code in the page's address, the rest where there is none",
}
"""What may tell the language of a page."""


def check_language_choice(source: str, rules: Sequence[str]) -> None:
    """Raises :class:`UsageError` for a source that is none, or a rule that is not ``TEXT=LANGUAGE``."""
    if source not in LANG_FROM:
        raise UsageError(f"--lang-from {source}: give one of {', '.join(LANG_FROM)}")
    for rule in rules:
        part, _, lang = rule.rpartition("=")
        try:
            known = bool(part) and langcodes.Language.get(lang).is_valid()
        except ValueError:  # not built as a tag is
            known = False
        if not known:
            raise UsageError(f"--lang {rule}: give a part of addresses and a language, such as '/nb/=nb'")


def forced_language(url: str, claims: Claims, source: str, rules: Sequence[str]) -> tuple[str, str]:
    """Tag of the language of a page and what gives it, where a user's choice settles it; "" and "" elsewhere.

    >>> forced_language("https://example.org/nb/a", Claims(), "weighed", ("/nn/=nn", "/nb/=nb"))
    ('nb', '--lang /nb/=nb')
    """
    for rule in rules:
        part, _, lang = rule.rpartition("=")
        if part in url:
            return langcodes.standardize_tag(lang), f"--lang {rule}"
    lang = {"declared": claims.hreflang or claims.html, "path": next(iter(claims.address), "")}.get(source, "")
    return lang, f"--lang-from {source}" if lang else ""
