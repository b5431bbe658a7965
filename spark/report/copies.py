"""Copies of a partition are one journal: what several of them show is one finding.

Copies are known by content: at most offsets that two of them share, their records have the same key (of records without a
key in one of them: values of the same size). The finding of the best layout speaks: segments, then the export that lacks
least. `Finding.copies` names all copies that show it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spark.detectors import detectors, section_of
from spark.sources import lacks_in, sources
from spark.stages.decode import Counts
from spark.stages.prints.numbered import NUMBERED, NUMBERED_FILES
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica, Row, by_replica, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import offset_range, plural, some
from spark.terms.wording import listed
from spark.units.pages import shared_steps

INTACT = "another replica is intact"  # a step of docs/steps.md
INTACT_NAMED = 3
COMPARING = frozenset({"replica-divergence", "copies-differ"})  # detectors whose findings compare copies
MAX_COMPARED = 1_000_000  # records of each copy; of larger ones every n-th offset
SEVERAL = f"""
    SELECT topic, partition, sum(last_offset - first_offset + 1)::BIGINT AS records FROM runs
    WHERE file NOT IN ({NUMBERED_FILES}) GROUP BY ALL HAVING count(DISTINCT replica) > 1
"""
LAYOUTS = """
    SELECT topic, partition, replica, layout, layout_title, cannot_tell
    FROM runs JOIN (SELECT file, layout, layout_title, cannot_tell FROM files)
    USING (file) WHERE layout IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
SHARED = f"""
    WITH narrow AS (
        SELECT topic, partition, replica, "offset", key_hash_1, key_hash_2, value_size_bytes FROM lifelines
        WHERE kind <> 'control' AND "offset" % {{step}} = 0
            AND (topic, partition) IN (SELECT (topic, partition) FROM ({SEVERAL}))
            AND (topic, partition, replica) NOT IN (SELECT (topic, partition, replica) FROM ({NUMBERED}))
    )
    SELECT topic, partition, one.replica AS replica, other.replica AS other
    FROM narrow AS one JOIN narrow AS other USING (topic, partition, "offset") WHERE one.replica < other.replica
    GROUP BY topic, partition, one.replica, other.replica
    HAVING 2 * count_if(
        CASE WHEN one.key_hash_1 = 0 OR other.key_hash_1 = 0 THEN one.value_size_bytes = other.value_size_bytes
        ELSE (one.key_hash_1, one.key_hash_2) = (other.key_hash_1, other.key_hash_2) END
    ) > count(*)
    ORDER BY ALL
"""


@dataclass(frozen=True)
class LayoutCopy:
    """One of several: `lacks` of its layouts, `name` for sentences."""

    replica: str
    name: str
    lacks: frozenset[str]
    is_segment: bool

    @property
    def rank(self) -> tuple[object, ...]:
        """The best first."""
        return not self.is_segment, len(self.lacks), self.replica


Copies = Mapping[
    PartitionReplica, Sequence[LayoutCopy]
]  # each copy that has others -> all of them, the best first


def copies_of(manifest: Manifest) -> dict[PartitionReplica, list[LayoutCopy]]:
    """The copies of each partition that the input has several times."""
    tables = ResultTables.open(manifest)
    several = tables.rows(SEVERAL)
    if not several:
        return {}
    step = 1 + max(row["records"] for row in several) // MAX_COMPARED
    layouts = {
        replica: described(replica, rows) for replica, rows in by_replica(tables.rows(LAYOUTS)).items()
    }
    groups = {replica: [replica] for replica in layouts}
    for row in tables.rows(SHARED.format(step=step)):
        unite(groups, replica_of(row), PartitionReplica(row["topic"], row["partition"], row["other"]))
    return {
        replica: sorted((layouts[member] for member in group), key=lambda copy: copy.rank)
        for replica, group in groups.items()
        if len(group) > 1
    }


def described(replica: PartitionReplica, rows: Sequence[Row]) -> LayoutCopy:
    """One copy from its files; it lacks what any of them lacks."""
    layouts = [sources()[row["layout"]] for row in rows]
    return LayoutCopy(
        replica.replica,
        replica.replica or listed(dict.fromkeys(row["layout_title"] for row in rows)),
        frozenset().union(
            *(source.lacks for source in layouts), *(lacks_in(row["cannot_tell"]) for row in rows)
        ),
        all(source.kind == "segment" for source in layouts),
    )


