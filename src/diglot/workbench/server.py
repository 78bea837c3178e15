"""The server of the workbench: on loopback, on a free port, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from logging.handlers import RotatingFileHandler
from pathlib import Path

from diglot.errors import UsageError
from diglot.workbench.shelf import SERVER, Shelf, read_json, write_json

LOOPBACK = "127.0.0.1"
LOG = "server.log"
PORT = "port.json"
MAX_LOG_BYTES = 1 << 20
NEEDED = ("starlette", "uvicorn", "jinja2")
END_WAIT_S = 1
"""Seconds that open pages get at the end."""


def serve(
    folder: Path, *, port: int = 0, at_most: int = 1, allow_hosts: Sequence[str] = (), say: Callable[[str], None]
) -> str:
    """Serve the runs in a folder until an interrupt; returns a sentence on how it ended.

    ``port``: 0 for a free one; ``at_most``: harvests at a time; ``say``: called with the first address as soon as the
    server answers, or with the address of a server that has the folder open already. Raises: UsageError.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(f"the workbench needs {', '.join(missing)}; try pip install 'diglot[ui]'")
    shelf = Shelf(folder)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(shelf.lock())
        except BlockingIOError:
            return _show_other(shelf, say)
        except OSError as error:
            raise shelf.folder_error(error) from error
        stack.enter_context(_logging_to(shelf.own(LOG)))
        bound = stack.enter_context(_bind(port) if port else _bind_as_before(shelf))
        stack.callback(shelf.own(SERVER).unlink, missing_ok=True)
        return _serve(shelf, bound, at_most, allow_hosts, say)


def _show_other(shelf: Shelf, say: Callable[[str], None]) -> str:
    """Give ``say`` the address of the server that already has the folder open."""
    address = read_json(shelf.own(SERVER)).get("address", "")
    if not isinstance(address, str) or not address.startswith(f"http://{LOOPBACK}:"):
        raise UsageError(f"{shelf.path} is open in another workbench; close that one first")
    say(address)
    return f"{shelf.path} was open already, in another workbench"


@contextlib.contextmanager
def _logging_to(path: Path) -> Iterator[None]:
    """Write warnings of the server to a log file, and not to the terminal."""
    handler = RotatingFileHandler(path, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
    loggers = [logging.getLogger(name) for name in ("uvicorn", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.WARNING)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()


def _bind(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
        # From here on the system takes connections: the address may be printed before the server has started.
        bound.listen()
    except OSError as error:
        bound.close()
        raise UsageError(f"--port {port}: in use; leave it out for a free one") from error
    return bound


def _bind_as_before(shelf: Shelf) -> socket.socket:
    """A socket on the port of the last server of this folder, or on a free one.

    A page that was open all the time can then save what it holds.
    """
    last = read_json(shelf.own(PORT)).get("port")
    try:
        bound = _bind(last if isinstance(last, int) and 0 <= last < 1 << 16 else 0)
    except UsageError:
        bound = _bind(0)
    with contextlib.suppress(UsageError):  # a full disk
        write_json(shelf.own(PORT), {"port": bound.getsockname()[1]})
    return bound


def _serve(
    shelf: Shelf, bound: socket.socket, at_most: int, allow_hosts: Sequence[str], say: Callable[[str], None]
) -> str:
    # Loaded here: other commands have no use for them.
    import uvicorn

    from diglot.workbench.app import make_app
    from diglot.workbench.bench import Bench
    from diglot.workbench.concordance import Concordance
    from diglot.workbench.guard import Keys
    from diglot.workbench.jobs import Jobs
    from diglot.workbench.planning import Plans
    from diglot.workbench.verdicts import Verdicts

    keys = Keys(f"{LOOPBACK}:{bound.getsockname()[1]}")
    jobs = Jobs(shelf, at_most)
    bench = Bench(
        shelf=shelf,
        jobs=jobs,
        verdicts=Verdicts(shelf),
        plans=Plans(allow_hosts),
        concordance=Concordance(shelf.own("words")),
        allow_hosts=tuple(allow_hosts),
    )
    shelf.delete_rests()
    _write_secret(shelf.own(SERVER), keys.address)
    config = uvicorn.Config(
        make_app(bench, keys), log_config=None, access_log=False, timeout_graceful_shutdown=END_WAIT_S
    )
    asyncio.run(_until_interrupt(uvicorn.Server(config), bound, lambda: say(keys.address)))
    left = sum(jobs.is_at_work(job.name) for job in jobs.all())
    return "the workbench is closed" + (
        f"; {left} harvest{'s' if left > 1 else ''} at work go{'' if left > 1 else 'es'} on without it" if left else ""
    )


def _write_secret(path: Path, address: str) -> None:
    """Write the first address, which holds the key of the workbench, where only the user can read it."""
    write_json(path, {})
    path.chmod(0o600)
    with path.open("w", encoding="utf-8") as file:
        json.dump({"address": address}, file)


async def _until_interrupt(server: object, bound: socket.socket, begun: Callable[[], None]) -> None:
    import uvicorn

    assert isinstance(server, uvicorn.Server)
    # The handlers of uvicorn would raise the signal again at the end, as if the command had failed.
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
    loop = asyncio.get_running_loop()

    def end() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    loop.call_soon(begun)
    await server.serve(sockets=[bound])


def open_browser(address: str) -> None:
    """Open an address in the user's browser, if there is one."""
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)
