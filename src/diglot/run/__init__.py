"""A run on disk, stage by stage.

Each stage looks first whether its output is there, whole, under a name made of its input and its
options; so the same command goes on where a run was stopped, and does nothing twice.
"""
