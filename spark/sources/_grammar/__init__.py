"""A print is data: one walker reads every print of records that a declaration describes.

    template.py  `offset = {offset}[, key = {key}]` into segments     forms.py   how tools spell numbers, bytes, strings, null
    walk.py      rows in a text, by a declaration                     layout.py  a declaration as a source

A layout declares its rows as templates; `spark.sources._wrapping` asks the same declarations where a row begins, so that what
stands in front of rows, glue and wraps are one matter for all of them. Decision: docs/decisions/0038-prints-are-data.md
"""
