"""The table of the Records page.

columns   which there are, which are shown and in which order
whole     the records of a page, with what the dialect read in them
cells     what a column shows of a record
limits    the last stable offset and the high watermark: lines across the table
rows      rows and lines in the order of the table
"""
