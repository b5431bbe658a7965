"""The names that the id of an entity joins with `/`. A name may contain `/`, as ids of Protobuf artifacts often do.

    id => [tenant /] name / name ...        the roles of the names: spark/redaction/journal_parts.py

Where a name ends is read in the entries, which have groups, artifacts and members of groups as fields of their own. An id whose names
are in no entry is split at each `/`, and the name that is most often a path takes the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from spark.redaction.journal_parts import JournalParts
from spark.tables.store import ResultTables

ANY_NAME = "name"
TENANT = "tenant"
ROLE_OF_FIELD = {"groupId": "group", "artifactId": "artifact", "memberId": "member", "tenantId": TENANT}
OFTEN_PATHS = ("artifact", "name")
# Fields of nested objects, too: Apicurio 3.x nests entities, and references name artifacts.
FIELD = """
    SELECT topic, '{role}' AS role, unnest(json_extract_string(attributes, '$..{field}')) AS name FROM entries
    WHERE topic IN (SELECT unnest($topics)) AND contains(attributes, '{field}') AND json_valid(attributes)
"""
EVERY_FIELD = " UNION ALL ".join(
    FIELD.format(role=role, field=field) for field, role in ROLE_OF_FIELD.items()
)
NAMES = (
    f"SELECT DISTINCT topic, role, name FROM ({EVERY_FIELD}) WHERE contains(name, '/') OR role = '{TENANT}'"
)

IsName = Callable[[str, str], bool]


class EntityIds:
    """Splits ids by the names in the entries of some topics."""

    def __init__(self) -> None:
        self._names: set[tuple[str, str, str]] = set()  # topic, role, name

    def read(self, tables: ResultTables, topics: Collection[str]) -> list[tuple[str, str, str]]:
        """Remembers and returns topic, role and name of the names with a `/` and of the tenants."""
        rows = tables.tuples(NAMES, {"topics": sorted(topics)})[1:]
        self._names.update(rows)
        return rows

    def names_of(
        self, parts: JournalParts, topic: str | None, kind: str, identity: str
    ) -> list[tuple[str, str]]:
        """Role and name of each name in an id."""
        pieces = _pieces(identity)
        forms = parts.forms_of(kind)
        if not forms:  # all but the last are names: a tenant. Entry and entity have different kinds, so those do not count
            role = kind if kind in parts.role_names else ANY_NAME
            return [*((ANY_NAME, piece) for piece in pieces[:-1]), (role, pieces[-1])]

        def is_name(role: str, name: str) -> bool:
            return (topic or "", role, name) in self._names

        has_tenant = len(pieces) > 1 and is_name(TENANT, pieces[0])
        for leading in (0, 1)[: 1 + has_tenant]:
            for roles in forms:
                names = split(pieces[leading:], roles, is_name)
                if names is not None:
                    return _with_tenant(pieces[:leading], roles, names)
        own = pieces[has_tenant:]
        roles = next((form for form in forms if len(form) >= len(own)), forms[-1])[-len(own) :]
        return _with_tenant(pieces[:has_tenant], roles, _joined(own, roles))


def _pieces(identity: str) -> list[str]:
    """JSON in an id is one piece."""
    beginning, brace, rest = identity.partition("{")
    *pieces, last = beginning.split("/")
    return [*pieces, last + brace + rest]


def split(pieces: Sequence[str], roles: Sequence[str], is_name: IsName) -> list[str] | None:
    """A name for each role, one piece or a known name of several; None if these pieces are no such names."""
    if not roles:
        return None if pieces else []
    for count in range(1, len(pieces) - len(roles) + 2):
        name = "/".join(pieces[:count])
        if count == 1 or is_name(roles[0], name):
            others = split(pieces[count:], roles[1:], is_name)
            if others is not None:
                return [name, *others]
    return None


def _joined(pieces: Sequence[str], roles: Sequence[str]) -> list[str]:
    """A name for each role; one of them takes the pieces that are left over."""
    at = next((roles.index(role) for role in OFTEN_PATHS if role in roles), 0)
    end = at + 1 + len(pieces) - len(roles)
    return [*pieces[:at], "/".join(pieces[at:end]), *pieces[end:]]


def _with_tenant(tenant: Sequence[str], roles: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    return [*((ANY_NAME, name) for name in tenant), *zip(roles, names, strict=True)]
