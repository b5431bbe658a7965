"""Makes a data folder for test_upgrade.py out of this checkout, before a change of the schema is added to it:

python -m tests.workers.server.earlier_folder NAME        writes earlier_folders/NAME.tar.xz
"""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.whole_house import OVER, House, as_uuid, launch, output_of, until

FOLDERS = Path(__file__).parent / "earlier_folders"
DATABASE = "journalscope.sqlite3"
KEPT = ("secret-key", "raw", "results")  # a start makes everything else anew
DJANGO = """
import sys, django
django.setup()
from datetime import UTC, datetime
from pathlib import Path
from django.contrib.auth.models import User
from webapp.accounts.models import Project
LATER, project = datetime(2076, 1, 1, tzinfo=UTC), Project.objects.get()
"""
FILL = """
from webapp.accounts.projects import add_member
from webapp.api.tokens import create_token
from webapp.clusters.models import Cluster, Watch
from webapp.journals.models import Journal
from webapp.journals.samples import store
from webapp.notifications.models import Channel
from webapp.review.models import SavedFilter
user = User.objects.create_user("second", "second@example.org", "a long pass phrase")
add_member(project, user, "reviewer")
_, token = create_token(user, "of a script", ["read", "review"], LATER, project)
cluster = Cluster(project=project, name="staging", bootstrap="127.0.0.1:1", protocol="SASL_SSL", mechanism="PLAIN")
cluster.username, cluster.secrets = "journalscope", {"password": "of the cluster"}
cluster.save()
Watch.objects.create(cluster=cluster, topic="kafkasql-journal", asked={}, is_on=False, next_at=LATER)
channel = Channel(project=project, what="webhook", target="https://hooks.example.org/journals", kinds=[])
channel.secret = "of the webhook"
channel.save()
SavedFilter.objects.create(owner=user, name="critical ones", query="severity=critical")
inspection = store("orders of the shop", [("orders.json", Path(sys.argv[1]))], project)
Journal.objects.update(is_sample=False)
print(token, inspection.pk.hex)
"""
DECIDE = """
from spark.redaction.options import Options
from webapp.journals.models import Inspection
from webapp.review.decisions import decide
from webapp.review.models import Comment, Finding
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms, create_share
user, finding = User.objects.get(username="second"), Finding.objects.get(detector="dangling-content-hash")
decide([finding.pk], user, "confirmed", comment="Known since the upgrade of March")
Comment.objects.create(finding=finding, author=user, text="The dump was taken after the restart")
terms = Terms(LATER, Options(b"").document(), scope=Scope().document())
share, token = create_share(Inspection.objects.get(), user, terms)
print(finding.pk, share.pk.hex, token)
"""
AGAIN = """
from webapp.journals.inspections import request_inspection
from webapp.journals.models import Journal
print(request_inspection(Journal.objects.get(), None).pk.hex)
"""


def fill(house: House, dump: Path) -> dict[str, str | int]:
    """What the test expects to find again. The last inspection is on its way when this returns."""
    api_token, id = house.python(DJANGO + FILL, str(dump))
    dangling = "select 1 from review_finding where detector = 'dangling-content-hash'"
    until(lambda: bool(house.ask(dangling)), 600)
    finding, share, token = house.python(DJANGO + DECIDE)
    until(lambda: house.ask("select state from sharing_share where id = ?", share)[0][0] in OVER, 300)
    until(lambda: {state for (state,) in house.ask("select state from journals_repair")} == {"done"}, 300)
    ((verdict,),) = house.ask("select verdict_sentence from journals_inspection where id = ?", id)
    (interrupted,) = house.python(DJANGO + AGAIN)
    until(lambda: house.state(interrupted) == "running", 100)
    told = {"inspection": as_uuid(id), "verdict": verdict, "finding": int(finding), "token": token}
    return {**told, "api_token": api_token, "interrupted": as_uuid(interrupted)}


def make(name: str) -> Path:
    """The archive."""
    data = Path(tempfile.mkdtemp(prefix="js-"))
    house = launch(data)
    assert house.process
    try:
        until(lambda: any("Stop with Ctrl-C" in line for line in house.said), 300)
        dump = output_of(data).with_suffix(".json")
        dump.write_bytes(kcat_base64(incident(5, "lost")))
        truth = fill(house, dump)
    finally:
        house.process.send_signal(signal.SIGINT)
        house.process.wait()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "data"
        target.mkdir()
        for part in KEPT:
            if (data / part).is_dir():
                shutil.copytree(data / part, target / part, ignore=shutil.ignore_patterns("*.crc"))
            else:
                shutil.copy(data / part, target)
        with closing(sqlite3.connect(data / DATABASE)) as database:
            database.execute("vacuum into ?", [str(target / DATABASE)])  # with what its log still has
        (target.parent / "truth.json").write_text(json.dumps(truth))
        return Path(shutil.make_archive(str(FOLDERS / name), "xztar", folder))


if __name__ == "__main__":
    print(make(sys.argv[1]))
