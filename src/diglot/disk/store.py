"""Store of a run of many sites: named files in a folder or an object store, written completely or not at all."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from diglot.disk.atomic import replacing
from diglot.disk.content_hashes import DAMAGE, READ, read_groups
from diglot.disk.safe_read import require_regular
from diglot.disk.stage_files import write_table
from diglot.errors import DiglotError, RunFolderError, SourceError

REMOTE = ("s3://", "gs://", "hdfs://")
"""Schemes of remote stores."""

S3_OPTIONS = ("region", "endpoint_override", "scheme", "anonymous")
"""Options after the ? of an s3:// address, by the names of pyarrow."""

CONNECT_S = 10
REQUEST_S = 30
TRIES = 3
LISTINGS = 5
"""Most tries to list a folder while other processes delete files in it."""
RETRY_S = 60
"""Total time of the tries of a call to Google's store."""

COPY_BYTES = 8 << 20

ADVICE = (
    (("NO_SUCH_BUCKET", "bucket does not exist", "NoSuchBucket"), "no such bucket; make it or check the name"),
    (
        ("ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "SIGNATURE", "HTTP status 403", "HTTP status 401", "credentials",
         "authenticat", "PERMISSION_DENIED"),
        "access denied; set credentials in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, "
        "or GOOGLE_APPLICATION_CREDENTIALS), or say ?anonymous=true for a public bucket",
    ),
    (
        ("NETWORK_CONNECTION", "curlCode", "CURL error", "timed out", "Timeout", "SERVICE_UNAVAILABLE", "SLOW_DOWN"),
        "cannot be reached; check the network, the region and endpoint_override",
    ),
    (("libhdfs", "libjvm"), "needs Hadoop's client; set ARROW_LIBHDFS_DIR, JAVA_HOME and CLASSPATH"),
    (("No space left", "Disk quota"), "the disk is full; free space or choose another place"),
)  # fmt: skip
"""Advice by parts of pyarrow's error message; most of these errors have no class or code."""


class Stamp(NamedTuple):
    """Size and version of a file, to notice that the file was rewritten."""

    size_bytes: int
    mark: str
    """ETag, or the time of the last change."""


