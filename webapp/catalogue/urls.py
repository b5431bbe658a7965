"""Addresses of the catalogue."""

from __future__ import annotations

from django.urls import path

from webapp.catalogue import views

urlpatterns = [
    path("", views.catalogue, name="catalogue"),
    path("<str:shelf>/<path:name>/", views.page, name="catalogue-page"),
]
