"""Confluent's command and license topics: `_confluent-command`, earlier `_confluent-license`. Recognised by name only.

Confluent Server and its components store licenses and commands there, as Protobuf whose schema is not public. A license is a
secret: hide keys and values when you share such a report. Source: Confluent's documentation of `confluent.license.topic`.
"""

from __future__ import annotations

import re

from spark.dialects._recognised import recognised

NAMES = re.compile(r"_confluent-(command|license)")

dialect = recognised("confluent-command", "Confluent's commands and licenses", NAMES)
