"""Rules of hosts for a crawl: robots.txt and reservations."""
