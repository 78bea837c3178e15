"""Attacks on the program at full figures, each resumable and told in one line: ``python -m attack pages``."""
