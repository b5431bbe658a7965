"""The addresses of a site that has a SAML provider."""

from __future__ import annotations

from django.urls import include, path

from webapp import urls
from webapp.accounts.provider import saml

urlpatterns = [path("accounts/", include(saml.urlpatterns)), *urls.urlpatterns]
handler404 = urls.handler404
