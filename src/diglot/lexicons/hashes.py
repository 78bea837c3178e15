"""What lexicon files hold, as hashes: a changed file is another input, though its name is the same."""

from __future__ import annotations

from glob import escape
from pathlib import Path

import xxhash

from diglot.errors import SourceError


def file_hashes(paths: str, *, parted: bool = True) -> list[str]:
    """A hash of each file, the names ``parted`` by commas or one name, and of those beside it under the same stem.

    Raises: SourceError for a file that cannot be read.
    """
    names = paths.split(",") if parted else [paths]
    return [_hash(path) for name in names if name.strip() for path in _with_companions(Path(name.strip()).expanduser())]


def _with_companions(path: Path) -> list[Path]:
    """The file and those that share its name up to the first full stop: a dictd index lies beside its articles."""
    stem = path.name.split(".")[0]
    return sorted({path, *path.parent.glob(f"{escape(stem)}.*")})


def _hash(path: Path) -> str:
    try:
        return xxhash.xxh3_128_hexdigest(path.read_bytes())
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}; name a file that can be read") from error
