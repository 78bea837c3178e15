"""Stage 2: the language of every page of a site, by the page's own text and what the site says of its editions."""
