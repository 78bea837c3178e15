"""Stage 3: duplicate pages of a site, found once for all recipes, with the reason and the representative."""
