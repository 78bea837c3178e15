"""What hosts ask of a crawl: robots.txt, reservations, delays."""
