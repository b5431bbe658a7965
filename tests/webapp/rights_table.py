"""Who may do what: one line for each route, read by test_rights.py. A route without a line fails there.

    Route(name, get=..., post=..., patch=..., delete=...)

A method's value is the least that it takes; a method that is not named is not offered (405).

    anyone      also who is not signed in
    account     whoever is signed in, also without any role
    viewer | support | reviewer | admin     the role, or a higher one
    superuser   runs the site
    creator     the person who made it, and admins
    owner       the one person whose row it is, whatever roles others have

A route whose address names something (a journal, a finding ...) belongs to one project: who is not in it gets 404, who
has too low a role in it 403. A route that names nothing takes the role in any project. What differs stands in the line:

    sees        the least role to which it exists: 404 below it, 403 from there up to what the method takes (viewer)
    answers     status codes besides success that mean "you may", where the fixtures lead to no more
    guest       what somebody who is not signed in gets, where that is not the sign-in page
    names       False: the address names nothing of a project, although it has arguments
    args        arguments other than those of the same name in the fixtures
    query, body, headers    what a request needs to get as far as the question of rights
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Route:
    """One line."""

    name: str
    get: str | None = None
    post: str | None = None
    patch: str | None = None
    delete: str | None = None
    sees: str = "viewer"
    answers: tuple[int, ...] = ()
    guest: int = 302
    names: bool = True
    args: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    body: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    note: str = ""

    @property
    def methods(self) -> dict[str, str | None]:
        """Method -> least."""
        return {"GET": self.get, "POST": self.post, "PATCH": self.patch, "DELETE": self.delete}


def _api(name: str, **members: Any) -> Route:
    return Route(name, **{"guest": 401, **members})


def _report(*names: str, **members: Any) -> list[Route]:
    return [Route(f"report-{name}", get="viewer", **members) for name in names]


_TUS = {"Tus-Resumable": "1.0.0"}

JOURNALS = [
    Route("journals", get="viewer", note="without a role: 403 and the page that says whom to ask"),
    Route("search", get="viewer"),
    Route("journal-create", post="support"),
    Route("paste-preview", post="support", answers=(400,), note="without a text: 400"),
    Route("paste-inspect", post="support", answers=(400,), note="without a text: 400"),
    Route("sample-load", post="support", names=False, args={"kind": "sample_kind"}),
    Route("samples-remove", post="support"),
    Route("journal", get="viewer"),
    Route("journal-files", get="viewer"),
    Route("journal-row", get="viewer"),
    Route("journal-edit", post="support"),
    Route("journal-inspect", post="support"),
    Route("journal-delete", post="creator", note="its creator, or an admin"),
    Route("journal-move", post="admin", note="and admin of the other project"),
    Route("journal-storing", get="viewer"),
    Route("journal-next", get="viewer"),
    Route("tus", post="support", guest=401, headers=_TUS),
    Route("tus-upload", patch="owner", delete="owner", sees="owner", guest=401, headers=_TUS),
    Route("upload-delete", post="creator"),
    Route("inspection", get="viewer"),
    Route("inspection-progress", get="viewer"),
    Route("inspection-log", get="viewer"),
    Route("inspection-cancel", post="support"),
    Route("inspection-retry", post="support"),
    Route("inspection-read-as", post="support"),
    Route("inspection-text-format", post="support"),
    Route("inspection-delete", post="creator"),
]

REPORTS = [
    *_report(
        "overview", "strip-figure", "timeline", "timeline-figure", "keys", "key", "records", "record", "record-bytes",
        "state", "transactions", "transactions-figure", "log", "log-figure", "formats",
        "profile", "profile-figure", "filter-language", "filter-completion", "sql", "files", "repair", "repair-older", "repair-result", "repair-state", "compare", "comparison", "comparison-state",
    ),
    *_report("state-branch", "entity", answers=(404,), note="404 where there is no such branch"),
    *_report("text", args={"file": "offset"}, answers=(404,), note="404 where the upload is no pasted text"),
    Route("report-repair-file", get="viewer", args={"name": "file_name"}),
    Route("report-records-export", get="support"),
    Route("report-sql-run", post="viewer"),
    Route("report-sql-export", post="support", answers=(400,), note="without a query: 400"),
    Route("report-repair-start", post="support"),
    Route("report-repair-cancel", post="support"),
    Route("report-repair-again", post="support"),
    Route("report-comparison-start", post="support"),
    Route("report-comparison-export", get="support", args={"layout": "comparison_layout"}, answers=(404,), note="404 until both are compared"),
]  # fmt: skip

REVIEW = [
    Route("rules", get="viewer"),
    Route("rule-new", get="reviewer"),
    Route("rule-create", post="reviewer"),
    Route("rule-try", post="support"),
    Route("rule", get="viewer"),
    Route("rule-save", post="reviewer"),
    Route("rule-switch", post="reviewer"),
    Route("rule-version", get="viewer"),
    Route("review", get="reviewer"),
    Route("review-decide", post="reviewer"),
    Route("review-assign", post="reviewer"),
    Route("review-undo", post="reviewer"),
    Route("review-filter-save", post="reviewer"),
    Route("record-filter-save", post="viewer"),
    Route("review-filter-rename", post="owner", sees="owner"),
    Route("review-filter-delete", post="owner", sees="owner"),
    Route("review-finding", get="viewer"),
    Route("review-incident", get="viewer"),
    Route("review-preview", get="viewer"),
    Route("review-comment", post="support"),
]

SHARING = [
    Route("share", get="support", post="support"),
    Route("share-preview", post="support"),
    Route("share-ticket", post="support"),
    Route(
        "share-ticket-state",
        post="support",
        sees="support",
        answers=(404,),
        note="404 without the link's token",
    ),
    Route("shares", get="support"),
    Route("shares-of-journal", get="support"),
    Route("share-log", get="support", sees="support"),
    Route("share-state", get="support", sees="support"),
    Route("share-revoke", post="creator", sees="support"),
]

SHARING += [
    Route("evidence", get="support", post="support"),
    Route("evidence-key", get="anyone", note="public: who checks a bundle has no account"),
    Route("evidence-key-file", get="anyone"),
]

NOTIFICATIONS = [
    Route("notifications", get="viewer"),
    Route("notifications-save", post="viewer"),
    Route("notifications-test", post="viewer"),
    Route(
        "notification-retry", post="admin", sees="admin", note="of a channel; one's own deliveries: oneself"
    ),
    Route("notification-channels", get="admin"),
    Route("notification-channel-add", post="admin"),
    Route("notification-channel-save", post="admin"),
    Route("notification-channel-test", post="admin"),
    Route("notification-channel-secret", post="admin"),
    Route("notification-channel-delete", post="admin"),
]

CLUSTERS = [
    Route("clusters", get="viewer"),
    Route("cluster-new", get="admin", post="admin"),
    Route("cluster", get="viewer"),
    Route("cluster-change", get="admin", post="admin"),
    Route("cluster-remove", post="admin"),
    Route("cluster-test", post="support"),
    Route("cluster-topics", get="viewer"),
    Route("cluster-topics-ask", post="support"),
    Route("trial-state", get="viewer"),
    Route("capture-new", get="support", post="support"),
    Route("capture-estimate", get="viewer"),
    Route("capture-start", post="support"),
    Route("captures", get="viewer"),
    Route("capture", get="viewer"),
    Route("capture-state", get="viewer"),
    Route("capture-pause", post="support"),
    Route("capture-resume", post="support"),
    Route("capture-stop", post="support"),
    Route("watches", get="viewer"),
    Route("watch-new", get="admin", post="admin"),
    Route("watch", get="viewer"),
    Route("watch-change", post="admin"),
    Route("watch-remove", post="admin"),
    Route("watch-run", post="support"),
    Route("watch-afresh", post="support"),
    Route("journal-history", get="viewer"),
    Route("journal-history-figure", get="viewer"),
    Route("cluster-advice", get="viewer"),
    Route("cluster-advice-ask", post="support"),
]

OPERATIONS = [
    Route("audit", get="admin"),
    Route("audit-export", get="admin", names=False),
    Route("operations-storage", get="admin"),
    Route("operations-jobs", get="admin"),
    Route("operations-job-cancel", post="admin"),
    Route("operations-job-again", post="admin"),
    Route("operations-retention", get="admin"),
    Route("operations-retention-preview", get="admin"),
    Route("operations-retention-save", post="admin"),
    Route("operations-quotas-save", post="superuser"),
    Route("journal-hold", post="admin"),
    Route("healthz", get="anyone"),
    Route("readyz", get="anyone", answers=(503,)),
    Route("metrics", get="anyone", answers=(404,), note="404 without METRICS_TOKEN, 401 without the token"),
    Route("catalogue", get="viewer"),
    Route("catalogue-page", get="viewer", names=False, args={"name": "page_name"}),
    Route("docs", get="viewer"),
    Route("docs-file", get="viewer", names=False, args={"path": "docs_path"}),
]

ACCOUNTS = [
    Route("account_login", get="anyone", post="anyone"),
    Route("account_logout", get="anyone", post="anyone"),
    Route("account_signup", get="anyone", post="anyone", note="says that it is closed"),
    Route("account_inactive", get="anyone"),
    Route("account_reauthenticate", get="account", post="account"),
    Route("account_change_password", get="account", post="account"),
    Route("account_set_password", get="account", post="account"),
    Route(
        "openid_connect_login", get="anyone", names=False, answers=(404,), note="404 without OIDC_SERVER_URL"
    ),
    Route("openid_connect_callback", get="anyone", names=False, answers=(404,)),
    Route("socialaccount_login_cancelled", get="anyone"),
    Route("mfa_index", get="account"),
    Route(
        "mfa_authenticate",
        get="anyone",
        post="anyone",
        note="leads to the sign-in unless one is in the midst of it",
    ),
    Route("mfa_reauthenticate", get="account", post="account"),
    Route("mfa_activate_totp", get="account", post="account"),
    Route("mfa_deactivate_totp", get="account", post="account", answers=(404,), note="404 without a factor"),
    Route("mfa_list_webauthn", get="account", note="leads to mfa_index"),
    Route("mfa_add_webauthn", get="account", post="account"),
    Route("mfa_reauthenticate_webauthn", get="account", post="account"),
    *(
        Route(
            name,
            get="account",
            post="account",
            names=False,
            args={"pk": "number"},
            answers=(404,),
            note="leads to the confirmation of who one is; then the key of another is 404",
        )
        for name in ("mfa_edit_webauthn", "mfa_remove_webauthn")
    ),
    Route("mfa_view_recovery_codes", get="account", answers=(404,)),
    Route("mfa_generate_recovery_codes", get="account", post="account"),
    Route("mfa_download_recovery_codes", get="account", answers=(404,)),
    Route("sessions", get="account"),
    Route("sessions-end-others", post="account"),
    Route("session-end", post="owner", sees="owner"),
    Route("one-time-sign-in", get="anyone", post="anyone", args={"token": "one_time_token"}),
    Route("invitation", get="anyone", post="anyone", args={"token": "invitation_token"}),
    Route("tokens", get="viewer", post="viewer"),
    Route(
        "token-revoke", post="creator", sees="owner", note="its owner, or an admin of the project it opens"
    ),
    Route("projects", get="account"),
    Route("project-create", post="superuser", names=False, sees="superuser"),
    Route("project", get="admin"),
    Route("project-rename", post="admin"),
    Route("project-delete", post="superuser", sees="superuser"),
    Route("project-due-days", post="admin"),
    Route("project-masks", post="admin"),
    Route("project-ticket", post="admin"),
    Route("member-add", post="admin"),
    Route("member-change", post="admin"),
    Route("member-remove", post="admin"),
    Route("invite", post="admin"),
    Route("invitation-withdraw", post="admin"),
]

_TABLES = (
    "marks", "entries", "keys", "state", "refusals", "transactions", "batches", "gaps", "damage", "epochs", "formats",
    "cleanings", "files",
)  # fmt: skip
API = [
    _api("api", get="viewer", guest=302),
    _api("api-schema", get="viewer"),
    _api("api-me", get="viewer"),
    _api("api-me-deliveries", get="viewer"),
    _api("api-me-sessions", get="viewer", delete="viewer"),
    _api("api-me-session", delete="owner", sees="owner"),
    _api("api-delivery-retry", post="admin", sees="admin", answers=(409,)),
    _api("api-project-list", get="viewer", post="superuser", body={"name": "A project"}),
    _api("api-project-detail", get="viewer", delete="superuser", answers=(409,)),
    _api("api-retention", get="admin"),
    _api("api-member-list", get="viewer", post="admin"),
    _api("api-member-detail", get="viewer", patch="admin", delete="admin"),
    _api("api-invitation-list", get="admin", post="admin"),
    _api("api-invitation-detail", delete="admin"),
    _api("api-rule-list", get="viewer", post="reviewer"),
    _api("api-rule-detail", get="viewer", patch="reviewer", args={"rule_name": "name"}),
    _api("api-rule-versions", get="viewer", post="reviewer", args={"rule_name": "name"}),
    _api("api-rule-try", post="support"),
    _api("api-channel-list", get="admin", post="admin"),
    _api("api-channel-detail", get="admin", patch="admin", delete="admin"),
    _api("api-channel-test", post="admin"),
    _api("api-channel-secret", post="admin"),
    _api("api-channel-deliveries", get="admin"),
    _api("api-me-notifications", get="viewer", patch="viewer"),
    _api("api-me-notifications-test", post="viewer"),
    _api("api-clusters", get="viewer", post="admin"),
    _api("api-cluster-detail", get="viewer", patch="admin", delete="admin", answers=(409,)),
    _api("api-trials", get="viewer", post="support"),
    _api("api-topics", get="viewer"),
    _api("api-estimates", post="support"),
    _api("api-trial-detail", get="viewer"),
    _api("api-capture-start", post="support"),
    _api("api-capture-list", get="viewer"),
    _api("api-capture-detail", get="viewer"),
    _api("api-capture-pause", post="support"),
    _api("api-capture-resume", post="support"),
    _api("api-capture-cancel", post="support"),
    _api("api-watch-start", post="admin", body={"topic": "payments"}),
    _api("api-advice", post="support", body={"topic": "orders"}),
    _api("api-watch-list", get="viewer"),
    _api("api-watch-detail", get="viewer", patch="admin", delete="admin"),
    _api("api-watch-runs", post="support"),
    _api("api-history", get="viewer"),
    _api("api-job-list", get="admin"),
    _api("api-job-cancel", post="admin"),
    _api("api-job-again", post="admin", answers=(409,)),
    _api("api-storage", get="admin"),
    _api("api-project-settings", get="admin", patch="admin"),
    _api("api-journal-list", get="viewer", post="support", body={"files": [{"name": "a.log", "size": 0}]}),
    _api("api-text-list", post="support", answers=(415,), note="with JSON as body: 415"),
    _api("api-text-preview", post="support", answers=(415,), note="with JSON as body: 415"),
    _api("api-journal-detail", get="viewer", patch="support", delete="creator"),
    _api("api-journal-hold", post="admin", body={"is_on_hold": True}),
    _api(
        "api-journal-move", post="admin", body={"project": "nowhere"}, note="and admin of the other project"
    ),
    _api("api-journal-files", get="viewer"),
    _api("api-file-detail", delete="creator"),
    _api("api-inspections", get="viewer", post="support"),
    _api("api-inspection-detail", get="viewer", delete="creator"),
    _api("api-inspection-cancel", post="support"),
    _api("api-inspection-retry", post="support"),
    _api("api-inspection-read-as", post="support", body={"topic": "journal", "dialect": "apicurio-v2"}),
    _api("api-report", get="viewer"),
    _api("api-profile", get="viewer"),
    _api("api-record-list", get="viewer"),
    _api("api-record-detail", get="viewer"),
    *(_api(f"api-{table}", get="viewer") for table in _TABLES),
    _api("api-comparison", get="viewer", post="support"),
    _api("api-repair-list", get="viewer", post="support"),
    _api("api-repair-detail", get="viewer"),
    _api("api-repair-cancel", post="support"),
    _api("api-repair-again", post="support"),
    _api("api-repair-file", get="viewer", args={"name": "file_name"}),
    _api("api-share-create", post="support"),
    _api("api-export", get="support"),
    _api("api-evidence", post="support"),
    _api("api-finding-list", get="viewer"),
    _api("api-finding-decide", post="reviewer"),
    _api("api-finding-assign", post="reviewer"),
    _api("api-finding-undo", post="reviewer", body={"changes": []}),
    _api("api-finding-counts", get="reviewer"),
    _api("api-filter-list", get="reviewer", post="reviewer"),
    _api("api-filter-detail", get="owner", patch="owner", delete="owner", sees="owner"),
    _api("api-finding-detail", get="viewer", patch="reviewer"),
    _api("api-finding-history", get="viewer"),
    _api("api-finding-comments", get="viewer", post="support"),
    _api("api-share-list", get="support"),
    _api("api-share-detail", get="support", delete="creator", sees="support"),
    _api("api-share-visits", get="support", sees="support"),
    _api("api-audit-list", get="admin"),
    _api("api-missing", get="account", names=False, answers=(404,)),
]

ROUTES = {
    line.name: line
    for line in (
        *JOURNALS,
        *REPORTS,
        *REVIEW,
        *SHARING,
        *NOTIFICATIONS,
        *CLUSTERS,
        *OPERATIONS,
        *ACCOUNTS,
        *API,
    )
}

# behind the token of a link: whoever has it; what each shows is tested in tests/webapp/sharing
SHARED = "shared:"
# Django's own administration: superusers, whatever the page
ADMINISTRATION = "admin:"
