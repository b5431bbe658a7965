"""The table of the Records page.

columns   which there are, which are shown and in which order
whole     the records of a page, with what the dialect read in them
cells     what a column shows of a record
limits    lines across the table: the last stable offset, the high watermark, another order in the file
rows      rows and lines in the order of the table
"""
