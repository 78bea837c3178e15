"""Engines: run the same stages on this machine or on a cluster."""

is_own_program = False
"""Whether nothing but Diglot runs in this process, as the command line says: it may be forked."""
