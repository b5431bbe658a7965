"""Houses that are lived in, and what the tests do to them and wait for."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import redis

from tests.workers.whole_house import OVER, House, as_uuid, running, until

STUCK_SECONDS = 60
WORKER = "celery --app workers.app --quiet worker --queues "
USUAL_START_SECONDS = (
    25  # of a new data folder, its samples included, where nothing else runs; measured waits stretch with it
)
SHARE = """
import sys, django
django.setup()
from datetime import timedelta
from django.utils import timezone
from webapp.journals.models import Inspection
from spark.redaction import Options
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms, create_share
terms = Terms(timezone.now() + timedelta(days=1), Options(b"").document(), scope=Scope().document())
print(create_share(Inspection.objects.get(pk=sys.argv[1]), None, terms)[0].pk.hex)
"""

REPAIR = """
import sys, django
django.setup()
from webapp.journals.models import Inspection
from webapp.journals.repairs import request_repair
earlier = Inspection.objects.get(pk=sys.argv[1]).repairs.get()
print(request_repair(earlier.inspection, list(earlier.older.all()), [], None).pk.hex)
"""


@contextmanager
def lived_in(database_url: str = "") -> Iterator[House]:
    """One whose samples are inspected, so that nothing else runs."""
    began = time.monotonic()
    with running(database_url) as found:
        until(lambda: all(one in OVER for one in states(found, "journals_inspection")), 600)
        found.patience = max(1.0, (time.monotonic() - began) / USUAL_START_SECONDS)
        yield found


def before_long(house: House, holds: Callable[[], bool], seconds: float = STUCK_SECONDS) -> None:
    """Until it holds; on a busy machine for as much longer as the start took."""
    until(holds, seconds * house.patience)


def kill(house: House, word: str) -> None:
    """All processes of the house that have this in their command line; there is one at least."""
    found = house.pids(word)
    assert found, word
    for process in found:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def states(house: House, table: str) -> list[str]:
    """Of all rows."""
    return [state for (state,) in house.ask(f"select state from {table}")]


def share_row(house: House, share: str) -> tuple[str, str]:
    """State and error."""
    return house.ask("select state, error from sharing_share where id = ?", share)[0]


def broker(house: House) -> redis.Redis:
    """Its Redis."""
    return redis.Redis.from_url(f"unix://{house.data / 'run' / 'redis.sock'}")


def wait_for_stage(house: House, inspection: str, stage: str) -> None:
    """Until it works on this stage, or on a later one where this one was over too soon to be seen."""
    told, deadline = broker(house), time.monotonic() + STUCK_SECONDS * house.patience
    key = f"journalscope:progress:{as_uuid(inspection)}"
    while time.monotonic() < deadline and f'"stage": "{stage}"' not in (told.get(key) or b"").decode():
        if house.state(inspection) in OVER:
            return
        time.sleep(0.01)


def nothing_is_left_over(house: House, inspection: str) -> bool:
    """One whole result and nothing half-made of it; the trial of its repair may be running by then, in a folder of its own."""
    own = as_uuid(inspection)
    names = [folder.name for folder in (house.data / "results").iterdir()]
    return [name for name in names if name.startswith(own)] == [own]
