"""The version of this package, which signs every output."""

__version__ = "0.1.0"
