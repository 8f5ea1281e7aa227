"""Compactions that are killed or meet other writers: the rows stay, and nothing is done twice.

usage: compaction_test.py FIRN [KILLS]

A table of eight partitions is compacted in eight groups, the run is killed at a random moment, and
the next one has to end with the same rows, one file in each partition, and no file left behind.
Where another process deletes a row meanwhile, that partition alone is compacted again.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PARTITIONS = 8
FILES = 4  # Of each partition.
ROWS = 2000  # Of each file.
PROGRAM = None
KILLS = 6
RACES = 12
COMPACT = (
    *("rewrite-data-files", "db.t", "--resume", "--option", "min-input-files=2"),
    *("--option", "max-concurrent-file-group-rewrites=1"),
)


class CompactionTest(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(20261130)
        self.folder = tempfile.mkdtemp(prefix="firn-trust-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRN_")}
        self.environment["HOME"] = self.folder

    def start(self, *arguments):
        return subprocess.Popen(
            [PROGRAM, *arguments, "--output", "json"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run_firn(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, f"{arguments}: {err.decode()}")
        return [json.loads(line) for line in out.decode().splitlines() if line]

    def make_table(self):
        source = os.path.join(self.folder, "rows.csv")
        for file in range(FILES):
            with open(source, "w", encoding="utf-8") as rows:
                rows.write("part,id,text\n")
                for row in range(ROWS * PARTITIONS):
                    text = f"{self.random.random()}{self.random.random()}"
                    rows.write(f"p{row % PARTITIONS},{file * ROWS * PARTITIONS + row},{text}\n")
            self.run_firn("ingest", "csv", source, "--into", "db.t", "--partition", "part")
        return sorted(json.dumps(row) for row in self.run_firn("read", "db.t"))

    def data_files(self):
        found = set()
        for folder, _, names in os.walk(self.folder):
            found |= {os.path.join(folder, n) for n in names if n.endswith((".parquet", ".tmp"))}
        return found

    def known_files(self, view):
        rows = self.run_firn("inspect", "db.t", view)
        return {row["file_path"].split("file://")[-1] for row in rows}

    def outputs(self):
        return self.data_files() - self.inputs

    def check_kill(self, delay):
        """Returns how many finished files were taken over."""
        process = self.start(*COMPACT)
        time.sleep(delay)
        # Popen would ask for its end, if it came before. Nobody has to: it may stand in the list of
        # processes for long.
        os.kill(process.pid, signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        self.addCleanup(process.communicate)
        left = self.outputs()
        self.run_firn(*COMPACT)
        rows = sorted(json.dumps(row) for row in self.run_firn("read", "db.t"))
        self.assertEqual(rows, self.rows)
        live = self.known_files("files")
        self.assertEqual(len(live), PARTITIONS)
        self.assertEqual(self.data_files(), self.known_files("all_files"), "files are left behind")
        found = [walked for walked in os.walk(self.folder) if "/_firn" in walked[0]]
        self.assertEqual(found, [], "a journal is left behind")
        return len(left & live)

    def set_out(self):
        """Make the table, and a copy of it to begin with again."""
        self.rows = self.make_table()
        self.inputs = self.known_files("files")
        self.assertEqual(len(self.inputs), PARTITIONS * FILES)
        self.pristine = self.folder + "-pristine"
        self.addCleanup(shutil.rmtree, self.pristine)
        shutil.copytree(self.folder, self.pristine)

    def stop_between_commits(self, process):
        """Stop it where it does not hold the catalog's lock, which nobody else could get then."""
        for _ in range(1000):
            process.send_signal(signal.SIGSTOP)
            if not self.is_catalog_locked():
                return
            process.send_signal(signal.SIGCONT)
            time.sleep(0.003)
        self.fail("the compaction holds the catalog all the time")

    def is_catalog_locked(self):
        catalog = os.path.join(self.folder, "warehouse", "catalog.db")
        with contextlib.closing(sqlite3.connect(catalog, timeout=0)) as database:
            try:
                database.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                self.assertIn("locked", str(error))
                return True
            return False

    def end(self, process):
        """Of a test that failed: a stopped process would stay."""
        if process.poll() is None:
            process.kill()
            process.communicate()

    def check_race(self, delay):
        """Returns whether the compaction met a delete between its plan and its commit."""
        compaction = self.start(*COMPACT)
        self.addCleanup(self.end, compaction)
        time.sleep(delay)
        self.stop_between_commits(compaction)
        has_begun = bool(self.outputs()) and compaction.poll() is None
        is_committed = "replace" in self.operations()
        deleted = self.random.choice([json.loads(row) for row in self.rows])
        if has_begun:
            where = ("--where", f"id = {deleted['id']}", "--write-mode", "merge-on-read")
            self.run_firn("delete", "db.t", *where)
        compaction.send_signal(signal.SIGCONT)
        out, err = compaction.communicate(timeout=300)
        self.assertEqual(compaction.returncode, 0, err.decode())
        rows = sorted(json.dumps(row) for row in self.run_firn("read", "db.t"))
        self.assertEqual(rows, [row for row in self.rows
                                if not has_begun or json.loads(row) != deleted])
        result = json.loads(out.decode())
        self.assertEqual(result["rewritten_data_files_count"], PARTITIONS * FILES)
        self.assertEqual(result["added_data_files_count"], PARTITIONS)
        self.assertEqual(self.operations().count("replace"), 1)
        self.assertEqual(self.data_files(), self.known_files("all_files"), "files are left behind")
        has_met = has_begun and not is_committed
        self.assertEqual(has_met, "met another writer" in err.decode())
        self.assertEqual(len(self.known_files("delete_files")), int(has_begun and is_committed))
        return has_met

    def operations(self):
        return [row["operation"] for row in self.run_firn("inspect", "db.t", "snapshots")]

    def test_a_row_that_is_deleted_meanwhile_costs_one_group(self):
        self.set_out()
        usual = self.time_of_compaction()
        met = 0
        for race in range(RACES):
            self.restore()
            met += self.check_race(usual * (race + self.random.random()) / RACES)
        self.assertGreater(met, 0, "no delete came between plan and commit of a compaction")

    def time_of_compaction(self):
        began = time.monotonic()
        self.run_firn(*COMPACT)
        return time.monotonic() - began

    def test_the_run_after_a_kill_takes_up_what_was_finished(self):
        self.set_out()
        usual = self.time_of_compaction()
        taken_over = 0
        for kill in range(KILLS):
            self.restore()
            taken_over += self.check_kill(usual * (kill + self.random.random()) / KILLS)
        self.assertGreater(taken_over, 0, "no run was killed between two groups")

    def restore(self):
        """The table as it was made, in the same place: metadata has absolute locations."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.pristine, self.folder)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        KILLS = int(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
