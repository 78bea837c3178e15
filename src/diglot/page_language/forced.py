"""The language of a page where the user says what tells it: a rule for addresses, or one kind of evidence."""

from __future__ import annotations

from collections.abc import Sequence

import langcodes

from diglot.page_language.editions import Claims


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
