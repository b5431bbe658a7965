"""Moving a journal to another project: all its dumps, what people decided about them, and its links go together."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Sum

from webapp.accounts.models import Project
from webapp.audit import log
from webapp.clusters.models import Capture, Watch
from webapp.journals.disk import quotas
from webapp.journals.models import Journal, Upload
from webapp.rejected import Rejected
from webapp.review.access import members_of
from webapp.review.models import Finding
from webapp.sharing.models import Share


@transaction.atomic
def move(journal: Journal, target: Project) -> int:
    """Move all dumps of the journal, which share its verdicts; returns their number.

    Raises Rejected for legal holds, watches and full projects.
    """
    source, dumps = journal.project, Journal.objects.filter(lineage=journal.lineage)
    if source.is_on_hold or dumps.filter(is_on_hold=True).exists():
        raise Rejected(f"{journal.name} is under legal hold and stays where it is. End the hold first.", 409)
    if Watch.objects.filter(lineage=journal.lineage, is_on=True).exists():
        raise Rejected(
            f"{journal.name} is watched, and its next capture would stay in {source}. Stop the watch first.",
            409,
        )
    uploads = Upload.objects.filter(journal__in=dumps)
    quotas.require_room(target, uploads.aggregate(total=Sum("size_bytes"))["total"] or 0)
    ids = list(dumps.values_list("pk", flat=True))
    findings = Finding.objects.filter(lineage=journal.lineage)
    findings.exclude(assignee__in=members_of([target.pk], "reviewer")).update(assignee=None)
    findings.update(project=target)
    Share.objects.filter(inspection__journal__in=ids).update(project=target)
    # the cluster stays where it is, and is not the other project's to know
    Capture.objects.filter(journal__in=ids).update(project=target, cluster=None, watch=None)
    Journal.objects.filter(pk__in=ids).update(project=target)
    for project_id in (source.pk, target.pk):
        log.record(
            "journal.moved",
            project_id=project_id,
            target=journal,
            dumps=len(ids),
            before=source.slug,
            now=target.slug,
        )
    return len(ids)
