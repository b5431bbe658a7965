"""Addresses of the page of tokens, below /accounts/tokens/."""

from __future__ import annotations

from django.urls import path

from webapp.api.views import tokens

urlpatterns = [
    path("", tokens.page, name="tokens"),
    path("<uuid:token_id>/revoke/", tokens.revoke, name="token-revoke"),
]
