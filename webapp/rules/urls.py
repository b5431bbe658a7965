"""Addresses of rules."""

from __future__ import annotations

from django.urls import path

from webapp.rules import views

urlpatterns = [
    path("", views.rules, name="rules"),
    path("new/<slug:slug>/", views.new, name="rule-new"),
    path("create/<slug:slug>/", views.create, name="rule-create"),
    path("try/<slug:slug>/", views.try_it, name="rule-try"),
    path("of/<slug:slug>/<slug:name>/", views.rule, name="rule"),
    path("of/<slug:slug>/<slug:name>/save/", views.save, name="rule-save"),
    path("of/<slug:slug>/<slug:name>/active/", views.switch, name="rule-switch"),
    path("of/<slug:slug>/<slug:name>/versions/<int:number>/", views.version, name="rule-version"),
]
