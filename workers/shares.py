"""One share from the queue to its tables, and what becomes of shares that are over.

The task takes a share by a conditional update; one that lost its worker is put back by `workers.small_jobs`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from spark.redaction import VERSION, Options, names_of
from spark.redaction.masking.patterns import Unusable
from spark.redaction.process import TooLong
from spark.redaction.process import redact_apart as redact
from spark.redaction.vocabulary import vocabulary_of
from webapp.journals import durable
from webapp.reports.queries.partitions import survey
from webapp.reports.results import ResultsGone, open_results
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope, first_page
from webapp.sharing.selecting import selection_of
from webapp.sharing.shares import remove_tables
from workers.database import outlasting
from workers.progress import kept_alive

logger = logging.getLogger(__name__)
State = Share.State

DEFECT = "The link could not be made because of a defect in Journalscope. An admin finds the details in the worker's log."
GONE = "The results of this inspection are not there any more. Inspect the journal again, then share the new report."
NOTHING = "There is no such key, record or finding in this report any more. Go back to the report and share from there."
UNUSABLE = "A pattern of this link's masks cannot be used: {reason}. Correct the pattern, then share again."
DISK_FULL = (
    "The server's disk is full, so the link could not be made. Ask an admin to make room, then share again."
)


def perform(share_id: str) -> None:
    """What the task does. Nothing when it is done, revoked, or another worker is at it."""
    mine = Share.objects.filter(pk=share_id, state=State.QUEUED, revoked_at=None, source_deleted_at=None)
    if not mine.update(state=State.RUNNING, started_at=timezone.now(), error=""):
        return
    with kept_alive(share_id):
        _outcome(Share.objects.select_related("inspection").get(pk=share_id))


def _outcome(share: Share) -> None:
    """The one place that catches broadly: to keep what became of it, and raise again what nobody foresaw."""
    try:
        _settle(share, State.DONE, pinned=_make(share))
    except Over:
        _end_quietly(share)
    except (ResultsGone, FileNotFoundError):
        _settle(share, State.FAILED, error=GONE)
    except NothingSelected:
        _settle(share, State.FAILED, error=NOTHING)
    except TooLong as problem:
        _settle(share, State.FAILED, error=str(problem))
    except Unusable as reason:
        _settle(share, State.FAILED, error=UNUSABLE.format(reason=reason))
    except Exception as problem:
        if _is_over(share):
            _end_quietly(share)
            return
        logger.exception("Share %s broke off.", share.pk)
        is_full = isinstance(problem, OSError) and problem.errno == 28
        _settle(share, State.FAILED, error=DISK_FULL if is_full else DEFECT)
        raise


class Over(Exception):
    """The share was revoked or its inspection deleted while it was made."""


class NothingSelected(Exception):
    """What was to be shared is not in the results."""


def _make(share: Share) -> dict[str, Any]:
    """Write the share's tables beside their place, then rename; what the share is pinned to."""
    if share.inspection is None:
        raise ResultsGone(str(share.pk))
    source = share.inspection.results
    options = Options.of(share.options, bytes(share.salt))
    scope = Scope.read(share.scope)
    with open_results(source) as results:
        selection = selection_of(scope, results)
        several = len(survey(results).facts) > 1
        whole = results.document
    if selection is None:
        raise NothingSelected
    partial = share.results.with_name(f"{share.pk}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    redact(source, partial, options, selection, vocabulary_of(Path(settings.BASE_DIR) / "spark"))
    if _is_over(share):
        raise Over
    shutil.rmtree(share.results, ignore_errors=True)
    durable.show(partial, share.results)
    start = first_page(scope, options, names_of(source, options), several)
    return _pinned(share, whole) | {"start": start}


def _pinned(share: Share, whole: dict[str, Any]) -> dict[str, Any]:
    """What the link will show for as long as it lives: this input, these rules, this redaction."""
    checks = sorted(
        {
            *whole.get("clean", []),
            *(one["detector"] for one in whole.get("not_run", [])),
            *(one["detector"] for one in whole.get("findings", [])),
        }
    )
    versions = sorted(
        {(one["detector"], one.get("detector_version") or 1) for one in whole.get("findings", [])}
    )
    rules = [checks, versions, whole.get("rules", [])]
    inspected = share.inspection and share.inspection.finished_at
    return {
        "files": [file.get("sha256") for file in whole.get("files", []) if file.get("sha256")],
        "schema": whole.get("schema"),
        "rules": hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12],
        "checks": len(checks),
        "redaction": VERSION,
        "inspected_at": inspected.isoformat() if inspected else None,
    }


def _is_over(share: Share) -> bool:
    """Whether nobody needs it any more: then its folder may go at any moment."""
    closed = Q(revoked_at__isnull=False) | Q(source_deleted_at__isnull=False)
    rows = Share.objects.filter(pk=share.pk)
    return outlasting(share.pk, lambda: rows.filter(closed).exists() or not rows.exists())


def _end_quietly(share: Share) -> None:
    """No failure: the share is revoked, and waits for nothing."""
    logger.info("Share %s was revoked while it was made.", share.pk)
    Share.objects.filter(pk=share.pk, state=State.RUNNING).update(state=State.QUEUED, error="")
    remove_tables(share)


def _settle(share: Share, state: str, **members: Any) -> None:
    """Say how it ended; what was revoked meanwhile is no failure and does not keep its tables."""
    if state == State.FAILED and _is_over(share):
        _end_quietly(share)
        return
    running = Share.objects.filter(pk=share.pk, state=State.RUNNING)
    outlasting(share.pk, lambda: running.update(state=state, **members))
    if state != State.DONE or _over().filter(pk=share.pk).exists():
        remove_tables(share)


def clean_up() -> None:
    """Shares that are over lose their tables."""
    for share in _over().exclude(state=State.FAILED):
        if share.results.exists():
            remove_tables(share)


def folders_in_use() -> dict[str, str]:
    """By the name of its folder, the state of each share that may have tables."""
    rows = Share.objects.filter(revoked_at=None, source_deleted_at=None).values_list("pk", "state")
    return {str(pk): state for pk, state in rows}


def _over() -> QuerySet[Share]:
    is_over = Q(revoked_at__isnull=False) | Q(source_deleted_at__isnull=False)
    return Share.objects.filter(is_over | Q(expires_at__lte=timezone.now()))
