"""kcat's format string as a user gives it: whether it is one, and the usual ones to pick.

The grammar is that of `spark/sources/kcat_format.py`; tests/webapp/journals/test_text_formats.py holds both together.
"""

from __future__ import annotations

import re

MAX_CHARACTERS = 300
USUAL = (
    r"%t %p %o %k %s\n",
    r"%k\t%s\n",
    r"%o\t%k\t%s\n",
    r"%p %o %k %s\n",
    r"%T %k %s\n",
    r"%t [%p] at offset %o: key %k: %s\n",
    r"Topic %t [%p] at offset %o: key %k: %s\n",
    r"Partition: %p\tOffset: %o\tKey: %k\tValue: %s\n",
    r"\nKey (%K bytes): %k\t\nValue (%S bytes): %s\nTimestamp: %T\tPartition: %p\tOffset: %o\n--\n",
    r"%T\t%t\t%p\t%o\t%K\t%S\t%h\t%k\t%s\n",
)
FIELD = re.compile(r"%([sSkKtpoTh])")
NOT_A_FORMAT = "“{text}” is not a format of kcat. Enter it as after `kcat -f`, with %s or %k, each field once. Example: %t %p %o %k %s\\n"


def cleaned(text: str) -> str:
    """The text without shell quotes around it."""
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text


def complaint(text: str) -> str:
    """Sentence about an invalid format; else empty."""
    fields = FIELD.findall(text)
    is_format = len(fields) == len(set(fields)) and {"s", "k"}.intersection(fields)
    is_short = len(text) <= MAX_CHARACTERS and text.isprintable()
    return "" if is_format and is_short else NOT_A_FORMAT.format(text=text[:60])
