"""Backup and restore: database rows, raw bytes and result tables in one folder with checksums.

    manifest.json            what is in it: rows by table, every file with size and SHA-256, the migrations
    manifest.sha256          of manifest.json
    database/<table>.ndjson  one row a line, the same for every kind of database
    raw/<2 digits>/<sha256>  the raw bytes
    results/<id>/...         result tables of inspections, repairs and shares

Order: bytes, then rows, then the bytes that came meanwhile. Raw bytes and results never change once they are whole,
so copying them first is safe; the rows are one snapshot; what a row of it names and was not copied yet is copied then,
and what no row names is dropped. If a file is deleted in between, the snapshot is taken anew.
"""
