"""Forty sitemaps that want a parser to read a file, open a connection, run out of memory or never end."""

from __future__ import annotations

import gzip
import zlib

LOC = "<url><loc>https://a.example/x</loc></url>"


def hostile_sitemaps(secret_file: str, canary_url: str) -> dict[str, bytes]:
    """By what each tries. ``secret_file``: absolute path of a file, ``canary_url``: an address that nobody may ask."""
    file_url = f"file://{secret_file}"
    return {
        **_external(file_url, canary_url),
        **_expanding(),
        **_endless(),
        **_broken(),
    }


def _with_dtd(dtd: str, use: str = "&e;", head: str = '<?xml version="1.0"?>') -> bytes:
    return f"{head}<!DOCTYPE urlset {dtd}><urlset><url><loc>https://a.example/{use}</loc></url></urlset>".encode()


def _external(file_url: str, canary_url: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for what, url in (("file", file_url), ("http", canary_url)):
        entity = _with_dtd(f'[<!ENTITY e SYSTEM "{url}">]')
        found[f"general entity, {what}"] = entity
        found[f"public entity, {what}"] = _with_dtd(f'[<!ENTITY e PUBLIC "x" "{url}">]')
        found[f"parameter entity, {what}"] = _with_dtd(f'[<!ENTITY % p SYSTEM "{url}"> %p;]', "")
        found[f"external subset, {what}"] = _with_dtd(f'SYSTEM "{url}"', "")
        found[f"public subset, {what}"] = _with_dtd(f'PUBLIC "-//x" "{url}"', "")
        found[f"in UTF-16, {what}"] = entity.decode().replace("?>", ' encoding="UTF-16"?>').encode("utf-16")
        found[f"gzipped, {what}"] = gzip.compress(entity)
        found[f"XInclude, {what}"] = (
            f'<urlset xmlns:xi="http://www.w3.org/2001/XInclude"><url><loc><xi:include href="{url}" parse="text"/>'
            "</loc></url></urlset>"
        ).encode()
        found[f"stylesheet, {what}"] = f'<?xml-stylesheet href="{url}"?><urlset>{LOC}</urlset>'.encode()
        found[f"schema, {what}"] = (
            '<urlset xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            f'xsi:schemaLocation="http://x {url}">{LOC}</urlset>'
        ).encode()
        found[f"loc itself, {what}"] = f"<urlset><url><loc>{file_url}</loc></url></urlset>".encode()
    return found


def _expanding() -> dict[str, bytes]:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    long = "x" * 100_000
    return {
        "billion laughs": _with_dtd(f'[<!ENTITY l0 "lol">{laughs}]', "&l11;"),
        "quadratic blow-up": _with_dtd(f'[<!ENTITY q "{long}">]', "&q;" * 2000),
        "laughs in an attribute": f'<!DOCTYPE urlset [<!ENTITY l0 "lol">{laughs}]><urlset a="&l11;"/>'.encode(),
        "recursive entities": _with_dtd('[<!ENTITY e "&f;"><!ENTITY f "&e;">]'),
        "laughs in parameters": _with_dtd('[<!ENTITY % a "x"><!ENTITY % b "%a;%a;%a;"> %b;]', ""),
        "attribute defaults": _with_dtd(f'[<!ATTLIST url a CDATA "{long}">]', LOC * 900),
    }


def _endless() -> dict[str, bytes]:
    many = b"<url><loc>https://a.example/%d</loc></url>"
    return {
        "empty elements": b"<urlset>" + b"<url/>" * 4_000_000 + b"</urlset>",
        "more addresses than allowed": b"<urlset>" + b"".join(many % n for n in range(90_000)) + b"</urlset>",
        "nesting": b"<urlset>" + b"<url>" * 300_000,
        "attributes": b"<urlset " + b" ".join(b'a%d=""' % n for n in range(200_000)) + b"/>",
        "one long text": b"<urlset><url><loc>https://a.example/" + b"x" * 30_000_000 + b"</loc></url></urlset>",
        "a bomb": gzip.compress(b"<urlset>" + bytes(400 << 20), 1),
        "a bomb of spaces": _spaces(600 << 20),
        "one long line": b"https://a.example/" + b"x" * 30_000_000,
        "short lines": b"h\n" * 10_000_000,
        "comments": b"<urlset>" + b"<!---->" * 4_000_000 + b"</urlset>",
    }


def _spaces(size: int) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    block = b" " * (1 << 20)
    parts = [packer.compress(b"<urlset>"), *(packer.compress(block) for _ in range(size >> 20)), packer.flush()]
    return b"".join(parts)


def _broken() -> dict[str, bytes]:
    return {
        "no bytes": b"",
        "binary": bytes(range(256)) * 1000,
        "HTML": b"<!DOCTYPE html><html><body>Not found</body></html>",
        "cut gzip": gzip.compress(f"<urlset>{LOC * 999}</urlset>".encode())[:-20],
        "unknown encoding": b'<?xml version="1.0" encoding="x-none"?><urlset/>',
    }
