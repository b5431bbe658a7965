"""What a new rule begins with."""

from __future__ import annotations

EXAMPLE = """\
name: large-values
title: Values above one megabyte
severity: medium          # critical, high, medium or low
over: records             # records, entries or keys
when:
  all:
    - {column: value_size_bytes, over: 1000000}
    - not: {column: key, starts: "heartbeat"}
text: "The value of this record has {value_size_bytes} bytes."
remedy: Ask the team that writes this topic to store large values elsewhere.
"""
