"""Which service a topic's entries belong to, told by their types; the same for every dialect that is a journal.

Types of one dialect only: what several write (Bootstrap, Group) says nothing.
"""

from __future__ import annotations

from spark.tables.store import ResultTables

V2 = "Apicurio Registry 2.x"
V3 = "Apicurio Registry 3.x"
SCHEMAS = "schema registry"
CONNECT = "Kafka Connect worker"
TYPES = {
    V2: (
        "GlobalRule", "Content", "Artifact", "ArtifactRule", "ArtifactVersion", "LogConfig", "GlobalId", "ContentId",
        "RoleMapping", "GlobalAction", "Download", "ConfigProperty", "ArtifactOwner", "CommentId", "ContentV2",
        "Upgrader",
    ),
    SCHEMAS: (
        "SCHEMA", "CONFIG", "MODE", "DELETE_SUBJECT", "NOOP", "CONTEXT", "CLEAR_SUBJECT", "ASSOC",
    ),
    CONNECT: ("connector", "task", "commit", "target-state", "tasks-fencing", "session-key"),
}  # fmt: skip


def of_type(column: str = "entry_type") -> str:
    """SQL: the service whose journal holds entries of this type; null: none, or several."""
    cases = "".join(
        f" WHEN {column} IN ({', '.join(repr(name) for name in names)}) THEN '{service}'"
        for service, names in TYPES.items()
    )
    return f"CASE WHEN {column} LIKE '%Message' THEN '{V3}'{cases} END"


SERVICES = f"""
    SELECT topic, arg_max(service, entries) AS service FROM (
        SELECT topic, {of_type()} AS service, sum(entries) AS entries FROM (
            SELECT topic, entry_type, count(*) AS entries FROM entries GROUP BY ALL
        ) GROUP BY ALL HAVING service IS NOT NULL
    ) GROUP BY topic
"""


def services(tables: ResultTables) -> dict[str, str]:
    """Topic -> the service that most of its entries belong to; topics of other dialects are left out."""
    return {row["topic"]: row["service"] for row in tables.rows(SERVICES)}
