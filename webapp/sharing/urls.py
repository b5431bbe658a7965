"""Addresses of sharing: the pages behind a link, the dialogue that makes one, the lists of them.

A link serves the report pages that declare `shared=True` and no others: a new page of the report is not shared by itself.
"""

from __future__ import annotations

from django.urls import URLPattern, include, path

from webapp.reports.pages import report_addresses
from webapp.reports.urls import urlpatterns as report_urls
from webapp.sharing.evidence import views as evidence
from webapp.sharing.exports import comparison, query
from webapp.sharing.exports.views import export
from webapp.sharing.views import dialogue, link_picture, lists, shared, ticket


def _shared(page: URLPattern) -> URLPattern:
    view = shared.shared_page(page.callback.bare, page.name)  # type: ignore[attr-defined, arg-type]
    return URLPattern(page.pattern, view, page.default_args, page.name)


exports = [
    path("records/export/<str:layout>/", export, name="report-records-export"),
]

shared_pages = [
    *(_shared(page) for page in report_urls if report_addresses()[str(page.name)].shared),
    *(_shared(page) for page in exports),
    path(
        "evidence/", shared.shared_page(evidence.shared_evidence, "report-evidence"), name="report-evidence"
    ),
    path("picture.png", shared.shared_page(link_picture.picture, shared.PICTURE), name=shared.PICTURE),
    path("password/", shared.password, name="password"),
    path("visit/", shared.visit, name="visit"),
    path("<path:rest>", shared.nothing, name="nothing"),
]

urlpatterns = [
    path("s/<str:token>/", include((shared_pages, "shared"))),
    path("inspections/<uuid:inspection_id>/report/", include(exports)),
    path(
        "inspections/<uuid:inspection_id>/report/compare/<uuid:other_id>/export/<str:layout>",
        comparison.export,
        name="report-comparison-export",
    ),
    path(
        "inspections/<uuid:inspection_id>/report/sql/export/<str:layout>/",
        query.export,
        name="report-sql-export",
    ),
    path("inspections/<uuid:inspection_id>/evidence/", evidence.evidence, name="evidence"),
    path("evidence/key/", evidence.key, name="evidence-key"),
    path("evidence/key.pem", evidence.key_file, name="evidence-key-file"),
    path("inspections/<uuid:inspection_id>/share/", dialogue.dialogue, name="share"),
    path("inspections/<uuid:inspection_id>/share/preview/", dialogue.preview, name="share-preview"),
    path("inspections/<uuid:inspection_id>/share/ticket/", ticket.make, name="share-ticket"),
    path("shares/", lists.own_shares, name="shares"),
    path("shares/of/<uuid:journal_id>/", lists.of_journal, name="shares-of-journal"),
    path("shares/<uuid:share_id>/", lists.one, name="share-log"),
    path("shares/<uuid:share_id>/state/", lists.state, name="share-state"),
    path("shares/<uuid:share_id>/ticket/", ticket.finished, name="share-ticket-state"),
    path("shares/<uuid:share_id>/revoke/", lists.revoke, name="share-revoke"),
]
