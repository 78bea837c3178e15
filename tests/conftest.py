"""Being here, it puts this folder on the import path: tests of every folder may import ``made_documents``."""
