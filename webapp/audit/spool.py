"""Events that the database could not take at once wait in the broker: a list of JSON, oldest first."""

from __future__ import annotations

import json

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from redis import Redis
from redis.exceptions import RedisError, ResponseError

from webapp import redis_client
from webapp.audit.models import Event

LIST = "journalscope:audit:late"
DISK_MS = 3000


def keep(event: Event) -> None:
    """Append the event to the list in Redis. Raises RedisError."""
    values = {field.attname: getattr(event, field.attname) for field in Event._meta.concrete_fields}
    values["at"] = timezone.now().isoformat()
    redis_client.connection().ping()  # one that hangs is noticed in a fraction of a second
    connection = redis_client.patient()
    connection.rpush(LIST, json.dumps(values, cls=DjangoJSONEncoder))
    _wait_for_disk(connection)


def _wait_for_disk(connection: Redis) -> None:
    """Wait until Redis has synced its append-only file. Raises RedisError after a timeout."""
    try:
        on_disk, _ = connection.waitaof(1, 0, DISK_MS)
    except ResponseError:  # a server of yours before 7.2, or without such a file
        return
    if not on_disk:
        raise RedisError("The broker's disk did not take the event in time.")


def bring_in() -> int:
    """Move all events to the database with their own times; returns their number."""
    brought = 0
    while text := redis_client.connection().lindex(LIST, 0):
        values = json.loads(text) | {"id": None}
        # raw: the time is that of the read, not of now
        Event(**values | {"at": parse_datetime(values["at"])}).save_base(raw=True, force_insert=True)
        redis_client.connection().lpop(LIST)
        brought += 1
    return brought
