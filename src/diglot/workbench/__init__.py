"""The workbench: a page in the browser, from the address of a website to a translation memory (``diglot ui``).

The server watches run folders and starts commands of Diglot in processes of their own; it never reads a stage file. It
loads neither Arrow nor numpy, so that it stays small and answers at once.
"""
