"""Secrets in the journal: passwords, tokens and keys that everyone who can read the topic (or this dump) can read.

Kept there by design, and so info: SCRAM credentials and delegation tokens in Kafka's own metadata log, and the session
keys of Connect's workers, which sign requests between them and are replaced every hour.
Innocent: placeholders (`${file:...}`), masked values (`****`), names in schemas. Looks at the newest NEWEST_RECORDS
of the input, and at what uploaded or registered schemas read in DECODED_VALUES of them. A value that is a hash (bcrypt, SCRAM,
crypt(3), a digest under a password's name) is called a hash. What it names are members and offsets, never a secret. Page: docs/detectors/secrets-in-journal.md
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import orjson

from spark.detectors import Detector, clause, located
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, Row, replica_columns, replica_of
from spark.tables.schemas.reader import NotAllTried, SchemaReader, may_name
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding, Severity
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, plural, some

NEWEST_RECORDS = 20_000  # whose values are searched, over all partitions
MAX_CANDIDATES = 20_000
SESSION_KEY = "session key of Connect"
# Entries in which a dialect put a mark in the place of a secret, or that are nothing but one.
MARKED = f"""
    SELECT {REPLICA_COLUMNS}, "offset", CASE
            WHEN entry_type = 'session-key' THEN '{SESSION_KEY}'
            WHEN entry_type ILIKE '%scram%' THEN 'SCRAM credential'
            WHEN entry_type ILIKE '%delegation%' THEN 'delegation token'
        END AS kind, entity_id, attributes
    FROM entries
    WHERE (entry_type = 'session-key' OR entry_type ILIKE '%scram%' OR entry_type ILIKE '%delegation%'
            OR attributes LIKE '%[redacted]%')
        AND coalesce(entry_action, '') NOT IN ('delete', 'tombstone')
    ORDER BY {REPLICA_COLUMNS}, "offset" LIMIT {MAX_CANDIDATES}
"""
# Members with such a name and a text. Narrower than what dialects redact: in a topic of any kind a "token" may be
# anything.
NAME = (
    r"password|passwd|passphrase|client[._-]?secret|secret[._-]?key|private[._-]?key|api[._-]?key|access[._-]?key"
    r"|(access|refresh|auth|bearer|id)[._-]?token|sasl\.jaas\.config|salted[._-]?password|server[._-]?key|stored[._-]?key"
)
# What Kafka itself keeps in its metadata log, salted and hashed, where no client can read it; and what every distributed
# worker of Connect writes and replaces.
HASHES = "hashes"  # the entity of a finding that found nothing else

BY_DESIGN = frozenset({"SCRAM credential", "delegation token", SESSION_KEY})
NAMED = re.compile(rf"(?:.*[._-])?(?:{NAME})", re.IGNORECASE)
HARMLESS = re.compile(
    r"\s*|\$\{.*\}|[*x•]+|\[?(?:hidden|redacted|masked|null|none|secret|password)\]?",
    re.IGNORECASE | re.DOTALL,
)
# A hash of a secret: who has it can try candidates, and has nothing that opens a door.
HASHED = re.compile(
    r"\$(?:2[abxy]?|1|5|6|7|y|gy|sha1|md5|apr1|P|H|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]*)\$.+|\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|BCRYPT|PBKDF2[\w-]*)\}.+"
    r"|SCRAM-SHA-\d+\$.+|(?:pbkdf2_sha\d+|argon2|bcrypt_sha256|scrypt)[$:].+|md5[0-9a-f]{32}|\*[0-9A-F]{40}",
    re.IGNORECASE | re.DOTALL,
)
NAME_OF_HASH = re.compile(
    r"(?:.*[._-])?(?:salted[._-]?password|server[._-]?key|stored[._-]?key)", re.IGNORECASE
)
NAME_OF_PASSWORD = re.compile(r"(?:.*[._-])?(?:password|passwd|passphrase)", re.IGNORECASE)
DIGEST = re.compile(
    r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})", re.IGNORECASE
)
HASH_SUFFIX = " (a hash)"
DECODED_VALUES = 2_000  # of values that are no JSON, the newest
LOWEST = f"""
    WITH ends AS (SELECT {REPLICA_COLUMNS}, max("offset") AS last_offset FROM lifelines GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, last_offset - {NEWEST_RECORDS} // (SELECT count(*) FROM ends) AS low FROM ends
"""
# The newest values are set aside before they are searched, or DuckDB would search all of them.
NEWEST = f"""
    WITH recent AS ({LOWEST}),
    newest AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, "offset", value FROM records JOIN recent USING ({REPLICA_COLUMNS})
        WHERE "offset" >= low AND "offset" >= {{lowest}} AND NOT value_is_null AND control_type IS NULL
    )
"""
VALUES = f"""{NEWEST}
    SELECT * FROM newest WHERE regexp_matches(TRY(decode(value)), '(?i)({NAME})"\\s*:\\s*"[^"]')
    ORDER BY {REPLICA_COLUMNS}, "offset" LIMIT {MAX_CANDIDATES}
