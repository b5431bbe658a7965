"""Access by link: whether it is open, for whom, with which password. Visits are counted here, one per browser."""

from __future__ import annotations

import logging
import re
from typing import Any

from django.contrib.auth.hashers import check_password
from django.db.models import F, Q
from django.http import HttpRequest
from django.utils import timezone
from redis.exceptions import RedisError

from webapp import redis_client
from webapp.accounts.roles import has_role
from webapp.audit.log import record
from webapp.notifications.events import share_opened
from webapp.sharing.models import Share, ShareView

logger = logging.getLogger(__name__)

TRIES = 5  # wrong passwords from one address before it has to wait
TRIES_IN_ALL = 50
WAIT_SECONDS = 300
PAGE_CHARACTERS = 200
# Chat programs, ticket systems and mail filters that fetch a link for its preview, as they name themselves.
ROBOTS = re.compile(
    r"(?<!cu)bot\b|bot[/-]|slack-imgproxy|crawler|spider|preview|unfurl|embedly|facebookexternalhit|whatsapp/|iframely"
    r"|mattermost|zulip|googleimageproxy|ms-office|microsoft office|atlassian",
    re.IGNORECASE,
)
# A counter that ran out meanwhile is not made anew: it would have no end.
TAKE_BACK = "if redis.call('exists', KEYS[1]) == 1 then return redis.call('decr', KEYS[1]) end return 0"


def may_look(share: Share, user: Any) -> str:
    """`yes`, `sign_in` (it may help), or `no`: then the link does not exist for them."""
    if share.audience == Share.Audience.LINK:
        return "yes"
    if not user.is_authenticated:
        return "sign_in"
    if share.audience == Share.Audience.SIGNED_IN:
        return "yes"
    return "yes" if has_role(user, "viewer", share.project_id) else "no"


def has_password(request: HttpRequest, share: Share) -> bool:
    """Whether this browser entered the password, or none is needed."""
    return not share.password or request.session.get(_key(share, "password")) == share.password


def try_password(request: HttpRequest, share: Share, typed: str) -> str:
    """`right`, `wrong`, or `wait` after too many wrong ones; the session remembers a right one."""
    if not _may_try(request, share):
        return "wait"
    if not check_password(typed, share.password):
        return "wrong"
    _take_back(request, share)
    request.session[_key(share, "password")] = share.password
    return "right"


def count_visit(request: HttpRequest, share: Share) -> bool:
    """Count this browser's first page; False when the share has been seen as often as it may."""
    if request.session.get(_key(share, "seen")):
        return True
    openable = Share.objects.filter(Q(max_views=None) | Q(views__lt=F("max_views")), pk=share.pk)
    if not openable.update(views=F("views") + 1, last_opened_at=timezone.now()):
        return False
    request.session[_key(share, "seen")] = True
    _keep(request, share, True)
    record("share.opened", project_id=share.project_id, target=share)
    share_opened(share)
    return True


def log_page(request: HttpRequest, share: Share) -> None:
    """Log another page of a visit."""
    _keep(request, share, False)
    Share.objects.filter(pk=share.pk).update(last_opened_at=timezone.now())


def is_robot(request: HttpRequest) -> bool:
    """Whether the request says that it comes for a preview. Who lies about it sees no more, and is in the access log as well."""
    return bool(ROBOTS.search(request.headers.get("User-Agent", "")))


def log_robot(request: HttpRequest, share: Share) -> None:
    """Log a page that was fetched for a preview: no visit."""
    _keep(request, share, False, " (link preview)")


def asks_first(request: HttpRequest, share: Share) -> bool:
    """Whether a visit begins with a button: visits are limited, and this may be a robot that looks for a preview.

    Who gave the password or is signed in is a person already.
    """
    is_known = request.user.is_authenticated or bool(share.password)
    return share.max_views is not None and not is_known and is_new_visit(request, share)


def is_new_visit(request: HttpRequest, share: Share) -> bool:
    """Whether this browser has not opened the share yet."""
    return not request.session.get(_key(share, "seen"))


def _keep(request: HttpRequest, share: Share, is_first: bool, why: str = "") -> None:
    match = request.resolver_match
    page = match.url_name if match and match.url_name else ""
    user: Any = request.user
    ShareView.objects.create(
        share=share,
        address=request.META.get("REMOTE_ADDR") or None,
        user=user if user.is_authenticated else None,
        page=f"{page.removeprefix('report-')}{why}"[:PAGE_CHARACTERS],
        is_first=is_first,
    )


def _counters(request: HttpRequest, share: Share) -> tuple[str, str]:
    """Redis keys of the wrong passwords: from this address, and from all."""
    own = redis_client.key("share-tries", f"{share.pk}:{request.META.get('REMOTE_ADDR', '')}")
    return own, redis_client.key("share-tries", str(share.pk))


def _may_try(request: HttpRequest, share: Share) -> bool:
    """Count a try before its password is looked at, so that many at a time are counted; without the counter nobody may try."""
    try:
        counts = redis_client.connection().pipeline()
        for name in _counters(request, share):
            counts.set(name, 0, ex=WAIT_SECONDS, nx=True)
            counts.incr(name)
        _, tries, _, in_all = counts.execute()
    except RedisError:
        logger.exception("Tries of a password cannot be counted; is Redis running?")
        return False
    return bool(tries <= TRIES and in_all <= TRIES_IN_ALL)


def _take_back(request: HttpRequest, share: Share) -> None:
    """A right password is no try: what was counted for it before is taken off again."""
    try:
        counts = redis_client.connection().pipeline()
        for name in _counters(request, share):
            counts.eval(TAKE_BACK, 1, name)
        counts.execute()
    except RedisError:
        logger.exception("A try that was right could not be taken off the count; is Redis running?")


def _key(share: Share, purpose: str) -> str:
    return f"share-{share.pk}-{purpose}"
