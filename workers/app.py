"""The Celery app: one process, a pool of threads, one Spark session shared by all its inspections.

    celery -A workers.app worker --pool threads --concurrency 4

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

from webapp.journals.progress import ALIVE_SECONDS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

# It is about pickled messages; ours are JSON. Root is the only user of many a container.
warnings.filterwarnings("ignore", category=SecurityWarning)

INSPECTIONS_AT_ONCE = 4
HOUSEKEEPING_SECONDS = 10
NOTIFY_SECONDS = 30
WATCHES_SECONDS = 60
VISIBILITY_SECONDS = 60
RETENTION_AT = crontab(hour=3, minute=17)  # UTC; after a longer sleep, the scheduler makes up for it at once

app = Celery("journalscope", broker=settings.CELERY_BROKER_URL, include=["workers.tasks"])
app.conf.update(
    broker_connection_max_retries=None,  # a broker that is away for an hour comes back, too
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": VISIBILITY_SECONDS},
    task_acks_late=True,
    task_ignore_result=True,
    worker_concurrency=INSPECTIONS_AT_ONCE,
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
    """Import what the threads share while there is one thread: two first imports of pyspark trip over each other."""
    import spark.pipeline  # noqa: F401
    import workers.tracing  # noqa: F401
    from spark.detectors import detectors
    from spark.dialects import dialects
    from spark.sources import sources

    sources(), dialects(), detectors()


@signals.worker_ready.connect
def begin(**_: Any) -> None:
    """Start Spark in the background and look after what an earlier worker left."""
    from workers import heartbeat, spark_runner

    heartbeat.begin()
    spark_runner.begin()
    for delay_seconds in (
        0,
        ALIVE_SECONDS + 1,
    ):  # at once, and when the signs of life of a killed worker are gone
        app.send_task("journalscope.housekeeping", countdown=delay_seconds)


@signals.worker_shutting_down.connect
def stop(**_: Any) -> None:
    """Let running inspections go back into the queue instead of waiting for them."""
    from workers import spark_runner

    spark_runner.stop()


@signals.worker_shutdown.connect
def end(**_: Any) -> None:
    """End the JVM with the worker."""
    from workers import heartbeat, spark_runner

    heartbeat.end()
    spark_runner.end()
