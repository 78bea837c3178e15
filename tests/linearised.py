"""One page linearised, and the texts of its blocks."""

from itertools import pairwise

from diglot.documents.html.linearise import Linear, linearise_all


def linearise(html: str, url: str = "http://a.example/dir/page.html") -> Linear:
    return linearise_all([html.encode("utf-8", "replace")], [url])[0]


def block_texts(html: str) -> list[str]:
    linear = linearise(html)
    chunks = linear.chunks.texts().to_pylist()
    return ["".join(chunks[i:j]).strip() for i, j in pairwise([0, *linear.blocks.ends.tolist()])]
