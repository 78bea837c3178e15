"""The records of a WARC file packed in the other ways that archives come in: ARC, zstd frames, WACZ."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Iterable, Mapping

from made_warcs import DATE, http

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

V1 = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
V2 = (
    b"2 0 InternetArchive\n"
    b"URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n"
)
ARC_DATE = DATE.translate(str.maketrans("", "", "-T:Z")).encode()


def arc_record(url: str, block: bytes, *, version: int = 1, kind: bytes = b"text/html") -> bytes:
    """A record of an ARC file."""
    more = b"" if version == 1 else b" 200 - - 1234567890 made.arc"
    return b"%s 192.0.2.1 %s %s%s %d\n%s\n" % (url.encode(), ARC_DATE, kind, more, len(block), block)


def arc_records(site: Mapping[str, bytes], *, version: int = 1) -> list[bytes]:
    """The records of an ARC file of these pages, the one about the file first."""
    about = arc_record("filedesc://made.arc", V1 if version == 1 else V2, version=version, kind=b"text/plain")
    return [about, *(arc_record(url, http(body), version=version) for url, body in site.items())]


def frame(content: bytes, dictionary: zstd.ZstdDict | None = None) -> bytes:
    """A zstd frame with a checksum."""
    return zstd.compress(content, options={zstd.CompressionParameter.checksum_flag: 1}, zstd_dict=dictionary)


def passed_over(content: bytes, nibble: int = 0xD) -> bytes:
    """A skippable frame; that of a dictionary by default."""
    return bytes([0x50 + nibble]) + b"\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def trained(records: Iterable[bytes]) -> zstd.ZstdDict:
    """A dictionary of 4 kB learnt from records."""
    return zstd.train_dict([content[:4000] for content in records], 4096)


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """A ZIP of these files in the order given."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return out.getvalue()


def wacz(archives: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """A WACZ of these archives with what else such a file has."""
    around = {"indexes/index.cdx.gz": b"no index", "pages/pages.jsonl": b"{}\n", "datapackage.json": b"{}"}
    return zipped(
        {"datapackage-digest.json": b"{}"} | {f"archive/{n}": c for n, c in archives.items()} | around, method
    )
