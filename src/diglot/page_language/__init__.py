"""Stage 2: the language of every page of a site, from its own text and from the marks of language versions."""
