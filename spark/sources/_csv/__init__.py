"""What the CSV exports share: rows found in windows of bytes, handed on as the spans that JSON records are made from.

These files quote nothing, so each layout has its own way to tell where a row ends; `rows` runs it over a file.
"""
