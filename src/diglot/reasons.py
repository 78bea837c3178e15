"""Reasons why a page is not in the corpus, and what users read of them."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Reason why a page is not in the corpus. Every dropped record has exactly one reason."""

    # reading a source
    DAMAGED_RECORD = "damaged_record"
    CUT_RECORD = "cut_record"
    TRUNCATED = "truncated"
    HTTP_STATUS = "http_status"
    NOT_HTML = "not_html"
    TOO_LARGE = "too_large"
    NO_ADDRESS = "no_address"
    REPEATED_ADDRESS = "repeated_address"
    UNCHANGED = "unchanged"
    MALFORMED_LINE = "malformed_line"
    UNREADABLE_FILE = "unreadable_file"
    # parsing a page
    PARSER_CRASH = "parser_crash"
    PARSER_TIMEOUT = "parser_timeout"
    PARSER_MEMORY = "parser_memory"
    HOSTILE_MARKUP = "hostile_markup"
    NO_READER = "no_reader"
    ENCRYPTED = "encrypted"
    NO_TEXT_LAYER = "no_text_layer"
    SEVERAL_LANGUAGES = "several_languages"
    UNDECODABLE = "undecodable"
    NO_TEXT = "no_text"
    # after parsing
    UNKNOWN_LANGUAGE = "unknown_language"
    OTHER_LANGUAGE = "other_language"
    SITE_FAILED = "site_failed"
    NO_PARTNER = "no_partner"
    DUPLICATE = "duplicate"
    NO_SEGMENTS = "no_segments"


LEADS_ON = "leads on to "
"""Beginning of the detail of a page that has no visible text because it leads on to another page at once."""
REASON_TEXT: dict[Reason, str] = {
    Reason.DAMAGED_RECORD: "the archive record or the document is damaged (checksum, length or structure)",
    Reason.CUT_RECORD: "the archive record ends before its length; the file may be cut",
    Reason.TRUNCATED: "cut short: the end of the page or document is missing",
    Reason.HTTP_STATUS: "the server did not answer with a page (redirect or error)",
    Reason.NOT_HTML: "neither HTML nor a document that Diglot reads",
    Reason.TOO_LARGE: "larger than the page limit",
    Reason.NO_ADDRESS: "the record or file has no address",
    Reason.REPEATED_ADDRESS: "another record holds the same address",
    Reason.UNCHANGED: "only a note that an earlier capture has the content (revisit); read that archive as well",
    Reason.MALFORMED_LINE: "the line lacks fields of its format",
    Reason.UNREADABLE_FILE: "the file could not be read",
    Reason.PARSER_CRASH: "the parser died on this page, or failed with an error",
    Reason.PARSER_TIMEOUT: "the parser did not finish in time",
    Reason.PARSER_MEMORY: "the parser ran out of its memory limit",
    Reason.HOSTILE_MARKUP: "markup built to exhaust a parser (nesting, tags or attributes beyond any real page)",
    Reason.NO_READER: "the package that reads this kind of document is not installed: pip install 'diglot[documents]'",
    Reason.ENCRYPTED: "the document opens with a password only",
    Reason.NO_TEXT_LAYER: "the document is a scan, or its fonts hide which letters they show; recognise its text first",
    Reason.SEVERAL_LANGUAGES: "the document holds several languages, mixed in its paragraphs",
    Reason.UNDECODABLE: "no character encoding fits the bytes",
    Reason.NO_TEXT: "no visible text",
    Reason.UNKNOWN_LANGUAGE: "too little text to tell the language, or in an unknown script",
    Reason.OTHER_LANGUAGE: "in none of the wanted languages",
    Reason.SITE_FAILED: "work on its site failed: too little time or memory, or an error in the program or the recipe",
    Reason.NO_PARTNER: "no translation found",
    Reason.DUPLICATE: "duplicate of another page",
    Reason.NO_SEGMENTS: "paired, but no segment kept",
}
