"""Decoded members of entries and entities: each is shown if its part of the record is (`spark.redaction.journal_parts`).

One fingerprint replaces the members of a hidden value; those of a hidden key are pseudonyms next to a shown value. Whether a
part is there at all (`has_content`) is always told, as its size is: a report says which record emptied it. Masks apply to
what is shown.
"""

from __future__ import annotations

import json
import re
from typing import Any

from spark.redaction.hashing import NAME_DIGITS, digest
from spark.redaction.journal_parts import ROLE_OF_ATTRIBUTE, JournalParts, Part
from spark.redaction.masking import json_text
from spark.redaction.masking.json_text import JsonObject
from spark.redaction.options import NAMES, Options
from spark.redaction.shown_bytes import ShownBytes
from spark.redaction.shown_names import ShownNames
from spark.redaction.typed_texts import HIDDEN

OWN_OFFSETS = re.compile(r'"[a-z_]+_offset":-?[0-9]+,?')


def is_presence(name: str, value: Any) -> bool:
    """Whether a member tells only that a part of the record is there."""
    return name.startswith("has_") and isinstance(value, bool)


class ShownMembers:
    """Called with a topic and JSON text, returns the JSON text that the share shows."""

    def __init__(self, options: Options, names: ShownNames, shown_bytes: ShownBytes) -> None:
        self._options, self._names, self._bytes = options, names, shown_bytes

    def __call__(self, topic: str | None, members: str) -> str:
        if self._options.shows_all:
            return self._bytes.masks_of(topic).document(members)
        try:
            document = json_text.read(members)
        except ValueError:
            document = None
        if not isinstance(document, JsonObject):
            return self._fingerprint(members)
        parts = self._names.parts_of(topic)
        result = JsonObject()
        for name, value in document:
            if self._shows(parts, name) or is_presence(name, value):
                result.append((name, value))
            elif self._options.payloads and parts is not None:
                result.append((name, self._instead(name, value)))
        if len(result) < len(document) and not (self._options.payloads and parts is not None):
            result.append(
                ("fingerprint", digest(self._options.salt, OWN_OFFSETS.sub("", members))[:NAME_DIGITS])
            )
        return self._bytes.masks_of(topic).members(result)

    def _shows(self, parts: JournalParts | None, name: str) -> bool:
        """An unknown dialect's members, and those from both key and value, need both to be shown."""
        options = self._options
        side: Part = "both" if parts is None else parts.part_of(name)
        are_names_shown = options.keys == NAMES and options.names
        return {
            "both": options.shows_all_names,
            "key": options.shows_keys or are_names_shown,
            "value": options.payloads,
            "header": options.headers and options.payloads,
        }[side]

    def _instead(self, name: str, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, (list, JsonObject)):
            return HIDDEN
        pseudonym = self._names.pseudonym(ROLE_OF_ATTRIBUTE.get(name, name), str(value))
        return value if pseudonym == str(value) else pseudonym

    def _fingerprint(self, members: str) -> str:
        return json.dumps({"fingerprint": digest(self._options.salt, members)[:NAME_DIGITS]})
