"""A sentence on what a file is if no layout recognised it.

    binaries.py   pictures, spreadsheets, archives, other binary forms, by their first bytes
    prints.py     output of Kafka's tools          documents.py  JSON: answers of REST interfaces, files for tools
    logs.py       logs and stack traces            settings.py   properties and manifests
    keys.py       a single key, a list of names    programs.py   source code and settings, by their names
    apicurio.py   keys and values of a registry's journal without their types
    letters.py    e-mails, text in sentences
    folders.py    folders of other programs        cut_records.py  a truncated record of a journal
    nearest.py    which layouts came nearest       words.py      what to send instead, with its command

A module answers with what the file is, or None. The first answer counts: more certain modules are asked first.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from spark.sources import InputFile
from spark.sources._lines.lines import is_utf_16, text_of_head
from spark.sources._not_a_journal import (
    apicurio,
    binaries,
    cut_records,
    documents,
    keys,
    letters,
    logs,
    prints,
    programs,
    settings,
)
from spark.sources._not_a_journal.words import Identified

__all__ = ["Identified", "identify", "identify_by_content"]

CERTAIN = (cut_records.identify, prints.identify, apicurio.identify, documents.identify)
OF_TEXT = (*CERTAIN, logs.identify, settings.identify)
LAST = (keys.identify, prints.of_traces, logs.of_lines, letters.identify)


def identify_by_content(file: InputFile, head: bytes) -> Identified | None:
    """What the file is by content that only tools write; nothing is concluded from its name or from how its lines begin."""
    is_text = b"\0" not in head[:1024] or is_utf_16(head)
    text = text_of_head(head) if is_text else ""
    return binaries.identify(PurePosixPath(file.name), head) or next(
        (identified for ask in CERTAIN if (identified := ask(text, file.size_bytes <= len(head)))), None
    )


def identify(file: InputFile, head: bytes) -> Identified | None:
    """What the file is, or None if that is unknown."""
    path = PurePosixPath(file.name)
    if identified := binaries.identify(path, head):
        return identified
    if b"\0" in head[:1024] and not is_utf_16(head):
        return None
    if identified := programs.identify_by_name(path):
        return identified
    text = text_of_head(head)
    is_whole = file.size_bytes <= len(head)
    identified = next(
        (identified for ask in OF_TEXT if (identified := ask(text, is_whole))), None
    ) or programs.of_settings(path)
    return identified or next((identified for ask in LAST if (identified := ask(text, is_whole))), None)
