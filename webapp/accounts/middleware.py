"""Who gets in: everybody has to sign in, and whoever is signed in but has no role yet sees one page that says whom to ask, and 404 everywhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django_htmx.http import HttpResponseClientRedirect

from webapp.accounts.roles import has_role


class SignInRequired(LoginRequiredMiddleware):
    """Django's LoginRequiredMiddleware; an expired session redirects the whole page, not the part that htmx polls."""

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseRedirect:
        if request.headers.get("HX-Request") == "true":
            return HttpResponseClientRedirect(
                f"{reverse('account_login')}?{urlencode({'next': _page(request)})}"
            )
        return super().handle_no_permission(request, view_func)


def _page(request: HttpRequest) -> str:
    """Path of the page that the part belongs to."""
    page = urlsplit(request.headers.get("HX-Current-URL", "/"))
    return urlunsplit(("", "", page.path or "/", page.query, ""))


class RoleRequired(MiddlewareMixin):
    """Comes after LoginRequiredMiddleware and exempts the same views."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        is_open = not getattr(view, "login_required", True) or request.path.startswith("/accounts/")
        if is_open or not request.user.is_authenticated or has_role(request.user, "viewer"):
            return None
        if request.path == "/":
            return render(request, "accounts/no_role.html", status=403)
        raise Http404
