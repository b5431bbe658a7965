"""The Celery app: threads in a process for each queue, or one process for all of them.

    celery --app workers.app worker                          all queues
    celery --app workers.app worker --queues inspections     Spark: inspections, repairs, comparisons
    celery --app workers.app worker --queues transfers       minutes to hours without Spark: captures, shared links, large uploads
    celery --app workers.app worker --queues quick,celery    seconds: the rest; `celery` is the list of earlier versions

A task is acknowledged when it is done, so a message survives its worker. Redis hands a message out again after
VISIBILITY_SECONDS, also while its task still runs: tasks take what is theirs by a conditional update and ignore
the rest.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

from celery import Celery, signals
from celery.platforms import SecurityWarning
from celery.schedules import crontab
from django.conf import settings
from kombu import Exchange, Queue

from webapp.jobs.progress import ALIVE_SECONDS
from webapp.jobs.queues import OLD_QUEUE, QUEUES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
# Django's checks import every page, 100 MB in each process; the web runs them when it starts.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# It is about pickled messages; ours are JSON. Root is the only user of many a container.
warnings.filterwarnings("ignore", category=SecurityWarning)

THREADS = 4  # of each process
HOUSEKEEPING_SECONDS = 10
NOTIFY_SECONDS = 30
WATCHES_SECONDS = 60
VISIBILITY_SECONDS = 60
RETENTION_AT = crontab(hour=3, minute=17)  # UTC; after a longer sleep, the scheduler makes up for it at once


def route(name: str, *_: Any, **__: Any) -> dict[str, str]:
    """Queue of a task, for Celery."""
    from webapp.jobs.kinds import queue_of

    return {"queue": queue_of(name)}


app = Celery("journalscope", broker=settings.CELERY_BROKER_URL, include=["workers.tasks"])
app.conf.update(
    broker_connection_max_retries=None,  # a broker that is away for an hour comes back, too
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": VISIBILITY_SECONDS},
    task_acks_late=True,
    task_default_queue="quick",
    task_ignore_result=True,
    task_queues=[Queue(name, Exchange(name), name) for name in (*QUEUES, OLD_QUEUE)],
    task_routes=(route,),
    worker_concurrency=THREADS,
    worker_hijack_root_logger=False,
    worker_pool="threads",
    worker_prefetch_multiplier=1,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    beat_schedule={
        "housekeeping": {
            "task": "journalscope.housekeeping",
            "schedule": HOUSEKEEPING_SECONDS,
            # A busy pool need not catch up on rounds it missed.
            "options": {"expires": HOUSEKEEPING_SECONDS},
        },
        "notifications": {
            "task": "journalscope.notify",
            "schedule": NOTIFY_SECONDS,
            "options": {"expires": NOTIFY_SECONDS},
        },
        "watches": {
            "task": "journalscope.watches",
            "schedule": WATCHES_SECONDS,
            "options": {"expires": WATCHES_SECONDS},
        },
        "retention": {"task": "journalscope.retention", "schedule": RETENTION_AT},
    },
)


@signals.worker_init.connect
def load(**_: Any) -> None:
    """Import what the threads share before they start: concurrent first imports of pyspark fail."""
    from webapp import redis_client
    from workers import tracing  # noqa: F401

    redis_client.be_worker()

    if "inspections" in served():
        from spark import pipeline  # noqa: F401
        from spark.detectors import detectors
        from spark.dialects import dialects
        from spark.sources import sources

        sources(), dialects(), detectors()


def served() -> list[str]:
    """Queues that this process serves."""
    return [name for name in QUEUES if name in app.amqp.queues.consume_from]


@signals.worker_ready.connect
def begin(**_: Any) -> None:
    """Report the worker as alive; a worker for inspections starts Spark in the background."""
    from workers.jobs import heartbeat

    heartbeat.begin(served())
    if "inspections" in served():
        from workers.jobs import spark_runner

        spark_runner.begin()
    # at once, and when signs of life of a killed worker are gone
    for delay_seconds in (0, ALIVE_SECONDS + 1) if "quick" in served() else ():
        app.send_task("journalscope.housekeeping", countdown=delay_seconds)


@signals.worker_shutting_down.connect
def stop(**_: Any) -> None:
    """Running jobs go back into their queues instead of being waited for."""
    from workers.jobs import heartbeat

    heartbeat.stop()


@signals.worker_shutdown.connect
def end(**_: Any) -> None:
    """Stop the JVM with the worker."""
    from workers.jobs import heartbeat

    heartbeat.end()
    if "inspections" in served():
        from workers.jobs import spark_runner

        spark_runner.end()
