"""Evidence for beads from outside the texts: dictionaries, sentence vectors, translations made elsewhere."""
