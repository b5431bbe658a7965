"""A browser's page with the script that draws figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.conf import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def plotly(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.set_content("<!doctype html><div id=figure></div>")
    page.add_script_tag(path=Path(settings.BASE_DIR) / "static/vendor/plotly/plotly-strict.min.js")
    yield page
    page.close()
