"""An S3 of this machine's loopback, for tests: moto's server, where it is installed (`make store-test`)."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from pyarrow import fs

SERVER = os.environ.get("MOTO_SERVER")
"""The program: none that happens to be about (that of moto 5.2.1 cannot finish an upload in parts)."""

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "made", "AWS_SECRET_ACCESS_KEY": "up", "AWS_EC2_METADATA_DISABLED": "true"}
BUCKET = "shelf"


@contextmanager
def object_store() -> Iterator[str]:
    """The end of the addresses of a server with one empty bucket, ``?...``; skips where no server is installed."""
    if SERVER is None:
        pytest.skip("NOT TESTED against S3: `make store-test` brings a server and does")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = subprocess.DEVNULL
    with subprocess.Popen([SERVER, "-H", "127.0.0.1", "-p", str(port)], stdout=quiet, stderr=quiet) as server:
        try:
            _wait_for(port, server)
            made = fs.S3FileSystem(
                access_key="made",
                secret_key="up",
                region="us-east-1",
                scheme="http",
                endpoint_override=f"127.0.0.1:{port}",
                allow_bucket_creation=True,
            )
            made.create_dir(BUCKET)
            yield f"?endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
        finally:
            server.terminate()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert server.poll() is None, "moto_server ended"
        time.sleep(0.1)
    raise AssertionError("moto_server does not answer")
