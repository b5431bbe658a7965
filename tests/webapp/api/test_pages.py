"""Everything the pages do, the API does: each page's route with the API's that does the same, or why none does.

A new page without a line fails here. What people read about it stands in docs/api.md, "What only pages do".
"""

from __future__ import annotations

from typing import Any

from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from tests.webapp.test_rights import ours

PROVES_WHO = "says who somebody is"
TOKENS = "a token that makes tokens would outlive its end"
DRAWN = "drawn from tables that the API has"
QUERY = "a query of people over tables that the API has; `journalscope sql` is for programs"
WORDS = "words or ways for people; lists of the API have filters"
OPEN = "needs no account"
ONLY_PAGES = {
    PROVES_WHO: (
        "account_login account_logout account_signup account_inactive account_reauthenticate account_change_password "
        "account_set_password openid_connect_login openid_connect_callback socialaccount_login_cancelled mfa_index "
        "mfa_authenticate mfa_reauthenticate mfa_activate_totp mfa_deactivate_totp mfa_view_recovery_codes "
        "mfa_generate_recovery_codes mfa_download_recovery_codes mfa_list_webauthn mfa_add_webauthn mfa_edit_webauthn "
        "mfa_remove_webauthn mfa_reauthenticate_webauthn one-time-sign-in invitation"
    ),
    TOKENS: "tokens token-revoke",
    DRAWN: (
        "report-strip-figure report-timeline report-timeline-figure report-transactions-figure report-log-figure report-profile-figure "
        "journal-history-figure"
    ),
    QUERY: "report-sql report-sql-run report-sql-export",
    WORDS: "search report-filter-language report-filter-completion record-filter-save sample-load samples-remove journal-next catalogue catalogue-page docs docs-file share-preview report-repair-older report-text",
    OPEN: "evidence-key evidence-key-file healthz readyz metrics",
}
SAME = {
    "api-journal-list": "journals journal-create",
    "api-text-list": "paste-inspect",
    "api-text-preview": "paste-preview",
    "api-journal-detail": "journal journal-row journal-storing journal-edit journal-delete",
    "api-journal-hold": "journal-hold",
    "api-journal-move": "journal-move",
    "api-journal-files": "journal-files tus tus-upload",
    "api-file-detail": "upload-delete",
    "api-inspections": "journal-inspect inspection-text-format",
    "api-inspection-detail": "inspection inspection-progress inspection-log inspection-delete",
    "api-inspection-cancel": "inspection-cancel",
    "api-inspection-retry": "inspection-retry",
    "api-inspection-read-as": "inspection-read-as",
    "api-report": "report-overview",
    "api-keys": "report-keys report-key",
    "api-record-list": "report-records",
    "api-record-detail": "report-record report-record-bytes",
    "api-state": "report-state report-state-branch report-entity",
    "api-transactions": "report-transactions",
    "api-batches": "report-log",
    "api-profile": "report-profile",
    "api-files": "report-files",
    "api-formats": "report-formats",
    "api-comparison": "report-compare report-comparison report-comparison-start report-comparison-state "
    "report-comparison-export",
    "api-repair-list": "report-repair report-repair-start",
    "api-repair-detail": "report-repair-result report-repair-state",
    "api-repair-cancel": "report-repair-cancel",
    "api-repair-again": "report-repair-again",
    "api-repair-file": "report-repair-file",
    "api-export": "report-records-export",
    "api-evidence": "evidence",
    "api-share-create": "share share-ticket share-ticket-state",
    "api-share-list": "shares shares-of-journal",
    "api-share-detail": "share-state share-revoke",
    "api-share-visits": "share-log",
    "api-finding-list": "review review-incident review-preview",
    "api-finding-decide": "review-decide",
    "api-finding-assign": "review-assign",
    "api-finding-undo": "review-undo",
    "api-finding-detail": "review-finding",
    "api-finding-comments": "review-comment",
    "api-filter-list": "review-filter-save",
    "api-filter-detail": "review-filter-delete review-filter-rename",
    "api-rule-list": "rules rule-new rule-create",
    "api-rule-detail": "rule rule-switch",
    "api-rule-versions": "rule-save rule-version",
    "api-rule-try": "rule-try",
    "api-me-notifications": "notifications notifications-save",
    "api-me-notifications-test": "notifications-test",
    "api-delivery-retry": "notification-retry",
    "api-channel-list": "notification-channels notification-channel-add",
    "api-channel-detail": "notification-channel-save notification-channel-delete",
    "api-channel-test": "notification-channel-test",
    "api-channel-secret": "notification-channel-secret",
    "api-clusters": "clusters cluster-new",
    "api-cluster-detail": "cluster cluster-change cluster-remove",
    "api-trials": "cluster-test cluster-topics-ask",
    "api-trial-detail": "trial-state capture-estimate",
    "api-topics": "cluster-topics",
    "api-estimates": "capture-new",
    "api-capture-start": "capture-start",
    "api-capture-list": "captures",
    "api-capture-detail": "capture capture-state",
    "api-capture-pause": "capture-pause",
    "api-capture-resume": "capture-resume",
    "api-capture-cancel": "capture-stop",
    "api-watch-start": "watch-new",
    "api-watch-list": "watches",
    "api-watch-detail": "watch watch-change watch-remove",
    "api-watch-runs": "watch-run watch-afresh",
    "api-history": "journal-history",
    "api-advice": "cluster-advice cluster-advice-ask",
    "api-audit-list": "audit audit-export",
    "api-storage": "operations-storage",
    "api-job-list": "operations-jobs",
    "api-job-cancel": "operations-job-cancel",
    "api-job-again": "operations-job-again",
    "api-retention": "operations-retention operations-retention-preview",
    "api-project-settings": "operations-retention-save operations-quotas-save project-rename project-due-days project-masks project-ticket",
    "api-me-sessions": "sessions sessions-end-others",
    "api-me-session": "session-end",
    "api-project-list": "projects project-create",
    "api-project-detail": "project project-delete",
    "api-member-list": "member-add",
    "api-member-detail": "member-change member-remove",
    "api-invitation-list": "invite",
    "api-invitation-detail": "invitation-withdraw",
}


def names(table: dict[str, str]) -> list[str]:
    return [name for line in table.values() for name in line.split()]


def test_each_page_has_its_operation_or_a_reason() -> None:
    found = {name for name, _, _ in ours()}
    pages, operations = {name for name in found if not name.startswith("api")}, found & set(SAME)
    told = [*names(SAME), *names(ONLY_PAGES)]
    assert set(told) - pages == set(), "take these lines out"
    assert pages - set(told) == set(), "let the API do it, or say in docs/api.md why not; then add a line"
    assert len(told) == len(set(told))
    assert set(SAME) == operations, "no such route of the API"


def test_the_page_of_the_api_shows_every_operation(viewer: Any, sign_in: Any) -> None:
    browser: Client = sign_in(viewer)
    page = browser.get("/api/").content.decode()
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    assert [path for path in paths if path not in page] == []
