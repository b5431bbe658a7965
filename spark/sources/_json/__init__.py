"""What the JSON exports share: a tolerant scanner over bytes, the readings of strings as bytes, the RECORDS builder.

    file = BOM? (object | "%" status line | "[" | "]" | ",")*      objects one a line, in an array, or one after another

`shape` looks at the head of a file, `splits` cuts it, `stream` finds objects, `readings` says what bytes its strings
stand for, `records` makes the table, `layout` ties them together. The scanner works on bytes, not on characters, so
that a string which is not valid UTF-8 (kcat prints a record's bytes as they are) is read like any other.
"""
