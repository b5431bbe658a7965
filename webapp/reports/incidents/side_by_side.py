"""Records of several replicas side by side: what each of them has at the offsets where a finding says that they differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.safestring import SafeString

from spark.tables.evidence import what_a_gap_shows
from spark.tables.replica import PartitionReplica
from spark.terms.marked import plain
from webapp.reports.incidents.short_folders import apart
from webapp.reports.queries.gaps import gap_at
from webapp.reports.record_table.cells import RecordCells
from webapp.reports.record_table.whole import whole_records
from webapp.reports.report import ReportFinding
from webapp.reports.results import AT_OFFSETS, WHERE_REPLICA
from webapp.reports.templatetags.report_words import at_ms
from webapp.reports.values.bytes_text import one_line

if TYPE_CHECKING:
    from webapp.reports.page import Page

OFFSETS_SHOWN = 20
SIDES_SHOWN = 4
LETTERS = 120  # of a value
DIGEST_LETTERS = 12
DIGESTS = f"""
SELECT "offset", file, batch_position, sha256("value") AS digest FROM records WHERE {WHERE_REPLICA} AND {AT_OFFSETS}
"""
KEY, VALUE, DIGEST, TIME = "key", "value", "SHA-256 of the value", "time (UTC)"
ALONE = frozenset({VALUE, TIME})  # said of a record that no other side has


class Fact(NamedTuple):
    """One thing that is known of a record; `compared`: what is equal where the fact is."""

    name: str
    compared: Any
    text: SafeString | str
    whole: str = ""


RecordFacts = Mapping[int, list[Fact]]  # of one replica, by offset


class SideRecord(NamedTuple):
    """What one side has at an offset: facts that the other sides have otherwise, or why there is no record."""

    facts: list[Fact]
    absent: str = ""
    link: SafeString | str = ""


class SideRow(NamedTuple):
    """`key`: of all records at the offset, empty where they have different ones."""

    offset: int
    key: str
    records: list[SideRecord]


class ReplicaSide(NamedTuple):
    """Replicas with the same records at all these offsets."""

    name: str
    replicas: list[PartitionReplica]

    @property
    def folders(self) -> str:
        """All of their names."""
        return ", ".join(replica.replica for replica in self.replicas)


@dataclass(frozen=True)
class SideBySide:
    sides: list[ReplicaSide]
    rows: list[SideRow]
    records: frozenset[
        tuple[PartitionReplica, int]
    ]  # of all sides: a replica, and the offset of a record that it has
    hidden_replicas: int = 0

    @property
    def name(self) -> str:
        """`journal-0 (…/broker-1, …/broker-2)`."""
        partition = self.sides[0].replicas[0]._replace(replica="").name
        return f"{partition} ({', '.join(side.name for side in self.sides)}{self._more})"

    @property
    def folders(self) -> str:
        """All names of the replicas, whole."""
        return ", ".join(side.folders for side in self.sides)

    @property
    def _more(self) -> str:
        return f" and {self.hidden_replicas:,} more" if self.hidden_replicas else ""


def side_by_side(page: Page, finding: ReportFinding) -> SideBySide | None:
    """None for a finding that is not about several replicas, and where their records at its offsets are the same."""
    replicas = named_replicas(page, finding)
    if len(replicas) < 2 or not finding.evidence:
        return None
    offsets = sorted(finding.evidence[:OFFSETS_SHOWN])
    records = {replica: _facts(page, replica, offsets) for replica in replicas}
    with_records = [replica for replica in replicas if records[replica]]
    groups: list[list[PartitionReplica]] = []
    for replica in with_records:
        same = next((group for group in groups if _is_same(records[group[0]], records[replica])), None)
        if same is None:
            groups.append([replica])
        else:
            same.append(replica)
    if len(groups) < 2:
        return None
    names = apart([replica.replica for replica in with_records])
    sides = [ReplicaSide(", ".join(names[replica.replica] for replica in group), group) for group in groups]
    columns = sides[:SIDES_SHOWN]
    firsts = {side.replicas[0]: records[side.replicas[0]] for side in columns}
    rows = [
        _row(page, offset, firsts) for offset in offsets if any(offset in facts for facts in firsts.values())
    ]
    present = frozenset((replica, offset) for replica in with_records for offset in records[replica])
    return SideBySide(columns, rows, present, sum(len(side.replicas) for side in sides[SIDES_SHOWN:]))


def named_replicas(page: Page, finding: ReportFinding) -> list[PartitionReplica]:
    """Those that the text of a finding names which is about no single one, in their order."""
    if finding.replica or finding.partition is None:
        return []
    blocks = finding.blocks.get("explanation", ())
    names = [each["text"] for block in blocks for each in block["segments"] if each.get("kind") == "replica"]
    replicas = [PartitionReplica(finding.topic, finding.partition, name) for name in dict.fromkeys(names)]
    return [replica for replica in replicas if replica in page.survey.facts]


def _facts(page: Page, replica: PartitionReplica, offsets: Sequence[int]) -> RecordFacts:
    """By offset; of records that share one, the last."""
    partition = page.results.of(replica)
    among = {"offsets": list(offsets), "low": offsets[0], "high": offsets[-1]}
    digests = {
        (row["file"], row["batch_position"], row["offset"]): row["digest"]
        for row in partition.rows(DIGESTS, among)
    }
    return {
        row["offset"]: facts_of(
            RecordCells(page, row, "", "", None),
            digests.get((row["file"], row["batch_position"], row["offset"])),
        )
        for row in whole_records(partition, offsets)
    }


def facts_of(cells: RecordCells, digest: str | None) -> list[Fact]:
    """All facts of a record that replicas must agree on, and those of its batch that say which leader wrote it."""
    row = cells.row
    key, value = (cells.line(side).whole for side in ("key", "value"))
    headers = tuple((one_line(each["key"], 60), one_line(each["value"], 60)) for each in row["headers"] or ())
    return [
        Fact(KEY, (row["key_hash_1"], row["key_hash_2"], row["key_is_null"]), key[:LETTERS], key),
        Fact(VALUE, (digest, row["value_is_null"]), value[:LETTERS], value),
        Fact(DIGEST, digest, (digest or "none")[:DIGEST_LETTERS], digest or ""),
        Fact("headers", headers, ", ".join(f"{name}: {text}" for name, text in headers) or "none"),
        Fact(TIME, row["timestamp_ms"], at_ms(row["timestamp_ms"])),
        _number("leader epoch", row["leader_epoch"]),
        _number("message format", row["magic"]),
        Fact("producer", _writer(row), _writer(row)),
    ]


def _number(name: str, number: int | None) -> Fact:
    text = "none" if number is None or number < 0 else str(number)
    return Fact(name, text, text)


def _writer(row: Mapping[str, Any]) -> str:
    if row["producer_id"] is None or row["producer_id"] < 0:
        return "none"
    return f"{row['producer_id']}, producer epoch {row['producer_epoch']}, sequence {row['sequence']}"


def _is_same(records: RecordFacts, others: RecordFacts) -> bool:
    def compared(facts: RecordFacts) -> dict[int, list[Any]]:
        return {offset: [fact.compared for fact in of_record] for offset, of_record in facts.items()}

    return compared(records) == compared(others)


def _row(page: Page, offset: int, sides: Mapping[PartitionReplica, RecordFacts]) -> SideRow:
    present = [facts[offset] for facts in sides.values() if offset in facts]
    names = differing(present) if len(present) > 1 else ALONE
    keys = {facts[0].text for facts in present} if KEY not in names else set()
    return SideRow(
        offset,
        str(next(iter(keys), "")),
        [_side_record(page, replica, offset, facts.get(offset), names) for replica, facts in sides.items()],
    )


def differing(records: Sequence[Sequence[Fact]]) -> frozenset[str]:
    """Names of what is not the same in all of them; the digest of a value only where its beginning does not show it."""
    by_name = {facts[0].name: facts for facts in zip(*records, strict=True)}
    names = {name for name, facts in by_name.items() if len({fact.compared for fact in facts}) > 1}
    if len({fact.text for fact in by_name[VALUE]}) > 1:
        names.discard(DIGEST)
    return frozenset(names)


def _side_record(
    page: Page, replica: PartitionReplica, offset: int, facts: Sequence[Fact] | None, names: Collection[str]
) -> SideRecord:
    if facts is None:
        return SideRecord(
            [], plain(what_a_gap_shows(gap_at(page.results.of(replica), offset), replica.replica))
        )
    link = page.offset_links(replica).link(offset, "Open record")
    return SideRecord([fact for fact in facts if fact.name in names], link=link)
