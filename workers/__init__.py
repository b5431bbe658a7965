"""Celery and the command line. Moves; never decides: runs the Spark pipeline and keeps its progress and results.

app, tasks               queues and times; what each message does: a job of some kind, or one of the three below
storing                  a file that has arrived, into the content store
watches, retention       what is due each minute, and each day
jobs/, kinds/            how a job lives and dies; what a job of each kind does
capture/, kafka/, net/   a topic into files; what brokers are asked; every connection to another machine
notify/, backup/         mails and webhooks; everything that cannot be made again
inputs                   paths and uploads -> the files to inspect, for kinds/ and management/
management/              the commands of `manage.py`
supervisor, server/      the processes of one machine; waiting connections
"""
