"""The report pages: they read result tables with DuckDB and show them; nothing is computed here that Spark knows."""
