"""What of the address of a page or an export the audit log keeps, by the types that report pages declare."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from webapp.reports.pages import report_filters

NUMBER_OR_TIME = re.compile(r"[-+0-9,.:TZ ]{1,40}")
NAME = re.compile(r"[\w./-]{1,100}")


@cache
def logged_names() -> dict[str, list[str]]:
    """Names of parameters by how they are logged: number, name, search."""
    return {
        logged: [name for name, filter_type in report_filters().items() if filter_type.logged == logged]
        for logged in ("number", "name", "search")
    }


def place_and_filters(kwargs: Mapping[str, Any], query: Mapping[str, str]) -> dict[str, Any]:
    """Numbers, times and names of the path and the query; of a search that there was one, never what was searched for."""
    names = logged_names()
    values = {**query, **{name: str(value) for name, value in kwargs.items()}}
    logged = {
        name: values[name] for name in names["number"] if NUMBER_OR_TIME.fullmatch(values.get(name, ""))
    }
    logged |= {name: values[name] for name in names["name"] if NAME.fullmatch(values.get(name, ""))}
    searched = [name for name in names["search"] if query.get(name)]
    return logged | ({"searched": searched} if searched else {})
