"""One inspection from the queue to its report, the figures that lists show, and the repair trials that follow it."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import QuerySet

from spark.dialects import dialects
from spark.inputs.files_below import NamedFile
from spark.sources import sources
from spark.storage.stored_path import ResultPath
from spark.terms.damage import copies_of, output_title, records_in_copies
from spark.terms.errors import UnknownColumns, UnreadableInput
from webapp.clusters.models import Capture
from webapp.journals.disk import storage
from webapp.journals.models import Inspection, Repair
from webapp.journals.names import journal_name, name_by_topics
from webapp.journals.repairs import request_repair
from webapp.reports.repair.automatic import MAX_RECORDS, incomplete_repairs, is_due, is_tried, request_again
from webapp.reports.report import read_report
from webapp.reports.results import ResultsGone
from webapp.review.findings import ingest_findings_logged
from webapp.rules.changes import pin
from webapp.search.index import index_report_logged
from workers.inputs import archive_limits, opened, opened_in_store
from workers.jobs.runner import Attempt, JobFailed, JobKind
from workers.jobs.spark_runner import FAILURES
from workers.kinds.repair_sources import partitions_of, repairable, sources_from, sources_of

if TYPE_CHECKING:
    from pyspark import SparkContext

    from spark.sources import InputFile

logger = logging.getLogger(__name__)

READ_KINDS = {"segment", "export"}
FIGURES = ("records", "tombstones", "first_timestamp_ms", "last_timestamp_ms")


class InspectionJob(JobKind):
    name = "inspection"
    related = ("journal",)
    uses_spark = True
    expected = (JobFailed, UnreadableInput, *FAILURES)

    def execute(self, attempt: Attempt) -> dict[str, Any]:
        """The report in its folder; verdict and summary for the row."""
        from spark.pipeline import IncrementalRun, Limits, inspect
        from spark.rules.evaluation import PinnedRule
        from spark.stages.older import OlderDump
        from spark.tables import Manifest

        inspection, folder, progress = attempt.job, attempt.folder, attempt.progress
        folder.results.mkdir(parents=True)
        progress.stage("plan")
        uploaded = list(inspection.journal.uploads.values_list("name", flat=True))  # not asked for at the end
        files = input_files(inspection, folder.scratch, attempt.context)
        progress.raise_if_cancelled()
        rules = [PinnedRule(**rule) for rule in pin(inspection)]
        older = [OlderDump(dump.journal.name, dump.results) for dump in earlier_dumps(inspection)]
        limits = Limits(settings.MAX_BATCH_BYTES, inspection.read_as, rules, older)
        growing = IncrementalRun(last_result(inspection)) if is_watched(inspection) else None
        if growing and growing.after:
            files = in_order_of(growing.after, files)
        report = inspect(attempt.context, files, folder.results, progress, limits, growing)
        return {
            "verdict_level": report["verdict"]["level"],
            "verdict_sentence": report["verdict"]["sentence"],
            "summary": summary(report, Manifest.load(folder.results).rows.get("keys", 0))
            | names_of(uploaded, report)
            | {"log": progress.log},
        }

    def failed_columns(self, problem: Exception) -> dict[str, Any]:
        """The question that the page asks, or the place where reading stopped. The same files would fail again."""
        if isinstance(problem, UnknownColumns):
            return {"summary": {"question": problem.question}}
        return {"summary": {"unread": problem.stop}} if isinstance(problem, UnreadableInput) else {}

    def settled(self, attempt: Attempt) -> None:
        """Its findings go into the review queue, its names into the search; a loss in a small journal has its repair tried."""
        ingest_findings_logged(attempt.job)
        index_report_logged(attempt.job)
        request_trials_logged(attempt.job, is_watched(attempt.job))


KIND = InspectionJob()


def is_watched(inspection: Inspection) -> bool:
    """Whether its journal is a run of a watch: others will follow."""
    return Capture.objects.filter(journal=inspection.journal_id).exclude(watch=None).exists()


def done_of_the_log(inspection: Inspection) -> QuerySet[Inspection]:
    """All that were finished of the same log, whichever journal holds it."""
    return Inspection.objects.filter(
        journal__lineage=inspection.journal.lineage,
        journal__project=inspection.journal.project_id,
        state=Inspection.State.DONE,
    )


def last_result(inspection: Inspection) -> ResultPath | None:
    """The newest result of the same log, if it is there."""
    newest = done_of_the_log(inspection).order_by("-finished_at").first()
    return newest.results if newest and (newest.results / "report.json").exists() else None


def earlier_dumps(inspection: Inspection) -> list[Inspection]:
    """The newest inspection of the newest earlier dump of the same journal, if its results are there."""
    earlier = done_of_the_log(inspection).filter(journal__created_at__lt=inspection.journal.created_at)
    newest = earlier.select_related("journal").order_by("-journal__created_at", "-finished_at").first()
    return [newest] if newest and (newest.results / "tables.json").exists() else []


def in_order_of(earlier: ResultPath, files: list[InputFile]) -> list[InputFile]:
    """The files that an earlier inspection knows first, as it had them: their numbers stand in its tables."""
    report = json.loads((earlier / "report.json").read_text())
    numbers = {file["name"]: number for number, file in enumerate(report["files"])}
    return sorted(files, key=lambda file: numbers.get(file.name, len(numbers)))


def input_files(
    inspection: Inspection, scratch: Path, context: Callable[[], SparkContext]
) -> list[InputFile]:
    """The journal's files, archives unpacked: into `scratch` those of this machine, into the store those of a store."""
    from spark.sources import InputFile
    from spark.sources.kcat_format import with_text_format

    limits, files = archive_limits(), list[InputFile]()
    uploads = inspection.journal.uploads.order_by("name")
    whole = [(upload.name, upload.blob_id, upload.size_bytes) for upload in uploads if upload.blob_id]
    if storage.is_remote():
        stored = [InputFile(name, storage.location(sha256), size, sha256) for name, sha256, size in whole]
        files = opened_in_store(stored, scratch, limits, lambda _: context())
    else:
        for name, sha256, _ in whole:
            files += opened(NamedFile(name, Path(storage.location(sha256))), scratch, limits, sha256)
    return with_text_format(files, inspection.text_format) if inspection.text_format else files


