#!/usr/bin/env python3
"""Snapshots that firn or Spark staged, published by the other; moves of main; tables made anew.

usage: staged_changes_test.py FIRN [TEST...]
"""

import sys
import unittest

import pyarrow
from written_lake import Lake

from firn_program import FirnError  # written_lake tells where it is.


def ids(*numbers):
    return pyarrow.table({"id": pyarrow.array(numbers, pyarrow.int64())})


class StagedTest(unittest.TestCase):
    lake = None

    def make(self, name, version, *rows):
        self.lake.sql(f"CREATE TABLE {name} (id bigint) USING iceberg TBLPROPERTIES "
                      f"('format-version' = '{version}', 'write.wap.enabled' = 'true')")
        for row in rows:
            self.lake.ingest(name, ids(row))

    def check(self, name, *expected, ref=None):
        """firn and Spark read these ids."""
        at = f" VERSION AS OF '{ref}'" if ref else ""
        options = ("--ref", ref) if ref else ()
        self.assertEqual(sorted(row["id"] for row in self.lake.firn.rows("read", name, *options)),
                         sorted(expected))
        self.assertEqual(sorted(row["id"] for row in self.lake.sql(f"SELECT id FROM {name}{at}")),
                         sorted(expected))

    def call(self, name, text):
        row, = self.lake.sql(f"CALL lake.system.{name}({text})")
        return row

    def summary(self, name, snapshot_id):
        row, = self.lake.sql(
            f"SELECT operation, summary FROM {name}.snapshots WHERE snapshot_id = {snapshot_id}")
        return row["operation"], row["summary"]

    def versions(self):
        for version in (1, 2, 3):
            with self.subTest(version=version):
                yield version

    def test_spark_publishes_what_firn_staged(self):
        for version in self.versions():
            name = f"db.by_spark_{version}"
            self.make(name, version, 1)
            moved = self.lake.ingest(name, ids(2), "--wap-id", "w1")["snapshot_id"]
            self.check(name, 1)
            row = self.call("publish_changes", f"'{name}', 'w1'")
            self.assertEqual(row, {"source_snapshot_id": moved, "current_snapshot_id": moved})
            self.check(name, 1, 2)
            staged = self.lake.ingest(name, ids(3), "--wap-id", "w2")["snapshot_id"]
            self.lake.ingest(name, ids(4))
            row = self.call("publish_changes", f"'{name}', 'w2'")
            self.assertEqual(row["source_snapshot_id"], staged)
            self.assertNotEqual(row["current_snapshot_id"], staged)
            self.check(name, 1, 2, 3, 4)
            with self.assertRaises(Exception):
                self.call("publish_changes", f"'{name}', 'w2'")
            # firn knows that Spark did it.
            with self.assertRaises(FirnError) as failed:
                self.lake.firn.run("publish-changes", name, "--wap-id", "w2")
            self.assertEqual(failed.exception.code, 3)

    def test_firn_publishes_what_spark_staged_as_spark_does(self):
        for version in self.versions():
            results = []
            for engine in ("firn", "spark"):
                name = f"db.by_{engine}_alike_{version}"
                self.make(name, version, 1)
                self.lake.spark.conf.set("spark.wap.id", "night")
                self.lake.sql(f"INSERT INTO {name} VALUES (2)")
                self.lake.spark.conf.unset("spark.wap.id")
                self.check(name, 1)
                self.lake.ingest(name, ids(3))
                if engine == "firn":
                    row, = self.lake.firn.rows("publish-changes", name, "--wap-id", "night")
                else:
                    row = self.call("publish_changes", f"'{name}', 'night'")
                self.check(name, 1, 2, 3)
                operation, summary = self.summary(name, row["current_snapshot_id"])
                self.assertEqual(summary["source-snapshot-id"], str(row["source_snapshot_id"]))
                kept = ("published-wap-id", "added-records", "total-records", "total-data-files")
                results.append([sorted(row), operation] + [summary.get(key) for key in kept])
            self.assertEqual(*results)

    def test_overwrites_of_partitions_are_repeated_by_both(self):
        for version in self.versions():
            for engine in ("firn", "spark"):
                name = f"db.overwritten_{engine}_{version}"
                self.lake.sql(f"CREATE TABLE {name} (id bigint) USING iceberg "
                              f"PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '{version}')")
                self.lake.ingest(name, ids(1, 2))
                staged = self.lake.ingest(name, ids(2, 2), "--mode", "overwrite-partitions",
                                          "--stage-only")["snapshot_id"]
                self.lake.ingest(name, ids(3))
                if engine == "firn":
                    self.lake.firn.rows("cherrypick-snapshot", name, "--snapshot-id", str(staged))
                else:
                    self.call("cherrypick_snapshot", f"'{name}', {staged}")
                self.check(name, 1, 2, 2, 3)

    def test_moves_have_the_rows_of_spark(self):
        self.make("db.moved", 2, 1, 2, 3)
        history = self.lake.firn.rows("ancestors-of", "db.moved")
        self.assertEqual(history, self.lake.sql("CALL lake.system.ancestors_of('db.moved')"))
        first, current = history[-1]["snapshot_id"], history[0]["snapshot_id"]
        found = []
        for move in ("firn", "spark"):
            rows = []
            if move == "firn":
                def run(command, *words):
                    rows.extend(self.lake.firn.rows(command, "db.moved", *words))
            else:
                def run(command, *words):
                    pairs = [f"{word[2:].replace('-', '_')} => " +
                             (value if value.isdigit() else f"'{value}'")
                             for word, value in zip(words[::2], words[1::2])]
                    rows.append(self.call(command.replace("-", "_"),
                                          ", ".join(["table => 'db.moved'"] + pairs)))
            run("rollback-to-snapshot", "--snapshot-id", str(first))
            self.check("db.moved", 1)
            run("set-current-snapshot", "--snapshot-id", str(current))
            self.check("db.moved", 1, 2, 3)
            self.lake.firn.run("create-tag", "db.moved", f"t_{move}",
                               "--snapshot-id", str(first))
            run("set-current-snapshot", "--ref", f"t_{move}")
            self.check("db.moved", 1)
            self.lake.firn.run("create-branch", "db.moved", f"b_{move}",
                               "--snapshot-id", str(current))
            run("fast-forward", "--branch", "main", "--to", f"b_{move}")
            self.check("db.moved", 1, 2, 3)
            found.append(rows)
        self.assertEqual(*found)

    def test_a_table_made_anew_is_the_same_to_both(self):
        for version in self.versions():
            name = f"db.anew_{version}"
            self.make(name, version, 1)
            self.lake.firn.run("create-tag", name, "before")
            result = self.lake.ingest(
                name, pyarrow.table({"name": ["x", "y"], "id": pyarrow.array([8, 9])}),
                "--mode", "create-or-replace", "--partition", "bucket(4, id)")
            self.assertEqual(result["rows"], 2)
            self.check(name, 8, 9)
            self.check(name, 1, ref="before")
            self.lake.sql(f"INSERT INTO {name} VALUES ('z', 10)")
            self.lake.sql(f"REPLACE TABLE {name} USING iceberg AS SELECT id FROM {name} "
                          "WHERE id > 8")
            self.check(name, 9, 10)
            self.lake.ingest(name, ids(11))
            self.check(name, 9, 10, 11)
            self.check(name, 1, ref="before")

    def test_columns_that_come_with_their_rows(self):
        self.make("db.evolved", 2, 1)
        self.lake.ingest("db.evolved", pyarrow.table({"id": pyarrow.array([2]), "note": ["n"]}),
                         "--evolve", "add")
        rows = self.lake.sql("SELECT id, note FROM db.evolved ORDER BY id")
        self.assertEqual(rows, [{"id": 1, "note": None}, {"id": 2, "note": "n"}])


if __name__ == "__main__":
    StagedTest.lake = Lake(sys.argv.pop(1))
    try:
        unittest.main(verbosity=2, warnings="ignore")
    finally:
        StagedTest.lake.close()
