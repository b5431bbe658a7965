"""Writing to the audit log: one line where something is changed, shared, or a payload is read.

It joins the transaction of what it tells about: either both are kept or neither. Actor and address are those of
the request that this thread is answering, so services need not hand it on.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from webapp import tracing
from webapp.audit.models import Event


def record(
    action: str,
    *,
    request: HttpRequest | None = None,
    actor: Any = None,
    project_id: int | None = None,
    target: Any = None,
    **detail: Any,
) -> None:
    """Add an event. `action` is `noun.verb` (`share.created`); `target` a row, whose class, key and name are kept.

    The actor is the request's user unless another is given; `detail` holds numbers and names, never a payload.
    """
    made = event(action, request=request, actor=actor, project_id=project_id, target=target, **detail)
    made.save(force_insert=True)


def event(
    action: str,
    *,
    request: HttpRequest | None = None,
    actor: Any = None,
    project_id: int | None = None,
    target: Any = None,
    **detail: Any,
) -> Event:
    """An unsaved event."""
    request = request or tracing.current_request()
    actor = actor or getattr(request, "user", None)
    is_known = bool(actor and actor.pk)
    if token := getattr(request, "token", None):  # a program acted for the user
        detail |= {"token": str(token.pk)}
    return Event(
        action=action,
        actor_id=actor.pk if is_known else None,
        actor_name=actor.get_username() if is_known else "",
        project_id=project_id,
        target_kind=target._meta.model_name if target is not None else "",
        target_id=str(target.pk) if target is not None else "",
        target_name=str(target)[:250] if target is not None else "",
        address=request.META.get("REMOTE_ADDR") or None if request else None,
        request_id=getattr(request, "request_id", "") or tracing.request_id(),
        detail=detail,
    )
