"""Whose tables a bundle is made from: an inspection's as they are, a redacted copy of what proves its findings, or
what a share holds."""

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
    """A report without addresses: it is read where there is no server."""

    def address(self, name: str, args: tuple[Any, ...]) -> str:
        """None."""
        return ""


@dataclass(frozen=True)
class BundleOrigin:
    """A report to bundle; `strips` are drawn from all records, which a redacted copy does not hold."""

    source: Offline
    strips: Mapping[PartitionReplica, RecordStrip]
    options: dict[str, Any] | None  # what is hidden; None: nothing


@contextmanager
def of_inspection(inspection: Inspection, options: dict[str, Any]) -> Iterator[BundleOrigin]:
    """As it is where nothing is hidden; else a copy that is gone afterwards."""
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
        shown = title if options["payloads"] and options["names"] else HIDDEN_TITLE
        source = Offline(shown, copy, (), hidden=hidden_parts(options), decodes=not is_masked(options))
        yield BundleOrigin(
            source, {_renamed(replica, names): strip for replica, strip in strips.items()}, options
        )


@contextmanager
def of_share(share: Share, shown: ReportSource) -> Iterator[BundleOrigin]:
    """What the share holds and nothing else. `shown` is what its pages are pages of."""
    with open_results(share.results) as results:
        strips = strips_of(results)
    source = Offline(
        shown.title, share.results, (), share=share, is_narrowed=shown.is_narrowed, hidden=shown.hidden,
        decodes=shown.decodes,
    )  # fmt: skip
    yield BundleOrigin(source, strips, share.options)


def hides_nothing(options: Mapping[str, Any]) -> bool:
    """Whether the bundle may tell everything, masks included."""
    shown = all(options[name] is True for name in ("payloads", "keys", "headers", "names"))
    return shown and not options["fields"] and not options["patterns"]


def proof_of_all(results: Results) -> ProofOfAll:
    """The first records that prove each finding."""
    report, replicas = read_report(results.document), survey(results).replicas
    proof = {replica: set(proves) for replica, proves in proof_by_replica(report, replicas).items()}
    places = {(replica.topic, replica.partition, replica.replica) for replica in replicas}
    places |= {(one["topic"], 0, "") for one in report.document.get("journals", []) if one.get("topic")}
    return ProofOfAll(tuple(sorted(places)), records_table(proof), BY_RECORD | {"gaps", "damage"})


def _renamed(replica: PartitionReplica, names: ShareNames) -> PartitionReplica:
    return PartitionReplica(
        names.topics.get(replica.topic, replica.topic),
        replica.partition,
        names.copies.get(replica.replica, replica.replica),
    )
