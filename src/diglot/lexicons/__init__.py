"""Bilingual lexicons: words and their translations, from files that people have; nothing is shipped here.

Formats, told apart by content: dictd (FreeDict: ``.index`` beside ``.dict.dz``), CC-CEDICT, tab-separated text.
"""

from diglot.lexicons.lexicon import Lexicon, file_hashes
from diglot.lexicons.reading import find_lexicon, read_lexicon

__all__ = ["Lexicon", "file_hashes", "find_lexicon", "read_lexicon"]
