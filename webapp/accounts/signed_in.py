"""The request of somebody who is signed in: what every view gets that is not open to all."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest


class SignedInRequest(HttpRequest):
    """For annotations: the middleware rejects anonymous requests."""

    user: User
