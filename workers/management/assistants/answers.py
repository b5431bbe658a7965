"""Answers about one journal: verdict, report, a finding with its proof, a state, a record. Read from redacted results alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from spark.report.proof import shown_at
from spark.report.report_text import plain_text
from spark.stages.state_at import latest_values, state_at
from spark.tables.replica import PartitionReplica
from spark.tables.store import ResultTables
from spark.terms.marked import plain
from workers.management.assistants.bounds import PAGE, PIECE, AnswerBounds, Document
from workers.management.assistants.journals import InspectedJournal, JournalSource, NeededResults
from workers.management.assistants.refused import RefusedCall
from workers.management.commands.state import text_of

NO_FINDING = "There is no finding with this id in the report. The answer of inspect has the ids; they change when the server is restarted."
NO_RECORD = "No partition of this journal that was named has offset {offset}. The answer of inspect has the partitions and their offsets."
VIEWS = {"now": "log", "after-next-compaction": "next", "after-full-compaction": "full"}
PROOF_RECORDS, PROOF_REPLICAS = 10, 4
VICTIMS, STEPS = 10, 20
SMALL_PIECE = 16  # share of an answer for a key, a header, a record that proves something
COVERAGE = (
    "records", "control_records", "tombstones", "restarts", "first_timestamp_ms", "last_timestamp_ms", "isolation",
    "offsets_per_partition", "records_per_partition", "unreadable_bytes", "corrupt_batches", "cannot_tell",
)  # fmt: skip


class JournalAnswers:
    """One method for each tool about one journal."""

    def __init__(self, journals: JournalSource, bounds: AnswerBounds) -> None:
        self._journals, self._bounds = journals, bounds

    def inspect(self, name: str, start: int = 0) -> Document:
        report = self._journals.of(name).report
        findings, following = self._bounds.page(map(headline, report["findings"]), start)
        about = {
            "verdict": report["verdict"],
            "journals": [about_journal(journal) for journal in report["journals"]],
            "coverage": {name: report["coverage"][name] for name in COVERAGE if name in report["coverage"]},
            "incidents": [about_incident(incident) for incident in report["incidents"]],
        }
        return {
            **self._bounds.within(without_types(about), PAGE),
            "findings": findings,
            "finding_count": len(report["findings"]),
            "next_start": following,
        }

    def report(self, name: str, start: int = 0) -> Document:
        text = plain_text(self._journals.of(name).report)
        piece, following = self._bounds.piece(text, start, PAGE)
        return {"text": piece, "characters": len(text), "next_start": following}

    def finding(self, name: str, finding_id: str) -> Document:
        journal = self._journals.of(name)
        findings = journal.report["findings"]
        finding = next((finding for finding in findings if finding["id"] == finding_id), None)
        if finding is None:
            raise RefusedCall(NO_FINDING)
        offsets = [proof["offset"] for proof in finding["proof"] if proof["in_input"]][:PROOF_RECORDS]
        records: dict[int, list[Document]] = defaultdict(list)
        replicas = replicas_of(journal, finding) if offsets else []
        for record in self._records(journal, replicas, offsets):
            records[record["offset"]].append(self._bounds.within(record, SMALL_PIECE * len(replicas)))
        consequences = [headline(other) for other in findings if other["consequence_of"] == finding_id]
        page, _ = self._bounds.page(consequences, 0)
        proof = [{**proof, **proven_by(records.get(proof["offset"], []))} for proof in finding["proof"]]
        about = {name: finding[name] for name in finding if name not in ("proof", "actions")}
        about["evidence_count"] = len(finding["evidence"])
        return {
            "finding": self._bounds.within(without_types(about), PAGE),
            "proof": without_types(proof),
            "consequences": page,
            "consequence_count": len(consequences),
        }

    def state(
        self,
        name: str,
        at: int | None = None,
        view: str = "now",
        entity_type: str = "",
        contains: str = "",
        start: int = 0,
        limit: int | None = None,
    ) -> Document:
        """Filters match what is shown, so that a filter cannot ask for what is hidden."""
        journal = self._journals.of(name, NeededResults(view=VIEWS[view], at=at))
        manifest = journal.manifest
        entities = [
            row
            for row in state_at(manifest, at, None, VIEWS[view])
            if entity_type in ("", row["entity_type"]) and contains in row["entity_id"]
        ]
        keys = [row for row in map(self._latest_value, latest_values(manifest, at)) if contains in row["key"]]
        rows = [*entities, *([] if entity_type else keys)]
        page, following = self._bounds.page(rows, start, limit)
        return {"rows": page, "row_count": len(rows), "next_start": following, **journal.about_itself}

    def record(
        self,
        name: str,
        offset: int,
        topic: str | None = None,
        partition: int | None = None,
        value_start: int = 0,
        start: int = 0,
    ) -> Document:
        """The records at an offset, or why there is none."""
        journal = self._journals.of(name, NeededResults(offset=offset))
        replicas = [
            replica
            for replica in partitions_of(journal)
            if topic in (None, replica.topic) and partition in (None, replica.partition)
        ]
        records = list(self._records(journal, replicas, [offset], value_start))
        page, following = self._bounds.page(records, start)
        answer = {"records": page, "record_count": len(records), "next_start": following}
        if records:
            return answer
        if not replicas:
            raise RefusedCall(NO_RECORD.format(offset=offset))
        return answer | {"missing": list(why_missing(journal, replicas, offset))}

    def _records(
        self,
        journal: InspectedJournal,
        replicas: list[PartitionReplica],
        offsets: list[int],
        value_start: int = 0,
    ) -> Iterator[Document]:
        from webapp.reports.results import open_results
        from webapp.reports.whole_rows import whole

        with open_results(journal.redacted) as results:
            for replica in replicas:
                for row in whole(results.of(replica), offsets):
                    yield self._record(row, value_start)

    def _record(self, row: dict[str, Any], value_start: int) -> Document:
        value, value_next = self._bounds.piece(text_of(row["value"]), value_start)
        headers = [
            {
                "key": text_of(header["key"]),
                "value": None if header["value"] is None else text_of(header["value"]),
            }
            for header in row["headers"] or []
        ]
        decoded = {
            name: row[f"decoded_{name}"] for name in ("key", "value") if row[f"decoded_{name}"] is not None
        }
        return {
            **{name: row[name] for name in ("topic", "partition", "replica", "offset", "timestamp_ms", "kind")},
            **{name: row[name] for name in ("entry_type", "entry_action", "entity_id", "decode_error")},
            **{name: row[name] for name in ("key_size_bytes", "value_size_bytes", "control_type")},
            "key": None if row["key_is_null"] else self._bounds.piece(text_of(row["key"]), 0, SMALL_PIECE)[0],
            "value": None if row["value_is_null"] else value,
            "value_next_start": value_next,
            "headers": self._bounds.within({"headers": headers}, SMALL_PIECE).get("headers", []),
            "decoded": self._bounds.within(decoded, PIECE),
        }  # fmt: skip

    def _latest_value(self, row: dict[str, Any]) -> Document:
        key, value = text_of(row["key"]), text_of(row["value"])
        return row | {"key": key, "value": self._bounds.piece(value, 0, SMALL_PIECE)[0]}


def partitions_of(journal: InspectedJournal) -> list[PartitionReplica]:
    from webapp.reports.queries.partitions import survey
    from webapp.reports.results import open_results

    with open_results(journal.redacted) as results:
        return sorted(survey(results).replicas)


def replicas_of(journal: InspectedJournal, finding: Document) -> list[PartitionReplica]:
    """The replica that a finding names; of one that names none all of its partition, as of replicas that differ."""
    if finding["partition"] is None:
        return []
    named = PartitionReplica(finding["topic"], finding["partition"], finding["replica"] or "")
    if named.replica:
        return [named]
    return [replica for replica in partitions_of(journal) if replica[:2] == named[:2]][:PROOF_REPLICAS]


def proven_by(records: list[Document]) -> Document:
    """The record at an offset of a proof; `records`, where several replicas have one."""
    if not records:
        return {}
    return {"record": records[0]} if len({each["replica"] for each in records}) == 1 else {"records": records}


def why_missing(
    journal: InspectedJournal, replicas: list[PartitionReplica], offset: int
) -> Iterator[Document]:
    with ResultTables.open(journal.manifest) as tables:
        reasons = shown_at(tables, {(*replica, offset) for replica in replicas})
    for (topic, partition, replica, _), (_, why) in sorted(reasons.items()):
        yield {"topic": topic, "partition": partition, "replica": replica, "why": plain(why)}


def headline(finding: Document) -> Document:
    names = (
        "id", "detector", "severity", "confidence", "title", "topic", "partition", "replica", "first_offset", "last_offset",
        "consequence_of", "incident",
    )  # fmt: skip
    return {name: finding[name] for name in names}


def about_journal(journal: Document) -> Document:
    names = ("topic", "partitions", "dialect", "dialect_title", "is_replayed", "verdict")
    return {name: journal[name] for name in names}


def about_incident(incident: Document) -> Document:
    return {
        **{name: incident[name] for name in ("id", "severity", "title", "findings", "victim_count")},
        "victims": incident["victims"][:VICTIMS],
        "plan": [step["step"] for step in incident["plan"][:STEPS]],
        "plan_step_count": len(incident["plan"]),
    }


def without_types(value: Any) -> Any:
    """Without the members `typed`, which repeat the texts."""
    if isinstance(value, list):
        return [without_types(item) for item in value]
    if isinstance(value, dict):
        return {name: without_types(member) for name, member in value.items() if name != "typed"}
    return value
