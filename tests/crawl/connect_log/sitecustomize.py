"""For processes with this folder in PYTHONPATH: notes each attempt to connect in the file that CONNECT_LOG names."""

import os
import sys

_LOG = os.environ.get("CONNECT_LOG")


def _note(event, arguments):
    if event == "socket.connect" and not isinstance(arguments[1], tuple):
        return  # a socket file, by which the processes of one crawl speak to each other
    if event in ("socket.connect", "socket.getaddrinfo") and _LOG:
        with open(_LOG, "a") as log:
            log.write(f"{event}\t{arguments[1] if event == 'socket.connect' else arguments[:2]!r}\n")


if _LOG:
    sys.addaudithook(_note)
