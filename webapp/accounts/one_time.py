"""One-time sign-in: the link that the first start prints, and that an admin can make for somebody."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.models import OneTimeSignIn


def create_link(user: User) -> str:
    """Path of a fresh link. The token stands nowhere but in it."""
    token = secrets.token_urlsafe(32)
    expires_at = timezone.now() + timedelta(seconds=settings.ONE_TIME_SIGN_IN_SECONDS)
    OneTimeSignIn.objects.filter(expires_at__lt=timezone.now()).delete()
    OneTimeSignIn.objects.create(user=user, token_sha256=_hash(token), expires_at=expires_at)
    return reverse("one-time-sign-in", args=[token])


def find(token: str) -> OneTimeSignIn | None:
    """The link of this token if it can still be used."""
    usable = OneTimeSignIn.objects.filter(used_at=None, expires_at__gt=timezone.now(), user__is_active=True)
    return usable.select_related("user").filter(token_sha256=_hash(token)).first()


def redeem(token: str) -> User | None:
    """Use a link up. None when it is unknown, used or too old."""
    link = find(token)
    if link is None:
        return None
    # one UPDATE decides who was first
    used = OneTimeSignIn.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now())
    return link.user if used else None


@transaction.atomic
def ensure_first_admin() -> User:
    """The first superuser; `admin`, without a password, where there is none yet."""
    superusers = User.objects.filter(is_superuser=True, is_active=True)
    return superusers.order_by("pk").first() or _create_admin()


def _create_admin() -> User:
    user, is_new = User.objects.get_or_create(username="admin")
    user.is_staff = user.is_superuser = user.is_active = True
    if is_new:
        user.set_unusable_password()
    user.save()
    return user


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
