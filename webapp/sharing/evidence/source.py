"""Tables of an evidence bundle: the inspection's own, a redacted copy of the proof of its findings, or those of a share."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from spark.redaction import Options, ShareNames, names_of
from spark.redaction.process import EVIDENCE_SECONDS, redact_apart
from spark.redaction.selection import BY_RECORD, ProofOfAll
from spark.tables.replica import PartitionReplica
from webapp.journals.disk.scratch import scratch_folder
from webapp.journals.models import Inspection
from webapp.reports.queries.partitions import survey
from webapp.reports.report import read_report
from webapp.reports.results import Results, open_results
from webapp.reports.source import ReportSource
from webapp.sharing.evidence.proof import proof_by_replica
from webapp.sharing.evidence.strip import RecordStrip, strips_of
from webapp.sharing.models import Share
from webapp.sharing.scopes import hidden_parts, is_masked
from webapp.sharing.selecting import records_table

HIDDEN_TITLE = "Evidence"


class Offline(ReportSource):
    """A report without addresses, for files that are read without a server."""

    def address(self, name: str, args: tuple[Any, ...]) -> str:
        """Empty."""
        return ""


@dataclass(frozen=True)
class BundleOrigin:
    """A report to bundle; `strips` are drawn from all records, which a redacted copy does not hold."""

    source: Offline
    strips: Mapping[PartitionReplica, RecordStrip]
    options: dict[str, Any] | None  # what is hidden; None: nothing


@contextmanager
def of_inspection(inspection: Inspection, options: dict[str, Any]) -> Iterator[BundleOrigin]:
    """The inspection's own tables if nothing is hidden, else a redacted copy that is deleted afterwards."""
    title, folder = inspection.journal.name, inspection.results
    with open_results(folder) as results:
        strips, selection = strips_of(results), proof_of_all(results)
    if hides_nothing(options):
        yield BundleOrigin(Offline(title, folder, ()), strips, None)
        return
    redaction = Options.from_share(options, secrets.token_bytes(32))
    with scratch_folder("evidence") as copy:
        redact_apart(folder, copy, redaction, selection, EVIDENCE_SECONDS)
        names = names_of(folder, redaction)
        shown_title = title if options["payloads"] and options["names"] else HIDDEN_TITLE
        source = Offline(shown_title, copy, (), hidden=hidden_parts(options), decodes=not is_masked(options))
        yield BundleOrigin(
            source, {_renamed(replica, names): strip for replica, strip in strips.items()}, options
        )


@contextmanager
def of_share(share: Share, report_source: ReportSource) -> Iterator[BundleOrigin]:
    """What the share holds and nothing else. `report_source` is what its pages are pages of."""
    with open_results(share.results) as results:
        strips = strips_of(results)
    source = Offline(
        report_source.title,
        share.results,
        (),
        share=share,
        is_narrowed=report_source.is_narrowed,
        hidden=report_source.hidden,
        decodes=report_source.decodes,
    )
    yield BundleOrigin(source, strips, share.options)


def hides_nothing(options: Mapping[str, Any]) -> bool:
    shows_all = all(options[name] is True for name in ("payloads", "keys", "headers", "names"))
    return shows_all and not options["fields"] and not options["patterns"]


def proof_of_all(results: Results) -> ProofOfAll:
    """The first records that prove each finding."""
    report, replicas = read_report(results.document), survey(results).replicas
    proof = {replica: set(proves) for replica, proves in proof_by_replica(report, replicas).items()}
    places = {(replica.topic, replica.partition, replica.replica) for replica in replicas}
    places |= {
        (journal["topic"], 0, "") for journal in report.document.get("journals", []) if journal.get("topic")
    }
    return ProofOfAll(tuple(sorted(places)), records_table(proof), BY_RECORD | {"gaps", "damage"})


def _renamed(replica: PartitionReplica, names: ShareNames) -> PartitionReplica:
    return PartitionReplica(
        names.topics.get(replica.topic, replica.topic),
        replica.partition,
        names.copies.get(replica.replica, replica.replica),
    )
