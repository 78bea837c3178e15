"""Diglot: a multilingual website in, parallel text out."""

__version__ = "0.1.0"
