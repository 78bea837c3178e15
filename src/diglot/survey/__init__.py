"""What a source holds, before a run: its languages, and what a crawl of it would meet."""