def unite(
    groups: dict[PartitionReplica, list[PartitionReplica]], replica: PartitionReplica, other: PartitionReplica
) -> None:
    """Two that are copies of each other: so are those that each of them has."""
    if groups[replica] is groups[other]:
        return
    group = groups[replica] + groups[other]
    groups.update(dict.fromkeys(group, group))


def counted_once(counts_of_partition: Iterable[Counts], copies: Copies) -> list[Counts]:
    """Of copies, the counts of the one with the most records: all copies are one journal."""
    by_copy: dict[PartitionReplica, list[Counts]] = defaultdict(list)
    for counts in counts_of_partition:
        by_copy[counts.replica].append(counts)
    fullest: dict[object, PartitionReplica] = {}
    for replica, group in by_copy.items():
        journal = (*replica[:2], copies[replica][0].replica) if replica in copies else replica
        other = fullest.setdefault(journal, replica)
        if data_records(group) > data_records(by_copy[other]):
            fullest[journal] = replica
    return [counts for replica in fullest.values() for counts in by_copy[replica]]


def data_records(group: Iterable[Counts]) -> int:
    return sum(counts.data_records for counts in group)


def unique_findings(findings: Sequence[Finding], copies: Copies) -> list[Finding]:
    """In the order of the findings, one for those that say the same of copies."""
    by_subject: dict[object, list[Finding]] = defaultdict(list)
    alike: dict[object, list[Finding]] = defaultdict(list)
    for number, finding in enumerate(findings):
        by_subject[subject(finding, copies) or number].append(finding)
        alike[about(finding, copies)].append(finding)
    groups = [group for same in by_subject.values() for group in grouped_by_copy(same)]
    return [best_of(group, copies, alike[about(group[0], copies)]) for group in groups]


def about(finding: Finding, copies: Copies) -> tuple[object, ...] | None:
    """Equal for findings of one kind on copies, at whatever offsets; None for a finding that no other can equal."""
    group = copies.get(shown_by(finding))
    if group is None or finding.detector in COMPARING:
        return None
    return finding.detector, finding.topic, finding.partition, group[0], finding.key, finding.entity


def subject(finding: Finding, copies: Copies) -> tuple[object, ...] | None:
    """Equal for findings on copies that say the same; None for a finding that no other can equal."""
    kind = about(finding, copies)
    return kind and (*kind, finding.severity, finding.first_offset, finding.last_offset, finding.distinct)


def shown_by(finding: Finding) -> PartitionReplica:
    """The copy that a finding is about; one about no partition is about no copy."""
    partition = -1 if finding.partition is None else finding.partition
    return PartitionReplica(finding.topic, partition, finding.replica)


def grouped_by_copy(findings: Sequence[Finding]) -> list[list[Finding]]:
    """One copy may say the same of several things: those stay apart."""
    groups: list[list[Finding]] = []
    for finding in findings:
        for group in groups:
            if finding.replica not in {other.replica for other in group}:
                group.append(finding)
                break
        else:
            groups.append([finding])
    return groups


def best_of(group: Sequence[Finding], copies: Copies, alike: Sequence[Finding] = ()) -> Finding:
    """The finding of the best copy, which replaces the others and names all copies that show it. `alike`: findings of its
    kind on all copies."""
    group_copies = copies.get(shown_by(group[0]), ())
    if not group_copies or group[0].detector in COMPARING:
        return group[0]
    order = [copy.replica for copy in group_copies]
    best, *others = sorted(group, key=lambda finding: order.index(finding.replica))
    best.copies = [best.replica, *(other.replica for other in others)]
    best.stands_for += others
    others_alike = similar(best, alike, group_copies)
    if sentence := which_copies(best, group_copies, is_only=not (others_alike or best.is_elsewhere)):
        written = f"{sentence.removesuffix('.')}; {others_alike}" if others_alike else sentence
        best.write(
            "explanation", f"{best.marked['explanation']}\n{written}{while_leader(best, group_copies)}"
        )
    return best


