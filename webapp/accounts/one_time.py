"""One-time sign-in: the link that a start prints while no superuser can sign in, and that an admin can make for somebody."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import timedelta

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.models import OneTimeSignIn
from webapp.accounts.sealing import token_hash


def create_link(user: User) -> str:
    """Path of a new sign-in link. It ends the user's earlier links; the token is stored nowhere else."""
    token = secrets.token_urlsafe(32)
    expires_at = timezone.now() + timedelta(seconds=settings.ONE_TIME_SIGN_IN_SECONDS)
    with transaction.atomic():
        OneTimeSignIn.objects.filter(expires_at__lt=timezone.now()).delete()
        end_links([user])
        OneTimeSignIn.objects.create(user=user, token_sha256=token_hash(token), expires_at=expires_at)
    return reverse("one-time-sign-in", args=[token])


def end_links(users: Iterable[User]) -> None:
    """Invalidate the unused links of these users."""
    OneTimeSignIn.objects.filter(user__in=users, used_at=None).delete()


def link_for_the_start() -> str:
    """A link for the first superuser while none can sign in, else an empty string. Links of earlier starts end."""
    if superuser_can_sign_in():
        end_links(_superusers())
        return ""
    return create_link(ensure_first_admin())


def superuser_can_sign_in() -> bool:
    """Whether a superuser has a password or an account at the configured provider."""
    if any(user.password and user.has_usable_password() for user in _superusers()):
        return True
    has_provider = bool(settings.OIDC_SERVER_URL or settings.SAML_METADATA_FILE)
    return has_provider and SocialAccount.objects.filter(user__in=_superusers()).exists()


def _superusers() -> QuerySet[User]:
    return User.objects.filter(is_superuser=True, is_active=True)


def find(token: str) -> OneTimeSignIn | None:
    """The link of this token if it can still be used."""
    usable = OneTimeSignIn.objects.filter(used_at=None, expires_at__gt=timezone.now(), user__is_active=True)
    return usable.select_related("user").filter(token_sha256=token_hash(token)).first()


def redeem(token: str) -> User | None:
    """Use the link. None if it is unknown, used or expired."""
    link = find(token)
    if link is None:
        return None
    # one UPDATE decides who was first
    used = OneTimeSignIn.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now())
    return link.user if used else None


@transaction.atomic
def ensure_first_admin() -> User:
    """The first superuser; creates `admin`, without a password, if there is none."""
    return _superusers().order_by("pk").first() or _create_admin()


def _create_admin() -> User:
    user, is_new = User.objects.get_or_create(username="admin")
    user.is_staff = user.is_superuser = user.is_active = True
    if is_new:
        user.set_unusable_password()
    user.save()
    return user
