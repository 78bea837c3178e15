"""A run of many sites cut into tasks over files, which any number of machines may do in any order."""
