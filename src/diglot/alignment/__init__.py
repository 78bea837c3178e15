"""Stage 5: a pair of pages, or of plain texts -> aligned segments."""
