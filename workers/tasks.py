"""The tasks by name, `journalscope.<function>`. All are safe to repeat."""

from __future__ import annotations

from webapp.journals.receiving.storing import TASK as STORE_UPLOAD
from workers import kinds, retention, storing, watches
from workers.app import app
from workers.jobs import housekeeping as house
from workers.jobs.runner import perform
from workers.notify import deliveries


@app.task(name="journalscope.inspect")
def inspect(inspection_id: str) -> None:
    """Inspect a journal that waits for it."""
    perform(kinds.load("inspection"), inspection_id)


@app.task(name="journalscope.compare")
def compare(comparison_id: str) -> None:
    """Compare two inspections, or the copies within one."""
    perform(kinds.load("comparison"), comparison_id)


@app.task(name="journalscope.repair")
def repair(repair_id: str) -> None:
    """Build and try what repairs a journal."""
    perform(kinds.load("repair"), repair_id)


@app.task(name="journalscope.try_cluster")
def try_cluster(trial_id: str) -> None:
    """Ask a cluster what somebody wants to know."""
    perform(kinds.load("trial"), trial_id)


@app.task(name="journalscope.capture")
def capture(capture_id: str) -> None:
    """Capture records of a topic into a journal."""
    perform(kinds.load("capture"), capture_id)


@app.task(name="journalscope.share")
def share(share_id: str) -> None:
    """Write what a link shows into tables of its own."""
    perform(kinds.load("share"), share_id)


@app.task(name=STORE_UPLOAD)
def store_upload(upload_id: str) -> None:
    """Store an upload whose bytes are all here."""
    storing.store(upload_id)


@app.task(name="journalscope.watches")
def start_watches() -> None:
    """Start the captures that are due."""
    watches.start_due()


@app.task(name="journalscope.notify")
def notify() -> None:
    """Send the mails and webhooks that are due."""
    deliveries.send_due()


@app.task(name="journalscope.housekeeping")
def housekeeping() -> None:
    """Look after what a worker or a browser left behind."""
    house.clean_up()


@app.task(name="journalscope.retention")
def remove_what_is_over() -> None:
    """Delete the journals that their projects keep no longer."""
    retention.remove_what_is_over()
