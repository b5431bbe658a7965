"""The science: journals from bytes to findings. Knows no Django, no Celery, no Redis.

Read `pipeline.py` first; `tables/` names every table and column.
"""