class Store:
    """Files by relative names with ``/`` between their parts, in a folder, S3, Google's store or HDFS.

    Made by :meth:`at`. Credentials come from the environment alone. Waits are bounded: a silent store is an error after
    a few tries. All errors are :class:`diglot.errors.RunFolderError`, or the class given to :meth:`at`; the message
    names the file and gives advice. A pickled store is its address.

    HDFS uses the same calls and is untested.
    """

    def __init__(self, uri: str, filesystem: fs.FileSystem, root: str, error: type[DiglotError]) -> None:
        self.uri = uri
        """Address for :meth:`at`: opens the same store in another process, and a remote store on any machine."""
        self._files = filesystem
        self._root = root
        self._error = error

    @classmethod
    def at(cls, place: str | os.PathLike[str], *, error: type[DiglotError] = RunFolderError) -> Store:
        """Open a store: a path, ``file://``, ``s3://BUCKET/PREFIX``, ``gs://`` or ``hdfs://``. The store may be empty.

        ``s3://`` takes ``?region=``, ``endpoint_override=`` (for stores other than Amazon's), ``scheme=`` and
        ``anonymous=true``. The default region comes from the environment, else from Amazon.
        ``error``: class of all errors of this store.
        """
        text = os.fspath(place)
        try:
            text.encode()
        except UnicodeEncodeError as failure:
            raise error(f"{text!a}: not UTF-8; choose another name") from failure
        try:
            if text.startswith("s3://"):
                filesystem, root = _s3(text)
            elif text.startswith("gs://"):
                mark = "&" if "?" in text else "?"
                filesystem, root = fs.FileSystem.from_uri(f"{text}{mark}retry_limit_seconds={RETRY_S}")
            elif text.startswith(("hdfs://", "file://")):
                filesystem, root = fs.FileSystem.from_uri(text)
            elif "://" in text:
                raise ValueError(f"not one of file://, {', '.join(REMOTE)}")
            else:
                filesystem, root = fs.LocalFileSystem(), os.path.abspath(text)
        except (OSError, ValueError) as failure:  # pa.ArrowInvalid is a ValueError
            raise error(f"{text}: {_why(failure)}") from failure
        if isinstance(filesystem, fs.LocalFileSystem):
            text = root
        return cls(text, filesystem, root.rstrip("/"), error)

    def __reduce__(self) -> tuple[Callable[..., Store], tuple[str, type[DiglotError]]]:
        return _reopen, (self.uri, self._error)

    def __repr__(self) -> str:
        return f"Store.at({self.uri!r})"

    @property
    def folder(self) -> Path | None:
        """Folder of a store on this machine; None for a remote store."""
        return Path(self._root or "/") if isinstance(self._files, fs.LocalFileSystem) else None

    @property
    def quoted_uri(self) -> str:
        """:attr:`uri` as an argument on a command line."""
        return shlex.quote(self.uri)

    # -- reading -------------------------------------------------------------------------------

    def exists(self, name: str) -> bool:
        """Whether the file exists."""
        with self.describe_errors(name):
            return bool(self._files.get_file_info(self._path(name)).type == fs.FileType.File)

    def names(self, prefix: str = "") -> list[str]:
        """Sorted names of all files with a prefix ("": all files), without unfinished files."""
        folder = prefix.rpartition("/")[0]
        with self.describe_errors(prefix):
            base = self._path(folder) if folder else self._root
            infos = self._list(fs.FileSelector(base or "/", recursive=True, allow_not_found=True))
        start = len(self._root) + 1
        names = (info.path[start:] for info in infos if info.type == fs.FileType.File)
        return sorted(name for name in names if name.startswith(prefix) and not _is_hidden(name))

    def _list(self, selector: fs.FileSelector) -> list[fs.FileInfo]:
        # Arrow fails where another process deletes a file between the listing and the look at the file.
        for _ in range(LISTINGS - 1):
            with suppress(FileNotFoundError):
                return list(self._files.get_file_info(selector))
        return list(self._files.get_file_info(selector))

    def stamp(self, name: str) -> Stamp | None:
        """Size and version of a file, without reading the content; None for a missing file."""
        with self.describe_errors(name):
            try:
                self._require_regular(name)
                with self._files.open_input_file(self._path(name)) as file:
                    size = file.size()
                    etag = (file.metadata() or {}).get("ETag", b"").decode()
            except FileNotFoundError:
                return None
            return Stamp(size, etag or str(self._files.get_file_info(self._path(name)).mtime_ns))

    def open(self, name: str) -> pa.NativeFile:
        """Open a file, to be closed by the caller; a read transfers only the requested bytes.

        Errors of reads are OSError or ArrowException, as pyarrow raises them: see :meth:`describe_errors`.
        """
        with self.describe_errors(name):
            self._require_regular(name)
            return self._files.open_input_file(self._path(name))

    @contextmanager
    def reading(self, name: str) -> Iterator[pa.NativeFile]:
        """Open a file for a block, with the errors of :meth:`describe_errors`."""
        with self.describe_errors(name), self.open(name) as file:
            yield file

    def read_bytes(self, name: str) -> bytes:
        """Read all bytes of a file."""
        with self.reading(name) as file:
            return bytes(file.read())

    def read_table(self, name: str) -> pa.Table:
        """Read a Parquet file as a table."""
        with self.reading(name) as file:
            return read_groups(pq.ParquetFile(file, pre_buffer=True, **READ))

    def fetch_to(self, name: str, path: str | os.PathLike[str]) -> None:
        """Copy a file to a path of this machine, completely or not at all."""
        with replacing(path, for_programs=True) as target:
            for piece in self._pieces(name):
                target.write(piece)

    # -- writing -------------------------------------------------------------------------------

    def put(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        """Store what ``write`` writes to its binary handle: completely, or not at all if ``write`` raises.

        An earlier file is replaced at once. Concurrent writers of the same bytes do no harm.
        """
        if self.folder is not None:
            with replacing(self._path(name), for_programs=True) as handle:
                write(handle)
            return
        # When a block raises, pyarrow finishes the object all the same and cannot abandon it: so the bytes are gathered
        # here first and uploaded in a single call.
        with tempfile.TemporaryDirectory(prefix="diglot-") as scratch:
            made = os.path.join(scratch, "file")
            try:
                with open(made, "wb") as handle:
                    write(handle)
            except OSError as failure:
                raise self._error(f"{scratch}: cannot be written ({_why(failure)}); or set TMPDIR") from failure
            self._upload(made, name)

    def put_bytes(self, name: str, content: bytes) -> None:
        """Write bytes to a file."""
        self.put(name, lambda handle: handle.write(content))

    def put_table(self, name: str, table: pa.Table) -> None:
        """Write a table as a Parquet file (zstd)."""
        self.put(name, lambda handle: write_table(handle, table))

    def put_file(self, path: str | os.PathLike[str], name: str) -> None:
        """Copy a file of this machine into the store."""
        if self.folder is None:
            self._upload(os.fspath(path), name)
            return
        try:
            with open(path, "rb") as file:
                self.put(name, lambda handle: shutil.copyfileobj(file, handle, COPY_BYTES))
        except OSError as failure:  # of the local file: `put` describes errors of the store
            raise self._error(f"{os.fspath(path)}: cannot be read ({_why(failure)})") from failure

    def delete(self, name: str) -> None:
        """Delete a file if it exists."""
        with self.describe_errors(name), suppress(FileNotFoundError):
            self._files.delete_file(self._path(name))

    def _upload(self, path: str, name: str) -> None:
        """Upload a file, visible only when complete."""
        # In a thread, since an interrupt between two steps would make pyarrow finish half an object.
        with self.describe_errors(name), ThreadPoolExecutor(1) as thread:
            target = self._path(name)
            # Object stores show complete objects only. HDFS shows a file during the write, so it is renamed at the end.
            if self._files.type_name in ("s3", "gcs"):
                thread.submit(self._send, path, target).result()
                return
            folder, _, last = target.rpartition("/")
            hidden = f"{folder}/.{last}.{secrets.randbits(64)}.part"
            self._files.create_dir(folder, recursive=True)
            thread.submit(self._send, path, hidden).result()
            with suppress(FileNotFoundError):
                self._files.delete_file(target)
            self._files.move(hidden, target)

    def _send(self, path: str, target: str) -> None:
        """Write a file in a single call."""
        # `fs.copy_files` would hide errors raised when the object is closed.
        with pa.memory_map(path) as file, self._files.open_output_stream(target, compression=None) as out:
            out.write(file.read_buffer())

    # -- names and errors ----------------------------------------------------------------------

    def _path(self, name: str) -> str:
        """Path of a file in the filesystem. Raises for a name outside the store or without a file name."""
        if any(part in ("", ".", "..") for part in name.split("/")) or "\0" in name:
            raise self._error(f"{self.uri}: {name!r} is no name of a file in it: parts of words, with / between them")
        return f"{self._root}/{name}"

    def _require_regular(self, name: str) -> None:
        """Raise for a folder, and for a local pipe or device, where a read may never return."""
        if self.folder is not None:
            if os.path.isdir(self._path(name)):
                raise IsADirectoryError("a folder; name a file")
            try:
                require_regular(self._path(name))
            except SourceError as failure:
                raise self._error(str(failure)) from failure

    def _pieces(self, name: str) -> Iterator[bytes]:
        with self.describe_errors(name), self._files.open_input_stream(self._path(name), compression=None) as file:
            while piece := file.read(COPY_BYTES):
                yield piece

    @contextmanager
    def describe_errors(self, name: str) -> Iterator[None]:
        """Turn pyarrow's errors in a block into errors of this store, with the file name and advice."""
        try:
            yield
        except DAMAGE as failure:
            # Options behind the ? are no part of the place of a file.
            place = self.uri.partition("?")[0].rstrip("/")
            raise self._error(f"{place}/{name}: {_why(failure)}") from failure


def _reopen(uri: str, error: type[DiglotError]) -> Store:
    return Store.at(uri, error=error)


def _s3(uri: str) -> tuple[fs.FileSystem, str]:
    """Filesystem of an s3:// address, with bounded waits; bucket and prefix. Raises ValueError, OSError."""
    parts = urlsplit(uri)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(options.keys() - set(S3_OPTIONS))
    if unknown:
        raise ValueError(f"{unknown[0]} is no option of an s3:// address; there are {', '.join(S3_OPTIONS)}")
    anonymous = options.get("anonymous", "false").lower()
    if anonymous not in ("true", "false"):
        raise ValueError(f"anonymous={anonymous}: write anonymous=true, or nothing")
    if "@" in parts.netloc:
        raise ValueError(
            "no user and no password belong into an address; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    if not parts.netloc:
        raise ValueError("no bucket; write s3://BUCKET/PREFIX")
    region = options.get("region") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = options.get("endpoint_override")
    if region is None and endpoint is None and "AWS_ENDPOINT_URL" not in os.environ:
        # A request over the network, and only Amazon answers it: other stores have an endpoint.
        region = fs.resolve_s3_region(parts.netloc)
    filesystem = fs.S3FileSystem(
        anonymous=anonymous == "true",
        region=region or "us-east-1",
        scheme=options.get("scheme"),
        endpoint_override=endpoint,
        connect_timeout=CONNECT_S,
        request_timeout=REQUEST_S,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=TRIES),
        allow_delayed_open=True,
    )
    return filesystem, f"{parts.netloc}{unquote(parts.path)}"


def _why(failure: Exception) -> str:
    """Error message on a single line, with advice for known errors."""
    if isinstance(failure, FileNotFoundError):
        return "not there; check the name"
    text = " ".join(str(failure).partition("(Request ID")[0].split())[:300].strip()
    for marks, advice in ADVICE:
        if any(mark in text for mark in marks):
            return f"{advice} ({text})"
    return text


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")
