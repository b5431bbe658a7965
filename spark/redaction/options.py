"""What a share hides. The rest of this package implements these choices."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from spark.redaction.masking.patterns import Unusable, matches_nothing
from spark.terms.secret_members import IN_QUOTES

MAX_MASKS = 200  # fields, and as many patterns
FLAGS = ("payloads", "keys", "headers", "names")
VERSION = 8  # of the redaction; raised when the same choices would hide something else
NAMES: Literal["names"] = "names"
FIELD_PATH = re.compile(r"[^\s.]+(\.[^\s.]+)*")
DEFAULT_FIELDS = (
    "**.password", "**.passwd", "**.pwd", "**.passphrase", "**.secret", "**.token", "**.apikey", "**.api_key",
    "**.api-key", "**.access_key", "**.private_key", "**.credential", "**.credentials", "**.authorization",
    "**.*password*", "**.*secret*", "**.*token*", "**.sasl.jaas.config",
)  # fmt: skip
DEFAULT_PATTERNS = (
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",  # mail addresses
    r"(?i:bearer|basic)\s+[A-Za-z0-9._~+/-]{8,}=*",
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*",  # JSON web tokens
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}\b",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    r"(?i:password|passwd|pwd|secret|token|api[_-]?key)\\?[\"']?\s*[=:]\s*\\?[\"']?[^\s\"'\\,;&}]+",
    r"://[^/\s:@]*:[^/\s]+@",  # user and password in an address
    r"\b[A-Za-z0-9._%+-]+:[^\s:@/\"',;]+@[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+|:[0-9]{2,5}\b|/)",
    IN_QUOTES,
    r"(?i:jdbc:oracle:[a-z0-9]+:)[^\s/@]+/[^\s@]+@",
)


@dataclass(frozen=True)
class Options:
    """A share's choices. `salt` is unique to the share and never shown.

    keys  True: shown | NAMES: bytes of keys are hidden; names that a dialect reads in them are shown like other names |
          False: hidden with the names in them
    """

    salt: bytes
    payloads: bool = False
    keys: bool | Literal["names"] = NAMES
    headers: bool = False
    names: bool = True  # of topics and of what journals keep: artifacts, subjects, groups, connectors
    fields: tuple[str, ...] = field(default=DEFAULT_FIELDS)
    patterns: tuple[str, ...] = field(default=DEFAULT_PATTERNS)

    @property
    def shows_all_names(self) -> bool:
        """Whether ids, sentences and file names may show what keys and values contain."""
        return self.payloads and self.shows_keys

    @property
    def shows_keys(self) -> bool:
        return self.keys is True

    @property
    def shows_all(self) -> bool:
        """Whether a record's parts are shown except for masks."""
        return self.payloads and self.shows_keys and self.headers

    @classmethod
    def from_share(cls, document: dict[str, Any], salt: bytes) -> Options:
        payloads, headers, names = (bool(document[name]) for name in ("payloads", "headers", "names"))
        keys = NAMES if document["keys"] == NAMES else bool(document["keys"])
        masks = (tuple(document.get(name, ())) for name in ("fields", "patterns"))
        return cls(salt, payloads, keys, headers, names, *masks)

    def document(self) -> dict[str, Any]:
        """The options for storage and for the reader: everything except the salt."""
        flags = {name: getattr(self, name) for name in FLAGS}
        return flags | {"fields": list(self.fields), "patterns": list(self.patterns)}


def problems(fields: list[str], patterns: list[str]) -> list[str]:
    """Errors in masks that a user entered or a project stores."""
    sentences = [
        f"“{text}” is no field path: write names joined by dots, such as config.password or **.token."
        for text in fields
        if not FIELD_PATH.fullmatch(text)
    ]
    if len(fields) > MAX_MASKS or len(patterns) > MAX_MASKS:
        return [
            f"There are more than {MAX_MASKS} masks. Enter {MAX_MASKS} fields and {MAX_MASKS} patterns at most."
        ]
    for text in patterns:
        try:
            is_empty = matches_nothing(text)
        except Unusable as reason:
            sentences.append(f"“{text[:200]}” is no pattern that can be used: {reason}.")
            continue
        if is_empty:
            sentences.append(f"“{text}” also matches an empty text, so it would hide everything.")
    return sentences
