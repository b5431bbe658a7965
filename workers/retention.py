"""Once a day: delete the journals that their projects keep no longer. Each deletion is an event of its own."""

from __future__ import annotations

import logging

from webapp.accounts.models import Project
from webapp.audit import log
from webapp.journals import deletion
from webapp.journals.models import Journal
from webapp.operations.retention import over
from webapp.rejected import Rejected

logger = logging.getLogger(__name__)


def remove_what_is_over() -> None:
    """One run; a project or a journal that cannot be deleted does not keep the others."""
    for project in Project.objects.filter(is_on_hold=False).exclude(retention_days=None):
        deleted = sum(_deleted(journal, project) for journal in over(project, project.retention_days))
        if deleted:
            log.record("retention.ran", project_id=project.pk, target=project, journals=deleted)


def _deleted(journal: Journal, project: Project) -> bool:
    """False for one that is being inspected, or that was put under a hold a moment ago: the next run looks again."""
    try:
        deletion.delete_journal(journal, why="retention", retention_days=project.retention_days)
    except Journal.DoesNotExist:  # somebody was quicker
        return False
    except Rejected as refusal:
        logger.info("Retention leaves journal %s for the next run: %s", journal.pk, refusal)
        return False
    except Exception:
        logger.exception("Retention could not delete journal %s.", journal.pk)
        return False
    return True
