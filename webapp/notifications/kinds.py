"""What people can be told of."""

from __future__ import annotations

KINDS = {
    "critical_found": "A critical finding was found",
    "assigned": "Findings were assigned to me",
    "due": "Findings assigned to me are due tomorrow or overdue",
    "mentioned": "Someone mentioned me in a comment",
    "share_opened": "A share link was opened for the first time",
    "watch_stopped": "A watch was switched off after failures",
}
OF_PROJECTS = {
    **KINDS,
    "assigned": "Findings were assigned to a user",
    "due": "Findings are due tomorrow or overdue",
    "mentioned": "A user was mentioned in a comment",
}
TEST = "test"
