"""Functions compiled: one process at a time fills the cache, and threads cover a range once."""

import fcntl
import os
import pickle

import numpy as np
import pytest

from diglot import compiled as module
from diglot.compiled import compiled, in_threads


def _twice(number: int) -> int:
    return 2 * number


@pytest.mark.parametrize(("count", "stretch"), [(0, 3), (1, 3), (3, 3), (10, 3), (100, 1)])
def test_threads_cover_a_range_once(count: int, stretch: int) -> None:
    visits = np.zeros(count, np.int64)

    def visit(some: slice) -> None:
        visits[some] += 1

    in_threads(visit, count, stretch)
    assert (visits == 1).all()


def test_what_fails_in_a_thread_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda some: some.start // 0, 10, 2)  # type: ignore[arg-type, return-value]


def test_the_folder_is_locked_while_a_function_is_compiled_and_free_after(monkeypatch: pytest.MonkeyPatch) -> None:
    locked: list[str] = []
    lock = module._lock

    def lock_and_try(folder: str) -> int | None:
        handle = lock(folder)
        other = os.open(folder, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)
        locked.append(folder)
        return handle

    monkeypatch.setattr(module, "_lock", lock_and_try)
    function = compiled(_twice)
    function._cache._cache_file.flush()  # type: ignore[attr-defined]
    assert function(21) == 42
    assert len(locked) == 1
    assert not module._held
    again = os.open(locked[0], os.O_RDONLY)
    fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(again)
    assert compiled(_twice)(4) == 8  # from the cache
    assert len(locked) == 1


def test_what_another_version_kept_under_names_that_are_gone_is_compiled_anew() -> None:
    """An upgrade may rename a record that a compiled function takes: the index of the cache then cannot be read."""
    function = compiled(_twice)
    assert function(1) == 2
    index = function._cache._cache_file._index_path  # type: ignore[attr-defined]
    version = function._cache._cache_file._version  # type: ignore[attr-defined]
    with open(index, "wb") as handle:
        pickle.dump(version, handle)
        handle.write(b"cdiglot.compiled\nNoSuchRecord\n.")  # a pickle that names what the module does not have
    assert compiled(_twice)(3) == 6
    assert compiled(_twice)(4) == 8
