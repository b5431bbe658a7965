"""Units: layouts, dialects and detectors. Each declares itself in one module (or package) and one page, and is found by discovery.

A module ends in a declaration, such as `detector = Detector(...)`; its name is the unit's id with underscores, its page
docs/<folder>/<id>.md (`spark.units.pages`). Modules whose names begin with an underscore are helpers. An import error stops
the start: a unit is never silently missing.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any


def names(package: str) -> list[str]:
    """Public modules and packages directly in a package, by name."""
    path = importlib.import_module(package).__path__
    return sorted(module.name for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))


def declared(package: str, declaration: str) -> dict[str, Any]:
    """What the modules of a package declare under this name, by id, in the order of the modules' names."""
    modules = [importlib.import_module(f"{package}.{name}") for name in names(package)]
    units = [getattr(module, declaration) for module in modules if hasattr(module, declaration)]
    return {unit.id: unit for unit in units}
