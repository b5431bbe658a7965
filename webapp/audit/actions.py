"""What events are about, in words; an action that is not listed is shown as it is."""

from __future__ import annotations

ACTIONS = {
    "session.signed-in": "signed in",
    "session.signed-out": "signed out",
    "session.failed": "failed to sign in",
    "session.revoked": "ended a session",
    "password.changed": "changed their password",
    "factor.added": "added a second factor",
    "factor.removed": "removed a second factor",
    "factor.renewed": "made new recovery codes",
    "factor.failed": "failed the second factor",
    "account.created": "made an account",
    "project.created": "created a project",
    "project.renamed": "renamed a project",
    "project.deleted": "deleted a project",
    "project.due-days-changed": "changed when findings are due",
    "project.masks-changed": "changed the masks of shared links",
    "member.added": "added a member",
    "member.changed": "changed a member's role",
    "member.removed": "removed a member",
    "invitation.created": "made an invitation",
    "invitation.accepted": "accepted an invitation",
    "invitation.withdrawn": "withdrew an invitation",
    "journal.moved": "moved a journal to another project",
    "journal.created": "announced a journal",
    "journal.edited": "changed a journal's name or ticket",
    "journal.deleted": "deleted a journal",
    "journal.held": "put a journal under legal hold",
    "journal.released": "ended a journal's legal hold",
    "upload.deleted": "deleted a file",
    "inspection.started": "started an inspection",
    "inspection.cancelled": "cancelled an inspection",
    "inspection.deleted": "deleted an inspection",
    "repair.asked": "asked for a repair",
    "repair.read": "opened a repair",
    "repair.downloaded": "downloaded a file of a repair",
    "report.read": "opened a report",
    "records.read": "read records",
    "record.read": "read a record",
    "record.downloaded": "downloaded bytes of a record",
    "keys.read": "read keys",
    "key.read": "read a key's versions",
    "state.read": "read the state",
    "entity.read": "read an entity",
    "comparison.read": "read a comparison",
    "export.made": "exported records or evidence",
    "audit.exported": "exported the audit log",
    "retention.changed": "changed what a project keeps",
    "retention.ran": "deleted what was over",
    "quota.changed": "changed a project's quotas",
}
READING = ("report", "records", "record", "keys", "key", "state", "entity", "comparison")


def in_words(action: str) -> str:
    """The action as a sentence has it."""
    return ACTIONS.get(action, action.replace(".", ": ").replace("-", " "))
