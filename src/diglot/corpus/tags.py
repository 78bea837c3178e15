"""Whether a language tag may stand in ``xml:lang``."""

import re
from functools import lru_cache

import langcodes

_WELL_FORMED = re.compile(r"[A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8})*")


@lru_cache(maxsize=4096)
def is_language_tag(tag: str) -> bool:
    """True for a valid BCP 47 tag: well-formed, and every subtag in the IANA registry.

    ``zh_CN`` is refused: the underscore is a habit of locales, and tools drop such units silently.

    >>> is_language_tag("sr-Latn"), is_language_tag("hbs_cyrillic"), is_language_tag("zh_CN")
    (True, False, False)
    """
    return _WELL_FORMED.fullmatch(tag) is not None and langcodes.tag_is_valid(tag)
