"""Lists of shares: mine, a journal's; one with its access log; taking one back."""

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

ROWS = 50


@require_safe
def own_shares(request: SignedInRequest) -> HttpResponse:
    require_adding(request.user)
    return _list(request, shares_for_user(request.user).filter(created_by=request.user), {})


@require_safe
def of_journal(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """Links to reports of the journal by all users."""
    journal = get_journal_for_user(request.user, journal_id)
    require_role(request.user, "support", journal.project_id)
    shares_of_journal = shares_for_user(request.user).filter(inspection__journal=journal)
    return _list(request, shares_of_journal, {"journal": journal})


@require_safe
def one(request: HttpRequest, share_id: UUID) -> HttpResponse:
    """One link: its terms, and who opened what of it when."""
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
    """How far the making of it is: the part of the page that changes."""
    return render(request, "sharing/state.html", {"share": get_share_for_user(request.user, share_id)})


@require_POST
def revoke(request: HttpRequest, share_id: UUID) -> HttpResponse:
    share = get_share_for_user(request.user, share_id)
    if not can_revoke(request, share):
        raise PermissionDenied("Only who made a link, or an admin of the project, takes it back.")
    shares.revoke(share, request.user)
    messages.success(request, "The link is revoked, and its snapshot is deleted.")
    return redirect("share-log", share.pk)


def can_revoke(request: HttpRequest, share: Share) -> bool:
    return share.created_by_id == request.user.pk or has_role(request.user, "admin", share.project_id)


def _list(request: HttpRequest, rows: QuerySet[Share], context: dict[str, object]) -> HttpResponse:
    page = Paginator(rows.select_related("created_by"), ROWS).get_page(request.GET.get("page"))
    return render(request, "sharing/list.html", context | {"shares": page, "section": "journals"})
