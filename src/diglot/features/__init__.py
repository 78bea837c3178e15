"""Evidence: each function reads a site and pairs of its rows and returns one float32 column.

NaN means no evidence, never evidence against. One idea a file, with its paper and section.
"""
