"""Compression of an archive's records: gzip members or zstd frames.

Sources: RFC 1952; RFC 8878, 3.1; IIPC, *Zstandard Compression for WARC Files 1.0* (a file's dictionary is in its first,
skippable frame).
"""

from __future__ import annotations

import sys
import zlib
from typing import Any, Protocol

from diglot.reasons import Reason
from diglot.records import Damaged, Refused

GZIP_MAGIC = b"\x1f\x8b\x08"
GZIP_WINDOW_BITS = 31
"""zlib's value for gzip: header, CRC and length are present and must be right."""

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
SKIPPABLE_MAGIC_END = b"\x2a\x4d\x18"
"""Magic of a skippable frame without its first byte, 0x50 to 0x5F."""
FRAME_HEAD_BYTES = 8
"""Head of a skippable frame: magic and size of the content."""

MAX_DICTIONARY_BYTES = 16 << 20
"""Dictionaries in use take 100 kB to 1 MB."""
MAX_WINDOW_LOG = 27
"""Log2 of the largest window of a frame, 128 MiB: the default limit of ``zstd -d``."""
ZSTD_HEAD_BYTES = 18
"""Longest head of a zstd frame with its magic (RFC 8878, 3.1.1.1)."""
LARGEST_BLOCK_BYTES = 128 << 10
"""Largest block of a zstd frame: the bytes that may be needed before any output."""


class Unpacker(Protocol):
    """Unpacks one member or frame."""

    @property
    def is_finished(self) -> bool:
        """Whether the end was reached, with right length and checksum."""

    @property
    def hungry(self) -> bool:
        """Whether more input is needed for more output."""

    def unpack(self, packed: bytes, wanted: int) -> tuple[bytes, int]:
        """At most ``wanted`` bytes, and the number of bytes of ``packed`` left over. Raises Damaged."""


class Packing(Protocol):
    """A format of compression."""

    magic: bytes
    member: str
    """Name of a compressed piece."""
    probe_bytes: int
    """Packed bytes enough to unpack the start of a piece."""

    def unpacker(self) -> Unpacker:
        """An unpacker for one piece."""

    def skippable_bytes(self, head: bytes) -> int:
        """Bytes of the skippable frame that begins with ``head`` (``FRAME_HEAD_BYTES``); 0 for anything else."""


class Gzip:
    """Members of gzip."""

    magic = GZIP_MAGIC
    member = "gzip member"
    probe_bytes = 1 << 10

    def unpacker(self) -> Unpacker:
        return _Inflater()

    def skippable_bytes(self, head: bytes) -> int:
        return 0


class Zstd:
    """Frames of zstd, with or without the file's dictionary."""

    magic = ZSTD_MAGIC
    member = "zstd frame"
    probe_bytes = LARGEST_BLOCK_BYTES + 64

    def __init__(self, dictionary: bytes = b"") -> None:
        self._dictionary = _dictionary(dictionary) if dictionary else None

    def unpacker(self) -> Unpacker:
        return _Decompressor(self._dictionary)

    def skippable_bytes(self, head: bytes) -> int:
        if len(head) < FRAME_HEAD_BYTES or head[0] >> 4 != 5 or head[1:4] != SKIPPABLE_MAGIC_END:
            return 0
        return FRAME_HEAD_BYTES + int.from_bytes(head[4:8], "little")


GZIP: Packing = Gzip()


class _Inflater:
    hungry = True

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(GZIP_WINDOW_BITS)

    @property
    def is_finished(self) -> bool:
        return self._inflater.eof

    def unpack(self, packed: bytes, wanted: int) -> tuple[bytes, int]:
        try:
            out = self._inflater.decompress(packed, wanted)
        except zlib.error as error:
            raise Damaged(f"the gzip member is broken ({error})") from error
        return out, len(self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail)


class _Decompressor:
    def __init__(self, dictionary: Any) -> None:
        module = _zstd()
        bounds = {module.DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
        self._broken = module.ZstdError
        self._decompressor = module.ZstdDecompressor(dictionary, bounds)

    @property
    def is_finished(self) -> bool:
        return bool(self._decompressor.eof)

    @property
    def hungry(self) -> bool:
        return bool(self._decompressor.needs_input)

    def unpack(self, packed: bytes, wanted: int) -> tuple[bytes, int]:
        try:
            out = self._decompressor.decompress(packed, wanted)
        except self._broken as error:
            raise Damaged(f"the zstd frame is broken ({error})") from error
        return out, len(self._decompressor.unused_data) if self._decompressor.eof else 0


def unpack_member(content: bytes, packing: Packing, *, max_bytes: int) -> bytes:
    """Content of one member or frame. Raises Damaged for an incomplete one, TOO_LARGE past ``max_bytes``."""
    unpacker = packing.unpacker()
    # One byte more than allowed tells a whole output of the largest size from one that is cut.
    out, _ = unpacker.unpack(content, max_bytes + 1)
    if len(out) > max_bytes:
        raise Refused(Reason.TOO_LARGE, f"more than {max_bytes} bytes once unpacked")
    if not unpacker.is_finished:
        raise Damaged(f"the {packing.member} ends early")
    return out


def _dictionary(content: bytes) -> Any:
    """The dictionary in a file's first frame, itself packed or not. Raises Damaged, TOO_LARGE."""
    module = _zstd()
    plain = content
    if content.startswith(ZSTD_MAGIC):
        try:
            plain = unpack_member(content, Zstd(), max_bytes=MAX_DICTIONARY_BYTES)
        except Damaged as error:
            raise Damaged(f"the dictionary cannot be unpacked: {error.detail}") from error
    try:
        dictionary = module.ZstdDict(plain)
        module.ZstdDecompressor(dictionary)  # only its use shows damage behind the head
    except (ValueError, module.ZstdError) as error:
        raise Damaged(f"the dictionary is none ({error})") from error
    return dictionary


def lacks_dictionary(head: bytes) -> bool:
    """Whether a file begins with a zstd frame that needs a dictionary: a dictionary in the file would come before.

    ``head``: the first :data:`ZSTD_HEAD_BYTES` of the file. False is no proof: a frame need not name its dictionary.
    """
    if not head.startswith(ZSTD_MAGIC):
        return False
    module = _zstd()
    try:
        return bool(module.get_frame_info(head).dictionary_id)
    except module.ZstdError:
        return False


def _zstd() -> Any:
    """The zstd module of Python 3.14, or the backport."""
    # Loaded on demand: most archives are gzip.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
