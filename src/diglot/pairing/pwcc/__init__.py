"""What PWCC pairs by: paths, sizes and anchors of pages, then their sentences under a lexicon."""
