#!/usr/bin/env python3
"""firn maintains tables that Spark wrote, and a live Spark sees them as firn does.

usage: maintained_tables_test.py FIRN [FOLDER]      (as recorded_tables_test.py)
"""

import recorded_tables_test


class MaintainedTablesTest(recorded_tables_test.RecordedTablesTest):

    def test_0_maintains_tables_that_spark_then_reads_as_before(self):
        for table in self.tables:
            with self.subTest(table=table):
                self.check_maintenance(table)

    def check_maintenance(self, table):
        before = self.rows_with_lineage(table)
        refs = {
            row["name"]: self.spark_rows(f"SELECT * FROM c.db.{table} VERSION AS OF '{row['name']}'")
            for row in self.firn.rows("inspect", self.location(table), "refs")
        }
        self.firn.run("rewrite-manifests", self.location(table))
        self.assertEqual(self.rows_with_lineage(table), before)
        self.firn.run("remove-dangling-deletes", self.location(table))
        self.firn.run("expire-snapshots", self.location(table), "--older-than", "now",
                      "--retain-last", "2")
        self.firn.run("remove-orphan-files", self.location(table), "--older-than", "now",
                      "--allow-recent", "--max-fraction", "1")
        self.spark.sql(f"REFRESH TABLE c.db.{table}")
        self.assertEqual(self.rows_with_lineage(table), before)
        for name, rows in refs.items():
            if name != "main":
                found = self.spark_rows(f"SELECT * FROM c.db.{table} VERSION AS OF '{name}'")
                self.assertEqual(found, rows, name)


if __name__ == "__main__":
    recorded_tables_test.main(MaintainedTablesTest)
