"""Secrets in members of a journal: a mark stands where they stood. What is left tells that there was one, and where.

A value that only names a secret (`${file:/etc/db.properties:password}`, Connect's config providers) is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REDACTED = "[redacted]"
SECRET_NAME = re.compile(
    r"password|passwd|passphrase|passcode|secret|credential|token|api[._-]?key|access[._-]?key|account[._-]?key"
    r"|private[._-]?key|keystore[._-]key$|ssl[._-]key$|jaas[._-]config|user[._-]info|connection[._-]?string|\bpwd\b",
    re.IGNORECASE,
)
NO_SECRET_NAME = re.compile(
    r"[._-](url|uri|endpoint|path|file|location|class|type|name|algorithm|issuer|enabled?|ms|seconds|size|count"
    r"|provider|version|arn)$",
    re.IGNORECASE,
)
INDIRECT = re.compile(r"\s*\$\{[^}]*\}\s*")
USER_IN_ADDRESS = re.compile(r"(://[^/\s:@]*:)[^@/\s]+(@)")
MEMBER_IN_TEXT = re.compile(
    r"""((?:password|passwd|pwd|secret|token|accountkey)\s*=\s*)("[^"]*"|'[^']*'|[^\s&;,"']+)""",
    re.IGNORECASE,
)
IDENTIFIED_BY = re.compile(
    r"(IDENTIFIED\s+(?:WITH\s+\S+\s+)?(?:BY|AS)\s+(?:PASSWORD\s+)?)('[^']*'|\"[^\"]*\")", re.IGNORECASE
)


def redacted(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members, those whose name says that they are secret replaced, and secrets cut out of texts."""
    return {name: without_secret(name, value) for name, value in members.items()}


def without_secret(name: str, value: Any) -> Any:
    """A member's value as it may be shown."""
    if isinstance(value, Mapping):
        return redacted(value)
    if not isinstance(value, str) or INDIRECT.fullmatch(value):
        return value
    if value and SECRET_NAME.search(name) and not NO_SECRET_NAME.search(name):
        return REDACTED
    return without_secrets(value)


def without_secrets(text: str) -> str:
    """A text (an address, a statement) without the passwords in it."""
    if "=" not in text and "@" not in text and "dentified" not in text and "DENTIFIED" not in text:
        return text
    text = USER_IN_ADDRESS.sub(rf"\g<1>{REDACTED}\g<2>", text)
    text = MEMBER_IN_TEXT.sub(rf"\g<1>{REDACTED}", text)
    return IDENTIFIED_BY.sub(rf"\g<1>'{REDACTED}'", text)
