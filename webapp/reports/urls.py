"""Addresses of a report, below /inspections/<uuid>/report/: those that its pages declare."""

from __future__ import annotations

from django.urls import path, register_converter
from django.urls.converters import IntConverter, StringConverter

from webapp.reports.pages import report_addresses


class KeyId(StringConverter):
    """32 hex digits: both halves of the key's hash."""

    regex = "[0-9a-f]{32}"


class Offset(IntConverter):
    """An offset; only damaged data makes it negative."""

    regex = "-?[0-9]{1,18}"


OFFSET = "offset"  # the converter of `<offset:...>`, here and in the API
register_converter(KeyId, "key_id")
register_converter(Offset, OFFSET)

urlpatterns = [path(address.path, address.view, name=address.name) for address in report_addresses().values()]
