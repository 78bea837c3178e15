"""Stage 2: a page of bytes becomes a document of text, tags, links and a language."""
