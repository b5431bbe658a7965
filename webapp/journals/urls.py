"""Addresses of journals, uploads and inspections."""

from __future__ import annotations

from django.urls import path

from webapp.journals.receiving import tus
from webapp.journals.views import announcing, inspection, journal, listing, pasting, samples, search

urlpatterns = [
    path("", listing.journals, name="journals"),
    path("search/", search.search, name="search"),
    path("paste/preview/", pasting.preview, name="paste-preview"),
    path("samples/<slug:kind>/load/", samples.load, name="sample-load"),
    path("samples/remove/", samples.remove, name="samples-remove"),
    path("journals/", announcing.create, name="journal-create"),
    path("journals/<uuid:journal_id>/", journal.journal, name="journal"),
    path("journals/<uuid:journal_id>/files/", announcing.files, name="journal-files"),
    path("journals/<uuid:journal_id>/row/", listing.row, name="journal-row"),
    path("journals/<uuid:journal_id>/edit/", journal.edit, name="journal-edit"),
    path("journals/<uuid:journal_id>/inspect/", journal.inspect, name="journal-inspect"),
    path("journals/<uuid:journal_id>/delete/", journal.delete, name="journal-delete"),
    path("journals/<uuid:journal_id>/storing/", journal.storing_state, name="journal-storing"),
    path("journals/<uuid:journal_id>/next/", journal.next_page, name="journal-next"),
    path("uploads/", tus.collection, name="tus"),
    path("uploads/<uuid:upload_id>/", tus.resource, name="tus-upload"),
    path("uploads/<uuid:upload_id>/delete/", journal.delete_upload, name="upload-delete"),
    path("inspections/<uuid:inspection_id>/", inspection.inspection, name="inspection"),
    path("inspections/<uuid:inspection_id>/progress/", inspection.fragment, name="inspection-progress"),
    path("inspections/<uuid:inspection_id>/log/", inspection.log, name="inspection-log"),
    path("inspections/<uuid:inspection_id>/cancel/", inspection.cancel, name="inspection-cancel"),
    path("inspections/<uuid:inspection_id>/retry/", inspection.retry, name="inspection-retry"),
    path("inspections/<uuid:inspection_id>/read-as/", inspection.read_as, name="inspection-read-as"),
    path(
        "inspections/<uuid:inspection_id>/text-format/", inspection.text_format, name="inspection-text-format"
    ),
    path("inspections/<uuid:inspection_id>/delete/", inspection.delete, name="inspection-delete"),
]
