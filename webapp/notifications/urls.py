"""Addresses of notifications."""

from __future__ import annotations

from django.urls import path

from webapp.notifications.views import own, project

CHANNEL = "projects/<slug:slug>/<uuid:channel_id>/"

urlpatterns = [
    path("", own.own, name="notifications"),
    path("save/", own.save, name="notifications-save"),
    path("test/", own.test, name="notifications-test"),
    path("deliveries/<uuid:delivery_id>/retry/", own.retry, name="notification-retry"),
    path("projects/<slug:slug>/", project.channels, name="notification-channels"),
    path("projects/<slug:slug>/add/", project.add, name="notification-channel-add"),
    path(f"{CHANNEL}save/", project.save, name="notification-channel-save"),
    path(f"{CHANNEL}test/", project.test, name="notification-channel-test"),
    path(f"{CHANNEL}secret/", project.secret, name="notification-channel-secret"),
    path(f"{CHANNEL}delete/", project.delete, name="notification-channel-delete"),
]
