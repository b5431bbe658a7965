"""Report pages for readers of a share: from its own tables, read-only."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from webapp.reports.page import opened_page
from webapp.reports.results import ResultsGone
from webapp.reports.source import ReportSource
from webapp.sharing import link_access
from webapp.sharing.access import share_of_token
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope, hidden_parts, is_masked
from webapp.sharing.words import opens

TITLE = "Shared report"
PICTURE = "link-picture"


def shared_page(view: Callable[..., HttpResponseBase], name: str) -> Callable[..., HttpResponseBase]:
    """The view of a report page for readers of a share. `name`: of its address."""

    @require_safe
    @wraps(view)
    def opened_share(request: HttpRequest, token: str, **parts: Any) -> HttpResponseBase:
        share, closed = _entered(request, token)
        if closed is not None:
            return closed
        if link_access.asks_first(request, share):
            visits_left = share.max_views - share.views
            return render(request, "sharing/limited.html", {"token": token, "left": visits_left})
        start = share.pinned["start"]
        if name == "report-overview" and start["name"] != name:
            return redirect(start_of(token, start))
        if not _counted(request, share, name):
            return _closed(request, "used_up")
        try:
            with opened_page(request, source_of(share, token)) as page:
                return view(page, **parts)
        except ResultsGone:
            return _closed(request, "deleted", share)
        except Http404:
            return _missing(request, token)

    return login_not_required(opened_share)


def source_of(share: Share, token: str) -> ReportSource:
    """The source of the share's pages."""
    scope = Scope.read(share.scope)
    tells_name = share.options["payloads"] and share.options["names"]
    return ReportSource(
        share.journal_name if tells_name else TITLE,
        share.results,
        (token,),
        namespace="shared",
        share=share,
        opens=opens(share),
        is_narrowed=scope.what != "report",
        tabs=scope.tabs,
        hidden=hidden_parts(share.options),
        decodes=not is_masked(share.options),
        trials=share.pinned.get("trials", {}),
    )


def start_of(token: str, start: dict[str, Any]) -> str:
    """Address of the share's first page."""
    address = reverse(f"shared:{start['name']}", args=[token, *start["args"]])
    query = f"?{urlencode(start['query'])}" if start["query"] else ""
    anchor = f"#{start['anchor']}" if start["anchor"] else ""
    return f"{address}{query}{anchor}"


@login_not_required
@csrf_exempt  # a page without a referrer sends no origin either; whoever is tricked into this learns nothing
@require_http_methods(["POST"])
def password(request: HttpRequest, token: str) -> HttpResponse:
    """Check the password of a share."""
    share = share_of_token(token)
    if share is None or share.why_closed or not share.password:
        return redirect("shared:report-overview", token)
    answer = link_access.try_password(request, share, request.POST.get("password", ""))
    if answer == "right":
        return redirect("shared:report-overview", token)
    status = 429 if answer == "wait" else 403
    return render(request, "sharing/password.html", {"token": token, "answer": answer}, status=status)


@login_not_required
@csrf_exempt  # for the same reason; the token in the address is all that is needed anyway
@require_http_methods(["POST"])
def visit(request: HttpRequest, token: str) -> HttpResponse:
    """Start a visit of a share with a limit of visits."""
    share, closed = _entered(request, token)
    if closed is not None:
        return closed
    if not link_access.count_visit(request, share):
        return _closed(request, "used_up")
    return redirect("shared:report-overview", token)


@login_not_required
def nothing(request: HttpRequest, token: str, rest: str = "") -> HttpResponse:
    """404 for all other addresses below a link."""
    return _missing(request, "")


def _entered(request: HttpRequest, token: str) -> tuple[Any, HttpResponse | None]:
    """The share, or the page that says why it does not open. What is told before the password is the same for all."""
    share = share_of_token(token)
    if share is None:
        return None, _missing(request, "")
    if share.why_closed and not (
        share.why_closed == "used_up" and not link_access.is_new_visit(request, share)
    ):
        return None, _closed(request, share.why_closed, share)
    may = link_access.may_look(share, request.user)
    if may == "sign_in":
        return None, redirect_to_login(request.get_full_path())
    if may == "no":
        return None, _missing(request, "")
    if not link_access.has_password(request, share):
        return None, render(request, "sharing/password.html", {"token": token})
    if share.state != Share.State.DONE:
        return None, _waiting(request, share)
    return share, None


def _counted(request: HttpRequest, share: Share, name: str) -> bool:
    """Whole pages stand in the access log; figures and parts of pages belong to them. What fetches a preview is no reader."""
    if share.max_views is None and name == PICTURE:
        return True
    if share.max_views is None and link_access.is_robot(request):
        link_access.log_robot(request, share)
        return True
    if link_access.is_new_visit(request, share):
        return link_access.count_visit(request, share)
    is_part = request.headers.get("HX-Request") == "true" or name.endswith(("-figure", "-completion"))
    if not is_part and request.method == "GET":
        link_access.log_page(request, share)
    return True


def _missing(request: HttpRequest, token: str) -> HttpResponse:
    """`token`: only if the share is open, for a link back to it."""
    return render(request, "sharing/missing.html", {"token": token}, status=404)


def _closed(request: HttpRequest, why: str, share: Share | None = None) -> HttpResponse:
    return render(request, "sharing/closed.html", {"why": why, "share": share}, status=410)


def _waiting(request: HttpRequest, share: Share) -> HttpResponse:
    has_failed = share.state == Share.State.FAILED
    response = render(
        request, "sharing/waiting.html", {"has_failed": has_failed}, status=410 if has_failed else 202
    )
    if not has_failed:
        response["Refresh"] = "3"  # seconds, for a guest who does not know how soon it is done
    return response
