"""What is fetched next: the journal, the order, the site's bounds, its sitemaps and traps."""
