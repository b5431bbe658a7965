"""Exports of records: what the Records page shows with its filters, as a file for another tool.

    chosen    which records, in portions that fit into memory
    ndjson, sheet, parquet    one layout each: portions in, bytes out
    readme    what stands beside them: filter, coverage, what is hidden, how to read it
    archive   a zip that is sent while it is made

The data is the same tables that the page reads: those of the inspection, or what a share holds and nothing else.
"""
