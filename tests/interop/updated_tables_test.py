#!/usr/bin/env python3
"""Tables that firn updated, read by Spark, PyIceberg and DuckDB, beside tables that Spark updated.

usage: updated_tables_test.py FIRN [TEST...]
"""

import sys
import unittest

import written_rows
from written_lake import Lake
from written_tables_test import NAN, SIMPLE, SIMPLE_KINDS, simple_rows

# What is set, for which rows, and what that means for a row. The texts are SQL to Spark, too.
UPDATES = (
    ({"name": "concat('new ', id)"}, "id IN (3, 17, 40)",
     lambda row: row["id"] in (3, 17, 40), lambda row: {"name": f"new {row['id']}"}),
    ({"d": "id + 0.25", "name": "NULL"}, "d = 'NaN' AND id > 20",
     lambda row: row["d"] == NAN and row["id"] > 20,
     lambda row: {"d": {"f": repr(row["id"] + 0.25)}, "name": None}),
    ({"cat": "'moved'"}, "cat IS NULL",
     lambda row: row["cat"] is None, lambda row: {"cat": "moved"}),
    ({"cat": "concat(cat, cat)"}, "cat = 'c1' AND ts < '2024-01-02T12:00:00'",
     lambda row: row["cat"] == "c1" and row["ts"] < "2024-01-02T12:00:00",
     lambda row: {"cat": row["cat"] * 2}),
    ({"id": "id + 1000"}, "id = 99999", lambda row: False, None),
    ({"ts": "TIMESTAMP_NTZ '2023-12-31 23:59:59.999999'"}, "cat = 'c2'",
     lambda row: row["cat"] == "c2", lambda row: {"ts": "2023-12-31T23:59:59.999999"}),
    ({"d": "NULL"}, "id > 0", lambda row: True, lambda row: {"d": None}),
)

COUNTS = ("added-records", "deleted-records", "added-position-deletes", "total-records",
          "total-position-deletes", "total-equality-deletes")


class UpdatedTest(unittest.TestCase):
    lake = None
    maxDiff = 3000

    def make(self, table, version, spec, mode):
        """Three files, or three in each partition; returns the rows."""
        self.lake.sql(
            f"CREATE TABLE {table} ({SIMPLE}) USING iceberg {spec} TBLPROPERTIES ("
            f"'format-version' = '{version}', 'write.update.mode' = '{mode}')")
        rows = []
        for first in (1, 21, 41):
            added = simple_rows(first, 20)
            self.lake.ingest(table, added)
            rows += written_rows.rows_of(added)
        return rows

    def kinds(self):
        for version in (1, 2, 3):
            for mode in ("copy-on-write", "merge-on-read")[:1 if version == 1 else 2]:
                for number, spec in enumerate(("", "PARTITIONED BY (cat, days(ts))")):
                    yield f"db.updated_{version}_{mode[:4]}_{number}", version, spec, mode

    def newest_summary(self, table):
        newest, = self.lake.sql(f"SELECT operation, summary FROM {table}.snapshots "
                                "ORDER BY committed_at DESC LIMIT 1")
        return [newest["operation"]] + [newest["summary"].get(key) for key in COUNTS]

    def update(self, table, updates, where):
        # Each engine has a word of its own for a literal without zone.
        options = [word for name, text in updates.items()
                   for word in ("--set", f"{name} = {text.replace('TIMESTAMP_NTZ', 'TIMESTAMP')}")]
        result, = self.lake.firn.rows("update", table, *options, "--where", where)
        self.assertEqual(result["deleted_rows"], result["added_rows"])
        return result["added_rows"]

    def check_lineage(self, table, rows, before):
        """Rows keep their ids; those that changed, and only they, have the newest number."""
        newest = max(sequence for _, sequence in self.lake.lineage(table)[0].values())
        for found in self.lake.lineage(table):
            self.assertEqual({key: row_id for key, (row_id, _) in found.items()},
                             {key: row_id for key, (row_id, _) in before.items()})
            self.assertEqual({key for key, (_, sequence) in found.items() if sequence == newest},
                             rows)

    def test_updates_one_after_the_other(self):
        for table, version, spec, mode in self.kinds():
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                twin = table + "_twin"
                self.make(twin, version, spec, mode)
                for updates, where, matches, change in UPDATES:
                    before = self.lake.lineage(table)[0] if version == 3 else {}
                    changed = {row["id"] for row in rows if matches(row)}
                    self.assertEqual(self.update(table, updates, where), len(changed), where)
                    rows = [row | change(row) if row["id"] in changed else row for row in rows]
                    self.lake.check(self, table, rows, SIMPLE_KINDS)
                    if not changed:
                        continue
                    if version == 3:
                        self.check_lineage(table, changed, before)
                    assignments = ", ".join(f"{name} = {text}" for name, text in updates.items())
                    self.lake.sql(f"UPDATE {twin} SET {assignments} WHERE {where}")
                    self.compare_summaries(table, twin, mode)

    def compare_summaries(self, table, twin, mode):
        """firn takes files out of which every row changes, where Spark deletes all their rows."""
        ours, theirs = self.newest_summary(table), self.newest_summary(twin)
        if mode == "copy-on-write":
            self.assertEqual(ours, theirs)
            return
        self.assertEqual(ours[:2], theirs[:2])

    def test_updates_of_firn_and_spark_in_turn(self):
        for table, version, spec, mode in self.kinds():
            table += "_turns"
            with self.subTest(table=table):
                rows = self.make(table, version, spec, mode)
                for step in range(4):
                    where = f"id > {step * 7} AND id < {step * 7 + 20}"
                    updates = {"name": f"concat('step {step} of ', id)"}
                    if step % 2 == 0:
                        self.update(table, updates, where)
                    else:
                        self.lake.sql(f"UPDATE {table} SET name = {updates['name']} WHERE {where}")
                    rows = [row | {"name": f"step {step} of {row['id']}"}
                            if step * 7 < row["id"] < step * 7 + 20 else row for row in rows]
                    self.lake.check(self, table, rows, SIMPLE_KINDS)


if __name__ == "__main__":
    UpdatedTest.lake = Lake(sys.argv.pop(1))
    try:
        unittest.main(verbosity=2, warnings="ignore")
    finally:
        UpdatedTest.lake.close()
