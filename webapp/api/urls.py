"""Addresses of the API: a resource a line; then those that stand below another resource."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, include, path
from rest_framework.routers import SimpleRouter

from webapp.api import documentation
from webapp.api.accounts.me import MeViewSet, SessionViewSet
from webapp.api.accounts.members import InvitationViewSet, MemberViewSet
from webapp.api.accounts.projects import ProjectViewSet
from webapp.api.clusters.captures import CaptureViewSet
from webapp.api.clusters.clusters import ClusterViewSet, TrialViewSet
from webapp.api.clusters.watches import HistoryViewSet, WatchViewSet
from webapp.api.journals.inspections import InspectionViewSet
from webapp.api.journals.journals import FileViewSet, JournalViewSet
from webapp.api.journals.pasted import TextViewSet
from webapp.api.journals.repairs import ComparisonViewSet, RepairViewSet
from webapp.api.notifications.channels import ChannelViewSet
from webapp.api.notifications.own import DeliveryViewSet, OwnNotificationsViewSet
from webapp.api.operations.audit import AuditViewSet
from webapp.api.operations.jobs import JobViewSet, RetentionViewSet, StorageViewSet
from webapp.api.reports.profile import ProfileViewSet
from webapp.api.reports.tables import TABLE_VIEW_SETS, RecordViewSet, ReportViewSet
from webapp.api.rest.errors import MissingView
from webapp.api.rest.resource import Resource
from webapp.api.review.filters import FilterViewSet
from webapp.api.review.findings import FindingViewSet
from webapp.api.rules.rules import RuleViewSet
from webapp.api.sharing.shares import ExportViewSet, ShareViewSet

PROJECT = "projects/<slug:slug>"
JOURNAL = "journals/<uuid:journal_id>"
INSPECTION = "inspections/<uuid:inspection_id>"
CLUSTER = "clusters/<uuid:cluster_id>"
JOB = "jobs/<slug:kind>/<uuid:run_id>"

router = SimpleRouter(use_regex_path=False)
router.register("deliveries", DeliveryViewSet, "api-delivery")
router.register("projects", ProjectViewSet, "api-project")
router.register(f"{PROJECT}/members", MemberViewSet, "api-member")
router.register(f"{PROJECT}/invitations", InvitationViewSet, "api-invitation")
router.register(f"{PROJECT}/rules", RuleViewSet, "api-rule")
router.register(f"{PROJECT}/channels", ChannelViewSet, "api-channel")
router.register("journals/text", TextViewSet, "api-text")
router.register("journals", JournalViewSet, "api-journal")
router.register("files", FileViewSet, "api-file")
router.register("inspections", InspectionViewSet, "api-inspection")
router.register(f"{INSPECTION}/records", RecordViewSet, "api-record")
router.register(f"{INSPECTION}/repairs", RepairViewSet, "api-repair")
router.register("findings", FindingViewSet, "api-finding")
router.register("filters", FilterViewSet, "api-filter")
router.register("shares", ShareViewSet, "api-share")
router.register("clusters", ClusterViewSet, "api-cluster")
router.register("trials", TrialViewSet, "api-trial")
router.register("captures", CaptureViewSet, "api-capture")
router.register("watches", WatchViewSet, "api-watch")
router.register("jobs", JobViewSet, "api-job")
router.register("audit", AuditViewSet, "api-audit")


def below(address: str, view_set: type[Resource], name: str, **methods: str) -> URLPattern:
    """An address that the router does not make; `methods`: HTTP's -> the view set's."""
    actions: dict[str, Any] = {**methods}
    return path(address, view_set.as_view(actions), name=name)


v1 = [
    *router.urls,
    below("me/", MeViewSet, "api-me", get="retrieve"),
    below("me/sessions/", SessionViewSet, "api-me-sessions", get="list", delete="end_others"),
    below("me/sessions/<int:session_id>/", SessionViewSet, "api-me-session", delete="destroy"),
    below(
        "me/notifications/",
        OwnNotificationsViewSet,
        "api-me-notifications",
        get="retrieve",
        patch="partial_update",
    ),
    below("me/notifications/test/", OwnNotificationsViewSet, "api-me-notifications-test", post="test"),
    below("me/notifications/deliveries/", OwnNotificationsViewSet, "api-me-deliveries", get="deliveries"),
    below(f"{PROJECT}/retention/", RetentionViewSet, "api-retention", get="retrieve"),
    below(f"{PROJECT}/try-rule/", RuleViewSet, "api-rule-try", post="try_text"),
    below(f"{PROJECT}/clusters/", ClusterViewSet, "api-clusters", get="of_project", post="connect"),
    below(f"{JOURNAL}/inspections/", InspectionViewSet, "api-inspections", get="of_journal", post="start"),
    below(f"{JOURNAL}/history/", HistoryViewSet, "api-history", get="retrieve"),
    below(f"{INSPECTION}/report/", ReportViewSet, "api-report", get="retrieve"),
    below(f"{INSPECTION}/profile/", ProfileViewSet, "api-profile", get="retrieve"),
    *(
        below(f"{INSPECTION}/{name}/", view_set, f"api-{name}", get="list")
        for name, view_set in TABLE_VIEW_SETS.items()
    ),
    below(
        f"{INSPECTION}/comparisons/<uuid:other_id>/",
        ComparisonViewSet,
        "api-comparison",
        get="retrieve",
        post="start",
    ),
    below(
        f"{INSPECTION}/repairs/<uuid:repair_id>/files/<path:name>",
        RepairViewSet,
        "api-repair-file",
        get="file",
    ),
    below(f"{INSPECTION}/shares/", ShareViewSet, "api-share-create", post="make"),
    below(f"{INSPECTION}/exports/records.<str:layout>", ExportViewSet, "api-export", get="records"),
    below(f"{INSPECTION}/evidence/", ExportViewSet, "api-evidence", post="evidence"),
    below(f"{CLUSTER}/trials/", TrialViewSet, "api-trials", get="of_cluster", post="start"),
    below(f"{CLUSTER}/topics/", TrialViewSet, "api-topics", get="topics"),
    below(f"{CLUSTER}/estimates/", TrialViewSet, "api-estimates", post="estimate"),
    below(f"{CLUSTER}/advice/", TrialViewSet, "api-advice", post="advise"),
    below(f"{CLUSTER}/captures/", CaptureViewSet, "api-capture-start", post="start"),
    below(f"{CLUSTER}/watches/", WatchViewSet, "api-watch-start", post="start"),
    below(f"{JOB}/cancel/", JobViewSet, "api-job-cancel", post="cancel"),
    below(f"{JOB}/again/", JobViewSet, "api-job-again", post="again"),
    below("storage/", StorageViewSet, "api-storage", get="retrieve"),
    path("<path:rest>", MissingView.as_view(), name="api-missing"),
]

urlpatterns = [
    path("", documentation.page, name="api"),
    path("schema/", documentation.SchemaView.as_view(), name="api-schema"),
    path("v1/", include(v1)),
]
