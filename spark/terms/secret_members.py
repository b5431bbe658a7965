"""Secrets in members of a journal: a placeholder replaces them and shows where there was one.

A value that only names a secret (`${file:/etc/db.properties:password}`, Connect's config providers) is not one. Secrets under
other names (`key` of a session key, a statement's text) are in SECRETS_OF.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

REDACTED = "[redacted]"
MAX_DEPTH = 100  # of members within members: Python's stack ends at some 300
SECRET_NAME = re.compile(
    r"password|passwd|passphrase|passcode|secret|credential|token|api[._-]?key|access[._-]?key|account[._-]?key"
    r"|private[._-]?key|keystore[._-]key$|(?:^|[._-])ssl[._-](?:[a-z0-9._-]*[._-])?key$|jaas[._-]config|user[._-]info"
    r"|connection[._-]?string|\bpwd\b",
    re.IGNORECASE,
)
NO_SECRET_NAME = re.compile(
    r"[._-](url|uri|endpoint|path|file|location|class|type|name|algorithm|issuer|enabled?|ms|seconds|size|count"
    r"|provider|version|arn|converter|columns)$"
    r"|[._-]converter[._-](?!.*(?:password|secret|token|credential|key|user[._-]info|jaas))",
    re.IGNORECASE,
)
INDIRECT = re.compile(r"\s*\$\{[^}]*\}\s*")
USER_IN_ADDRESS = re.compile(r"(://[^/\s:@]*:)[^@/\s]+(@)")
NAMES_IN_TEXT = r"password|passwd|passphrase|pwd|secret|token|accountkey|access[._-]?key|api[._-]?key|private[._-]?key|jaas\.config"
MEMBER_IN_TEXT = re.compile(
    rf"""((?:{NAMES_IN_TEXT})['"`]?\s*=\s*)("[^"]*"|N?'(?:[^']|'')*'|[^\s&;,"']+)""", re.IGNORECASE
)
# Statements that set a password: MySQL, MariaDB, Oracle; SQL Server has `PASSWORD = N'...'`, PostgreSQL `PASSWORD '...'`.
QUOTED = r"""(?:N?'(?:[^']|'')*'|"[^"]*")"""
IDENTIFIED = r"IDENTIFIED\s+(?:WITH\s+\S+\s+|VIA\s+\S+\s+)?(?:BY|AS|USING)\s+(?:PASSWORD\s+|VALUES\s+)?"
GIVEN_BY_WORD = r"\bPASSWORD(?:\s*=\s*|\s*\(\s*|\s+)"
SET_IN_TEXT = re.compile(
    rf"""({IDENTIFIED})(?:{QUOTED}|[^\s;,()'"]+)|({GIVEN_BY_WORD}){QUOTED}""", re.IGNORECASE
)


class JournalSecrets(NamedTuple):
    """The secrets in a dialect's values, as field paths and patterns for a share's masks (`spark.redaction.options`)."""

    fields: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


OF_CONFIGS = (
    "**.*password*", "**.*secret*", "**.*token*", "**.*.jaas.config", "**.*.access.key", "**.*.api.key",
    "**.*.private.key", "**.ssl.*.key", "**.*credential*", "**.*.user.info",
)  # fmt: skip
IN_QUOTES = rf"""(?i:(?:{IDENTIFIED}|\bPASSWORD\s+)(?:N?'[^']+'|"[^"]+"))"""  # in any text
OF_STATEMENTS = (
    rf"""(?i:{IDENTIFIED}(?:{QUOTED}|[^\s;,()'"]+))""",
    f"(?i:{GIVEN_BY_WORD}{QUOTED})",
    rf"""(?i:(?:{NAMES_IN_TEXT})['"`]?\s*=\s*{QUOTED})""",
)
SESSION_KEY = b"session-key"  # of a record of Connect: its member `key` signs requests between workers
OF_SESSION_KEYS = JournalSecrets(("**.key",))
OF_CREDENTIALS = ("**.salt", "**.storedKey", "**.serverKey", "**.saltedPassword", "**.hmac")
SECRETS_OF: Mapping[str, JournalSecrets] = {
    "cluster-metadata": JournalSecrets((*OF_CONFIGS, *OF_CREDENTIALS)),
    "connect": JournalSecrets(OF_CONFIGS),
    "debezium-history": JournalSecrets((), OF_STATEMENTS),
    "ksqldb-commands": JournalSecrets(OF_CONFIGS, OF_STATEMENTS),
}


def redacted(members: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """The members with the values of secret names replaced, and secrets removed from texts."""
    return {name: without_secret(name, value, depth) for name, value in members.items()}


def is_secret_name(name: str) -> bool:
    return bool(SECRET_NAME.search(name)) and not NO_SECRET_NAME.search(name)


def without_secret(name: str, value: Any, depth: int = 0) -> Any:
    """A member's value without secrets; replaced if it nests too deep to examine."""
    if depth > MAX_DEPTH:
        return REDACTED
    if isinstance(value, Mapping):
        return redacted(value, depth + 1)
    if isinstance(value, list):
        return [without_secret(name, each, depth + 1) for each in value]
    if not isinstance(value, str) or INDIRECT.fullmatch(value):
        return value
    if value and is_secret_name(name):
        return REDACTED
    return without_secrets(value)


def without_secrets(text: str) -> str:
    """A text (an address, a statement) without the passwords in it."""
    if (
        "=" not in text
        and "@" not in text
        and "dentified" not in text.lower()
        and "password" not in text.lower()
    ):
        return text
    text = USER_IN_ADDRESS.sub(rf"\g<1>{REDACTED}\g<2>", text)
    text = MEMBER_IN_TEXT.sub(rf"\g<1>{REDACTED}", text)
    return SET_IN_TEXT.sub(lambda match: f"{match[1] or match[2]}'{REDACTED}'", text)
