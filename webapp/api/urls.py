"""Addresses of the API."""

from __future__ import annotations

from django.urls import include, path

from webapp.api.views import documentation, inspections, journals, projects, tables
from webapp.api.views.missing import MissingView

INSPECTION = "inspections/<uuid:inspection_id>/"

v1 = [
    path("me/", projects.MeView.as_view(), name="api-me"),
    path("projects/", projects.ProjectsView.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", projects.ProjectView.as_view(), name="api-project"),
    path("projects/<slug:slug>/members/", projects.MembersView.as_view(), name="api-members"),
    path("journals/", journals.JournalsView.as_view(), name="api-journals"),
    path("journals/<uuid:journal_id>/", journals.JournalView.as_view(), name="api-journal"),
    path("journals/<uuid:journal_id>/files/", journals.FilesView.as_view(), name="api-files"),
    path("files/<uuid:upload_id>/", journals.FileView.as_view(), name="api-file"),
    path(
        "journals/<uuid:journal_id>/inspections/",
        journals.InspectionsOfJournal.as_view(),
        name="api-inspections",
    ),
    path(INSPECTION, inspections.InspectionView.as_view(), name="api-inspection"),
    path(f"{INSPECTION}cancel/", inspections.CancelView.as_view(), name="api-inspection-cancel"),
    path(f"{INSPECTION}retry/", inspections.RetryView.as_view(), name="api-inspection-retry"),
    path(f"{INSPECTION}read-as/", inspections.ReadAsView.as_view(), name="api-inspection-read-as"),
    path(f"{INSPECTION}report/", inspections.ReportView.as_view(), name="api-report"),
    path(f"{INSPECTION}records/", tables.RecordsView.as_view(), name="api-records"),
    path(f"{INSPECTION}records/<offset:offset>/", tables.RecordView.as_view(), name="api-record"),
    *(
        path(f"{INSPECTION}{view.address}/", view.as_view(), name=f"api-{view.address}")
        for view in tables.TABLE_VIEWS
    ),
    path("<path:rest>", MissingView.as_view(), name="api-missing"),
]

urlpatterns = [
    path("", documentation.page, name="api"),
    path("schema/", documentation.SchemaView.as_view(), name="api-schema"),
    path("v1/", include(v1)),
]
