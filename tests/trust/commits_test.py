"""Many writers at once, and writers that are killed: no committed row is lost or doubled.

usage: commits_test.py FIRN [PROCESSES COMMITS KILLS RACES]

PROCESSES writers append COMMITS times each to one table, through every kind of catalog that needs no
server; then KILLS appends are killed at a random moment and repeated with the same idempotency key;
then two processes race RACES times for the next version of a table in Hadoop layout.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROWS = 3  # Of one append.
CATALOGS = {
    "sql": [],
    "hadoop": ["catalog.lake.type=hadoop", "catalog.lake.warehouse=lake", "default-catalog=lake"],
}
PROGRAM = None
PROCESSES, COMMITS, KILLS, RACES = 8, 25, 12, 20


class Table:
    """A table `db.t` in a folder of its own, and files to append to it."""

    def __init__(self, catalog):
        self.folder = tempfile.mkdtemp(prefix="firn-trust-")
        self.settings = [word for setting in CATALOGS[catalog] for word in ("--conf", setting)]
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment["HOME"] = self.folder
        self.run("namespace", "create", "db")

    def close(self):
        shutil.rmtree(self.folder)

    def write_source(self, name):
        path = os.path.join(self.folder, name + ".csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("source,row\n")
            file.writelines(f"{name},{row}\n" for row in range(ROWS))
        return path

    def start(self, *arguments):
        return subprocess.Popen(
            [PROGRAM, *arguments, *self.settings, "--output", "json"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        if process.returncode != 0:
            raise RuntimeError(f"{arguments}: exit {process.returncode}: {err.decode()}")
        return [json.loads(line) for line in out.decode().splitlines() if line]

    def append_arguments(self, name):
        return (
            *("ingest", "csv", self.write_source(name), "--into", "db.t"),
            *("--idempotency-key", name, "--property", "commit.retry.num-retries=200"),
            # Metadata files that leave the log stay, as the table asks for by default.
            *("--property", "write.metadata.previous-versions-max=10000"),
        )

    def sources(self):
        """How many rows of each source are in the table."""
        found = {}
        for row in self.run("read", "db.t"):
            found.setdefault(row["source"], []).append(row["row"])
        for name, rows in found.items():
            if sorted(rows) != list(range(ROWS)):
                raise AssertionError(f"rows of {name}: {rows}")
        return set(found)

    def versions(self):
        """What the metadata file of each version holds, of a table in Hadoop layout."""
        found = {}
        folder = os.path.join(self.folder, "lake", "db", "t", "metadata")
        for name in os.listdir(folder):
            if name.startswith("v") and name.endswith(".metadata.json"):
                with open(os.path.join(folder, name), "rb") as file:
                    version = int(name.split(".")[0][1:])
                    assert version not in found
                    found[version] = hashlib.sha256(file.read()).hexdigest()
        return found

    def unreachable_files(self):
        """Files below the table that no snapshot and no metadata log names."""
        known = {self.run("table", "describe", "db.t")[0]["metadata_location"]}
        known |= {row["file"] for row in self.run("inspect", "db.t", "metadata_log_entries")}
        known |= {row["manifest_list"] for row in self.run("inspect", "db.t", "snapshots")}
        known |= {row["path"] for row in self.run("inspect", "db.t", "all_manifests")}
        known |= {row["file_path"] for row in self.run("inspect", "db.t", "all_files")}
        known = {path.split("file://")[-1] for path in known}
        found = set()
        for folder, _, names in os.walk(self.folder):
            found |= {os.path.join(folder, name) for name in names}
        return sorted(
            path
            for path in found - known
            if path.endswith((".avro", ".parquet", ".json", ".tmp")) and "/db/t/" in path
        )


class CommitsTest(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(20260131)

    def with_every_catalog(self, check):
        for catalog in CATALOGS:
            with self.subTest(catalog=catalog):
                table = Table(catalog)
                try:
                    check(table)
                finally:
                    table.close()

    # B61, B71
    def test_no_append_of_many_writers_is_lost_or_leaves_files_behind(self):
        self.with_every_catalog(self.check_writers)

    def check_writers(self, table):
        table.run(*table.append_arguments("first"))
        errors = []

        def write(process):
            try:
                for commit in range(COMMITS):
                    table.run(*table.append_arguments(f"p{process}-{commit}"))
            except RuntimeError as error:
                errors.append(str(error))

        threads = [threading.Thread(target=write, args=(i,)) for i in range(PROCESSES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        expected = {"first"} | {f"p{p}-{c}" for p in range(PROCESSES) for c in range(COMMITS)}
        self.assertEqual(table.sources(), expected)
        snapshots = table.run("inspect", "db.t", "snapshots")
        self.assertEqual(len(snapshots), len(expected))
        # One chain: each snapshot is the parent of one other.
        parents = [snapshot["parent_id"] for snapshot in snapshots]
        self.assertEqual(len(set(parents)), len(snapshots))
        self.assertIn(None, parents)
        self.assertEqual(table.unreachable_files(), [])

    # B59: each version has one writer and never changes; the other one takes the next.
    def test_two_processes_never_publish_one_version_twice(self):
        table = Table("hadoop")
        self.addCleanup(table.close)
        contents = {}
        for race in range(RACES):
            names = [f"r{race}{writer}" for writer in "ab"]
            processes = [table.start(*table.append_arguments(name)) for name in names]
            for process in processes:
                _, err = process.communicate(timeout=300)
                self.assertEqual(process.returncode, 0, err.decode())
            found = table.versions()
            for version, content in contents.items():
                self.assertEqual(found.get(version), content, f"v{version} changed")
            contents = found
            self.assertEqual(sorted(found), list(range(1, len(found) + 1)), "a version is missing")
        # The first race made the table, too. Its writers may have made a version each, or one.
        self.assertEqual(len(contents), 2 * RACES + (RACES > 0))
        if RACES > 0:
            self.assertEqual(table.sources(), {f"r{r}{w}" for r in range(RACES) for w in "ab"})

    def test_a_killed_append_is_there_whole_or_not_at_all(self):
        self.with_every_catalog(self.check_kills)

    def check_kills(self, table):
        began = time.monotonic()
        table.run(*table.append_arguments("first"))
        usual = time.monotonic() - began
        done = {"first"}
        for kill in range(KILLS):
            name = f"k{kill}"
            process = table.start(*table.append_arguments(name))
            time.sleep(self.random.random() * usual * 1.1)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            seen = table.sources()  # The table is readable, and every source whole.
            self.assertLessEqual(done, seen, "a committed append is gone")
            self.assertLessEqual(seen, done | {name})
            if process.returncode == 0:
                self.assertIn(name, seen)
            done = seen
            if self.random.random() < 0.5:
                table.run(*table.append_arguments(name))  # A no-op if it had happened.
                done = done | {name}
                self.assertEqual(table.sources(), done)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        PROCESSES, COMMITS, KILLS, RACES = (int(number) for number in sys.argv[2:6])
    unittest.main(argv=sys.argv[:1], verbosity=2)
