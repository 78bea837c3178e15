"""Files that are written whole or not at all."""

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
    """Delete what killed writers left anywhere under a folder; nobody may be writing there."""
    for path in folder.rglob(".*.part"):
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary handle whose bytes appear under ``path`` only when the block ends without an error.

    Until then they stand beside it under a hidden name; an interrupted block leaves what was at
    ``path`` untouched and removes its own file. Missing folders are made.

    Raises: UsageError, when the place cannot be written (no permission, disk full, a folder of that name).
    """
    target = Path(path)
    if target.exists() and not (target.is_file() or target.is_dir()):  # to put a file in its place would remove it
        raise UsageError(f"{target}: a device, pipe or socket; name a file to write")
    if not target.name:
        raise UsageError(f"{target}: a folder; name a file to write")
    temporary = target.with_name(
        f".{target.name}.{secrets.randbits(64)}.part"
    )  # processes of two machines may share a number
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temporary, target)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"{target}: cannot be written ({why}); free the place or choose another with -o") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
