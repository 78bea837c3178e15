"""Recipes and runs put to the test: compared, judged by gold, run on the shared task."""
