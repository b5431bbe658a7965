"""The tasks by name: one for each kind of job, and what is no job. All are safe to repeat."""

from __future__ import annotations

from webapp.accounts import sessions
from webapp.jobs.kinds import Kind, all_kinds
from webapp.journals.receiving.storing import TASK as STORE_UPLOAD
from workers import kinds, retention, storing, watches
from workers.app import app
from workers.jobs import housekeeping as house
from workers.jobs.runner import perform
from workers.notify import deliveries


def add_task_of(kind: Kind) -> None:
    """A kind of job says what its task is called: `inspect`, `compare`, `repair`, `try_cluster`, `capture`, `share`."""

    @app.task(name=kind.task)
    def do(job_id: str) -> None:
        perform(kinds.load(kind.name), job_id)


for each in all_kinds():
    add_task_of(each)


@app.task(name=STORE_UPLOAD)
def store_upload(upload_id: str) -> None:
    """Store an upload that is complete."""
    storing.store(upload_id)


@app.task(name="journalscope.watches")
def start_watches() -> None:
    watches.start_due()


@app.task(name="journalscope.notify")
def notify() -> None:
    """Send due mails and webhooks."""
    deliveries.send_due()


@app.task(name="journalscope.housekeeping")
def housekeeping() -> None:
    """Look after what a worker or a browser left behind."""
    house.clean_up()


@app.task(name="journalscope.retention")
def remove_what_is_over() -> None:
    """Delete the journals that their projects keep no longer, and sessions that are over."""
    sessions.remove_expired()
    retention.remove_what_is_over()
