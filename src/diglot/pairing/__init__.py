"""Stage 4: pairs of pages that are translations, by candidates, decision and one-to-one assignment."""
