"""What a broken journal lacks, and which other inspected journal has it: asked of their tables, before anything is tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spark.dialects.apicurio_v2.content import content_hashes, read_content
from spark.repair.apicurio_v2.contents import Needed, Supply
from spark.repair.journal import PartitionJournal
from spark.tables.replica import IN_REPLICA

# Contents that versions lack now, or once compaction is done, and that no record of the journal holds.
CONTENTS = f"""
    SELECT DISTINCT needs FROM refusals
    WHERE {IN_REPLICA} AND is_own AND view IN ('log', 'full') AND entity_type = 'version' AND needs LIKE 'content:%'
        AND regexp_extract(needs, '[^/]*$') NOT IN (
            SELECT attributes->>'contentHash' FROM entries WHERE {IN_REPLICA} AND (attributes->>'has_content') = 'true'
            AND attributes->>'contentHash' IS NOT NULL)
    ORDER BY needs
"""
VERSIONS = f"""
    SELECT DISTINCT entity_id FROM live_refusals
    WHERE {IN_REPLICA} AND entity_type = 'version' AND reason IN ('version-missing', 'artifact-missing')
"""
HELD = f"""
    SELECT DISTINCT entity_id FROM live_state
    WHERE {IN_REPLICA} AND entity_type = 'version' AND entity_id IN (SELECT unnest($names))
"""
WITH_TEXT = f"""
    SELECT DISTINCT attributes->>'contentHash' AS hash FROM entries
    WHERE {IN_REPLICA} AND (attributes->>'has_content') = 'true' AND (attributes->>'contentHash') IN (SELECT unnest($names))
"""


@dataclass(frozen=True)
class Sought:
    """What a partition lacks. `contents`: content:<tenant>/<hash>; `versions`: names of versions whose records are gone."""

    contents: frozenset[str]
    versions: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.contents or self.versions)

    def __sub__(self, other: Sought) -> Sought:
        return Sought(self.contents - other.contents, self.versions - other.versions)


def sought_by(journal: PartitionJournal) -> Sought:
    """What its own records say that it lacks."""
    versions = {row["entity_id"] for row in journal.rows(VERSIONS)}
    versions |= {name for kind, name in journal.unfinished.lost if kind == "version"}
    return Sought(frozenset(row["needs"] for row in journal.rows(CONTENTS)), frozenset(versions))


def held_of(sought: Sought, journal: PartitionJournal) -> Sought:
    """How much of it another dump of the same partition has."""
    return Sought(
        contents_of(sought.contents, journal),
        frozenset(row["entity_id"] for row in rows_for(journal, HELD, sought.versions)),
    )


def contents_of(contents: frozenset[str], journal: PartitionJournal) -> frozenset[str]:
    """Those of the contents that a journal, of whatever topic, has with a text that their hash fits."""
    hashes = {row["hash"] for row in rows_for(journal, WITH_TEXT, map(hash_of, contents))}
    candidates = [content for content in contents if hash_of(content) in hashes]
    return frozenset(need.entity for need in Supply(journal, [], []).needed(candidates) if need.source)


def text_for(content: str, broken: PartitionJournal, other: PartitionJournal) -> bytes | None:
    """The text of a content from a journal of another registry, which has no other id, tenant or references to give: None
    where the broken journal no longer tells its id, or where the text does not have the hash with the references there."""
    supply = Supply(broken, [], [])
    need = supply.find(Needed(content))
    source = Supply(other, [], []).find(Needed(content)).source
    is_identified = need.content_id is not None or need.content_hash in supply.ids
    if not is_identified or source is None:
        return None
    text = read_content(source.value or b"", need.content_hash).content
    return text if text and need.content_hash in content_hashes(text, need.references) else None


def hash_of(content: str) -> str:
    """The SHA-256 in a content's name."""
    return content.rpartition("/")[2]


def rows_for(journal: PartitionJournal, query: str, names: Iterable[str]) -> list[dict[str, str]]:
    """Rows for these names; none without names."""
    distinct = sorted(set(names))
    return journal.rows(query, names=distinct) if distinct else []
