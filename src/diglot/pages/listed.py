"""Lists of sources, one per line, such as Common Crawl's ``warc.paths.gz``."""

from __future__ import annotations

import zlib
from pathlib import Path

from diglot.disk.safe_read import gunzip, read_whole
from diglot.disk.store import Store
from diglot.errors import SourceError
from diglot.pages.address import is_web_address
from diglot.pages.byte_feed import is_gzip
from diglot.pages.place import folder_of, is_remote, name_of, within

LIST_ENDS = (".paths", ".paths.gz")


def is_list(spec: str) -> bool:
    """Whether a SOURCE is a list: ``@FILE``, or by its ending."""
    return spec.startswith("@") or spec.partition("?")[0].lower().endswith(LIST_ENDS)


def read_list(spec: str, *, warc_prefix: str = "") -> list[str]:
    """The sources in a list: a path or address per line, without empty lines and lines that begin with #.

    Relative paths are resolved against ``warc_prefix`` or else the folder of the list.
    Raises: SourceError for a list that is unreadable or empty, or names a further list or a web address.
    """
    file = spec.removeprefix("@")
    lines = [line.strip() for line in _text(file).splitlines()]
    sources = [line for line in lines if line and not line.startswith("#")]
    if not sources:
        raise SourceError(f"{file}: names no source; write one a line")
    for source in sources:
        if is_list(source):
            raise SourceError(f"{file}: names {source}, a list itself; name that one as a SOURCE")
        if is_web_address(source):
            raise SourceError(
                f"{file}: names {source}; a list names files, so fetch it, or give s3://, gs:// or hdfs://"
            )
    base = warc_prefix or folder_of(file)
    return [source if is_remote(source) else within(base, source) for source in sources]


def _text(file: str) -> str:
    try:
        content = Store.at(folder_of(file), error=SourceError).read_bytes(name_of(file)) if is_remote(file) else None
        content = read_whole(Path(file)) if content is None else content
        plain = gunzip(file, content) if is_gzip(content) else content
        return plain.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise SourceError(f"{file}: no such file; it should be a list of sources, one a line") from error
    except (EOFError, OSError, UnicodeDecodeError, ValueError, zlib.error) as error:
        raise SourceError(f"{file}: no list of sources, one a line ({error})") from error
