"""Address of the search."""

from __future__ import annotations

from django.urls import path

from webapp.search import views

urlpatterns = [path("", views.search, name="search")]
