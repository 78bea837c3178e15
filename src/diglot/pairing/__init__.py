"""Stage 4: pages that translate each other, by candidates, decision and one-to-one assignment."""
