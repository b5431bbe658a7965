#!/usr/bin/env python
"""Django's command line: `manage.py inspect`, `migrate`, `createsuperuser`, ..."""

from __future__ import annotations

import os
import sys
from importlib import import_module

# Commands that ask no database: Django's apps, which take a second to load, are left out.
HEADLESS = ("compare", "inspect", "state")


def main() -> None:
    """Run one command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    if sys.argv[1:] and sys.argv[1] in HEADLESS:
        import_module(f"workers.management.commands.{sys.argv[1]}").Command().run_from_argv(sys.argv)
        return
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
