"""Write the pinned tables of :mod:`made_page_pins` anew: ``python tests/write_page_pins.py``, or ``make pins``."""

from __future__ import annotations

from made_page_pins import DUPLICATES, LANGUAGES, PAGES, duplicate_pins, language_pins, page_pins, write_pins

if __name__ == "__main__":
    write_pins(PAGES, page_pins())
    write_pins(LANGUAGES, language_pins())
    write_pins(DUPLICATES, duplicate_pins())
