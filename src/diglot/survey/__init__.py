"""Look at a source before a run: languages and sizes of archives, and a preview of a crawl."""
