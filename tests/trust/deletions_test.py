"""Commands that take something out of a table, as users type them: what --dry-run prints is what
goes, and what must stop them does, and says why.

usage: deletions_test.py FIRN
"""

import datetime
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = None
INVALID = 2  # Exit codes.
CORRUPT = 6
DAY = 86_400


class LakeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="firn-deletions-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment["HOME"] = self.folder
        self.warehouse = os.path.join(self.folder, "warehouse")
        self.files = 0

    def run_firn(self, *arguments, exit_code=0):
        done = subprocess.run([PROGRAM, *arguments, "--output", "json"], cwd=self.folder,
                              env=self.environment, capture_output=True, timeout=300, check=False)
        self.errors = done.stderr.decode()
        self.assertEqual(done.returncode, exit_code, f"{arguments}: {self.errors}")
        return [json.loads(line) for line in done.stdout.decode().splitlines() if line]

    def rows(self, *rows):
        self.files += 1
        path = os.path.join(self.folder, f"rows{self.files}.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,kind\n")
            file.writelines(f"{row},{kind}\n" for row, kind in rows)
        return path

    def append(self, *rows, table="db.t", options=()):
        self.run_firn("ingest", "csv", self.rows(*rows), "--into", table, *options)

    def tree(self, folder=None):
        """Everything, byte for byte, with the times of changes."""
        found = {}
        for root, _, names in os.walk(folder or self.folder):
            for name in names:
                path = os.path.join(root, name)
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
                found[path] = (os.path.getsize(path), digest, os.stat(path).st_mtime_ns)
        return found

    def set_age(self, days, folder=None):
        for path in self.tree(folder):
            os.utime(path, (time.time() - days * DAY,) * 2)

    def plant(self, *names):
        """Files that the table does not know."""
        for name in names:
            path = os.path.join(self.warehouse, "db", "t", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write("left behind")


class PreviewTest(LakeTest):
    """What a dry run prints, as a script reads it."""

    def make_table(self):
        self.run_firn("table", "create", "db.t", "--schema", "id bigint, kind string",
                      "--partition", "kind", "--property", "write.metadata.previous-versions-max=3")
        for number in range(6):
            self.append((number, "a b"), (number + 30, "a b"), (number + 10, "x%20y"),
                        (number + 20, "ü"))
        self.run_firn("create-tag", "db.t", "keep")
        self.run_firn("delete", "db.t", "--where", "id = 3", "--write-mode", "merge-on-read")
        self.run_firn("delete", "db.t", "--where", "id = 4", "--write-mode", "merge-on-read")
        self.run_firn("compute-table-stats", "db.t")
        self.plant("data/o 1.parquet", "data/o%202.parquet", "data/kind=a b/ü.parquet",
                   "metadata/left.avro")
        self.set_age(10, self.warehouse)

    def run_both(self, *command):
        """Rows of the dry run and the real one, and what left and came to the disk."""
        before = self.tree()
        dry = self.run_firn(*command, "--dry-run")
        self.assertEqual(self.tree(), before, f"{command}: a dry run changes nothing")
        dry_errors = self.errors
        real = self.run_firn(*(word for word in command if word != "--list-files"))
        after = self.tree()
        self.errors = dry_errors
        gone = {path: before[path][0] for path in before.keys() - after.keys()}
        return dry, real, gone, after.keys() - before.keys()

    def check_deletion(self, *command):
        dry, _, gone, _ = self.run_both(*command)
        for row in dry:
            self.assertEqual(row.keys(), {"action", "kind", "path", "bytes"})
            self.assertEqual(row["action"], "delete")
        self.assertEqual({row["path"].removeprefix("file://"): row["bytes"] for row in dry}, gone)
        return dry

    def live_files(self, view):
        key = "path" if view == "manifests" else "file_path"
        return {row[key] for row in self.run_firn("inspect", "db.t", view)}

    def check_rewrite(self, *command, view="files"):
        before = self.live_files(view)
        dry, real, gone, _ = self.run_both(*command)
        dry_errors = self.errors
        left = before - self.live_files(view)
        self.assertEqual({row["path"] for row in dry if row["action"] == "delete"}, left)
        self.assertTrue(left, f"{command} takes something out")
        self.assertEqual(gone, {})  # That is for expiry to do.
        self.errors = dry_errors
        return real

    def test_what_a_dry_run_prints_is_what_the_real_run_removes(self):
        self.make_table()
        self.check_rewrite("rewrite-manifests", "db.t", view="manifests")
        real, = self.check_rewrite("delete", "db.t", "--where", "id < 2", "--write-mode",
                                   "copy-on-write")
        self.assertIn(f"dry run: {real['deleted_rows']} rows would be deleted", self.errors)
        real, = self.check_rewrite("update", "db.t", "--set", "kind='c'", "--where", "id = 12",
                                   "--write-mode", "copy-on-write")
        self.assertIn(f"{real['deleted_rows']} rows would be deleted, {real['added_rows']} rows "
                      "added", self.errors)
        self.check_rewrite("overwrite", "db.t", "--where", "kind = 'ü'", "--from",
                           self.rows((20, "ü")))
        self.check_rewrite("rewrite-position-delete-files", "db.t", "--option", "rewrite-all=true")
        self.check_rewrite("rewrite-data-files", "db.t", "--option", "rewrite-all=true",
                           "--list-files")
        self.set_age(10, self.warehouse)
        kinds = {row["kind"] for row in self.check_deletion("remove-old-metadata", "db.t")}
        self.assertEqual(kinds, {"metadata"})
        kinds = {row["kind"] for row in self.check_deletion("expire-snapshots", "db.t",
                                                            "--older-than", "now")}
        self.assertLessEqual({"data", "manifest", "manifest-list"}, kinds)
        self.assertEqual(self.run_firn("count", "db.t.tag_keep"), [{"count": 24}])
        self.check_orphans()
        kinds = {row["kind"] for row in self.check_deletion("table", "drop", "db.t", "--purge")}
        self.assertLessEqual({"data", "manifest", "manifest-list", "metadata"}, kinds)

    def check_orphans(self):
        dry, real, gone, come = self.run_both("remove-orphan-files", "db.t")
        paths = {row["orphan_file_location"].removeprefix("file://") for row in dry}
        self.assertEqual(paths, gone.keys())
        self.assertEqual(dry, real)
        left = {path for path in paths if not path.endswith(".metadata.json")}
        self.assertEqual(len(left), 4)
        self.assertEqual(len(come), len(paths) + 1)  # With the list of what came from where.
        run, = self.run_firn("restore-quarantine", "db.t")
        dry, _, gone, come = self.run_both("restore-quarantine", "db.t", "--run", run["run"])
        self.assertEqual({row["path"].removeprefix("file://") for row in dry
                          if row["action"] == "move"}, come)
        self.assertEqual(come, paths)
        self.assertEqual(len(gone), len(dry))
        self.run_firn("remove-orphan-files", "db.t")
        self.assertEqual(len(self.check_deletion("empty-quarantine", "db.t", "--older-than",
                                                 "now")), len(paths) + 1)

    def test_dry_runs_refuse_what_the_real_run_would_refuse(self):
        self.make_table()
        self.run_firn("table", "set", "db.t", "gc.enabled=false")
        for command in (("expire-snapshots", "db.t"), ("remove-orphan-files", "db.t"),
                        ("remove-old-metadata", "db.t"), ("table", "drop", "db.t", "--purge"),
                        ("empty-quarantine", "db.t", "--older-than", "now")):
            for option in (["--dry-run"], []):
                self.run_firn(*command, *option, exit_code=INVALID)
                self.assertIn("gc.enabled", self.errors)
        self.run_firn("table", "drop", "db.missing", "--dry-run", exit_code=3)
        self.run_firn("namespace", "drop", "db", "--dry-run", exit_code=INVALID)
        self.run_firn("table", "drop", "db.t", "--dry-run")
        self.run_firn("table", "drop", "db.t")
        self.run_firn("namespace", "drop", "db", "--dry-run")
        self.assertEqual(len(self.run_firn("namespace", "list")), 1)
        self.run_firn("namespace", "drop", "db")
        self.assertEqual(self.run_firn("namespace", "list"), [])


class SafetyTest(LakeTest):
    """Nothing reachable goes, and the message says why it stopped."""

    def test_two_tables_that_share_a_location(self):
        place = os.path.join(self.folder, "shared")
        catalogs = {name: ["--conf", f"catalog.{name}.type=sql", "--conf",
                           f"catalog.{name}.uri=sqlite:{self.folder}/{name}.db", "--conf",
                           f"catalog.{name}.warehouse={self.folder}/w{name}"]
                    for name in ("one", "two")}
        settings = catalogs["one"] + catalogs["two"]
        create = ("--schema", "id bigint, kind string", *settings, "--location")
        for name in catalogs:
            self.run_firn("namespace", "create", f"{name}.db", *settings)
        self.run_firn("table", "create", "one.db.t", *create, place)
        self.run_firn("table", "create", "two.db.t", *create, place, exit_code=3)
        self.assertIn("would delete each other's files", self.errors)
        # It can be forced.
        self.run_firn("table", "create", "two.db.t", *create, os.path.join(self.folder, "other"))
        self.run_firn("table", "alter", "two.db.t", "set-location", place, *settings)
        for name in catalogs:
            for number in range(2):
                self.append((number, name), table=f"{name}.db.t", options=settings)
        self.set_age(10, place)
        before = self.tree(place)
        for name in catalogs:
            for command in ("remove-orphan-files", "remove-old-metadata"):
                for option in (["--dry-run"], []):
                    self.run_firn(command, f"{name}.db.t", *option, *settings, exit_code=INVALID)
                    self.assertIn("two tables share this folder", self.errors)
        self.assertEqual(self.tree(place), before)
        # What goes by reachability alone leaves the other table whole.
        self.run_firn("rewrite-data-files", "one.db.t", "--option", "rewrite-all=true", *settings)
        self.run_firn("expire-snapshots", "one.db.t", "--older-than", "now", *settings)
        self.assertEqual(self.run_firn("count", "two.db.t", *settings), [{"count": 2}])
        self.run_firn("table", "drop", "one.db.t", "--purge", *settings)
        self.assertEqual(len(self.run_firn("read", "two.db.t", *settings)), 2)

    def test_a_table_whose_metadata_is_truncated(self):
        for number in range(3):
            self.append((number, "a"))
        self.plant("data/orphan.parquet")
        self.set_age(10, self.warehouse)
        described, = self.run_firn("table", "describe", "db.t")
        manifest = self.run_firn("inspect", "db.t", "manifests")[0]["path"]
        snapshots = self.run_firn("inspect", "db.t", "snapshots")
        for path in (described["metadata_location"], snapshots[-1]["manifest_list"], manifest):
            self.check_truncated(path.removeprefix("file://"))
        self.assertEqual(self.run_firn("count", "db.t"), [{"count": 3}])

    def check_truncated(self, path):
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(content[:len(content) // 2])
        os.utime(path, (time.time() - 10 * DAY,) * 2)
        before = self.tree(self.warehouse)
        # A manifest that is needed by what stays and by what goes alike.
        for command in (("remove-orphan-files", "db.t"), ("table", "drop", "db.t", "--purge"),
                        ("rewrite-manifests", "db.t"),
                        ("rewrite-data-files", "db.t", "--option", "rewrite-all=true")):
            is_purge = "--purge" in command
            if is_purge and not path.endswith(".json"):
                continue  # What a broken manifest names is nobody's: it is left behind.
            if command[0] == "rewrite-manifests" and path.endswith("m0.avro"):
                continue
            self.run_firn(*command, exit_code=CORRUPT)
            self.assertIn(os.path.basename(path), self.errors)
            self.assertEqual(self.tree(self.warehouse), before, command)
        self.run_firn("maintain", "db.t", exit_code=CORRUPT)
        self.assertEqual(self.tree(self.warehouse).keys() >= before.keys(), True)
        with open(path, "wb") as file:
            file.write(content)

    def test_a_listing_that_has_files_twice_and_files_that_are_gone_and_lacks_late_ones(self):
        for number in range(3):
            self.append((number, "a"))
        self.plant("data/orphan.parquet", "data/late.parquet")
        root = os.path.join(self.warehouse, "db", "t")
        listed = [path for path in self.tree(root) if not path.endswith("late.parquet")]
        listed.append(os.path.join(root, "data", "gone.parquet"))
        listing = os.path.join(self.folder, "inventory.csv")
        with open(listing, "w", encoding="utf-8") as file:
            file.writelines(f"{path},2020-01-01T00:00:00Z\n" for path in listed * 2)
        command = ("remove-orphan-files", "db.t", "--file-list-view", listing, "--max-fraction")
        # Two of so many, however often each is listed.
        self.run_firn(*command, "0.1", exit_code=INVALID)
        self.assertIn(f"2 of {len(listed)} files", self.errors)
        before = self.tree(root)
        self.run_firn(*command, "0.5", "--quarantine=false")
        self.assertEqual(before.keys() - self.tree(root).keys(),
                         {os.path.join(root, "data", "orphan.parquet")})
        self.assertEqual(self.run_firn("count", "db.t"), [{"count": 3}])

    def test_s3a_and_s3_are_one_store_and_gs_is_another(self):
        place = os.path.join(self.folder, "bucket")
        settings = ["--conf", ",".join(
            ["io.rewrite-prefix=s3://b=" + place, "s3a://b=" + place, "gs://b=" + place])]
        self.run_firn("namespace", "create", "db", *settings)
        self.run_firn("table", "create", "db.t", "--schema", "id bigint, kind string",
                      "--location", "s3a://b/t", *settings)
        self.append((1, "a b"), options=settings)
        self.run_firn("table", "alter", "db.t", "set-location", "s3://b/t", *settings)
        self.append((2, "x%20y"), options=settings)
        orphan = os.path.join(place, "t", "data", "o%20 1.parquet")
        with open(orphan, "w", encoding="utf-8") as file:
            file.write("left behind")
        self.set_age(10, place)
        before = self.tree(place)
        rows = self.run_firn("remove-orphan-files", "db.t", "--max-fraction", "1", *settings)
        self.assertEqual(len(rows), 1)
        self.assertEqual(before.keys() - self.tree(place).keys(), {orphan})
        self.assertEqual(self.run_firn("count", "db.t", *settings), [{"count": 2}])
        self.run_firn("table", "alter", "db.t", "set-location", "gs://b/t", *settings)
        self.set_age(10, place)
        before = self.tree(place)
        self.run_firn("remove-orphan-files", "db.t", "--max-fraction", "1", *settings,
                      exit_code=INVALID)
        self.assertIn("another scheme or authority", self.errors)
        self.assertEqual(self.tree(place), before)

    def test_names_that_are_encoded_or_look_so(self):
        kinds = ["a b", "a%20b", "a+b", "ü/ö", "100%", "%zz"]
        self.run_firn("table", "create", "db.t", "--schema", "id bigint, kind string",
                      "--partition", "kind")
        for number, kind in enumerate(kinds):
            self.append((number, kind))
        self.plant("data/kind=a b/o.parquet", "data/kind=a%20b/o.parquet", "data/%zz.parquet")
        self.set_age(10, self.warehouse)
        # The first two may be one, so that one of them stays.
        for count in (2, 1, 0):
            rows = self.run_firn("remove-orphan-files", "db.t", "--quarantine=false")
            self.assertEqual(len(rows), count)
        self.run_firn("rewrite-data-files", "db.t", "--option", "rewrite-all=true")
        self.run_firn("expire-snapshots", "db.t", "--older-than", "now")
        self.assertEqual(sorted(row["kind"] for row in self.run_firn("read", "db.t")),
                         sorted(kinds))

    def test_a_full_disk_does_not_stop_the_removal_of_orphans(self):
        # A database needs room to be opened.
        settings = ("--catalog", "h", "--conf", "catalog.h.type=hadoop", "--conf",
                    f"catalog.h.warehouse={self.warehouse}")
        self.run_firn("namespace", "create", "db", *settings)
        self.append((1, "a"), options=settings)
        self.plant("data/o.parquet")
        self.set_age(10, self.warehouse)

        def fill_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        subprocess.run([PROGRAM, "remove-orphan-files", "db.t", "--quarantine=false", *settings],
                       cwd=self.folder, env=self.environment, check=True, preexec_fn=fill_disk,
                       restore_signals=False, stdout=subprocess.PIPE)
        names = [os.path.basename(path) for path in self.tree(self.warehouse)]
        self.assertNotIn("o.parquet", names)
        self.assertEqual([name for name in names if "probe" in name], [])


class OldRowsTest(LakeTest):
    def make_older(self, days):
        """The table as if all that happened to it had happened so many days before."""
        folder = os.path.join(self.warehouse, "db", "t", "metadata")
        for name in os.listdir(folder):
            if not name.endswith(".metadata.json"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text = re.sub(r'("(?:timestamp|last-updated)-ms" *: *)([0-9]+)',
                          lambda found: found[1] + str(int(found[2]) - days * DAY * 1000), text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def test_an_idle_table_keeps_the_days_before_its_last_ingest(self):
        # B13
        today = datetime.datetime.now(datetime.timezone.utc).date()
        self.run_firn("table", "create", "db.t", "--schema", "id bigint, kind date")
        self.append(*((age, today - datetime.timedelta(age)) for age in (7, 8, 9, 12)))
        self.make_older(7)
        for mode in ("merge-on-read", "copy-on-write"):
            command = ("expire-rows", "db.t", "--column", "kind", "--keep-days", "3",
                       "--write-mode", mode)
            self.run_firn(*command, "--dry-run")
            first = self.run_firn(*command)
            self.assertEqual(first[0]["deleted_rows"], 1 if mode == "merge-on-read" else 0)
            self.assertEqual(self.run_firn(*command)[0]["deleted_rows"], 0)
        self.run_firn("expire-snapshots", "db.t", "--older-than", "now")
        self.assertEqual(self.run_firn(*command)[0]["deleted_rows"], 0)
        self.assertEqual(sorted(row["id"] for row in self.run_firn("read", "db.t")), [7, 8, 9])
        self.run_firn("rewrite-data-files", "db.t", "--option", "rewrite-all=true")
        self.run_firn("expire-snapshots", "db.t", "--older-than", "now")
        self.run_firn(*command, exit_code=INVALID)
        self.assertIn("tells when rows last came", self.errors)
        self.append((0, today))
        self.assertEqual(self.run_firn(*command)[0]["deleted_rows"], 3)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
