"""One page linearised."""

from diglot.documents.html.linearise import Linear, linearise_all


def linearise(html: str, url: str) -> Linear:
    return linearise_all([html.encode("utf-8", "replace")], [url])[0]
