"""Tasks over files: a run of many sites, cut so that any number of machines can do the parts in any order."""
