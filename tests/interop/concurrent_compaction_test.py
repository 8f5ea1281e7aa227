#!/usr/bin/env python3
"""firn processes that compact one table at the same time: rows stay right and no live file is lost.

usage: concurrent_compaction_test.py FIRN

The tables are copies of those in testdata/spark, named by their folders (the commit of the Hadoop
catalog) or registered in an SQL catalog.
"""

import collections
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "golden"))

from firn_program import Firn  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402
from spark_values import canonical_rows  # noqa: E402

TESTDATA = ROOT / "testdata" / "spark"
RECORDED = "/tmp/firn-fixtures/warehouse/db"
COMPACT_ALL = ("rewrite-data-files", "{table}", "--option", "rewrite-all=true")
CONFLICT = 9


class Table:
    """A copy of one table, what Spark answered about it, and the files it came with."""

    def __init__(self, name, settings, registers):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="firn-interop-"))
        self.folder = self.base / name
        shutil.copytree(TESTDATA / name, self.folder)
        answers = (TESTDATA / "oracle" / f"{name}.json").read_text(encoding="utf-8")
        self.answers = json.loads(answers)
        self.firn = Firn(sys.argv[1], [f"io.rewrite-prefix={RECORDED}={self.base}", *settings])
        self.name = str(self.folder)
        if registers:
            self.name = f"db.{name}_{os.path.basename(self.base)[-8:]}"
            self.firn.run("table", "register", self.name, str(self.folder))
        self.files_before = self.files()
        self.logged_before = self.logged_files()  # testdata has only the newest of these.

    def files(self):
        return {str(path) for path in self.folder.rglob("*") if path.is_file()}

    def inspect(self, view):
        return self.firn.rows("inspect", self.name, view)

    def logged_files(self):
        return {self.local(row["file"]) for row in self.inspect("metadata_log_entries")}

    def local(self, recorded):
        return recorded.replace(RECORDED, str(self.base), 1)

    def start(self, *words):
        return self.firn.start(*(word.format(table=self.name) for word in words))

    def run_together(self, commands):
        """(exit code, standard output, standard error) of each."""
        processes = [self.start(*words) for words in commands]
        outcomes = []
        for process in processes:
            output, errors = process.communicate(timeout=120)
            outcomes.append((process.returncode, output, errors))
        return outcomes


class Contest:
    """The subclasses say where the catalog is."""

    rounds = 3
    settings = ()
    registers = True
    tally = collections.Counter()

    def open_table(self, name):
        table = Table(name, self.settings, self.registers)
        self.addCleanup(shutil.rmtree, table.base)
        return table

    def check_rows(self, table):
        schema = table.answers["schema"]
        rows = table.firn.rows("read", table.name)
        self.assertEqual(canonical_rows(rows, schema),
                         canonical_rows(table.answers["rows_sorted"], schema))
        for snapshot, count in list(table.answers["time_travel_row_counts"].items())[-3:]:
            self.assertEqual(table.firn.count(table.name, "--snapshot-id", snapshot), count)

    def check_files(self, table, *, may_have_orphans=False):
        """All that the metadata names is there, and what was written is named."""
        named = {table.local(row["file_path"]) for row in table.inspect("all_files")}
        named |= {table.local(row["path"]) for row in table.inspect("all_manifests")}
        named |= {table.local(row["manifest_list"]) for row in table.inspect("snapshots")}
        present = table.files()
        self.assertEqual(named - present, set())
        self.assertEqual(table.logged_files() - table.logged_before - present, set())
        made = {file for file in present - table.files_before
                if not file.endswith((".metadata.json", "version-hint.text"))}
        if not may_have_orphans:
            self.assertEqual(made - named, set())

    def test_one_wins_and_the_others_find_nothing_left_or_come_later(self):
        for name in ("seed_small_files", "mor_pos_part", "v3_dv", "evolved_spec", "mor_eq"):
            for number in range(self.rounds):
                with self.subTest(table=name, round=number):
                    self.contend(self.open_table(name), 2 + number % 3)

    def contend(self, table, processes):
        snapshots = len(table.inspect("snapshots"))
        outcomes = table.run_together([COMPACT_ALL] * processes)
        codes = [code for code, _, _ in outcomes]
        self.assertIn(0, codes, outcomes)
        for code, _, errors in outcomes:
            self.assertIn(code, (0, CONFLICT), errors)
            if code == CONFLICT:
                self.assertIn("commit-conflict", errors)
            self.tally[code] += 1
        self.check_rows(table)
        self.check_files(table)
        came = len(table.inspect("snapshots")) - snapshots
        self.assertIn(came, range(1, codes.count(0) + 1))

    def test_all_win_that_touch_different_partitions(self):
        for number in range(self.rounds):
            with self.subTest(round=number):
                table = self.open_table("mor_pos_part")
                cats = {row["cat"] for row in table.answers["rows_sorted"]}
                commands = [(*COMPACT_ALL, "--where", f"cat = '{cat}'") for cat in sorted(cats)]
                commands.append(("table", "set", "{table}", "owner=ann"))
                for code, _, errors in table.run_together(commands):
                    self.assertEqual(code, 0, errors)
                self.check_rows(table)
                self.check_files(table)
                described, = table.firn.rows("table", "describe", table.name)
                self.assertIn({"key": "owner", "value": "ann"}, described["properties"])

    def test_a_killed_one_leaves_the_table_whole(self):
        table = self.open_table("seed_small_files")
        start = time.monotonic()
        self.assertEqual(table.run_together([COMPACT_ALL])[0][0], 0)
        seconds = time.monotonic() - start
        choose = random.Random(7)
        for number in range(3 * self.rounds):
            with self.subTest(round=number):
                table = self.open_table("seed_small_files")
                with table.start(*COMPACT_ALL) as process:
                    time.sleep(choose.uniform(0, seconds))
                    process.kill()
                    process.communicate()
                self.check_rows(table)
                self.check_files(table, may_have_orphans=True)
                self.assertEqual(table.run_together([COMPACT_ALL])[0][0], 0)
                self.check_rows(table)


class HadoopTest(Contest, unittest.TestCase):
    registers = False


class SqliteTest(Contest, unittest.TestCase):
    def open_table(self, name):
        folder = tempfile.mkdtemp(prefix="firn-interop-")
        self.addCleanup(shutil.rmtree, folder)
        self.settings = (f"catalog.local.uri=sqlite:{folder}/catalog.db", "catalog.local.type=sql")
        return super().open_table(name)


class PostgresTest(Contest, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(PostgresServer())
        cls.settings = (f"catalog.local.uri={cls.server.uri()}", "catalog.local.type=sql")


if __name__ == "__main__":
    try:
        unittest.main(argv=sys.argv[:1], verbosity=2, warnings="ignore")
    finally:
        print("runs that won:", Contest.tally[0], "that met a conflict:", Contest.tally[CONFLICT])
