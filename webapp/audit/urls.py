"""Addresses of audit."""

from __future__ import annotations

from django.urls import path

from webapp.audit import views

urlpatterns = [
    path("", views.events, name="audit"),
    path("export.<str:form>", views.export, name="audit-export"),
]
