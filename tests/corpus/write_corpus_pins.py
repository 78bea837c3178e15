"""Write the tables of ``pins/`` anew: ``python tests/corpus/write_corpus_pins.py``, or ``make pins``."""

from made_pins import write_pins

if __name__ == "__main__":
    write_pins()
