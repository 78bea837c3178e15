"""Settings of all tests; being here, it also puts this folder on the import path: any may import ``made_documents``."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure: neither an example nor its making has a time limit. CI tries the same examples each
# time, so that it fails for a change of the code alone.
settings.register_profile(
    "diglot", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("diglot")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Programs started by the test obey an interrupt also where pytest was told to ignore it, as a shell tells what it
    runs in the background: what is ignored stays so in a program that is started, what is handled does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
