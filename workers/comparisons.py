"""One comparison from the queue to its result; small enough to live in its row.

Every change of state is one conditional UPDATE. A message that comes again after its worker died finds the
comparison running without a sign of life, and takes it up.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from spark.runtime.java import NoJava
from webapp.journals.models import Comparison
from workers import spark_runner
from workers.database import outlasting
from workers.progress import Progress, WorkerStops, is_alive, say_alive, say_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark import SparkContext

logger = logging.getLogger(__name__)
State = Comparison.State

DEFECT = "The comparison broke off because of a defect in Journalscope. An admin finds the details in the worker's log."
GONE = "The results of one of the two inspections are not there any more. Inspect its journal again, then compare again."
NO_COPIES = (
    "This inspection holds one copy of each partition only. Choose another inspection to compare it with."
)


def perform(comparison_id: str) -> None:
    """What the task does. Nothing when it is done, or another worker is at it."""
    comparison = _take(comparison_id)
    if comparison is None:
        return
    try:
        _settle(comparison, State.DONE, result=_compare(comparison))
    except WorkerStops:
        _settle(comparison, State.QUEUED)
    except FileNotFoundError:
        _settle(comparison, State.FAILED, error=GONE)
    except (NoCopies, NoJava, spark_runner.SparkGone) as problem:
        _settle(comparison, State.FAILED, error=str(problem))
    except Exception:
        logger.exception("Comparison %s broke off.", comparison.pk)
        _settle(comparison, State.FAILED, error=DEFECT)
        raise
    finally:
        say_gone(comparison.pk)


class NoCopies(Exception):
    """There is nothing to compare within one inspection."""


def _take(comparison_id: str) -> Comparison | None:
    waiting = Comparison.objects.filter(pk=comparison_id)
    if is_alive(comparison_id):
        return None
    say_alive(comparison_id)
    mine = waiting.filter(state__in=[State.QUEUED, State.RUNNING]).update(state=State.RUNNING, error="")
    return waiting.select_related("left__journal", "right__journal").get() if mine else None


def _compare(comparison: Comparison) -> dict[str, Any]:
    """The document of docs/compare.md."""
    from spark.compare import compare, compare_copies

    def attempt(context: Callable[[], SparkContext]) -> dict[str, Any]:
        left, right = _sides(comparison)
        if comparison.left_id != comparison.right_id:
            return compare(context(), left, right).as_json()
        found = compare_copies(context(), left)
        if not found.pairs:
            raise NoCopies(NO_COPIES)
        return found.as_json()

    return spark_runner.run(Progress(comparison.pk), attempt)


def _sides(comparison: Comparison) -> tuple[Any, Any]:
    """Both inspections, named for their journals; by their time too where the journal is the same."""
    from spark.compare import Side
    from spark.tables import Manifest

    pair = (comparison.left, comparison.right)
    names = [one.journal.name for one in pair]
    if names[0] == names[1]:
        names = [f"{one.journal.name} ({one.created_at:%Y-%m-%d %H:%M:%S})" for one in pair]
    left, right = (Side(Manifest.load(one.results), name) for one, name in zip(pair, names, strict=True))
    return left, right


def _settle(comparison: Comparison, state: str, **members: Any) -> None:
    running = Comparison.objects.filter(pk=comparison.pk, state=State.RUNNING)
    outlasting(comparison.pk, lambda: running.update(state=state, **members))
