"""Speed and memory of the lexical aligner: ``python benchmarks/align_lexical.py SRC TGT``.

SRC and TGT: two texts, one sentence a line, cut or repeated to 1,000, 5,000 and 20,000 sentences of SRC, TGT to the
same share of its characters. The other aligner is the PyPI package ``galechurch`` where it is installed (up to 5,000
sentences: it is quadratic). A process a size, so that peak memory is its own. The last column is one pass with a model
learnt beforehand from the first 1,000 sentences.
"""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from diglot.alignment.lexical import align_texts
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.site_model import align_with, learn_model

SIZES = (1_000, 5_000, 20_000)
GALECHURCH_SENTENCES = 5_000


def timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(src: list[str], tgt: list[str], size: int) -> str:
    count = len(src) + len(tgt)
    align_texts([ParallelText(src[:20], tgt[:20])])  # compiles
    seconds = timed(lambda: align_texts([ParallelText(src, tgt)]))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    other = ""
    if importlib.util.find_spec("galechurch") and size <= GALECHURCH_SENTENCES:
        import galechurch

        other = f"{timed(lambda: galechurch.align(src, tgt)):.1f}"
    model = learn_model([ParallelText(src[:1_000], tgt[:1_000])])
    given = timed(lambda: align_with(model, ParallelText(src, tgt)))
    return f"{size}\t{seconds:.1f}\t{count / seconds:.0f}\t{peak_mb}\t{other}\t{count / given:.0f}"


def same_share(src: list[str], tgt: list[str], size: int) -> int:
    """Sentences of the target that make up the same share of its characters as ``size`` ones of the source."""
    rounds, rest = divmod(size, len(src))
    share = sum(map(len, src[:rest])) / sum(map(len, src))
    ends = np.cumsum([len(sentence) for sentence in tgt])
    return rounds * len(tgt) + int(np.searchsorted(ends, share * ends[-1]))


def main() -> None:
    texts = [Path(name).read_text(encoding="utf-8").splitlines() for name in sys.argv[1:3]]
    if len(sys.argv) > 3:
        size = int(sys.argv[3])
        print(
            measure(list(islice(cycle(texts[0]), size)), list(islice(cycle(texts[1]), same_share(*texts, size))), size)
        )
        return
    print("sentences\tseconds\tsentences/s\tpeak MB\tgalechurch s\tsentences/s, model given")
    for size in SIZES:
        subprocess.run([sys.executable, __file__, *sys.argv[1:3], str(size)], check=True)


if __name__ == "__main__":
    main()
