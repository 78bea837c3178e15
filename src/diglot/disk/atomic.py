"""Atomic writes: a file is written completely or not at all."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from diglot.errors import UsageError

_UNFINISHED = re.compile(r"\..+\.\d+\.part")


def remove_unfinished(folder: Path) -> None:
    """Delete unfinished files of killed writers under a folder, in which nobody may be writing."""
    for path in folder.rglob(".*.part"):
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary handle whose bytes appear at ``path`` only when the block ends without an error.

    The bytes go to a hidden file beside ``path``. An interrupted block removes the hidden file and leaves ``path`` as
    it was. Missing folders are created.

    Raises: UsageError where ``path`` cannot be written (permission, full disk, a folder of the same name).
    """
    target = Path(path)
    # os.replace would remove a device or pipe.
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise UsageError(f"{target}: a device, pipe or socket; name a file to write")
    if not target.name:
        raise UsageError(f"{target}: a folder; name a file to write")
    # A random number, for processes on two machines may have the same id.
    temporary = target.with_name(f".{target.name}.{secrets.randbits(64)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as handle:
            yield handle
            handle.flush()
            # Without fsync a power failure can leave an empty file under the final name.
            os.fsync(handle.fileno())
        os.replace(temporary, target)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"{target}: cannot be written ({why}); free the place or choose another with -o") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
