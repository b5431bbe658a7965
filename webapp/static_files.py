"""Static files under names that carry their hash, once `collectstatic` has made them; under plain names before."""

from __future__ import annotations

from django.conf import settings
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedNames(CompressedManifestStaticFilesStorage):
    """The manifest's names only where a manifest was there at the start."""

    def stored_name(self, name: str) -> str:
        """Name under which a file is served."""
        return super().stored_name(name) if settings.STATIC_IS_COLLECTED else name
