"""Which group of the provider gives which role: the setting GROUP_ROLES, and the claim that names groups.

mapping => entry (separator entry)*     separator: line breaks, or semicolons in a mapping of one line
entry   => group "=" target             the last "=" counts, for names such as CN=staff,DC=example
target  => "superuser" | slug ":" role
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured

logger = logging.getLogger(__name__)
SUPERUSER = "superuser"
FORM = "Write GROUP = PROJECT:ROLE or GROUP = superuser, such as kafka-team = default:reviewer."
SLUG = re.compile(r"[-a-zA-Z0-9_]+\Z")


@dataclass(frozen=True)
class GroupRole:
    """An entry, and the words for where it stands; `project` is a slug, and empty where the group makes superusers."""

    number: str
    group: str
    project: str
    role: str


def read(name: str, roles: Sequence[str]) -> tuple[GroupRole, ...]:
    """The mapping in this environment variable. Raises ImproperlyConfigured with the line and what to write there."""
    text = os.environ.get(name, "").replace("\r\n", "\n")
    is_one_line = "\n" not in text.strip()
    unit, lines = ("entry", text.split(";")) if is_one_line else ("line", text.split("\n"))
    entries: dict[tuple[str, str], GroupRole] = {}
    for index, line in enumerate(lines, 1):
        if not line.strip():
            continue
        number = f"{unit} {index}"
        try:
            entry = _entry(number, line, roles)
            earlier = entries.setdefault((entry.group, entry.project), entry)
            if earlier is not entry:
                raise ValueError(
                    f"The mapping has this group and target in {earlier.number} already. Keep one of them."
                )
        except ValueError as problem:
            raise ImproperlyConfigured(f'{name}, {number} ("{line.strip()}"): {problem}') from problem
    return tuple(entries.values())


def _entry(number: str, line: str, roles: Sequence[str]) -> GroupRole:
    """Raises ValueError with what to write."""
    group, _, target = (word.strip() for word in line.rpartition("="))
    if group and target == SUPERUSER:
        return GroupRole(number, group, "", SUPERUSER)
    project, colon, role = (word.strip() for word in target.partition(":"))
    if not (group and colon):
        raise ValueError(FORM)
    if not SLUG.match(project):
        raise ValueError(
            f"{project or 'Nothing'} is not a project's slug, which is the last word of the address of its page."
        )
    if role not in roles:
        raise ValueError(f"{role or 'Nothing'} is not a role. Allowed: {', '.join(roles)}.")
    return GroupRole(number, group, project, role)


def groups_of(person: Mapping[str, Any], claim: str) -> frozenset[str]:
    """The groups that the provider named; none, with a line in the log, if they are not in a form that can be read."""
    match _value(person, claim):
        case None:
            elsewhere = person.get("_claim_names")
            if isinstance(elsewhere, Mapping) and claim in elsewhere:
                # OpenID Connect Core 5.6.2; Entra ID does it for somebody with more than 200 groups
                logger.warning(
                    "The provider left the claim %s out, because it is too long. Sign-ins give no roles by group "
                    "until the provider limits the claim to the groups of this application.",
                    claim,
                )
            return frozenset()
        case str() as group:  # of somebody with one group, some providers write no list
            return frozenset({group} - {""})
        case list() as groups:
            names = frozenset(group for group in groups if isinstance(group, str) and group)
            if len(names) < len(groups) and not all(isinstance(group, str) for group in groups):
                logger.warning(
                    "The claim %s has members that are not text. They were ignored as groups.", claim
                )
            return names
        case value:
            logger.warning(
                "The claim %s is not a list of names but of the type %s. It gives no roles: set OIDC_GROUPS_CLAIM "
                "to the claim that lists groups.",
                claim,
                type(value).__name__,
            )
            return frozenset()


def _value(claims: Any, path: str) -> Any:
    """A claim by its name, or by a path through objects. Names have dots, too: `https://example.org/groups`."""
    if not isinstance(claims, Mapping):
        return None
    if path in claims:
        return claims[path]
    for dot in re.finditer(r"\.", path):
        value = _value(claims.get(path[: dot.start()]), path[dot.end() :])
        if value is not None:
            return value
    return None
