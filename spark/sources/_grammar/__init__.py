"""A print is data: one walker reads every print of records that a declaration describes.

    template.py   `offset = {offset}[, key = {key}]` into segments     forms.py      how tools spell numbers, bytes, strings, null
    fields.py     where a row's fields end                             inspected.py  objects as Node prints them
    walk.py       rows in a text, by a declaration                     values.py     sizes and brackets that tell where records end
    layout.py     a declaration as a source                            declared.py   all declarations

A layout declares its rows as templates; `spark.sources._wrapping` asks the same declarations where a row begins, so that what
stands in front of rows, glue and wraps are one matter for all of them. Decision: docs/decisions/0038-prints-are-data.md
"""
