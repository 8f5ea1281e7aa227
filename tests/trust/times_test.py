"""Times that people type, in a process whose zone is not UTC: one without a zone is UTC.

usage: times_test.py FIRN
"""

import datetime
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
COMMITS = ("2026-03-01T04:30:00", "2026-03-01T05:30:00", "2026-03-01T06:30:00")  # UTC.


def milliseconds(text):
    time = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
    return int(time.timestamp() * 1000)


# B12
class TimesTest(unittest.TestCase):
    """A table of three snapshots, in New York, where clocks go forward on March 8."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-times-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment.update(HOME=self.folder, TZ="America/New_York")
        self.run_firn("namespace", "create", "db")
        source = os.path.join(self.folder, "row.csv")
        with open(source, "w", encoding="utf-8") as file:
            file.write("id\n1\n")
        for _ in COMMITS:
            self.run_firn("ingest", "csv", source, "--into", "db.t")
        self.date_snapshots()

    def date_snapshots(self):
        """Write a next version in which the snapshots were committed at COMMITS."""
        folder = os.path.join(self.folder, "lake", "db", "t", "metadata")
        versions = len(glob.glob(os.path.join(folder, "v*.metadata.json")))
        with open(f"{folder}/v{versions}.metadata.json", encoding="utf-8") as file:
            metadata = json.load(file)
        times = [milliseconds(text) for text in COMMITS]
        for entries in (metadata["snapshots"], metadata["snapshot-log"]):
            for entry, time in zip(entries, times, strict=True):
                entry["timestamp-ms"] = time
        for number, entry in enumerate(metadata["metadata-log"]):
            entry["timestamp-ms"] = times[0] - 10 + number
        metadata["last-updated-ms"] = times[-1]
        with open(f"{folder}/v{versions + 1}.metadata.json", "w", encoding="utf-8") as file:
            json.dump(metadata, file)

    def run_firn(self, *arguments):
        settings = ("--conf", "catalog.lake.type=hadoop", "--conf", "catalog.lake.warehouse=lake")
        return subprocess.run(
            [PROGRAM, *arguments, *settings, "--output", "json"],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, check=True)

    def snapshots(self):
        return len(self.run_firn("inspect", "db.t", "snapshots").stdout.splitlines())

    def expire(self, cut_off):
        return self.run_firn("expire-snapshots", "db.t", "--older-than", cut_off).stderr

    def call(self, cut_off):
        statement = (f"CALL lake.system.expire_snapshots(table => 'db.t', "
                     f"older_than => TIMESTAMP '{cut_off}')")
        return self.run_firn("call", statement).stderr

    def test_a_cut_off_without_a_zone_is_utc_and_is_told(self):
        for run in (self.expire, self.call):
            for text in ("2026-03-01 00:00:00", "2026-03-01T00:00:00Z", "2026-02-28 19:00:00-05:00"):
                told = run(text)
                self.assertIn("older_than is 2026-03-01T00:00:00", told)
                self.assertRegex(told, r"00:00:00\S*(Z|\+00:00)")
                self.assertEqual(self.snapshots(), 3, text)

    def test_a_cut_off_in_the_zone_of_the_user_takes_what_is_older(self):
        self.assertIn("older_than is 2026-03-01T05:00:00", self.expire("2026-03-01 00:00:00-05:00"))
        self.assertEqual(self.snapshots(), 2)
        self.assertIn("older_than is 2026-03-01T06:00:00", self.call("2026-03-01 06:00:00"))
        self.assertEqual(self.snapshots(), 1)

    def test_a_time_that_the_zone_of_the_process_skips_is_a_time_like_any_other(self):
        told = self.expire("2026-03-08 02:30:00")
        self.assertIn("older_than is 2026-03-08T02:30:00", told)
        self.assertEqual(self.snapshots(), 1)  # All but the last one are older.

    def test_as_of_is_utc_too(self):
        count = self.run_firn("count", "db.t", "--as-of", "2026-03-01 05:30:00")
        self.assertEqual(json.loads(count.stdout), {"count": 2})
        self.assertIn("as_of is 2026-03-01T05:30:00", count.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1], verbosity=2)
