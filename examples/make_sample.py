"""Pack pages of the Apache HTTP Server manual into the sample: ``pages.warc.gz`` and ``gold.tsv``.

    apt-get download apache2-doc && dpkg-deb -x apache2-doc_*.deb unpacked
    python examples/make_sample.py unpacked/usr/share/doc/apache2-doc/manual examples/sample

Every page is the file of the Debian package, byte for byte, under the address at which the manual is
published. Made here are only the WARC header and the HTTP header of each record; its date is that of
the file in the package. Gold pairs are pages of the same name in different languages. The same package
gives the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

BASE_URL = "https://httpd.apache.org/docs/2.4/"

PAGES = {
    "en de fr ja": "configuring mod/mpm_winnt mod/prefork mod/worker mpm stopping vhosts/index vhosts/name-based",
    # The package holds Portuguese under en/ for these three.
    "de fr ja": "bind install invoking",
    "en de fr": "mod/mod_actions",
    "en fr ja": (
        "dns-caveats dso handler howto/index howto/public_html mod/mod_so mod/mod_unique_id server-wide "
        "ssl/ssl_intro suexec urlmapping vhosts/fd-limits"
    ),
    "de fr": "new_features_2_0",
    "en fr ja de": "howto/access vhosts/ip-based",  # but see ENGLISH_COPIES
    # Not translated into any of the four.
    "en": "developer/documenting developer/filters developer/hooks license platform/ebcdic",
    # Languages that the demonstration does not ask for.
    "es": "stopping",
    "tr": "stopping",
}
ENGLISH_COPIES = ("de/howto/access.html", "ja/howto/access.html", "de/vhosts/ip-based.html")
"""Not translated: the package, as the site does, gives the English page here again."""
OTHER_FILES = {"images/left.gif": "image/gif"}


def sample_files() -> Iterator[tuple[str, str]]:
    """Path below the manual and media type of everything in the sample, by path."""
    groups = [(langs.split(), names.split()) for langs, names in PAGES.items()]
    pages = {f"{lang}/{page}.html" for langs, names in groups for page in names for lang in langs}
    yield from sorted({**dict.fromkeys(pages, "text/html"), **OTHER_FILES}.items())


def warc_record(fields: dict[str, str], block: bytes) -> bytes:
    """One record in a gzip member of its own, without the time of its making."""
    head = "".join(f"{name}: {value}\r\n" for name, value in {**fields, "Content-Length": str(len(block))}.items())
    return gzip.compress(f"WARC/1.0\r\n{head}\r\n".encode() + block + b"\r\n\r\n", compresslevel=9, mtime=0)


def response_record(file: Path, url: str, media_type: str) -> bytes:
    """A file as the answer of a web server that says nothing but its type and its length."""
    body = file.read_bytes()
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    fields = {
        "WARC-Type": "response",
        "WARC-Target-URI": url,
        "WARC-Date": datetime.fromtimestamp(int(file.stat().st_mtime), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>",
        "WARC-Payload-Digest": f"sha256:{hashlib.sha256(body).hexdigest()}",
        "Content-Type": "application/http; msgtype=response",
    }
    return warc_record(fields, http + body)


def gold_lines() -> Iterator[str]:
    """The pages that translate each other, a pair a line: two languages, two addresses."""
    for langs, names in PAGES.items():
        for page in names.split():
            translated = [lang for lang in langs.split() if f"{lang}/{page}.html" not in ENGLISH_COPIES]
            for src, tgt in combinations(translated, 2):
                yield "\t".join((src, tgt, f"{BASE_URL}{src}/{page}.html", f"{BASE_URL}{tgt}/{page}.html"))


def main(manual: Path, out: Path) -> None:
    """Write the sample; a page that the package does not have ends the work with its name."""
    records = [response_record(manual / name, BASE_URL + name, kind) for name, kind in sample_files()]
    archive, gold = out / "pages.warc.gz", out / "gold.tsv"
    archive.write_bytes(b"".join(records))
    gold.write_text("".join(f"{line}\n" for line in sorted(gold_lines())), encoding="utf-8")
    print(
        f"{archive}: {len(records)} records, {archive.stat().st_size:,} bytes; {gold}: {len(set(gold_lines()))} pairs"
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"{__doc__}\nusage: make_sample.py MANUAL_FOLDER OUT_FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
