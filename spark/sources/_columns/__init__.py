"""Tables and JSON of unknown tools: which column or member is which part of a record.

    tables.py    delimited, ruled and aligned tables: which form a text has, its rows with their positions
    ruled.py     Markdown, psql, MySQL, Spark: rules of dashes between rows of cells
    expanded.py  psql's `\\x`, MySQL's `\\G`: a line for each column of a row
    members.py   JSON objects as rows: members and paths of members as columns
    guess.py     the columns by their names and contents, and whether that is certain
    cells.py     what all cells of a column prove: unit of times, base64 or hex, cells that the tool cut
    reading.py   rows by a mapping as records
    question.py  what to ask where the guess is not certain

The mapping is a user's (`spark.terms.column_mapping`) or the guess. Pages: docs/sources/other-csv.md, docs/sources/other-json.md
"""
