"""The queue of a crawl: journal, priorities, hosts of the site, sitemaps and traps."""
