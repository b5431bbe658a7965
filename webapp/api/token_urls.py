"""Addresses of the page of tokens, below /accounts/tokens/."""

from __future__ import annotations

from django.urls import path

from webapp.api import token_pages

urlpatterns = [
    path("", token_pages.page, name="tokens"),
    path("<uuid:token_id>/revoke/", token_pages.revoke, name="token-revoke"),
]
