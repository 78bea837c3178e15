"""Readers of office documents and e-books, which are ZIPs of XML: DOCX, ODT and EPUB."""
