"""``python -m diglot``."""

from diglot.cli import entry

if __name__ == "__main__":
    entry()
