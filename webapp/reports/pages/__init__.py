"""Report pages: one module per page, found by discovery. A module that begins with `_` is a part of a page.

A page's module has its view and the queries that only this page asks, and ends in `page = ReportPage(...)`. From these
declarations follow the addresses below /inspections/<uuid>/report/, the tabs, which pages and tables a share has, and
what of an address the audit log keeps. Its template is in templates/reports, its test in tests/webapp/reports/pages.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from django.http.response import HttpResponseBase

from spark.redaction.selection import BY_RECORD


@dataclass(frozen=True)
class FilterType:
    """What happens to a parameter of an address outside its page.

    logged    how the audit log keeps its value; `search`: that there was one, for the value may itself be a payload
    in_share  whether the first address of a share keeps it although the share hides names: no text of the journal
    """

    logged: Literal["", "number", "name", "search"]
    in_share: bool = False


OFFSET = TIME = FilterType("number", in_share=True)
CHOICE = FilterType("name", in_share=True)  # one of our own words
# Which part of the page is on the screen, and how: a window, a sort order.
DISPLAY = FilterType("", in_share=True)
POSITION = FilterType("number")  # where a list begins, which copy: a share's rows are others
NAME = FilterType("name")  # of a topic or a type; an id
SEARCH = FilterType("search")

# Parameters of every page: the partition, and the consumer through whose eyes its records are seen.
COMMON = {"topic": NAME, "partition": POSITION, "replica": NAME, "isolation": CHOICE, "cleaned": CHOICE}
RECORD_TABLES = BY_RECORD | {"gaps", "transactions", "cleanings"}

# Whether a page follows the isolation level of its address: its tables hold the rows of such a consumer only, or all rows,
# and the page itself marks what the consumer does not get.
Reader = Literal["", "rows", "marks"]


@dataclass(frozen=True)
class ReportAddress:
    """An address below /inspections/<uuid>/report/: a page, or a figure, a fragment, a download of one.

    name     as `reverse` knows it
    path     Django's route; webapp/reports/urls.py has the converters
    view     view(page, ...) with `@report_page`, or any view of (request, inspection_id, ...); a share needs the former
    filters  parameters of its query and its path; one that is not named is neither logged nor kept in a share's address
    reader   whether it follows the isolation level of the address
    read_as  what the audit log calls it when somebody gets it; empty: it shows no keys, values or text of the journal
    shared   whether a share has it
    """

    name: str
    path: str
    view: Callable[..., HttpResponseBase]
    filters: Mapping[str, FilterType] = field(default_factory=dict)
    reader: Reader = ""
    read_as: str = ""
    shared: bool = False


@dataclass(frozen=True)
class ReportPage(ReportAddress):
    """A page with its further addresses.

    title    of its tab; empty: it has none
    position of its tab, from the left
    tab      name of the page whose tab is on while this one is shown; empty: its own
    tables   what a share of this tab alone holds of its partition; empty: it cannot be shared alone
    of_files whether it shows something of an input without a partition, such as the output of a tool
    further  its other addresses; each says itself whether it is shared
    """

    title: str = ""
    position: int = 0
    tab: str = ""
    tables: frozenset[str] = frozenset()
    of_files: bool = False
    further: tuple[ReportAddress, ...] = ()


@cache
def report_pages() -> tuple[ReportPage, ...]:
    """All pages, tabs first, from the left."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    pages: list[ReportPage] = [module.page for module in modules if hasattr(module, "page")]
    return tuple(sorted(pages, key=lambda page: (not page.title, page.position)))


@cache
def report_addresses() -> dict[str, ReportAddress]:
    """All addresses by name, each page's own before its further ones."""
    return {address.name: address for page in report_pages() for address in (page, *page.further)}


@cache
def report_filters() -> dict[str, FilterType]:
    """Parameters of all pages. One name has one type everywhere: the audit log and a share's address go by the name alone."""
    filters = dict(COMMON)
    for address in report_addresses().values():
        for name, filter_type in address.filters.items():
            if filters.setdefault(name, filter_type) != filter_type:
                raise TypeError(f"{address.name}: another page declares {name} with another type.")
    return filters


@cache
def _tabs_by_address() -> dict[str, str]:
    return {
        address.name: page.tab or page.name for page in report_pages() for address in (page, *page.further)
    }


def tab_of(address: str) -> str:
    """Name of the page whose tab is on at an address; the address itself where it is none of a report page."""
    return _tabs_by_address().get(address, address)