def while_leader(finding: Finding, copies: Sequence[LayoutCopy]) -> str:
    """Consumers read from the leader: bytes that are damaged in some replicas alone affect them while one of these leads."""
    detector = detectors().get(finding.detector)
    is_of_bytes = (
        detector
        and detector.befalls
        and detector.befalls[1].endswith("consumers")
        and section_of(detector.id) == "bytes"
    )
    if not is_of_bytes or len(finding.copies) == len(copies) or not all(copy.is_segment for copy in copies):
        return ""
    replicas = "this replica" if len(finding.copies) == 1 else "one of these replicas"
    return f" This affects consumers while {replicas} is the leader."


def name_intact(findings: Sequence[Finding], copies: Copies) -> None:
    """Steps that take a partition from an intact replica name those of the input that no finding is about; a finding about all
    copies of the partition, or about its topic, is about each of them."""
    faults = [finding for finding in findings if finding.severity != "info"]
    for finding in faults:
        step = shared_steps()[INTACT]
        if step not in finding.marked["remedy"] or finding.detector in COMPARING:
            continue
        named = {
            name
            for fault in faults
            if fault.topic == finding.topic and fault.partition in (None, finding.partition)
            for name in (fault.replica, *fault.copies)
        }
        intact = [
            copy.name
            for copy in copies.get(shown_by(finding), ())
            if copy.is_segment and copy.replica and copy.replica not in named
        ]
        if intact and "" not in named:
            names = some([marked.replica(name) for name in intact], INTACT_NAMED)
            words = f"{step} ({names} {'has' if len(intact) == 1 else 'have'} no finding)"
            finding.write("remedy", finding.marked["remedy"].replace(step, words))


def which_copies(finding: Finding, copies: Sequence[LayoutCopy], *, is_only: bool = True) -> str:
    """Which copies show it, among those whose layouts can. `is_only`: no other one shows anything similar, or has it otherwise."""
    detector = detectors().get(finding.detector)
    needs = detector.needs if detector else frozenset()
    able = [copy for copy in copies if not needs & copy.lacks or copy.replica in finding.copies]
    showing = [marked.replica(copy.name) for copy in able if copy.replica in finding.copies]
    partition = marked.partition(finding.topic, finding.partition)
    noun, nouns = nouns_of(copies)
    in_common = "show this"
    if detector and detector.in_common and finding.first_offset is not None:
        in_common = detector.in_common.format(offsets=offset_range(finding.first_offset, finding.last_offset))
    if len(showing) == len(copies):
        every = f"All {marked.number(len(copies))}" if len(copies) > 2 else "Both"
        return f"{every} {nouns} of {partition} in the input {in_common}."
    if len(able) == 1:
        return ""
    of = f"{plural(len(copies), noun, nouns)} of {partition}"
    if len(showing) == 1 and len(able) > 1 and is_only:
        return f"Of {of}, only {showing[0]} shows this."
    if len(showing) == 1 and len(able) > 1:
        first, last = finding.first_offset, finding.last_offset
        at = "" if first is None or finding.is_elsewhere else f" at {offset_range(first, last)}"
        return f"Of {of}, {showing[0]} shows this{at}."
    if len(showing) == len(able):
        return f"Of {of}, all that can show this do: {listed(showing)}."
    return f"Of {of}, {listed(showing)} {in_common}."


def similar(finding: Finding, alike: Sequence[Finding], copies: Sequence[LayoutCopy]) -> str:
    """Which other copies have a finding of its kind: `only` would say that they are intact."""
    names = {copy.replica: marked.replica(copy.name) for copy in copies}
    others = [other for other in alike if other.replica not in finding.copies]
    of_copies = list(dict.fromkeys(other.replica for other in others))
    if len(of_copies) > 1:
        noun = nouns_of(copies)[1]
        return f"{marked.number(len(of_copies))} other {noun} have similar findings."
    if not others:
        return ""
    subject_words = "a similar finding" if len(others) == 1 else "similar findings"
    first = min(others, key=lambda other: other.first_offset or 0)
    at = (
        ""
        if first.first_offset is None
        else f" at {offset_range(first.first_offset, first.last_offset, first.replica)}"
    )
    more = "" if len(others) == 1 or not at else " and later"
    return f"{names[of_copies[0]]} has {subject_words}{at}{more}."


def nouns_of(copies: Sequence[LayoutCopy]) -> tuple[str, str]:
    """What copies are called: replicas, where all of them are segments."""
    return ("replica", "replicas") if all(copy.is_segment for copy in copies) else ("copy", "copies")
