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

    def test_zz_turns_position_deletes_into_vectors_that_spark_reads(self):
        for table in self.tables:
            deletes = self.firn.rows("inspect", self.location(table), "delete-files")
            if not any(row["file_format"] == "PARQUET" for row in deletes):
                continue
            with self.subTest(table=table):
                before = self.spark_rows(f"SELECT * FROM c.db.{table}")
                self.firn.run("table", "alter", self.location(table), "upgrade", "3")
                self.firn.run("convert-equality-deletes", self.location(table))
                self.firn.run("rewrite-position-delete-files", self.location(table))
                formats = {row["file_format"] for row in
                           self.firn.rows("inspect", self.location(table), "delete-files")}
                self.assertLessEqual(formats, {"PUFFIN"})
                self.spark.sql(f"REFRESH TABLE c.db.{table}")
                self.assertEqual(self.spark_rows(f"SELECT * FROM c.db.{table}"), before)

    def check_maintenance(self, table):
        before = self.rows_with_lineage(table)
        refs = {
            row["name"]: self.spark_rows(f"SELECT * FROM c.db.{table} VERSION AS OF '{row['name']}'")
            for row in self.firn.rows("inspect", self.location(table), "refs")
        }
        self.firn.run("rewrite-manifests", self.location(table))
        self.assertEqual(self.rows_with_lineage(table), before)
        self.firn.run("convert-equality-deletes", self.location(table), "--verify", "content")
        self.spark.sql(f"REFRESH TABLE c.db.{table}")
        self.assertEqual(self.rows_with_lineage(table), before)
        kinds = [row["content"] for row in self.firn.rows("inspect", self.location(table),
                                                          "delete-files")]
        self.assertNotIn(2, kinds)
        self.firn.run("rewrite-position-delete-files", self.location(table), "--option",
                      "rewrite-all=true", "--verify", "content")
        self.spark.sql(f"REFRESH TABLE c.db.{table}")
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
