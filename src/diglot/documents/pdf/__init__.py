"""Reads a PDF as blocks of text in reading order: by its tags, or where it has none by where the letters stand."""

from diglot.documents.pdf.reading import read_pdf as read_pdf
