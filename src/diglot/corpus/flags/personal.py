"""Personal data in a text: addresses of mail, telephone numbers, bank accounts and cards; no names of people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, get_args

from diglot.errors import UsageError
from diglot.no_breaks import plain_blanks

Mode = Literal["flag", "mask", "off"]

MAIL, ACCOUNT, CARD, PHONE = "<email>", "<iban>", "<card>", "<phone>"
"""Placeholders for masked data."""

# Every repetition is bounded, so that the time is linear in the length of the text.
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d.,-]?\d)")
_PHONE = re.compile(
    r"(?<![\w+.,/-])(?:\+\d(?:[ ./()-]{0,3}\d){7,14}|\(0?\d{2,5}\)(?:[ ./-]?\d){5,10}"
    r"|\d{3}[ .-]\d{3}[ .-]\d{4}|0\d{1,4}(?:[ ./-]\d{2,4}){2,5})(?![\d/-]|[.,:]\d)"
)
_PHONE_DIGITS = range(9, 16)
"""Digits of a full number (ITU-T E.164 allows 15), less what is dropped in a national one."""
_HINT = re.compile(r"@|\d[ ./()-]?\d[ ./()-]?\d[ ./()-]*\d[ ./()-]*\d[ ./()-]*\d")


def as_mode(name: str) -> Mode:
    """The way personal data are treated; raises :class:`UsageError` for another word."""
    for known in get_args(Mode):
        if known == name:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"pii={name}: give one of {', '.join(get_args(Mode))}")


def has_personal_data(text: str) -> bool:
    """Whether a text has personal data.

    >>> has_personal_data("Write to jo@example.org"), has_personal_data("in 2010 300 000 people")
    (True, False)
    """
    plain = plain_blanks(text)
    return _HINT.search(plain) is not None and next(_spans(plain), None) is not None


def mask_personal_data(text: str) -> str:
    """The text with placeholders for personal data, the same in every language.

    >>> mask_personal_data("Call +49 30 1234567 or write to jo@example.org.")
    'Call <phone> or write to <email>.'
    """
    # A correction has the no-break blanks of its sheet; the patterns have plain blanks. Both texts have one length.
    plain = plain_blanks(text)
    if _HINT.search(plain) is None:
        return text
    pieces, end = [], 0
    for start, stop, placeholder in sorted(_spans(plain)):
        if start >= end:
            pieces += [text[end:start], placeholder]
            end = stop
    return "".join([*pieces, text[end:]])


def text_mask(mode: str) -> Callable[[str], str]:
    """What a mode (:data:`Mode`) does to the texts of whole pages: :func:`mask_personal_data`, or nothing."""
    return mask_personal_data if mode == "mask" else str


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _MAIL.finditer(text):
        yield *match.span(), MAIL
    for match in _ACCOUNT.finditer(text):
        if _is_account(match[0].replace(" ", "")):
            yield *match.span(), ACCOUNT
    for match in _CARD.finditer(text):
        if _is_card(_digits(match[0])):
            yield *match.span(), CARD
    for match in find_telephones(text):
        yield *match.span(), PHONE


def find_telephones(text: str) -> Iterator[re.Match[str]]:
    """The telephone numbers of a text with plain blanks.

    >>> [found[0] for found in find_telephones("Tel. +385 23 381 957, 98 people")]
    ['+385 23 381 957']
    """
    return (found for found in _PHONE.finditer(text) if len(_digits(found[0])) in _PHONE_DIGITS)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _is_account(account: str) -> bool:
    """Whether the check digits of an IBAN are right (ISO 13616: modulo 97 is 1)."""
    return 15 <= len(account) <= 34 and int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1


def _is_card(digits: str) -> bool:
    """Whether a card number has a right check digit (ISO/IEC 7812, Luhn) and a first digit in use."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return digits[0] in "3456" and sum(value - 9 * (value > 9) for value in doubled) % 10 == 0
