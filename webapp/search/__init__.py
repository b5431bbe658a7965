"""One search over everything a user may see: journals, names in their reports, findings, pages, commands."""
