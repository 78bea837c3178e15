"""Where a run of many sites lies: files by name in a folder or an object store, each written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from diglot.disk.atomic import replacing
from diglot.disk.safe_read import require_regular
from diglot.errors import DiglotError, RunFolderError, SourceError

REMOTE = ("s3://", "gs://", "hdfs://")
"""How the address of a store that is no folder of this machine begins."""

S3_OPTIONS = ("region", "endpoint_override", "scheme", "anonymous")
"""What may stand behind the ? of an s3:// address; the same names as those of pyarrow."""

CONNECT_S = 10
REQUEST_S = 30
TRIES = 3
RETRY_S = 60
"""For how long, all in all, a call to Google's store is tried again."""

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
"""What to try, by what pyarrow's message holds: it has neither classes nor codes for most of these."""


class Stamp(NamedTuple):
    """What tells one writing of a file from another."""

    size_bytes: int
    mark: str
    """ETag, or the time of the last change."""


class Store:
    """Files by relative names with ``/`` between their parts, in a folder, S3, Google's store or HDFS.

    Made by :meth:`at`. Credentials come from the environment alone. Waits are bounded: a store that does not answer is
    an error after a few tries. All errors are :class:`diglot.errors.RunFolderError`, or the class given to :meth:`at`,
    and name the file and what to try. Pickled, it is its address.

    HDFS goes by the same calls and was not tried.
    """

    def __init__(self, uri: str, filesystem: fs.FileSystem, root: str, error: type[DiglotError]) -> None:
        self.uri = uri
        """Opens the same store in another process, and if it is remote on another machine: :meth:`at` takes it."""
        self._files = filesystem
        self._root = root
        self._error = error

    @classmethod
    def at(cls, place: str | os.PathLike[str], *, error: type[DiglotError] = RunFolderError) -> Store:
        """The store at a path, ``file://``, ``s3://BUCKET/PREFIX``, ``gs://`` or ``hdfs://``; no file need be there.

        ``s3://`` takes ``?region=``, ``endpoint_override=`` (for other makers' stores), ``scheme=`` and
        ``anonymous=true``; without a region it is the environment's, or asked of Amazon.
        ``error`` is the class of all errors of this store.
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
        return _again, (self.uri, self._error)

    def __repr__(self) -> str:
        return f"Store.at({self.uri!r})"

    @property
    def folder(self) -> Path | None:
        """The store as a folder of this machine; None where it is none."""
        return Path(self._root or "/") if isinstance(self._files, fs.LocalFileSystem) else None

    # -- reading -------------------------------------------------------------------------------

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name."""
        with self.telling(name):
            return bool(self._files.get_file_info(self._path(name)).type == fs.FileType.File)

    def names(self, prefix: str = "") -> list[str]:
        """The names of all files that begin with ``prefix`` ("" all of them), sorted; unfinished files are none."""
        folder = prefix.rpartition("/")[0]
        with self.telling(prefix):
            base = self._path(folder) if folder else self._root
            infos = self._files.get_file_info(fs.FileSelector(base or "/", recursive=True, allow_not_found=True))
        start = len(self._root) + 1
        names = (info.path[start:] for info in infos if info.type == fs.FileType.File)
        return sorted(name for name in names if name.startswith(prefix) and not _is_hidden(name))

    def stamp(self, name: str) -> Stamp | None:
        """Size of a file, and what changes when it is written anew, told without reading it; None where none is."""
        with self.telling(name):
            try:
                self._require_regular(name)
                with self._files.open_input_file(self._path(name)) as file:
                    size = file.size()
                    etag = (file.metadata() or {}).get("ETag", b"").decode()
            except FileNotFoundError:
                return None
            return Stamp(size, etag or str(self._files.get_file_info(self._path(name)).mtime_ns))

    def open(self, name: str) -> pa.NativeFile:
        """The file, to be closed by the caller; ``seek``, ``read`` and ``read_at`` take only the bytes asked for.

        What goes wrong while it is read is an OSError or ArrowException: see :meth:`telling`.
        """
        with self.telling(name):
            self._require_regular(name)
            return self._files.open_input_file(self._path(name))

    @contextmanager
    def reading(self, name: str) -> Iterator[pa.NativeFile]:
        """The file of :meth:`open` for a block under :meth:`telling`."""
        with self.telling(name), self.open(name) as file:
            yield file

    def read_bytes(self, name: str) -> bytes:
        """All bytes of a file."""
        with self.reading(name) as file:
            return bytes(file.read())

    def read_table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A Parquet file as a table, of it only ``columns``, in their order, where they are given."""
        wanted = None if columns is None else list(columns)
        with self.reading(name) as file:
            table = pq.ParquetFile(file, pre_buffer=True).read(columns=wanted)
        return table if wanted is None else table.select(wanted)

    def fetch_to(self, name: str, path: str | os.PathLike[str]) -> None:
        """Copy a file to a path of this machine, whole or not at all."""
        with replacing(path) as target:
            for piece in self._pieces(name):
                target.write(piece)

    # -- writing -------------------------------------------------------------------------------

    def put(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        """Make the file of what ``write`` writes to the handle it is given: whole, or, should it raise, not at all.

        What was there before is replaced, at once. Two that write the same bytes at the same time do no harm.
        """
        if self.folder is not None:
            with replacing(self._path(name)) as handle:
                write(handle)
            return
        # pyarrow finishes the object when a block that writes to it raises, and there is no way to abandon it; so the
        # bytes are gathered here first and go up in one call.
        with tempfile.TemporaryDirectory(prefix="diglot-") as scratch:
            made = os.path.join(scratch, "file")
            try:
                with open(made, "wb") as handle:
                    write(handle)
            except OSError as failure:
                raise self._error(f"{scratch}: cannot be written ({_why(failure)}); or set TMPDIR") from failure
            self._upload(made, name)

    def put_bytes(self, name: str, content: bytes) -> None:
        """Make a file of these bytes."""
        self.put(name, lambda handle: handle.write(content))

    def put_table(self, name: str, table: pa.Table) -> None:
        """Make a Parquet file (zstd) of a table."""
        self.put(name, lambda handle: pq.write_table(table, handle, compression="zstd"))

    def put_file(self, path: str | os.PathLike[str], name: str) -> None:
        """Make a file of the bytes of a file of this machine."""
        if self.folder is None:
            self._upload(os.fspath(path), name)
            return
        try:
            with open(path, "rb") as file:
                self.put(name, lambda handle: shutil.copyfileobj(file, handle, COPY_BYTES))
        except OSError as failure:  # of the handle they are told of by `put`
            raise self._error(f"{os.fspath(path)}: cannot be read ({_why(failure)})") from failure

    def delete(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""
        with self.telling(name), suppress(FileNotFoundError):
            self._files.delete_file(self._path(name))

    def _upload(self, path: str, name: str) -> None:
        """Copy a file up: an object is visible when all of it is there, and HDFS, which shows a file while it is
        written, gives it its name afterwards.

        In a thread, for no interrupt ends that between two steps: what is begun and let go, pyarrow finishes.
        """
        with self.telling(name), ThreadPoolExecutor(1) as thread:
            target = self._path(name)
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
        """Write a file in one piece. (`fs.copy_files` says nothing of what fails when the object is closed.)"""
        with pa.memory_map(path) as file, self._files.open_output_stream(target, compression=None) as out:
            out.write(file.read_buffer())

    # -- names and errors ----------------------------------------------------------------------

    def _path(self, name: str) -> str:
        """Where a file lies in the filesystem. Raises for a name that leads out of the store or is of no file."""
        if any(part in ("", ".", "..") for part in name.split("/")) or "\0" in name:
            raise self._error(f"{self.uri}: {name!r} is no name of a file in it: parts of words, with / between them")
        return f"{self._root}/{name}"

    def _require_regular(self, name: str) -> None:
        """Raise for a pipe or device of this machine, which may never end or never begin, and for a folder."""
        if self.folder is not None:
            if os.path.isdir(self._path(name)):
                raise IsADirectoryError("a folder; name a file")
            try:
                require_regular(self._path(name))
            except SourceError as failure:
                raise self._error(str(failure)) from failure

    def _pieces(self, name: str) -> Iterator[bytes]:
        with self.telling(name), self._files.open_input_stream(self._path(name), compression=None) as file:
            while piece := file.read(COPY_BYTES):
                yield piece

    @contextmanager
    def telling(self, name: str) -> Iterator[None]:
        """Make what pyarrow raises in a block an error of this store that names the file and says what to try."""
        try:
            yield
        except (OSError, pa.ArrowException) as failure:
            place = self.uri.partition("?")[0].rstrip("/")
            raise self._error(f"{place}/{name}: {_why(failure)}") from failure


def _again(uri: str, error: type[DiglotError]) -> Store:
    return Store.at(uri, error=error)


def _s3(uri: str) -> tuple[fs.FileSystem, str]:
    """The S3 of an address, with bounded waits, and bucket and prefix in it. Raises ValueError, OSError."""
    parts = urlsplit(uri)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(options.keys() - set(S3_OPTIONS))
    if unknown:
        raise ValueError(f"{unknown[0]} is no option of an s3:// address; there are {', '.join(S3_OPTIONS)}")
    anonymous = options.get("anonymous", "false").lower()
    if anonymous not in ("true", "false"):
        raise ValueError(f"anonymous={anonymous}: write anonymous=true, or nothing")
    if "@" in parts.netloc:
        raise ValueError("credentials do not belong into an address; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    if not parts.netloc:
        raise ValueError("no bucket; write s3://BUCKET/PREFIX")
    region = options.get("region") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = options.get("endpoint_override")
    if region is None and endpoint is None and "AWS_ENDPOINT_URL" not in os.environ:
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
    """What happened, in one line, and what to try where that is known."""
    if isinstance(failure, FileNotFoundError):
        return "not there; check the name"
    text = " ".join(str(failure).partition("(Request ID")[0].split())[:300].strip()
    for marks, advice in ADVICE:
        if any(mark in text for mark in marks):
            return f"{advice} ({text})"
    return text


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")
