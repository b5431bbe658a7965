"""Queries that people type: one SELECT over the tables of a report, in a process of its own.

    ask.py          the side that asks: tables, bounds, the answer or what is wrong with the query
    child.py        `python -m spark.tables.sql.child`: the locked DuckDB, which runs one query and ends
    statement.py    what a query may be, by DuckDB's own parser
    examples.py     questions with their queries

docs/sql.md says what the bounds are and why.
"""
