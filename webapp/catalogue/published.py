"""The documentation as files for any web server: the pages that the site serves, in a frame that needs no server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from django.conf import settings
from django.template import Context, Engine

from webapp.catalogue import docs
from webapp.catalogue.places import docs_folder

ASSETS = (
    "favicon.svg",
    "js/theme.js",
    "js/docs.js",
    "vendor/tabler/tabler.min.css",
    "css/journalscope.css",
    "css/docs.css",
)


def publish(out: Path) -> int:
    """Write all pages; how many there are."""
    template = Engine(dirs=[str(Path(settings.BASE_DIR) / "templates")]).get_template("docs/page.html")
    pages = docs.docs_pages()
    for page in pages:
        context = docs.context(page)
        frame = {"frame": "docs/published.html", "search_action": context["first_page"]}
        _at(out, page.address_in_docs).write_text(
            template.render(Context(context | frame, use_l10n=False)), encoding="utf-8"
        )
    for name in docs.file_names():
        if not name.endswith(".md"):
            shutil.copyfile(docs_folder() / name, _at(out, name))
    for name in ASSETS:
        shutil.copyfile(Path(settings.BASE_DIR) / "static" / name, _at(out, f"assets/{Path(name).name}"))
    _at(out, docs.INDEX).write_text(json.dumps(docs.search_index(), ensure_ascii=False), encoding="utf-8")
    for path in (out, *out.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # files of a site are private, these are for everybody
    return len(pages)


def _at(out: Path, name: str) -> Path:
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
