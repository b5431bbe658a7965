"""Sends tasks to the workers by name; knows nothing of what they do."""

from __future__ import annotations

import logging
from functools import cache

import redis
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from webapp import redis_client, tracing
from webapp.jobs.kinds import queue_of
from webapp.jobs.queues import Queue

logger = logging.getLogger(__name__)


@cache
def client() -> Celery:
    """A Celery app that sends tasks and runs none."""
    app = Celery("journalscope", broker=settings.CELERY_BROKER_URL, set_as_current=False)
    seconds = redis_client.limits()["socket_timeout"]
    app.conf.update(
        task_ignore_result=True,
        task_publish_retry=False,
        broker_connection_timeout=seconds,
        broker_transport_options={"socket_timeout": seconds, "socket_connect_timeout": seconds},
    )
    return app


def send(task: str, *arguments: object, queue: Queue | None = None) -> bool:
    """Queue a task. False if the broker is unavailable; housekeeping sends the task later."""
    if redis_client.short_circuit.is_open:
        logger.error("The queue did not answer a moment ago, so %s%s waits.", task, arguments)
        return False
    try:
        headers = {tracing.HEADER: tracing.request_id()}
        client().send_task(task, args=list(arguments), headers=headers, queue=queue or queue_of(task))
    except (OperationalError, OSError) as problem:
        if isinstance(problem.__cause__, redis.TimeoutError):
            redis_client.short_circuit.open()
        logger.exception("The queue could not be reached for %s%s; is Redis running?", task, arguments)
        return False
    return True