def summary(report: dict[str, Any], keys: int) -> dict[str, Any]:
    """Headline of the worst incident, records, tombstones, first and last time, the tools whose output it is, keys, topics, dialects,
    services, layouts, open findings by severity."""
    headline = read_report(report).headline
    roots = [f for f in report["findings"] if not f["consequence_of"] and f["severity"] != "info"]
    return {
        **{name: report["coverage"].get(name) for name in FIGURES},
        "copies": records_in_copies(report["coverage"], noun="") if copies_of(report["coverage"]) else "",
        "output": output_title(report["coverage"]),
        "headline": headline["sentence"] if headline.get("is_incident") else "",
        "keys": keys,
        "topics": [journal["topic"] for journal in report["journals"]],
        "dialects": _titles(dialects(), [journal["dialect"] for journal in report["journals"]]),
        "services": services(report["journals"]),
        "layouts": _titles(
            sources(), [file["layout"] for file in report["files"] if file["kind"] in READ_KINDS]
        ),
        "open_findings": dict(Counter(finding["severity"] for finding in roots)),
    }


def services(journals: Sequence[Mapping[str, Any]]) -> list[str]:
    """Those that wrote the journals, of dialects that several services use: `Confluent Schema Registry`."""
    by_id = dialects()
    return sorted(
        {
            service.title
            for journal in journals
            if journal["dialect"] in by_id
            for service in by_id[journal["dialect"]].profiles
            if service.title in (journal["profile"] or "")
        }
    )


def names_of(files: list[str], report: dict[str, Any]) -> dict[str, str]:
    """by_topics: the journal named by its topics and partitions; by_files: as it is called if nobody has named it."""
    return {
        "by_topics": name_by_topics(report["journals"]),
        "by_files": journal_name(files) if files else "",
    }


def _titles(titles: dict[str, Any], ids: list[str | None]) -> list[str]:
    return sorted({titles[id].title for id in ids if id in titles})


def request_trials_logged(inspection: Inspection, is_watched: bool) -> None:
    """For who has a report to keep: what goes wrong here is logged, and a user can still start the repair. Of runs of a watch
    only one with losses that were not tried has its repair tried."""
    for request in (partial(request_trial, is_watched=is_watched), complete_others):
        try:
            request(inspection)
        except ResultsGone:
            logger.warning(
                "The report of inspection %s was deleted: no repair is tried with it.", inspection.pk
            )
        except Exception:
            logger.exception("The repair of inspection %s could not be requested.", inspection.pk)


def request_trial(inspection: Inspection, is_watched: bool = False) -> Repair | None:
    """A repair of a finished inspection that needs one and has none, with what other dumps have of it."""
    if not is_due(inspection) or (is_watched and is_tried(inspection)):
        return None
    search = sources_of(inspection)
    return request_repair(inspection, search.older, search.files, None)


def complete_others(arrived: Inspection) -> list[Repair]:
    """Repairs that lacked what this inspection's dump has, requested once more with it."""
    usable = Inspection.objects.filter(repairable(), pk=arrived.pk, summary__records__lt=MAX_RECORDS)
    repairs = incomplete_repairs(arrived) if usable.exists() else []
    others = partitions_of(arrived) if repairs else []
    searches = [(repair, sources_from(arrived, others, repair)) for repair in repairs]
    return [
        request_again(repair, search.older, search.files)
        for repair, search in searches
        if not search.is_empty
    ]
