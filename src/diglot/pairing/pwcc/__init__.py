"""PWCC: paths, sizes and anchors of pages, then their sentences under a lexicon."""
