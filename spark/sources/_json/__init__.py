"""What the JSON exports share: a tolerant scanner over bytes, the encodings of strings, the RECORDS builder.

    file = BOM? (object | "%" status line | "[" | "]" | ",")*      objects one a line, in an array, or one after another

`shape` examines the head of a file, `stream` finds objects, `string_encodings` decides which bytes the strings stand for,
`records` builds the table, `layout` cuts the file and ties them together. The scanner works on bytes, not on characters, so
that a string which is not valid UTF-8 (kcat prints a record's bytes as they are) is read like any other.
"""
