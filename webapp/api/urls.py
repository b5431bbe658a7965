"""Addresses of the API."""

from __future__ import annotations

from django.urls import include, path

from webapp.api.views import (
    audit,
    captures,
    clusters,
    documentation,
    filters,
    findings,
    inspections,
    journals,
    keeping,
    members,
    notifications,
    operations,
    pasted,
    projects,
    rules,
    runs,
    sessions,
    shares,
    tables,
    watches,
)
from webapp.api.views.missing import MissingView

INSPECTION = "inspections/<uuid:inspection_id>/"
RULE = "projects/<slug:slug>/rules/<slug:rule_name>/"
CHANNEL = "projects/<slug:slug>/channels/<uuid:channel_id>/"
CLUSTER = "clusters/<uuid:cluster_id>/"
CAPTURE = "captures/<uuid:capture_id>/"
JOB = "jobs/<slug:kind>/<uuid:run_id>/"
REPAIR = f"{INSPECTION}repairs/<uuid:repair_id>/"

v1 = [
    path("me/", projects.MeView.as_view(), name="api-me"),
    path("me/notifications/", notifications.OwnView.as_view(), name="api-me-notifications"),
    path("me/notifications/test/", notifications.OwnTestView.as_view(), name="api-me-notifications-test"),
    path("me/notifications/deliveries/", notifications.OwnDeliveriesView.as_view(), name="api-me-deliveries"),
    path("me/sessions/", sessions.SessionsView.as_view(), name="api-me-sessions"),
    path("me/sessions/<int:session_id>/", sessions.SessionView.as_view(), name="api-me-session"),
    path(
        "deliveries/<uuid:delivery_id>/retry/",
        notifications.DeliveryRetryView.as_view(),
        name="api-delivery-retry",
    ),
    path("projects/", projects.ProjectsView.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", projects.ProjectView.as_view(), name="api-project"),
    path("projects/<slug:slug>/members/", members.MembersView.as_view(), name="api-members"),
    path(
        "projects/<slug:slug>/members/<int:membership_id>/", members.MemberView.as_view(), name="api-member"
    ),
    path("projects/<slug:slug>/invitations/", members.InvitationsView.as_view(), name="api-invitations"),
    path(
        "projects/<slug:slug>/invitations/<int:invitation_id>/",
        members.InvitationView.as_view(),
        name="api-invitation",
    ),
    path("projects/<slug:slug>/settings/", members.SettingsView.as_view(), name="api-project-settings"),
    path("projects/<slug:slug>/retention/", keeping.RetentionView.as_view(), name="api-retention"),
    path("projects/<slug:slug>/rules/", rules.RulesView.as_view(), name="api-rules"),
    path(RULE, rules.RuleView.as_view(), name="api-rule"),
    path(f"{RULE}versions/", rules.VersionsView.as_view(), name="api-rule-versions"),
    path("projects/<slug:slug>/try-rule/", rules.TryRuleView.as_view(), name="api-rule-try"),
    path("projects/<slug:slug>/channels/", notifications.ChannelsView.as_view(), name="api-channels"),
    path(CHANNEL, notifications.ChannelView.as_view(), name="api-channel"),
    path(f"{CHANNEL}test/", notifications.ChannelTestView.as_view(), name="api-channel-test"),
    path(f"{CHANNEL}secret/", notifications.ChannelSecretView.as_view(), name="api-channel-secret"),
    path(f"{CHANNEL}deliveries/", notifications.DeliveriesView.as_view(), name="api-channel-deliveries"),
    path("journals/", journals.JournalsView.as_view(), name="api-journals"),
    path("journals/text/", pasted.TextView.as_view(), name="api-journals-text"),
    path("journals/text/preview/", pasted.PreviewView.as_view(), name="api-journals-text-preview"),
    path("journals/<uuid:journal_id>/", journals.JournalView.as_view(), name="api-journal"),
    path("journals/<uuid:journal_id>/hold/", keeping.HoldView.as_view(), name="api-journal-hold"),
    path("journals/<uuid:journal_id>/move/", keeping.MoveView.as_view(), name="api-journal-move"),
    path("journals/<uuid:journal_id>/files/", journals.FilesView.as_view(), name="api-journal-files"),
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
    path(f"{INSPECTION}comparisons/<uuid:other_id>/", runs.ComparisonView.as_view(), name="api-comparison"),
    path(f"{INSPECTION}repairs/", runs.RepairsView.as_view(), name="api-repairs"),
    path(REPAIR, runs.RepairView.as_view(), name="api-repair"),
    path(f"{REPAIR}cancel/", runs.RepairCancelView.as_view(), name="api-repair-cancel"),
    path(f"{REPAIR}again/", runs.RepairAgainView.as_view(), name="api-repair-again"),
    path(f"{REPAIR}files/<path:name>", runs.RepairFileView.as_view(), name="api-repair-file"),
    path(f"{INSPECTION}shares/", shares.NewShareView.as_view(), name="api-share-create"),
    path(f"{INSPECTION}exports/records.<str:layout>", shares.ExportView.as_view(), name="api-export"),
    path(f"{INSPECTION}evidence/", shares.EvidenceView.as_view(), name="api-evidence"),
    path("findings/", findings.FindingsView.as_view(), name="api-findings"),
    path("findings/decide/", findings.DecideView.as_view(), name="api-findings-decide"),
    path("findings/assign/", findings.AssignView.as_view(), name="api-findings-assign"),
    path("findings/undo/", findings.UndoView.as_view(), name="api-findings-undo"),
    path("findings/counts/", findings.CountsView.as_view(), name="api-findings-counts"),
    path("findings/<int:finding_id>/", findings.FindingView.as_view(), name="api-finding"),
    path("findings/<int:finding_id>/history/", findings.HistoryView.as_view(), name="api-finding-history"),
    path("findings/<int:finding_id>/comments/", findings.CommentsView.as_view(), name="api-finding-comments"),
    path("filters/", filters.FiltersView.as_view(), name="api-filters"),
    path("filters/<int:filter_id>/", filters.FilterView.as_view(), name="api-filter"),
    path("shares/", shares.SharesView.as_view(), name="api-shares"),
    path("shares/<uuid:share_id>/", shares.ShareView.as_view(), name="api-share"),
    path("shares/<uuid:share_id>/visits/", shares.VisitsView.as_view(), name="api-share-visits"),
    path("projects/<slug:slug>/clusters/", clusters.ClustersView.as_view(), name="api-clusters"),
    path(CLUSTER, clusters.ClusterView.as_view(), name="api-cluster"),
    path(f"{CLUSTER}trials/", clusters.TrialsView.as_view(), name="api-trials"),
    path(f"{CLUSTER}topics/", clusters.TopicsView.as_view(), name="api-topics"),
    path(f"{CLUSTER}estimates/", clusters.EstimatesView.as_view(), name="api-estimates"),
    path(f"{CLUSTER}captures/", captures.CapturesOfCluster.as_view(), name="api-capture-start"),
    path(f"{CLUSTER}watches/", watches.WatchesOfCluster.as_view(), name="api-watch-start"),
    path(f"{CLUSTER}advice/", watches.AdviceView.as_view(), name="api-advice"),
    path("watches/", watches.WatchesView.as_view(), name="api-watches"),
    path("watches/<uuid:watch_id>/", watches.WatchView.as_view(), name="api-watch"),
    path("watches/<uuid:watch_id>/runs/", watches.RunsView.as_view(), name="api-watch-runs"),
    path("journals/<uuid:journal_id>/history/", watches.HistoryView.as_view(), name="api-history"),
    path("trials/<uuid:trial_id>/", clusters.TrialView.as_view(), name="api-trial"),
    path("captures/", captures.CapturesView.as_view(), name="api-captures"),
    path(CAPTURE, captures.CaptureView.as_view(), name="api-capture"),
    path(f"{CAPTURE}pause/", captures.PauseView.as_view(), name="api-capture-pause"),
    path(f"{CAPTURE}resume/", captures.ResumeView.as_view(), name="api-capture-resume"),
    path(f"{CAPTURE}cancel/", captures.CancelView.as_view(), name="api-capture-cancel"),
    path("jobs/", operations.JobsView.as_view(), name="api-jobs"),
    path(f"{JOB}cancel/", operations.JobCancelView.as_view(), name="api-job-cancel"),
    path(f"{JOB}again/", operations.JobAgainView.as_view(), name="api-job-again"),
    path("storage/", operations.StorageView.as_view(), name="api-storage"),
    path("audit/", audit.AuditView.as_view(), name="api-audit"),
    path("<path:rest>", MissingView.as_view(), name="api-missing"),
]

urlpatterns = [
    path("", documentation.page, name="api"),
    path("schema/", documentation.SchemaView.as_view(), name="api-schema"),
    path("v1/", include(v1)),
]
