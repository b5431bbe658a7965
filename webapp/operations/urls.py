"""Addresses of operations."""

from __future__ import annotations

from django.urls import path

from webapp.operations.views import jobs, retention, storage

urlpatterns = [
    path("storage/", storage.storage, name="operations-storage"),
    path("jobs/", jobs.jobs, name="operations-jobs"),
    path("jobs/<slug:kind>/<uuid:run_id>/cancel/", jobs.cancel, name="operations-job-cancel"),
    path("jobs/<slug:kind>/<uuid:run_id>/again/", jobs.start_again, name="operations-job-again"),
    path("projects/<slug:slug>/retention/", retention.retention, name="operations-retention"),
    path("projects/<slug:slug>/retention/preview/", retention.preview, name="operations-retention-preview"),
    path("projects/<slug:slug>/retention/save/", retention.save, name="operations-retention-save"),
    path("projects/<slug:slug>/quotas/", retention.save_quotas, name="operations-quotas-save"),
    path("journals/<uuid:journal_id>/hold/", retention.hold, name="journal-hold"),
]
