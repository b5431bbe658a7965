"""One-time sign-in links."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class OneTimeSignIn(models.Model):
    """A link that signs somebody in once. Only the token's hash is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.user}, until {self.expires_at:%Y-%m-%d %H:%M} UTC"
