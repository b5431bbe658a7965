"""Every address of the site. The report pages are mounted below their inspection."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from webapp.api import token_pages
from webapp.catalogue import views as catalogue
from webapp.health import healthz, metrics, readyz
from webapp.operations.views import moving

handler400 = "webapp.errors.bad_request"
handler403 = "webapp.errors.forbidden"
handler404 = "webapp.errors.not_found"
handler500 = "webapp.errors.server_error"

urlpatterns = [
    path("", include("webapp.journals.urls")),
    path("inspections/<uuid:inspection_id>/report/", include("webapp.reports.urls")),
    path("search/", include("webapp.search.urls")),
    path("review/rules/", include("webapp.rules.urls")),
    path("review/", include("webapp.review.urls")),
    path("clusters/", include("webapp.clusters.urls")),
    path("", include("webapp.sharing.urls")),
    path("notifications/", include("webapp.notifications.urls")),
    path("audit/", include("webapp.audit.urls")),
    path("operations/", include("webapp.operations.urls")),
    path("journals/<uuid:journal_id>/move/", moving.move, name="journal-move"),
    path("api/", include("webapp.api.urls")),
    path("catalogue/", include("webapp.catalogue.urls")),
    path("docs/", catalogue.documentation, name="docs"),
    path("docs/<path:path>", catalogue.documentation, name="docs-file"),
    path("accounts/tokens/", token_pages.page, name="tokens"),
    path("accounts/tokens/<uuid:token_id>/revoke/", token_pages.revoke, name="token-revoke"),
    path("accounts/", include("webapp.accounts.urls")),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
