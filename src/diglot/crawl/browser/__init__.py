"""Pages in a browser without network access."""
