"""Invitations: a link makes whoever has it a member of one project, once, within a week.

The token stands nowhere but in the link. A link that was mailed proves that its reader owns the address.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.models import Invitation, Membership, Project, rank
from webapp.accounts.sealing import token_hash
from webapp.audit import log

VALID_DAYS = 7


@transaction.atomic
def create(project: Project, role: str, by: Any, email: str = "") -> tuple[Invitation, str]:
    """Returns the invitation and the path of its link; the token is stored nowhere else."""
    token = secrets.token_urlsafe(32)
    invitation = project.invitations.create(
        role=role,
        email=email,
        token_sha256=token_hash(token),
        created_by=by,
        expires_at=timezone.now() + timedelta(days=VALID_DAYS),
    )
    log.record(
        "invitation.created", project_id=project.pk, target=invitation, role=role, is_addressed=bool(email)
    )
    return invitation, reverse("invitation", args=[token])


def mail(invitation: Invitation, address: str) -> bool:
    """Send the link if mail is configured. Raises OSError if the mail server rejects it."""
    if not mail_is_configured() or not invitation.email:
        return False
    context = {"invitation": invitation, "address": address, "days": VALID_DAYS}
    text = render_to_string("accounts/invitation.txt", context)
    send_mail(f"Journalscope: {invitation.project}", text, None, [invitation.email])
    invitation.is_mailed = True
    invitation.save(update_fields=["is_mailed"])
    return True


def mail_is_configured() -> bool:
    """Whether a mail server is set; tests replace the backend."""
    is_smtp = settings.EMAIL_BACKEND.endswith("smtp.EmailBackend")
    return not is_smtp or bool(
        getattr(settings, "EMAIL_CONFIGURED", settings.EMAIL_HOST not in ("", "localhost"))
    )


def open_invitations(project: Project) -> Any:
    """Invitations that can still be used, newest first."""
    return project.invitations.filter(used_at=None, expires_at__gt=timezone.now()).select_related(
        "created_by"
    )


def find(token: str) -> Invitation | None:
    """The invitation of this token, or None if it is unknown, expired or used."""
    usable = Invitation.objects.filter(used_at=None, expires_at__gt=timezone.now())
    return usable.select_related("project", "created_by").filter(token_sha256=token_hash(token)).first()


@transaction.atomic
def accept(invitation: Invitation, user: Any) -> bool:
    """Give the user the role of the invitation, unless they have a higher one. False if it was used meanwhile."""
    used = Invitation.objects.filter(pk=invitation.pk, used_at=None, expires_at__gt=timezone.now())
    # one UPDATE decides who was first
    if not used.update(used_at=timezone.now(), used_by=user):
        return False
    membership, is_new = Membership.objects.get_or_create(
        project=invitation.project, user=user, defaults={"role": invitation.role}
    )
    if not is_new and rank(membership.role_by_hand) < rank(invitation.role):
        membership.give(by_hand=invitation.role)
        membership.save()
    log.record(
        "invitation.accepted",
        actor=user,
        project_id=invitation.project_id,
        target=invitation,
        role=membership.role,
    )
    return True


@transaction.atomic
def sign_up(invitation: Invitation, username: str, email: str, password: str) -> Any:
    """Create an account that is a member of the project; None if the invitation was used meanwhile."""
    user = get_user_model().objects.create_user(username, email, password)
    if not accept(invitation, user):
        transaction.set_rollback(True)
        return None
    if email and invitation.is_mailed and email.casefold() == invitation.email.casefold():
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    log.record("account.created", actor=user, project_id=invitation.project_id, target=user)
    return user


@transaction.atomic
def withdraw(invitation: Invitation) -> None:
    log.record(
        "invitation.withdrawn", project_id=invitation.project_id, target=invitation, role=invitation.role
    )
    invitation.delete()
