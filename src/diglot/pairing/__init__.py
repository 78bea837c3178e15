"""Stage 4: which pages of a site translate each other: candidates, decision, one-to-one assignment."""
