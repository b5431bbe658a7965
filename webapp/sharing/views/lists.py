"""Lists of shares: those of a user, those of a journal, and one share with its access log."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from webapp.accounts.access import require_role
from webapp.accounts.roles import has_role
from webapp.accounts.signed_in import SignedInRequest
from webapp.journals.access import get_journal_for_user, require_adding
from webapp.sharing import shares
from webapp.sharing.access import get_share_for_user, shares_for_user
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope, subject

ROWS = 50


@require_safe
def own_shares(request: SignedInRequest) -> HttpResponse:
    """Shares of the user."""
    require_adding(request.user)
    return _list(request, shares_for_user(request.user).filter(created_by=request.user), {})


@require_safe
def of_journal(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """Shares of all users of a journal's reports."""
    journal = get_journal_for_user(request.user, journal_id)
    require_role(request.user, "support", journal.project_id)
    shares_of_journal = shares_for_user(request.user).filter(inspection__journal=journal)
    return _list(request, shares_of_journal, {"journal": journal})


@require_safe
def one(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """A share: its terms and its access log."""
    share = get_share_for_user(request.user, share_id)
    opened = Paginator(share.opened.select_related("user"), ROWS).get_page(request.GET.get("page"))
    context = {
        "share": share,
        "opened": opened,
        "can_revoke": can_revoke(request, share),
        "section": "journals",
    }
    return render(request, "sharing/one.html", context)


@require_safe
def state(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """Fragment that is polled until the share is made."""
    return render(request, "sharing/state.html", {"share": get_share_for_user(request.user, share_id)})


@require_POST
def revoke(request: HttpRequest, share_id: UUID) -> HttpResponse:
    share = get_share_for_user(request.user, share_id)
    if not can_revoke(request, share):
        raise PermissionDenied("Only the user who made the link, or an admin of the project, can revoke it.")
    shares.revoke(share, request.user)
    if request.headers.get("HX-Request") == "true":
        return render(request, "sharing/ticket.html", {"is_revoked": True})
    messages.success(request, "The link is revoked, and its snapshot is deleted.")
    return redirect("share-log", share.pk)


def can_revoke(request: HttpRequest, share: Share) -> bool:
    return share.created_by_id == request.user.pk or has_role(request.user, "admin", share.project_id)


def _list(request: HttpRequest, shares_shown: QuerySet[Share], context: dict[str, object]) -> HttpResponse:
    page = Paginator(shares_shown.select_related("created_by", "inspection"), ROWS).get_page(
        request.GET.get("page")
    )
    rows = [
        {
            "share": share,
            "subject": subject(Scope.read(share.scope)),
            "can_revoke": not share.revoked_at and can_revoke(request, share),
        }
        for share in page
    ]
    return render(
        request, "sharing/list.html", context | {"shares": page, "rows": rows, "section": "journals"}
    )
