#!/usr/bin/env python
"""The commands of Journalscope and of Django: `manage.py inspect`, `migrate`, `createsuperuser`, ..."""

from __future__ import annotations

import sys

from workers.command_line import COMMANDS, main, site_command

if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].replace("_", "-") in COMMANDS:
        main()
    else:
        site_command(sys.argv[1:])
