"""Static files under names that carry their hash, once `collectstatic` has made them; under plain names before."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedNames(CompressedManifestStaticFilesStorage):
    """The manifest's names only where a manifest was there at the start."""

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if settings.STATIC_IS_COLLECTED else name

    def create_compressor(self, **kwargs: Any) -> Compressor:
        """gzip alone: brotli, where a package happens to bring it, makes the first start 20 s longer."""
        return Compressor(use_brotli=False, **kwargs)
