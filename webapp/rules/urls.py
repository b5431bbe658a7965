"""Addresses of rules."""

from __future__ import annotations

from django.urls import path

from webapp.rules.views import listing, rule, trying

urlpatterns = [
    path("", listing.rules, name="rules"),
    path("new/<slug:slug>/", rule.new, name="rule-new"),
    path("create/<slug:slug>/", rule.create, name="rule-create"),
    path("try/<slug:slug>/", trying.try_it, name="rule-try"),
    path("of/<slug:slug>/<slug:name>/", rule.rule, name="rule"),
    path("of/<slug:slug>/<slug:name>/save/", rule.save, name="rule-save"),
    path("of/<slug:slug>/<slug:name>/active/", rule.switch, name="rule-switch"),
    path("of/<slug:slug>/<slug:name>/versions/<int:number>/", rule.version, name="rule-version"),
]
