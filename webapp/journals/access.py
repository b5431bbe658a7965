"""Who may see and change what: every view asks here and nowhere else. What one may not see is 404."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404

from webapp.accounts.access import require_role
from webapp.accounts.models import Project
from webapp.accounts.roles import has_role, projects_for_user
from webapp.journals.models import Inspection, Journal, Repair, Upload


def journals_for_user(user: Any) -> QuerySet[Journal]:
    """Journals this user may see: those of the projects they have a role in."""
    return Journal.objects.filter(project__in=projects_for_user(user))


def get_journal_for_user(user: Any, journal_id: UUID | str) -> Journal:
    return _or_404(journals_for_user(user).filter(pk=journal_id).select_related("created_by", "project"))


def get_inspection_for_user(user: Any, inspection_id: UUID | str) -> Inspection:
    visible = Inspection.objects.filter(journal__in=journals_for_user(user))
    return _or_404(visible.filter(pk=inspection_id).select_related("journal__project", "requested_by"))


def finished_inspections(user: Any) -> QuerySet[Inspection]:
    """Inspections with a report that this user may see."""
    return Inspection.objects.filter(journal__in=journals_for_user(user), state=Inspection.State.DONE)


def earlier_inspection(user: Any, inspection: Inspection, journal_name: str) -> Inspection | None:
    """The newest finished inspection of an earlier dump of the same journal by its name, if the user may see it."""
    journal = inspection.journal
    dumps = journals_for_user(user).filter(
        lineage=journal.lineage,
        project=journal.project_id,
        created_at__lt=journal.created_at,
        name=journal_name,
    )
    done = Inspection.objects.filter(journal__in=dumps, state=Inspection.State.DONE)
    return done.select_related("journal").order_by("-journal__created_at", "-finished_at").first()


def journals_seen_with(journal: Journal) -> QuerySet[Journal]:
    """Journals that everybody may see who may see this one: what they hold may stand in its repair."""
    return Journal.objects.filter(project=journal.project_id)


def get_repair_for_user(user: Any, repair_id: UUID | str) -> Repair:
    """The repair, or 404: who may see the inspection sees what mends its journal."""
    visible = Repair.objects.filter(inspection__journal__in=journals_for_user(user))
    return _or_404(
        visible.filter(pk=repair_id).select_related("inspection__journal__project", "requested_by")
    )


def get_upload_for_user(user: Any, upload_id: UUID | str) -> Upload:
    visible = Upload.objects.filter(journal__in=journals_for_user(user))
    return _or_404(visible.filter(pk=upload_id).select_related("journal__project"))


def get_own_upload(user: Any, upload_id: UUID | str) -> Upload:
    """A file this user may send bytes for: one of their own journals. Others' are 404, an admin's rights included."""
    upload = get_upload_for_user(user, upload_id)
    if not can_add(user, upload.journal.project_id) or upload.journal.created_by_id != user.pk:
        raise Http404
    return upload


def can_add(user: Any, project_id: int | None = None) -> bool:
    """Whether the user may upload, inspect, cancel, rename in the project; without one: in any."""
    return has_role(user, "support", project_id)


def require_adding(user: Any, project_id: int | None = None) -> None:
    """403 for who may only read; 404 for who may not even know that this page is here."""
    require_role(user, "support", project_id)


def project_to_add_to(user: Any, slug: str = "") -> Project:
    """The project of this name, or without one the user's first, in which they may upload."""
    if not slug:
        require_adding(user)
        return projects_for_user(user, "support")[0]
    project: Project = _or_404(projects_for_user(user).filter(slug=slug))
    require_adding(user, project.pk)
    return project


def can_delete(user: Any, journal: Journal) -> bool:
    """Whether the user may delete the journal, its files and its inspections: its creator, or an admin."""
    is_creator = journal.created_by_id is not None and journal.created_by_id == user.pk
    return has_role(user, "admin", journal.project_id) or (is_creator and can_add(user, journal.project_id))


def projects_to_move_to(user: Any, journal: Journal) -> QuerySet[Project]:
    """Other projects in which the user is an admin."""
    return projects_for_user(user, "admin").exclude(pk=journal.project_id)


def _or_404(rows: QuerySet[Any]) -> Any:
    row = rows.first()
    if row is None:
        raise Http404
    return row