"""
BINARY_VALUES = f"""{NEWEST}
    SELECT * FROM newest WHERE NOT starts_with(coalesce(TRY(decode(value)), ''), '{{{{')
    ORDER BY "offset" DESC, {REPLICA_COLUMNS} LIMIT {DECODED_VALUES}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per topic partition's copy that holds secrets."""
    kinds: dict[PartitionReplica, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in tables.rows(MARKED):
        kinds[replica_of(row)][row["offset"]] |= (
            {row["kind"]} if row["kind"] else set(redacted_in(row["attributes"]))
        )
    lowest = min((row["low"] for row in tables.rows(LOWEST)), default=0)
    for replica, rows in groupby(tables.rows(VALUES.replace("{lowest}", str(lowest))), replica_of):
        for row in rows:
            names = set(secret_members(object_of(row["value"])))
            if names:
                kinds[replica][row["offset"]] |= names
    for binary, value in decoded_values(tables, lowest):
        names = set(secret_members(value))
        if names:
            kinds[replica_of(binary)][binary["offset"]] |= names
    for replica, offsets in sorted(kinds.items()):
        counted = Counter(name for names in offsets.values() for name in names)
        yield {
            **replica_columns(replica),
            "offsets": sorted(offsets),
            "names": [name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))],
        }


def decoded_values(tables: ResultTables, lowest: int) -> Iterator[tuple[Row, Any]]:
    """Values that one schema reads and no other; none where no schema names a secret, which takes longer to ask."""
    rows = tables.rows(BINARY_VALUES.format(lowest=lowest))
    if not rows or not may_name(tables, f"(?i)({NAME})"):
        return
    reader = SchemaReader(tables)
    for row in rows:
        try:
            readings = reader.readings(row["value"])
        except NotAllTried:
            continue
        if len(readings) == 1:
            yield row, readings[0]


def object_of(value: bytes | None) -> Any:
    """A JSON value; None where it is none."""
    try:
        return orjson.loads(value or b"")
    except ValueError:
        return None


def secret_members(value: Any, depth: int = 0) -> Iterator[str]:
    """Names of the members that hold a secret, at any depth."""
    if depth > 20:
        return
    if isinstance(value, list):
        for item in value:
            yield from secret_members(item, depth + 1)
    elif isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, str):
                if NAMED.fullmatch(name) and not HARMLESS.fullmatch(member):
                    yield name + HASH_SUFFIX if is_hash(name, member) else name
            else:
                yield from secret_members(member, depth + 1)


def is_hash(name: str, value: str) -> bool:
    """Whether a member holds the hash of a secret and not the secret."""
    is_digest = DIGEST.fullmatch(value) and NAME_OF_PASSWORD.fullmatch(name)
    return bool(NAME_OF_HASH.fullmatch(name) or is_digest or HASHED.fullmatch(value))


def redacted_in(attributes: str | None) -> Iterator[str]:
    """Names of the members in which a dialect put its mark."""

    def walk(value: Any) -> Iterator[str]:
        for name, member in value.items() if isinstance(value, dict) else ():
            if isinstance(member, str) and "[redacted]" in member:
                yield name
            yield from walk(member)

    return walk(object_of((attributes or "").encode()))


def describe(row: Row) -> Finding:
    """The row in words; no secret in them."""
    offsets = row["offsets"]
    listed_offsets = offsets[:OFFSETS_NAMED]
    more = (
        f" and {grouped(len(offsets) - len(listed_offsets))} more"
        if len(offsets) > len(listed_offsets)
        else ""
    )
    return Finding(
        detector=detector.id,
        severity=severity_of(row["names"]),
        title=(
            f"{plural(len(offsets), 'record')} of {marked.partition(row['topic'], row['partition'])} {'contains' if len(offsets) == 1 else 'contain'} "
            f"{kind_of(row['names'])}, at {at_offsets(listed_offsets)}{more}"
        ),
        explanation=(
            f"Found by name: {some([member_text(name) for name in row['names']], 8)}. Everyone with access to the topic, a backup of it or this dump can read them. Old "
            "values stay in the log until compaction or retention removes them. They stay in every copy."
        ),
        **located(row, *offsets),
        entity=HASHES if are_hashes(row["names"]) else "secrets",
        evidence=listed_offsets,
        remedy=remedy(row["names"]),
        references=detector.references,
    )


def severity_of(names: Sequence[str]) -> Severity:
    """A hash opens nothing by itself."""
    if BY_DESIGN.issuperset(names):
        return "info"
    return "low" if are_hashes(names) else "medium"


def are_hashes(names: Sequence[str]) -> bool:
    """Whether nothing but hashes was found."""
    return all(name.endswith(HASH_SUFFIX) for name in names)


def member_text(name: str) -> str:
    """A member's name, and that it holds a hash."""
    return marked.name(name.removesuffix(HASH_SUFFIX)) + (HASH_SUFFIX if name.endswith(HASH_SUFFIX) else "")


def headline(findings: list[Finding]) -> str:
    """Hashes are called hashes where there is nothing else."""
    secrets = (
        "hashes of passwords"
        if all(finding.entity == HASHES for finding in findings)
        else "secrets in plain text"
    )
    return clause(f"everyone with access to {{partitions}} can read {secrets}")(findings)


def kind_of(names: Sequence[str]) -> str:
    """What the records hold, for the title."""
    if are_hashes(names):
        return "hashes of passwords"
    return "session keys of Connect workers" if set(names) == {SESSION_KEY} else "secrets in plain text"


def remedy(names: Sequence[str]) -> str:
    """What holds for all secrets, and what for those of Connect."""
    others = [name for name in names if name != SESSION_KEY]
    return detector.remedy(
        only_hashes=are_hashes(names),
        only_session_keys=not others,
        a_config_may_contain_them=not BY_DESIGN.issuperset(others),
    )


detector = Detector(
    id="secrets-in-journal",
    title="Secrets in plain text",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="records",
    needs=frozenset({"contents"}),
    one_cause="topic",
)
