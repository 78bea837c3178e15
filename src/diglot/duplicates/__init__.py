"""Stage 3: which page of a site stands for which, for every recipe, each with its reason."""
