"""Markup -> what a page shows: pieces, chunks, blocks, links, in one walk."""
