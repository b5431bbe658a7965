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
    """Django's own, but a part of a page that polls sends the whole page to the sign-in."""

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseRedirect:
        """Redirect."""
        if request.headers.get("HX-Request") == "true":
            return HttpResponseClientRedirect(  # type: ignore[return-value]
                f"{reverse('account_login')}?{urlencode({'next': _page(request)})}"
            )
        return super().handle_no_permission(request, view_func)


def _page(request: HttpRequest) -> str:
    """Path of the page that the part belongs to."""
    shown = urlsplit(request.headers.get("HX-Current-URL", "/"))
    return urlunsplit(("", "", shown.path or "/", shown.query, ""))


class RoleRequired(MiddlewareMixin):
    """Comes after LoginRequiredMiddleware and leaves the same views open: those of signing in and out."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Let pass, show the page, or 404."""
        is_open = not getattr(view, "login_required", True) or request.path.startswith("/accounts/")
        if is_open or not request.user.is_authenticated or has_role(request.user, "viewer"):
            return None
        if request.path == "/":
            return render(request, "accounts/no_role.html", status=403)
        raise Http404
